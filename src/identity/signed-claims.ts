/**
 * JSON Web Tokens (RFC 7519) that this server signs for itself: compact serialisation (RFC 7515), HS256, one fixed header. Signing and
 * verifying happen in place. `jose` uses the thread pool of libuv, where tokens would wait for password hashes, and takes four times as
 * long: a join storm verifies thousands of tokens a second. Tokens of other issuers are verified with `jose` (partner-tokens.ts).
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"

const base64url = (text: string): string => Buffer.from(text).toString("base64url")

/** No other header is accepted, so no token chooses its algorithm. */
const HEADER = base64url('{"alg":"HS256"}')

const signatureOf = (key: KeyObject, signed: string): string =>
  createHmac("sha256", key).update(signed).digest("base64url")

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

interface Registered {
  readonly aud: string
  /** Expiry in Unix seconds. */
  readonly exp: number
}

export const signClaims = (key: KeyObject, claims: object, { aud, exp }: Registered): string => {
  const signed = `${HEADER}.${base64url(JSON.stringify({ ...claims, aud, exp }))}`
  return `${signed}.${signatureOf(key, signed)}`
}

const isRegistered = (payload: unknown): payload is Registered =>
  typeof payload === "object" &&
  payload !== null &&
  "aud" in payload &&
  typeof payload.aud === "string" &&
  "exp" in payload &&
  typeof payload.exp === "number"

/** Claims of a token signed by this key for the audience and unexpired at `now` (Unix seconds), otherwise `undefined`. */
export const verifyClaims = (key: KeyObject, token: string, aud: string, now: number): Registered | undefined => {
  const [header, payload, signature, ...rest] = token.split(".")
  if (header !== HEADER || payload === undefined || signature === undefined || rest.length > 0) return undefined
  if (!isSame(signature, signatureOf(key, `${header}.${payload}`))) return undefined
  // Only this server has the key, so the payload is its own JSON.
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
  return isRegistered(claims) && claims.aud === aud && claims.exp > now ? claims : undefined
}
