/**
 * Signatures of webhook requests: ours (docs/webhooks.md) and those of the Standard Webhooks specification 1.0, so that its public
 * libraries can verify too. Both sign the raw body together with the attempt's time. Several secrets give several signatures, while a
 * rotated secret and its successor are both valid.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

/** Largest difference between a timestamp and the receiver's clock, in seconds. */
export const SIGNATURE_WINDOW_SECONDS = 300

const PREFIX = "whsec_"

/** HMAC keyed with the whole `whsec_…` text as UTF-8. */
const ownSignature = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")

/** HMAC keyed with the bytes encoded after `whsec_`. */
const standardSignature = (secret: string, id: string, timestamp: string, body: string): string =>
  createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")

interface SignedHeaders {
  readonly "x-gc-signature": string
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  readonly "webhook-signature": string
}

export const signatureHeaders = (
  secrets: ReadonlyArray<string>,
  message: { readonly id: string; readonly body: string },
  nowSeconds: number,
): SignedHeaders => {
  const timestamp = String(nowSeconds)
  const own = secrets.map((secret) => `v1=${ownSignature(secret, timestamp, message.body)}`)
  const standard = secrets.map((secret) => `v1,${standardSignature(secret, message.id, timestamp, message.body)}`)
  return {
    "x-gc-signature": [`t=${timestamp}`, ...own].join(","),
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.join(" "),
  }
}

/**
 * A receiver's check of `x-gc-signature`: any one `v1` must match, compared in constant time, and the time must be within the window.
 * `rawBody` is the body as received, before parsing.
 */
export const verifySignature = (
  header: string,
  rawBody: string | Uint8Array,
  secret: string,
  nowSeconds: number,
): boolean => {
  const parts = header.split(",").map((part) => part.trim())
  const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2) ?? ""
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > SIGNATURE_WINDOW_SECONDS) return false
  const expected = Buffer.from(ownSignature(secret, timestamp, rawBody))
  return parts
    .filter((part) => part.startsWith("v1="))
    .map((part) => Buffer.from(part.slice(3)))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}
