/** The record layer of DTLS 1.2 (RFC 6347, 4.1) with AES-128-GCM (RFC 5288). */
import { createCipheriv, createDecipheriv } from "node:crypto"
import { Malformed, Reader, uint } from "../bytes.ts"
import type { RecordKey } from "./key-schedule.ts"

export const CHANGE_CIPHER_SPEC = 20
export const ALERT = 21
export const HANDSHAKE = 22
const VERSION = 0xfefd
const TAG = 16
const EXPLICIT_NONCE = 8

export interface DtlsRecord {
  readonly type: number
  readonly epoch: number
  /** 48 bits. */
  readonly sequence: number
  readonly body: Buffer
}

/** @throws Malformed */
export const recordsOf = (datagram: Buffer): ReadonlyArray<DtlsRecord> => {
  const reader = new Reader(datagram)
  const records: Array<DtlsRecord> = []
  while (reader.left > 0) {
    const type = reader.uint(1)
    reader.uint(2)
    records.push({ type, epoch: reader.uint(2), sequence: reader.uint(6), body: reader.vector(2) })
  }
  return records
}

const headOf = (type: number, epoch: number, sequence: number, size: number): Buffer =>
  Buffer.concat([uint(type, 1), uint(VERSION, 2), uint(epoch, 2), uint(sequence, 6), uint(size, 2)])

/** The number of a record comes before its type in what is authenticated. */
const authenticated = (type: number, epoch: number, sequence: number, size: number): Buffer =>
  Buffer.concat([uint(epoch, 2), uint(sequence, 6), uint(type, 1), uint(VERSION, 2), uint(size, 2)])

export const plainRecord = (type: number, sequence: number, body: Buffer): Buffer =>
  Buffer.concat([headOf(type, 0, sequence, body.length), body])

/** A record of epoch 1. */
export const sealedRecord = (type: number, sequence: number, body: Buffer, { key, salt }: RecordKey): Buffer => {
  const explicit = Buffer.concat([uint(1, 2), uint(sequence, 6)])
  const cipher = createCipheriv("aes-128-gcm", key, Buffer.concat([salt, explicit]), { authTagLength: TAG })
  cipher.setAAD(authenticated(type, 1, sequence, body.length))
  const sealed = Buffer.concat([cipher.update(body), cipher.final()])
  const size = explicit.length + sealed.length + TAG
  return Buffer.concat([headOf(type, 1, sequence, size), explicit, sealed, cipher.getAuthTag()])
}

/** @throws Malformed if the record was not made with the key. */
export const openedRecord = ({ type, epoch, sequence, body }: DtlsRecord, { key, salt }: RecordKey): Buffer => {
  if (body.length < EXPLICIT_NONCE + TAG) throw new Malformed("The record is too short.")
  const nonce = Buffer.concat([salt, body.subarray(0, EXPLICIT_NONCE)])
  const sealed = body.subarray(EXPLICIT_NONCE, -TAG)
  const decipher = createDecipheriv("aes-128-gcm", key, nonce, { authTagLength: TAG })
  decipher.setAAD(authenticated(type, epoch, sequence, sealed.length))
  decipher.setAuthTag(body.subarray(-TAG))
  try {
    return Buffer.concat([decipher.update(sealed), decipher.final()])
  } catch {
    throw new Malformed("The record is not from the peer.")
  }
}
