/** Random secrets and their comparison: 256 bits from the CSPRNG, kept only as SHA-256. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const BASE = BigInt(ALPHABET.length)
/** 62^43 > 2^256: 43 digits hold 256 bits. */
const DIGITS = 43

/** 256 random bits as 43 base62 characters: safe in headers, cookies, URLs, and double-clickable. */
export const newSecret = (): string => {
  let value = BigInt(`0x${randomBytes(32).toString("hex")}`)
  let text = ""
  for (let digit = 0; digit < DIGITS; digit++) {
    text = ALPHABET.charAt(Number(value % BASE)) + text
    value /= BASE
  }
  return text
}

/**
 * Stored form of a secret. Secrets carry 256 bits of entropy, so a plain hash cannot be searched; looking up a row by this hash leaks
 * nothing about the secret through timing.
 */
export const hashSecret = (secret: string): Uint8Array => createHash("sha256").update(secret).digest()

/** Constant-time equality of two secrets of any length. */
export const sameSecret = (left: string, right: string): boolean => timingSafeEqual(hashSecret(left), hashSecret(right))
