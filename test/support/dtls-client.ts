/** The client's side of a handshake, as a browser does it. `misbehave` makes it one of somebody who should not get in. */
import { randomBytes, sign } from "node:crypto"
import { Reader, uint, vector } from "../../src/sfu/bytes.ts"
import type { Certificate } from "../../src/sfu/dtls/certificate.ts"
import * as Message from "../../src/sfu/dtls/handshake-messages.ts"
import { keyAgreementOn } from "../../src/sfu/dtls/key-agreement.ts"
import { exported, masterSecretOf, trafficKeysOf, verifyData } from "../../src/sfu/dtls/key-schedule.ts"
import { Reassembly } from "../../src/sfu/dtls/reassembly.ts"
import {
  CHANGE_CIPHER_SPEC,
  HANDSHAKE,
  openedRecord,
  plainRecord,
  recordsOf,
  sealedRecord,
} from "../../src/sfu/dtls/records.ts"
import type { SrtpSecrets } from "../../src/sfu/dtls/server.ts"

export type Misbehaviour = "otherKey" | "noProof" | "wrongFinish" | "noExtendedMaster"

interface DtlsClientOptions {
  readonly certificate: Certificate
  readonly send: (datagram: Buffer) => void
  readonly misbehave?: Misbehaviour | undefined
  /** A profile by its number in RFC 7714 or RFC 5764. */
  readonly profiles?: ReadonlyArray<number>
}

const extension = (type: number, body: Buffer): Buffer => Buffer.concat([uint(type, 2), vector(2, body)])

export class DtlsClient {
  readonly #options: DtlsClientOptions
  readonly #random = randomBytes(32)
  readonly #reassembly = new Reassembly()
  readonly #transcript: Array<Buffer> = []
  readonly #agreement = keyAgreementOn("x25519")
  #number = 0
  #record = 0
  #serverRandom: Buffer = Buffer.alloc(0)
  #serverKey: Buffer = Buffer.alloc(0)
  #master: Buffer = Buffer.alloc(0)
  #profile: Message.SrtpProfile = "AEAD_AES_128_GCM"
  readonly connected: Promise<SrtpSecrets>
  /** The client has sent all that it has to. */
  readonly answered: Promise<void>
  #answerSent: () => void = () => undefined
  #connect: (secrets: SrtpSecrets) => void = () => undefined

  constructor(options: DtlsClientOptions) {
    this.#options = options
    this.connected = new Promise((resolve) => {
      this.#connect = resolve
    })
    this.answered = new Promise((resolve) => {
      this.#answerSent = resolve
    })
  }

  start(): void {
    const { misbehave, profiles = [7, 1] } = this.#options
    const hello = Buffer.concat([
      uint(0xfefd, 2),
      this.#random,
      vector(1),
      vector(1),
      vector(2, uint(0xc02b, 2)),
      vector(1, uint(0, 1)),
      vector(
        2,
        extension(10, vector(2, uint(29, 2))),
        extension(14, Buffer.concat([vector(2, ...profiles.map((profile) => uint(profile, 2))), vector(1)])),
        misbehave === "noExtendedMaster" ? Buffer.alloc(0) : extension(23, Buffer.alloc(0)),
      ),
    ])
    this.#send(this.#message(Message.CLIENT_HELLO, hello))
  }

  receive(datagram: Buffer): void {
    for (const record of recordsOf(datagram)) {
      if (record.type !== HANDSHAKE) continue
      if (record.epoch === 1) {
        this.#finished(record)
        return
      }
      for (const message of this.#reassembly.add(record.body).messages) this.#take(message)
    }
  }

  #take(message: Message.HandshakeMessage): void {
    const { type, body } = message
    this.#transcript.push(Message.wholeMessage(message))
    const reader = new Reader(body)
    if (type === Message.SERVER_HELLO) {
      reader.uint(2)
      this.#serverRandom = Buffer.from(reader.take(32))
      reader.vector(1)
      reader.take(3)
      const extensions = new Reader(reader.vector(2))
      while (extensions.left > 0) {
        const [kind, value] = [extensions.uint(2), extensions.vector(2)]
        if (kind === 14) this.#profile = value.readUInt16BE(2) === 7 ? "AEAD_AES_128_GCM" : "AES128_CM_HMAC_SHA1_80"
      }
    } else if (type === Message.SERVER_KEY_EXCHANGE) {
      reader.take(3)
      this.#serverKey = Buffer.from(reader.vector(1))
    } else if (type === Message.SERVER_HELLO_DONE) this.#answer()
  }

  #answer(): void {
    const { certificate, misbehave } = this.#options
    const flight = [
      this.#message(Message.CERTIFICATE, Message.certificateMessage(certificate.der)),
      this.#message(Message.CLIENT_KEY_EXCHANGE, vector(1, this.#agreement.publicKey)),
    ]
    this.#master = masterSecretOf(this.#agreement.sharedWith(this.#serverKey), Buffer.concat(this.#transcript))
    const signed = misbehave === "otherKey" ? randomBytes(64) : Buffer.concat(this.#transcript)
    const signature = sign("sha256", signed, certificate.privateKey)
    if (misbehave !== "noProof")
      flight.push(this.#message(Message.CERTIFICATE_VERIFY, Buffer.concat([uint(0x0403, 2), vector(2, signature)])))
    for (const message of flight) this.#send(message)
    const finish = verifyData(this.#master, "client", Buffer.concat(this.#transcript))
    if (misbehave === "wrongFinish") finish[0] = (finish[0] ?? 0) ^ 1
    const finished = this.#message(Message.FINISHED, finish)
    const { client } = trafficKeysOf(this.#master, this.#randoms)
    this.#options.send(
      Buffer.concat([
        plainRecord(CHANGE_CIPHER_SPEC, this.#record++, Buffer.from([1])),
        sealedRecord(HANDSHAKE, 0, Message.wholeMessage(finished), client),
      ]),
    )
    this.#answerSent()
  }

  #finished(record: ReturnType<typeof recordsOf>[number]): void {
    openedRecord(record, trafficKeysOf(this.#master, this.#randoms).server)
    this.#connect({
      profile: this.#profile,
      material: (size) => exported(this.#master, this.#randoms, "EXTRACTOR-dtls_srtp", size),
    })
  }

  get #randoms() {
    return { client: this.#random, server: this.#serverRandom }
  }

  #message(type: number, body: Buffer): Message.HandshakeMessage {
    const message = { type, number: this.#number++, body }
    this.#transcript.push(Message.wholeMessage(message))
    return message
  }

  #send(message: Message.HandshakeMessage): void {
    this.#options.send(plainRecord(HANDSHAKE, this.#record++, Message.wholeMessage(message)))
  }
}
