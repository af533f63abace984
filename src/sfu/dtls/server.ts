/**
 * The server's side of a DTLS 1.2 handshake (RFC 6347) for SRTP (RFC 5764). The client is known by the fingerprint of its certificate and
 * proves that it has the key. There is no cookie: only who knows the password of the session gets so far, and a flight is not repeated more
 * than five times a second.
 */
import { randomBytes, sign, verify, X509Certificate } from "node:crypto"
import type { Cancel, Timers } from "../../clock/timers.ts"
import { lowerAscii } from "../../model/text/compared.ts"
import { Malformed } from "../bytes.ts"
import type { Certificate } from "./certificate.ts"
import * as Message from "./handshake-messages.ts"
import { type KeyAgreement, keyAgreementOn } from "./key-agreement.ts"
import { exported, masterSecretOf, type TrafficKeys, trafficKeysOf, verifyData } from "./key-schedule.ts"
import { Reassembly } from "./reassembly.ts"
import {
  ALERT,
  CHANGE_CIPHER_SPEC,
  type DtlsRecord,
  HANDSHAKE,
  openedRecord,
  plainRecord,
  recordsOf,
  sealedRecord,
} from "./records.ts"

/** Source of the SRTP keys. */
export interface SrtpSecrets {
  readonly profile: Message.SrtpProfile
  /** `EXTRACTOR-dtls_srtp` (RFC 5764, 4.2). */
  readonly material: (size: number) => Buffer
}

interface DtlsOptions {
  readonly certificate: Certificate
  /** SHA-256 of the client's certificate, `ab:cd:…`. */
  readonly fingerprint: string
  readonly timers: Timers
  readonly send: (datagram: Buffer) => void
  readonly onConnected: (secrets: SrtpSecrets) => void
  /** The other side ended the connection, or is not who it should be. Called once. */
  readonly onClosed: () => void
}

/** Smallest datagram that each path carries, without the heads of IPv6 and UDP (RFC 8200: 1,280). */
const MOST_DATAGRAM = 1200
const FIRST_REPEAT_MS = 400
const REPEATS = 5
const AGAIN_AFTER_MS = 200

/** After a hello. */
interface Greeted {
  readonly hello: Message.ClientHello
  readonly random: Buffer
  readonly agreement: KeyAgreement
}

interface Keyed {
  readonly master: Buffer
  readonly keys: TrafficKeys
}

export class DtlsServer {
  readonly #options: DtlsOptions
  readonly #reassembly = new Reassembly()
  readonly #transcript: Array<Buffer> = []
  #state: "handshake" | "connected" | "closed" = "handshake"
  #greeted: Greeted | undefined
  #clientCertificate: X509Certificate | undefined
  #isProven = false
  #keyed: Keyed | undefined
  /** Messages of the last flight, sent again while the other side is silent. */
  #flight: () => void = () => undefined
  #flownAt = Number.NEGATIVE_INFINITY
  #stopRepeating: Cancel | undefined
  readonly #sent = { message: 0, plain: 0, sealed: 0 }

  constructor(options: DtlsOptions) {
    this.#options = options
  }

  /** Takes a datagram of the client. What is malformed or of somebody else is dropped. */
  receive(datagram: Buffer): void {
    try {
      for (const record of recordsOf(datagram)) this.#take(record)
    } catch (cause) {
      if (!(cause instanceof Malformed)) throw cause
    }
  }

  close(): void {
    this.#state = "closed"
    this.#stopRepeating?.()
  }

  #take(record: DtlsRecord): void {
    if (this.#state === "closed" || record.type === CHANGE_CIPHER_SPEC) return
    const { keyed, body } = this.#opened(record)
    if (body === undefined) return
    if (record.type === ALERT) {
      // An alert without protection may be anybody's.
      if (keyed) this.#end()
      return
    }
    if (record.type !== HANDSHAKE) return
    const { messages, isRepeated } = this.#reassembly.add(body)
    if (isRepeated && messages.length === 0) this.#flyAgain()
    for (const message of messages) this.#handle(message, keyed)
  }

  /** Without a body: a record that cannot be read yet, or of an epoch that there is not. */
  #opened(record: DtlsRecord): { readonly keyed: boolean; readonly body?: Buffer } {
    if (record.epoch === 0) return { keyed: false, body: record.body }
    if (record.epoch !== 1 || this.#keyed === undefined || !this.#isProven) return { keyed: true }
    return { keyed: true, body: openedRecord(record, this.#keyed.keys.client) }
  }

  #handle(message: Message.HandshakeMessage, keyed: boolean): void {
    if (this.#state !== "handshake") return
    if (keyed !== (message.type === Message.FINISHED)) throw new Malformed("The message is out of place.")
    try {
      this.#step(message)
    } catch (cause) {
      // Each message comes once: a handshake that took a wrong one never ends.
      if (cause instanceof Malformed) this.#end()
      throw cause
    }
    this.#transcript.push(Message.wholeMessage(message))
    if (message.type === Message.CLIENT_HELLO) this.#answerHello()
    if (message.type === Message.CLIENT_KEY_EXCHANGE) this.#makeKeys(message.body)
    if (message.type === Message.FINISHED) this.#finish()
  }

  /** The steps in their order. The transcript does not have the message yet. */
  #step({ type, body }: Message.HandshakeMessage): void {
    if (type === Message.CLIENT_HELLO && this.#greeted === undefined) {
      const hello = Message.readClientHello(body)
      this.#greeted = { hello, random: randomBytes(32), agreement: keyAgreementOn(hello.curve) }
    } else if (type === Message.CERTIFICATE && this.#greeted !== undefined && this.#clientCertificate === undefined) {
      this.#clientCertificate = this.#known(Message.readCertificate(body))
    } else if (
      type === Message.CLIENT_KEY_EXCHANGE &&
      this.#clientCertificate !== undefined &&
      this.#keyed === undefined
    ) {
      // The keys are of the transcript with this message.
    } else if (type === Message.CERTIFICATE_VERIFY && this.#keyed !== undefined && !this.#isProven) {
      this.#prove(Message.readCertificateVerify(body))
    } else if (type === Message.FINISHED && this.#keyed !== undefined && this.#isProven) {
      const expected = verifyData(this.#keyed.master, "client", Buffer.concat(this.#transcript))
      if (!expected.equals(body)) throw new Malformed("The handshake was changed on its way.")
    } else {
      throw new Malformed("The message is out of order.")
    }
  }

  #known(der: Buffer): X509Certificate {
    try {
      const certificate = new X509Certificate(der)
      if (lowerAscii(certificate.fingerprint256) === this.#options.fingerprint) return certificate
    } catch {
      // A certificate that cannot be read is none.
    }
    throw new Malformed("The certificate is not the one of the description.")
  }

  #prove(signature: Message.SignedBy): void {
    if (!this.#isSigned(signature)) throw new Malformed("The client does not have the key of its certificate.")
    this.#isProven = true
  }

  /** Keys of other kinds make no signatures of these algorithms. */
  #isSigned(signature: Message.SignedBy): boolean {
    try {
      const key = this.#clientCertificate?.publicKey
      if (key?.asymmetricKeyType !== signature.key) return false
      return verify("sha256", Buffer.concat(this.#transcript), key, signature.bytes)
    } catch {
      return false
    }
  }

  #answerHello(): void {
    const { hello, random, agreement } = this.#greeted as Greeted
    const { der, privateKey } = this.#options.certificate
    const parameters = Message.keyExchangeParameters(hello.curve, agreement.publicKey)
    const signature = sign("sha256", Buffer.concat([hello.random, random, parameters]), privateKey)
    const messages = [
      this.#next(Message.SERVER_HELLO, Message.serverHello(random, hello)),
      this.#next(Message.CERTIFICATE, Message.certificateMessage(der)),
      this.#next(Message.SERVER_KEY_EXCHANGE, Message.serverKeyExchange(parameters, signature)),
      this.#next(Message.CERTIFICATE_REQUEST, Message.certificateRequest()),
      this.#next(Message.SERVER_HELLO_DONE, Buffer.alloc(0)),
    ]
    this.#transcript.push(...messages.map(Message.wholeMessage))
    this.#flight = () => this.#sendPlain(messages)
    this.#flight()
    this.#repeat(0)
  }

  #makeKeys(exchange: Buffer): void {
    const { hello, random, agreement } = this.#greeted as Greeted
    const shared = agreement.sharedWith(Message.readKeyExchange(exchange))
    const master = masterSecretOf(shared, Buffer.concat(this.#transcript))
    this.#keyed = { master, keys: trafficKeysOf(master, { client: hello.random, server: random }) }
  }

  #finish(): void {
    const { hello, random } = this.#greeted as Greeted
    const { master, keys } = this.#keyed as Keyed
    this.#stopRepeating?.()
    const body = verifyData(master, "server", Buffer.concat(this.#transcript))
    const finished = Message.wholeMessage(this.#next(Message.FINISHED, body))
    this.#flight = () =>
      this.#options.send(
        Buffer.concat([
          plainRecord(CHANGE_CIPHER_SPEC, this.#sent.plain++, Buffer.from([1])),
          sealedRecord(HANDSHAKE, this.#sent.sealed++, finished, keys.server),
        ]),
      )
    this.#flight()
    this.#state = "connected"
    this.#options.onConnected({
      profile: hello.srtp,
      material: (size) => exported(master, { client: hello.random, server: random }, "EXTRACTOR-dtls_srtp", size),
    })
  }

  #next(type: number, body: Buffer): Message.HandshakeMessage {
    return { type, number: this.#sent.message++, body }
  }

  /** Packs the messages into as few datagrams as the path carries. */
  #sendPlain(messages: ReadonlyArray<Message.HandshakeMessage>): void {
    let datagram: Array<Buffer> = []
    let size = 0
    const flush = (): void => {
      if (datagram.length > 0) this.#options.send(Buffer.concat(datagram))
      datagram = []
      size = 0
    }
    for (const message of messages) {
      for (let from = 0; from < Math.max(1, message.body.length); ) {
        const room = MOST_DATAGRAM - size - 25
        if (room < 64) {
          flush()
          continue
        }
        const part = Math.min(room, message.body.length - from)
        const record = plainRecord(HANDSHAKE, this.#sent.plain++, Message.fragmentOf(message, from, part))
        datagram.push(record)
        size += record.length
        from += Math.max(1, part)
      }
    }
    flush()
  }

  /** The other side has not heard the last flight. */
  #flyAgain(): void {
    const now = this.#options.timers.elapsed()
    if (now - this.#flownAt < AGAIN_AFTER_MS) return
    this.#flownAt = now
    this.#flight()
  }

  #repeat(times: number): void {
    this.#stopRepeating = this.#options.timers.after(FIRST_REPEAT_MS * 2 ** times, () => {
      if (times === REPEATS) return this.#end()
      this.#flight()
      this.#repeat(times + 1)
    })
  }

  #end(): void {
    if (this.#state === "closed") return
    this.close()
    this.#options.onClosed()
  }
}
