/**
 * Text that must be read again but must not be readable in the database: signing secrets, answers that held one. Sealed with
 * AES-256-GCM (NIST SP 800-38D): a random 96-bit nonce, and the text's owner as associated data, so that a sealed
 * text moved to another row does not open. Layout: version byte, nonce, tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const CIPHER = "aes-256-gcm"
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES

/** Another key, another owner, or damaged bytes. */
export class SealBroken extends Error {
  override readonly name = "SealBroken"
}

/** `key`: 32 bytes, derived for this purpose alone; `owner`: the owner of the text, such as a row's id. */
export const sealText = (key: Uint8Array, owner: string, text: string): Uint8Array => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
}

/** Throws `SealBroken`. */
export const openText = (key: Uint8Array, owner: string, sealed: Uint8Array): string => {
  const bytes = Buffer.from(sealed)
  if (bytes.length <= HEAD_BYTES || bytes[0] !== VERSION) throw new SealBroken("not a sealed text")
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString("utf8")
  } catch (cause) {
    throw new SealBroken("the text was sealed with another key or for another owner", { cause })
  }
}
