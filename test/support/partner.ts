/** A partner as seen from outside: its keys, the key set it publishes, and the tokens it signs. */
import {
  createSign,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from "node:crypto"
import { type JWTHeaderParameters, SignJWT } from "jose"
import type { Answer } from "./http-receiver.ts"

export interface PartnerKeyPair {
  readonly privateKey: KeyObject
  readonly pem: string
  readonly jwk: JsonWebKey
}

/** Pairs by their length, used in turn: to make one takes as long as ten tests, and no test needs more than these. */
const made = new Map<number, KeyPairKeyObjectResult[]>()
const PAIRS = 4
const nextPair = (modulusLength: number): KeyPairKeyObjectResult => {
  const pairs = made.get(modulusLength) ?? []
  made.set(modulusLength, pairs)
  const pair = pairs.length < PAIRS ? generateKeyPairSync("rsa", { modulusLength }) : pairs.shift()
  if (pair === undefined) throw new Error("no pair")
  pairs.push(pair)
  return pair
}

/** An RSA key pair, another one than the last three; its JWK carries the `kid` when one is given. */
export const newPartnerKey = (kid?: string, modulusLength = 2048): PartnerKeyPair => {
  const { privateKey, publicKey } = nextPair(modulusLength)
  const jwk = { ...publicKey.export({ format: "jwk" }), ...(kid === undefined ? {} : { kid }) }
  return { privateKey, pem: publicKey.export({ type: "spki", format: "pem" }).toString(), jwk }
}

/** Answers with a key set. */
export const publishes =
  (...keys: ReadonlyArray<unknown>): Answer =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys }))

/** Seconds from now, as `exp` and `nbf` count. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** A token with exactly these claims. */
export const signToken = (
  key: KeyObject | Uint8Array,
  claims: { readonly [claim: string]: unknown },
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> => new SignJWT(claims).setProtectedHeader({ alg: "RS256", ...header }).sign(key)

/** The same over any text at all: a signer that is a library refuses much of what a partner might send. */
export const signText = (key: KeyObject, header: string, payload: string): string => {
  const text = [header, payload].map((part) => Buffer.from(part).toString("base64url")).join(".")
  return `${text}.${createSign("sha256").update(text).sign(key, "base64url")}`
}

export const ISSUER = "https://partner.example"

export interface Claims {
  readonly [claim: string]: unknown
}

/** The claims of a good token of `ISSUER`, and all given ones. */
export const guestClaims = (more: Claims = {}): Claims => ({
  iss: ISSUER,
  sub: "guest-1",
  exp: inSeconds(600),
  ...more,
})
