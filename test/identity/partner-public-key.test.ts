import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  publicKeyFingerprint,
  publicKeyFromJwk,
  publicKeyFromPem,
  publicKeyPem,
} from "../../src/identity/partners/partner-public-key.ts"

const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync("rsa", { modulusLength, publicExponent })
const spki = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString()

const good = rsa(2048)
const pem = spki(good.publicKey)
const jwk = good.publicKey.export({ format: "jwk" })
/** Not a key anyone can make by accident, and big enough to be slow: modulus and exponent are only said, not found. */
const said = (bits: number, exponent: Buffer) => {
  const modulus = randomBytes(bits / 8)
  modulus[0] = 0xff
  modulus[modulus.length - 1] = 0xff
  return { kty: "RSA", n: modulus.toString("base64url"), e: exponent.toString("base64url") }
}
const F4 = Buffer.from([1, 0, 1])

describe("a PEM text", () => {
  test("of one RSA key of 2048 bits is taken, however it is wrapped, and kept in one form", () => {
    for (const text of [pem, pem.trim(), `\n${pem}\n`, pem.replaceAll("\n", "\r\n")]) {
      const key = publicKeyFromPem(text)
      expect(key && publicKeyPem(key)).toBe(pem)
    }
  })

  test("of another kind, size or form is not taken", () => {
    const rows: ReadonlyArray<readonly [string, string]> = [
      ["of 1024 bits", spki(rsa(1024).publicKey)],
      ["of an elliptic curve", spki(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)],
      ["of Ed25519", spki(generateKeyPairSync("ed25519").publicKey)],
      ["of RSA-PSS", spki(generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).publicKey)],
      ["in PKCS #1 form", good.publicKey.export({ type: "pkcs1", format: "pem" }).toString()],
      ["that is private", good.privateKey.export({ type: "pkcs8", format: "pem" }).toString()],
      ["with a private key behind it", pem + good.privateKey.export({ type: "pkcs8", format: "pem" })],
      ["given twice", pem + pem],
      ["with an exponent of one", spki(createPublicKey({ key: said(2048, Buffer.from([1])), format: "jwk" }))],
      ["too large to check quickly", spki(createPublicKey({ key: said(16_384, F4), format: "jwk" }))],
      ["cut short", `${pem.slice(0, 200)}\n-----END PUBLIC KEY-----\n`],
      ["of no content", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n"],
      ["that is none", "nonsense"],
      ["that is empty", ""],
    ]
    for (const [what, text] of rows) {
      expect(publicKeyFromPem(text), what).toBeUndefined()
    }
  })

  test("has the SHA-256 of the bytes between its lines as fingerprint", () => {
    const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ""), "base64")
    const hex = createHash("sha256").update(der).digest("hex")
    expect(publicKeyFingerprint(good.publicKey)).toBe(`sha256:${hex}`)
  })
})

describe("a JSON Web Key", () => {
  test("for RS256 signatures is taken with its kid, and of it only modulus and exponent", () => {
    for (const more of [
      {},
      { use: "sig" },
      { alg: "RS256" },
      { key_ops: ["verify"] },
      { d: "AQAB", x5u: "http://x/" },
    ]) {
      const taken = publicKeyFromJwk({ ...jwk, kid: "k1", ...more })
      expect([taken?.kid, taken?.key.type]).toEqual(["k1", "public"])
      expect(taken && spki(taken.key)).toBe(pem)
    }
    expect(publicKeyFromJwk(jwk)?.kid).toBeUndefined()
    expect(publicEncrypt(publicKeyFromJwk(jwk)?.key as KeyObject, Buffer.from("x"))).toHaveLength(256)
  })

  test("of another kind, size or form is not taken", () => {
    const rows: ReadonlyArray<readonly [string, unknown]> = [
      ["of 1024 bits", rsa(1024).publicKey.export({ format: "jwk" })],
      ["of an elliptic curve", generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" })],
      ["for encryption", { ...jwk, use: "enc" }],
      ["for another algorithm", { ...jwk, alg: "PS256" }],
      ["that may only wrap keys", { ...jwk, key_ops: ["wrapKey"] }],
      ["with a kid that is no text", { ...jwk, kid: 7 }],
      ["without a modulus", { kty: "RSA", e: "AQAB" }],
      ["with an empty modulus", { kty: "RSA", n: "", e: "AQAB" }],
      ["with an exponent of one", said(2048, Buffer.from([1]))],
      ["with an exponent as long as its modulus", said(2048, Buffer.alloc(256, 0xff))],
      ["too large to check quickly", said(16_384, F4)],
      ["that is symmetric", { kty: "oct", k: "AAAA" }],
      ["that is no object", "key"],
      ["that is null", null],
    ]
    for (const [what, value] of rows) {
      expect(publicKeyFromJwk(value), what).toBeUndefined()
    }
  })

  test("of any other content never throws", () => {
    const text = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom("AQAB", jwk.n))
    const members = {
      kty: fc.constantFrom("RSA", "EC", "oct"),
      n: text,
      e: text,
      kid: fc.jsonValue(),
      use: fc.jsonValue(),
    }
    fc.assert(
      fc.property(fc.oneof(fc.record(members, { requiredKeys: [] }), fc.jsonValue()), (value) => {
        publicKeyFromJwk(value)
      }),
    )
    fc.assert(
      fc.property(fc.base64String({ maxLength: 400 }), (body) => {
        publicKeyFromPem(`-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`)
      }),
    )
  })
})
