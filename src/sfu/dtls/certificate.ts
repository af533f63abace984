/**
 * The certificate of this process. Each start makes another one: its fingerprint reaches the browsers over the gateway, and nobody reads
 * its names. Node makes no certificates, and the library that is installed for ACME wants a polyfill of the whole process.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto"

export interface Certificate {
  readonly der: Buffer
  readonly privateKey: KeyObject
  /** SHA-256, as the description of a session writes it, `AB:CD:…`. */
  readonly fingerprint: string
}

const YEAR_MS = 365 * 86_400_000

/** A value of DER (X.690) with its tag and length, of at most 65,535 bytes. */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const long = body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff]
  const size = body.length < 128 ? [body.length] : long
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const SEQUENCE = 0x30
const ECDSA_WITH_SHA256 = der(SEQUENCE, Buffer.from("06082a8648ce3d040302", "hex"))
/** `CN=gathercue`. */
const NAME = der(
  SEQUENCE,
  der(0x31, der(SEQUENCE, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from("gathercue")))),
)

/** `now` in Unix milliseconds. */
const generalizedTime = (now: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(now).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`))

/** A self-signed certificate (RFC 5280) of P-256, valid for a year before and after `now`, in Unix milliseconds. */
export const newCertificate = (now: number): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const facts = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    NAME,
    der(SEQUENCE, generalizedTime(now - YEAR_MS), generalizedTime(now + YEAR_MS)),
    NAME,
    publicKey.export({ format: "der", type: "spki" }),
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", facts, privateKey))
  const whole = der(SEQUENCE, facts, ECDSA_WITH_SHA256, signature)
  return { der: whole, privateKey, fingerprint: new X509Certificate(whole).fingerprint256 }
}
