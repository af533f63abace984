/** Protects and opens packets: AEAD_AES_128_GCM (RFC 7714) and AES128_CM_HMAC_SHA1_80 (RFC 3711). */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto"
import { Malformed } from "../bytes.ts"
import type { SrtpProfile, StreamKeys } from "./keys.ts"

/** The number of a packet: for RTP the rollover counter and the sequence number, for RTCP its index. */
export interface PacketNumber {
  readonly ssrc: number
  readonly high: number
  readonly low: number
}

export interface Protection {
  /** Bytes of the tag at the end. */
  readonly tagSize: number
  /** `body` sealed, with its tag. `head` and `trailer` are authenticated only. */
  readonly seal: (number: PacketNumber, head: Buffer, body: ReadonlyArray<Buffer>, trailer: Buffer) => Buffer
  /** @throws Malformed if the packet was not made with the key. */
  readonly open: (number: PacketNumber, head: Buffer, sealed: Buffer, trailer: Buffer) => Buffer
}

const NOT_AUTHENTIC = "The packet was not made with the key."

/** Initialization vector: the salt with the source and the number of the packet in it. RTP numbers have 48 bits, those of RTCP 32. */
const ivOf = (salt: Buffer, { ssrc, high, low }: PacketNumber, isRtp: boolean): Buffer => {
  const iv = Buffer.alloc(salt.length === 12 ? 12 : 16)
  salt.copy(iv)
  const at = salt.length === 12 ? 2 : 4
  iv.writeUInt32BE((iv.readUInt32BE(at) ^ ssrc) >>> 0, at)
  // GCM places the index of RTCP at the end; counter mode two bytes before the block's counter, where that of RTP is too.
  if (isRtp) {
    iv.writeUInt32BE((iv.readUInt32BE(at + 4) ^ high) >>> 0, at + 4)
    iv.writeUInt16BE(iv.readUInt16BE(at + 8) ^ low, at + 8)
  } else {
    iv.writeUInt32BE((iv.readUInt32BE(at + 6) ^ low) >>> 0, at + 6)
  }
  return iv
}

const gcm = ({ key, salt }: StreamKeys, isRtp: boolean): Protection => ({
  tagSize: 16,
  seal: (number, head, body, trailer) => {
    const cipher = createCipheriv("aes-128-gcm", key, ivOf(salt, number, isRtp))
    cipher.setAAD(trailer.length === 0 || isRtp ? head : Buffer.concat([head, trailer]))
    const sealed = body.map((part) => cipher.update(part))
    cipher.final()
    return Buffer.concat([...sealed, cipher.getAuthTag()])
  },
  open: (number, head, sealed, trailer) => {
    const decipher = createDecipheriv("aes-128-gcm", key, ivOf(salt, number, isRtp), { authTagLength: 16 })
    decipher.setAAD(trailer.length === 0 || isRtp ? head : Buffer.concat([head, trailer]))
    decipher.setAuthTag(sealed.subarray(-16))
    const body = decipher.update(sealed.subarray(0, -16))
    try {
      decipher.final()
    } catch {
      throw new Malformed(NOT_AUTHENTIC)
    }
    return body
  },
})

const counterMode = ({ key, salt, auth }: StreamKeys, isRtp: boolean): Protection => {
  const tagOf = (head: Buffer, sealed: ReadonlyArray<Buffer>, trailer: Buffer): Buffer => {
    const hmac = createHmac("sha1", auth).update(head)
    for (const part of sealed) hmac.update(part)
    return hmac.update(trailer).digest().subarray(0, 10)
  }
  return {
    tagSize: 10,
    seal: (number, head, body, trailer) => {
      const cipher = createCipheriv("aes-128-ctr", key, ivOf(salt, number, isRtp))
      const sealed = body.map((part) => cipher.update(part))
      return Buffer.concat([...sealed, tagOf(head, sealed, trailer)])
    },
    open: (number, head, sealed, trailer) => {
      const body = sealed.subarray(0, -10)
      if (!timingSafeEqual(sealed.subarray(-10), tagOf(head, [body], trailer))) throw new Malformed(NOT_AUTHENTIC)
      return createDecipheriv("aes-128-ctr", key, ivOf(salt, number, isRtp)).update(body)
    },
  }
}

export const protectionOf = (profile: SrtpProfile, keys: StreamKeys, kind: "rtp" | "rtcp"): Protection =>
  profile === "AEAD_AES_128_GCM" ? gcm(keys, kind === "rtp") : counterMode(keys, kind === "rtp")
