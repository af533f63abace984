/** Messages of the handshake of DTLS 1.2 (RFC 5246, 7.4; RFC 8422 for elliptic curves; RFC 5764 for SRTP), as far as a server needs them. */
import { Malformed, Reader, uint, vector } from "../bytes.ts"

export const CLIENT_HELLO = 1
export const SERVER_HELLO = 2
export const CERTIFICATE = 11
export const SERVER_KEY_EXCHANGE = 12
export const CERTIFICATE_REQUEST = 13
export const SERVER_HELLO_DONE = 14
export const CERTIFICATE_VERIFY = 15
export const CLIENT_KEY_EXCHANGE = 16
export const FINISHED = 20

/** The one cipher suite: each browser has it, and forward secrecy with it. */
const ECDHE_ECDSA_AES_128_GCM = 0xc02b
const X25519 = 29
const P256 = 23
const ECDSA_P256_SHA256 = 0x0403
const RSA_PKCS1_SHA256 = 0x0401

/** SRTP protection profiles by preference (RFC 7714, RFC 5764). */
export const SRTP_PROFILES = { AEAD_AES_128_GCM: 7, AES128_CM_HMAC_SHA1_80: 1 } as const
export type SrtpProfile = keyof typeof SRTP_PROFILES

const EXTENSION = { groups: 10, points: 11, srtp: 14, extendedMaster: 23, renegotiation: 0xff01 } as const
const SIGNALLING_RENEGOTIATION = 0x00ff

export interface HandshakeMessage {
  readonly type: number
  /** `message_seq`, which grows by one for each message of a side. */
  readonly number: number
  readonly body: Buffer
}

/** A message in one fragment, as the transcript takes it. */
export const wholeMessage = ({ type, number, body }: HandshakeMessage): Buffer =>
  fragmentOf({ type, number, body }, 0, body.length)

export const fragmentOf = ({ type, number, body }: HandshakeMessage, from: number, size: number): Buffer =>
  Buffer.concat([
    uint(type, 1),
    uint(body.length, 3),
    uint(number, 2),
    uint(from, 3),
    uint(size, 3),
    body.subarray(from, from + size),
  ])

export interface ClientHello {
  readonly random: Buffer
  readonly curve: "x25519" | "prime256v1"
  readonly srtp: SrtpProfile
  readonly hasPoints: boolean
  readonly hasRenegotiation: boolean
}

const uint16s = (bytes: Buffer): ReadonlyArray<number> => {
  const reader = new Reader(bytes)
  const values: Array<number> = []
  while (reader.left > 0) values.push(reader.uint(2))
  return values
}

/** @throws Malformed, also if client and server have nothing in common. */
export const readClientHello = (body: Buffer): ClientHello => {
  const reader = new Reader(body)
  reader.uint(2)
  const random = reader.take(32)
  reader.vector(1)
  reader.vector(1)
  const suites = uint16s(reader.vector(2))
  reader.vector(1)
  const listed = new Reader(reader.left > 0 ? reader.vector(2) : Buffer.alloc(0))
  const extensions = new Map<number, Buffer>()
  while (listed.left > 0) extensions.set(listed.uint(2), listed.vector(2))
  const groups = extensions.get(EXTENSION.groups)
  const offered = groups === undefined ? [] : uint16s(new Reader(groups).vector(2))
  const profiles = extensions.get(EXTENSION.srtp)
  const srtp = profiles === undefined ? [] : uint16s(new Reader(profiles).vector(2))
  const common = (Object.keys(SRTP_PROFILES) as Array<SrtpProfile>).find((name) => srtp.includes(SRTP_PROFILES[name]))
  if (!suites.includes(ECDHE_ECDSA_AES_128_GCM)) throw new Malformed("No cipher suite is common.")
  if (!offered.includes(X25519) && !offered.includes(P256)) throw new Malformed("No curve is common.")
  // Without it another connection's messages could be spliced in (RFC 7627, 1).
  if (!extensions.has(EXTENSION.extendedMaster)) throw new Malformed("The extended master secret is missing.")
  if (common === undefined) throw new Malformed("No SRTP profile is common.")
  return {
    random: Buffer.from(random),
    curve: offered.includes(X25519) ? "x25519" : "prime256v1",
    srtp: common,
    hasPoints: extensions.has(EXTENSION.points),
    hasRenegotiation: extensions.has(EXTENSION.renegotiation) || suites.includes(SIGNALLING_RENEGOTIATION),
  }
}

const extension = (type: number, ...parts: ReadonlyArray<Uint8Array>): Buffer =>
  Buffer.concat([uint(type, 2), vector(2, ...parts)])

export const serverHello = (random: Buffer, hello: ClientHello): Buffer =>
  Buffer.concat([
    uint(0xfefd, 2),
    random,
    vector(1),
    uint(ECDHE_ECDSA_AES_128_GCM, 2),
    uint(0, 1),
    vector(
      2,
      extension(EXTENSION.extendedMaster),
      extension(EXTENSION.srtp, vector(2, uint(SRTP_PROFILES[hello.srtp], 2)), vector(1)),
      hello.hasPoints ? extension(EXTENSION.points, vector(1, uint(0, 1))) : Buffer.alloc(0),
      hello.hasRenegotiation ? extension(EXTENSION.renegotiation, vector(1)) : Buffer.alloc(0),
    ),
  ])

export const certificateMessage = (der: Uint8Array): Buffer => vector(3, vector(3, der))

/** The parameters of the server's key, which it signs and sends. */
export const keyExchangeParameters = (curve: ClientHello["curve"], publicKey: Uint8Array): Buffer =>
  Buffer.concat([uint(3, 1), uint(curve === "x25519" ? X25519 : P256, 2), vector(1, publicKey)])

export const serverKeyExchange = (parameters: Buffer, signature: Buffer): Buffer =>
  Buffer.concat([parameters, uint(ECDSA_P256_SHA256, 2), vector(2, signature)])

/** Certificates of types `ecdsa_sign` and `rsa_sign`. */
export const certificateRequest = (): Buffer =>
  Buffer.concat([
    vector(1, uint(64, 1), uint(1, 1)),
    vector(2, uint(ECDSA_P256_SHA256, 2), uint(RSA_PKCS1_SHA256, 2)),
    vector(2),
  ])

/** The first certificate of the client. @throws Malformed */
export const readCertificate = (body: Buffer): Buffer => new Reader(new Reader(body).vector(3)).vector(3)

/** The client's public key. @throws Malformed */
export const readKeyExchange = (body: Buffer): Buffer => new Reader(body).vector(1)

/** A signature and the kind of key that makes such ones. */
export interface SignedBy {
  readonly key: "ec" | "rsa"
  readonly bytes: Buffer
}

/** @throws Malformed */
export const readCertificateVerify = (body: Buffer): SignedBy => {
  const reader = new Reader(body)
  const algorithm = reader.uint(2)
  if (algorithm !== ECDSA_P256_SHA256 && algorithm !== RSA_PKCS1_SHA256)
    throw new Malformed("The algorithm of the signature was not offered.")
  return { key: algorithm === ECDSA_P256_SHA256 ? "ec" : "rsa", bytes: reader.vector(2) }
}
