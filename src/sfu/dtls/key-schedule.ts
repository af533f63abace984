/** Secrets of DTLS 1.2 with SHA-256: the pseudorandom function (RFC 5246, 5), the extended master secret (RFC 7627), the exporter (RFC 5705). */
import { createHash, createHmac } from "node:crypto"

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

const hmac = (secret: Uint8Array, bytes: Uint8Array): Buffer => createHmac("sha256", secret).update(bytes).digest()

const prf = (secret: Uint8Array, label: string, seed: Uint8Array, size: number): Buffer => {
  const labelled = Buffer.concat([Buffer.from(label, "latin1"), seed])
  const parts: Array<Buffer> = []
  let round: Uint8Array = labelled
  for (let bytes = 0; bytes < size; bytes += 32) {
    round = hmac(secret, round)
    parts.push(hmac(secret, Buffer.concat([round, labelled])))
  }
  return Buffer.concat(parts).subarray(0, size)
}

interface Randoms {
  readonly client: Uint8Array
  readonly server: Uint8Array
}

/** Keys and implicit nonces of the record layer. */
export interface TrafficKeys {
  readonly client: RecordKey
  readonly server: RecordKey
}

export interface RecordKey {
  /** 16 bytes. */
  readonly key: Buffer
  /** 4 bytes. */
  readonly salt: Buffer
}

/** `transcript`: all messages up to the client's key exchange. */
export const masterSecretOf = (shared: Uint8Array, transcript: Uint8Array): Buffer =>
  prf(shared, "extended master secret", sha256(transcript), 48)

export const trafficKeysOf = (master: Uint8Array, { client, server }: Randoms): TrafficKeys => {
  const block = prf(master, "key expansion", Buffer.concat([server, client]), 40)
  return {
    client: { key: block.subarray(0, 16), salt: block.subarray(32, 36) },
    server: { key: block.subarray(16, 32), salt: block.subarray(36, 40) },
  }
}

/** `transcript`: all messages before the one that carries the result. */
export const verifyData = (master: Uint8Array, who: "client" | "server", transcript: Uint8Array): Buffer =>
  prf(master, `${who} finished`, sha256(transcript), 12)

export const exported = (master: Uint8Array, { client, server }: Randoms, label: string, size: number): Buffer =>
  prf(master, label, Buffer.concat([client, server]), size)
