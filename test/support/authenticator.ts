/** An authenticator in software, as WebAuthn describes it (level 3, section 6), with a key for ES256 and no attestation. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

type Json = any // options are the server's

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest()
const base64url = (data: Buffer): string => data.toString("base64url")

/** CBOR (RFC 8949) of what an attestation is made of. */
const head = (major: number, length: number): Buffer => {
  if (length < 24) return Buffer.of((major << 5) | length)
  return length < 256 ? Buffer.of((major << 5) | 24, length) : Buffer.of((major << 5) | 25, length >> 8, length & 255)
}
const bytes = (data: Buffer): Buffer => Buffer.concat([head(2, data.length), data])
const text = (data: string): Buffer => Buffer.concat([head(3, data.length), Buffer.from(data)])
const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value))
const map = (...entries: ReadonlyArray<readonly [Buffer, Buffer]>): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])

const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

export interface Wrong {
  readonly origin?: string
  readonly challenge?: string
  readonly rpId?: string
  /** The person was there, and was not verified. */
  readonly unverified?: true
  readonly type?: string
}

export class Authenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
  readonly #origin: string
  readonly credentialId = randomBytes(32)
  #counter = 0
  #userHandle = ""

  constructor(origin: string) {
    this.#origin = origin
  }

  #authData(rpId: string, flags: number, attested = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(++this.#counter)
    return Buffer.concat([sha256(rpId), Buffer.of(flags), counter, attested])
  }

  #clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    const data = {
      type: wrong.type ?? type,
      challenge: wrong.challenge ?? challenge,
      origin: wrong.origin ?? this.#origin,
    }
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }))
  }

  #credential<R extends object>(response: R) {
    const id = base64url(this.credentialId)
    return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} }
  }

  #flags(wrong: Wrong): number {
    return PRESENT | (wrong.unverified === true ? 0 : VERIFIED)
  }

  /** Answers to the options of a registration. */
  register({ challenge, rp, user }: Json, wrong: Wrong = {}) {
    this.#userHandle = user.id
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" })
    const point = (value: string) => bytes(Buffer.from(value, "base64url"))
    const key = map(
      [integer(1), integer(2)],
      [integer(3), integer(-7)],
      [integer(-1), integer(1)],
      [integer(-2), point(x)],
      [integer(-3), point(y)],
    )
    const length = Buffer.of(0, this.credentialId.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, key])
    const authData = this.#authData(wrong.rpId ?? rp.id, this.#flags(wrong) | ATTESTED, attested)
    const attestation = map([text("fmt"), text("none")], [text("attStmt"), map()], [text("authData"), bytes(authData)])
    return this.#credential({
      clientDataJSON: base64url(this.#clientData("webauthn.create", challenge, wrong)),
      attestationObject: base64url(attestation),
    })
  }

  /** Answers to the options of a sign-in. */
  assert({ challenge, rpId }: Json, wrong: Wrong = {}) {
    const clientData = this.#clientData("webauthn.get", challenge, wrong)
    const authenticatorData = this.#authData(wrong.rpId ?? rpId, this.#flags(wrong))
    const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(clientData)]), this.#keys.privateKey)
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
      userHandle: this.#userHandle,
    })
  }
}
