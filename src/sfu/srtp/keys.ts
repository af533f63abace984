/** Session keys of SRTP from the master key of the handshake (RFC 3711, 4.3). */
import { createCipheriv } from "node:crypto"
import type { SrtpSecrets } from "../dtls/server.ts"

export type SrtpProfile = SrtpSecrets["profile"]

export interface StreamKeys {
  readonly key: Buffer
  readonly salt: Buffer
  /** Empty where the cipher authenticates. */
  readonly auth: Buffer
}

export interface DirectionKeys {
  readonly rtp: StreamKeys
  readonly rtcp: StreamKeys
}

/** `sent` by this side, `received` from the client. */
export interface SrtpKeys {
  readonly profile: SrtpProfile
  readonly sent: DirectionKeys
  readonly received: DirectionKeys
}

const KEY = 16
/** RFC 7714, 12; RFC 3711, 8.2. */
const SALTS: Readonly<Record<SrtpProfile, number>> = { AEAD_AES_128_GCM: 12, AES128_CM_HMAC_SHA1_80: 14 }

const derived = (key: Buffer, salt: Buffer, label: number, size: number): Buffer => {
  const iv = Buffer.alloc(16)
  salt.copy(iv)
  iv.writeUInt8(iv.readUInt8(7) ^ label, 7)
  return createCipheriv("aes-128-ctr", key, iv).update(Buffer.alloc(size))
}

const directionOf = (profile: SrtpProfile, key: Buffer, salt: Buffer): DirectionKeys => {
  const auth = profile === "AEAD_AES_128_GCM" ? 0 : 20
  const stream = (label: number): StreamKeys => ({
    key: derived(key, salt, label, KEY),
    auth: derived(key, salt, label + 1, auth),
    salt: derived(key, salt, label + 2, salt.length),
  })
  return { rtp: stream(0), rtcp: stream(3) }
}

export const srtpKeysOf = ({ profile, material }: SrtpSecrets): SrtpKeys => {
  const salt = SALTS[profile]
  const block = material(2 * (KEY + salt))
  const salts = 2 * KEY
  const client = directionOf(profile, block.subarray(0, KEY), block.subarray(salts, salts + salt))
  const server = directionOf(profile, block.subarray(KEY, salts), block.subarray(salts + salt))
  return { profile, sent: server, received: client }
}
