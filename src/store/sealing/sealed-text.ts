/**
 * Text that must be readable again but not in the database: signing secrets, and answers that held one. Sealed with AES-256-GCM (NIST SP
 * 800-38D): a random 96-bit nonce, and the text's owner as associated data, so a sealed text moved to another row does not open. Layout:
 * version byte, nonce, tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { KeyRing } from "../../crypto/secret-key.ts"

const CIPHER = "aes-256-gcm"
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/** Thrown for another key, another owner, or damaged bytes. */
export class SealBroken extends Error {
  override readonly name = "SealBroken"
}

/**
 * Seals with the newest of the keys, which are derived for this purpose alone. `owner` identifies the owner of the text, such as a row's
 * id.
 */
export const sealText = ([key]: KeyRing, owner: string, text: string): Uint8Array => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
}

const openWith = (key: Uint8Array, owner: string, bytes: Buffer): string | undefined => {
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString("utf8")
  } catch {
    // A tag mismatch means another key, another owner, or other bytes.
    return undefined
  }
}

/** The text, and the ring index of the key that opens it. Throws `SealBroken`. */
export const openSealed = (
  keys: KeyRing,
  owner: string,
  sealed: Uint8Array,
): { readonly text: string; readonly key: number } => {
  const bytes = Buffer.from(sealed)
  if (bytes.length <= HEAD_BYTES || bytes[0] !== VERSION) throw new SealBroken("not a sealed text")
  for (const [index, key] of keys.entries()) {
    const text = openWith(key, owner, bytes)
    if (text !== undefined) return { text, key: index }
  }
  throw new SealBroken("the text was sealed with another key or for another owner")
}

/** Throws `SealBroken`. */
export const openText = (keys: KeyRing, owner: string, sealed: Uint8Array): string =>
  openSealed(keys, owner, sealed).text
