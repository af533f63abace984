/**
 * Accepted public keys of partners: RSA for signatures, large enough to trust and small enough to check quickly. No function here throws on
 * any input, and only a key's modulus and exponent are kept.
 */
import { createHash, createPublicKey, type KeyObject } from "node:crypto"
import { Schema } from "effect"

const MIN_BITS = 2048
/** Maximum key size: checking a signature costs time that grows with the key, and OpenSSL would accept 16,384 bits. */
const MAX_BITS = 8192
/** With an exponent of 1 every signature is its own message; a long one makes checking as slow as signing. */
const MIN_EXPONENT = 3n
const MAX_EXPONENT = 2n ** 64n

const usable = (key: KeyObject): KeyObject | undefined => {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  const isUsable =
    key.asymmetricKeyType === "rsa" &&
    modulusLength >= MIN_BITS &&
    modulusLength <= MAX_BITS &&
    publicExponent >= MIN_EXPONENT &&
    publicExponent <= MAX_EXPONENT
  return isUsable ? key : undefined
}

const attempt = (read: () => KeyObject): KeyObject | undefined => {
  try {
    return usable(read())
  } catch {
    return undefined
  }
}

/** Exactly one SubjectPublicKeyInfo block (RFC 7468 §13): a private key must not be taken for its public half. */
const SPKI_BLOCK = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/

/** Key of a PEM text; `undefined` when it is not exactly one usable public key. */
export const publicKeyFromPem = (pem: string): KeyObject | undefined =>
  SPKI_BLOCK.test(pem) ? attempt(() => createPublicKey(pem)) : undefined

/** Members of a JSON Web Key (RFC 7517 §4) that decide whether it may check an RS256 signature. */
const VerifyingJwk = Schema.Struct({
  kty: Schema.Literal("RSA"),
  n: Schema.String,
  e: Schema.String,
  kid: Schema.optionalKey(Schema.String),
  use: Schema.optionalKey(Schema.Literal("sig")),
  alg: Schema.optionalKey(Schema.Literal("RS256")),
  key_ops: Schema.optionalKey(
    Schema.Array(Schema.String).check(Schema.makeFilter((operations) => operations.includes("verify"))),
  ),
})
const decodeJwk = Schema.decodeUnknownOption(VerifyingJwk)

export interface PartnerKey {
  readonly kid: string | undefined
  readonly key: KeyObject
}

/** Key of a JWK; `undefined` when it is unusable or not for checking RS256 signatures. */
export const publicKeyFromJwk = (jwk: unknown): PartnerKey | undefined => {
  const decoded = decodeJwk(jwk)
  if (decoded._tag === "None") return undefined
  const { kty, n, e, kid } = decoded.value
  const key = attempt(() => createPublicKey({ key: { kty, n, e }, format: "jwk" }))
  return key === undefined ? undefined : { kid, key }
}

/** PEM text in its canonical form, which is stored. */
export const publicKeyPem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString()

/** `sha256:` and the hex SHA-256 of the SPKI DER, as `openssl pkey -pubin -outform DER | sha256sum` shows it. */
export const publicKeyFingerprint = (key: KeyObject): string =>
  `sha256:${createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex")}`
