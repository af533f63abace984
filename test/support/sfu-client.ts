/** A browser of the media server, without a browser: one socket, a handshake, and packets as they are told. */
import { createHmac, randomBytes } from "node:crypto"
import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { connect, type Socket as TcpSocket } from "node:net"
import { uint } from "../../src/sfu/bytes.ts"
import { type Certificate, newCertificate } from "../../src/sfu/dtls/certificate.ts"
import { isRtcp, sentHead } from "../../src/sfu/rtp/packet.ts"
import { srtpKeysOf } from "../../src/sfu/srtp/keys.ts"
import { SrtpSession } from "../../src/sfu/srtp/session.ts"
import { DtlsClient, type Misbehaviour } from "./dtls-client.ts"

export interface SentSection {
  readonly kind: "audio" | "video"
  readonly ssrc: number
}

export interface SfuClientOptions {
  readonly sent?: ReadonlyArray<SentSection>
  /** Places for sounds and pictures of others. */
  readonly places?: { readonly audio: number; readonly video: number }
  /** Codec of pictures: that of rooms, or that of encoders. */
  readonly picture?: "VP8" | "H264"
  readonly misbehave?: Misbehaviour
  readonly profiles?: ReadonlyArray<number>
  /** Each datagram of TCP has its length before it (RFC 4571). */
  readonly over?: "udp" | "tcp"
}

interface Arrived {
  readonly ssrc: number
  readonly sequence: number
  readonly timestamp: number
  readonly payload: Buffer
}

const CHECK_EVERY_MS = 2500
const AUDIO = 111
const VIDEO = 96
/** Extensions of the offer: the loudness has id 1. */
const LEVEL_ID = 1

/** Bytes of the first datagram with its length; more than any when the length itself has not arrived. */
const sizeOf = (waiting: Buffer): number =>
  waiting.length < 2 ? Number.POSITIVE_INFINITY : 2 + waiting.readUInt16BE(0)

const sectionLines = (
  kind: "audio" | "video",
  mid: number,
  picture: string,
  more: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  `m=${kind} 9 UDP/TLS/RTP/SAVPF ${kind === "audio" ? AUDIO : VIDEO}`,
  `a=mid:${mid}`,
  `a=rtpmap:${kind === "audio" ? `${AUDIO} opus/48000/2` : `${VIDEO} ${picture}/90000`}`,
  `a=extmap:${LEVEL_ID} urn:ietf:params:rtp-hdrext:ssrc-audio-level`,
  ...more,
]

export class SfuClient {
  readonly certificate: Certificate = newCertificate(Date.now())
  readonly fragment = randomBytes(4).toString("hex")
  readonly arrived: Array<Arrived> = []
  readonly reports: Array<Buffer> = []
  /** Datagrams of any kind. */
  datagrams = 0
  checksAnswered = 0
  #checking: NodeJS.Timeout | undefined
  /** Packets that came again. */
  copies = 0
  readonly #options: SfuClientOptions
  readonly #socket: Socket = createSocket("udp4")
  readonly #dtls: DtlsClient
  readonly #raw = new Set<string>()
  #checked: () => void = () => undefined
  #tcp: TcpSocket | undefined
  #srtp: SrtpSession | undefined
  #remote = { fragment: "", password: "", port: 0 }

  constructor(options: SfuClientOptions = {}) {
    this.#options = options
    this.#dtls = new DtlsClient({
      certificate: this.certificate,
      misbehave: options.misbehave,
      ...(options.profiles !== undefined && { profiles: options.profiles }),
      send: (datagram) => this.send(datagram),
    })
    this.#socket.on("message", (datagram) => this.#receive(datagram))
  }

  get isConnected(): boolean {
    return this.#srtp !== undefined
  }

  get hasAnswered(): Promise<void> {
    return this.#dtls.answered
  }

  get offer(): string {
    const { sent = [], places = { audio: 1, video: 0 }, picture = "VP8" } = this.#options
    const received = [
      ...Array.from({ length: places.audio }, () => "audio" as const),
      ...Array.from({ length: places.video }, () => "video" as const),
    ]
    return [
      "v=0",
      "o=- 1 1 IN IP4 0.0.0.0",
      "s=-",
      "t=0 0",
      `a=ice-ufrag:${this.fragment}`,
      "a=ice-pwd:0123456789012345678901",
      `a=fingerprint:sha-256 ${this.certificate.fingerprint}`,
      "a=setup:actpass",
      ...sent.flatMap(({ kind, ssrc }, mid) =>
        sectionLines(kind, mid, picture, ["a=sendonly", `a=ssrc:${ssrc} cname:x`]),
      ),
      ...received.flatMap((kind, at) => sectionLines(kind, sent.length + at, picture, ["a=recvonly"])),
      "",
    ].join("\r\n")
  }

  /** Takes the server's answer, checks the path and shakes hands. Resolves when the keys are there. */
  async connect(answer: string, port: number): Promise<void> {
    await this.reach(answer, port)
    await this.startHandshake()
    // timed: a browser checks its path every few seconds, and is gone without.
    this.#checking = setInterval(() => this.check(), CHECK_EVERY_MS)
  }

  /** Checks the path, and waits for the answer. */
  async reach(answer: string, port: number): Promise<void> {
    const firstOf = (name: string): string => new RegExp(`a=${name}:(\\S+)`).exec(answer)?.[1] ?? ""
    this.#remote = { fragment: firstOf("ice-ufrag"), password: firstOf("ice-pwd"), port }
    if (this.#options.over === "tcp") await this.#connectTcp(port)
    const answered = new Promise<void>((resolve) => {
      this.#checked = resolve
    })
    this.check()
    await answered
  }

  /** Resolves when the keys are there. */
  async startHandshake(): Promise<void> {
    this.#dtls.start()
    const { profile, sent, received } = srtpKeysOf(await this.#dtls.connected)
    this.#srtp = new SrtpSession({ profile, sent: received, received: sent })
  }

  /** A connectivity check that chooses the path. */
  check(password = this.#remote.password, fragment = this.#remote.fragment): void {
    const username = Buffer.from(`${fragment}:${this.fragment}`)
    const padded = Buffer.concat([username, Buffer.alloc((4 - (username.length % 4)) % 4)])
    const attributes = Buffer.concat([uint(0x0006, 2), uint(username.length, 2), padded, uint(0x0025, 2), uint(0, 2)])
    const head = Buffer.concat([uint(1, 2), uint(attributes.length + 24, 2), uint(0x2112a442, 4), randomBytes(12)])
    const packet = Buffer.concat([head, attributes])
    const integrity = createHmac("sha1", password).update(packet).digest()
    this.send(Buffer.concat([packet, uint(0x0008, 2), uint(20, 2), integrity]))
  }

  send(datagram: Buffer): void {
    if (this.#tcp === undefined) this.#socket.send(datagram, this.#remote.port, "127.0.0.1")
    else this.#tcp.write(Buffer.concat([uint(datagram.length, 2), datagram]))
  }

  /** The packet as it goes over the network. `level` in -dBov, for a microphone. */
  packet(
    ssrc: number,
    kind: "audio" | "video",
    sequence: number,
    timestamp: number,
    payload: Buffer,
    level = 20,
  ): Buffer {
    const head = sentHead({
      payloadType: kind === "audio" ? AUDIO : VIDEO,
      hasMarker: true,
      sequence: sequence & 0xffff,
      timestamp,
      ssrc,
      absSendTimeId: undefined,
      sendTime: 0,
    })
    head[0] = 0x90
    const levelled = Buffer.concat([head, Buffer.from([0xbe, 0xde, 0, 1, LEVEL_ID << 4, level, 0, 0])])
    if (this.#srtp === undefined) throw new Error("not connected")
    return this.#srtp.sealRtp(levelled, [payload], sequence)
  }

  /** Passes on what another program sends without protection, of fewer packets than a sequence number can count. */
  forward(datagram: Buffer): void {
    if (isRtcp(datagram)) this.report(datagram)
    else if (this.#srtp !== undefined) {
      // The head of a packet without extensions.
      const [head, payload] = [datagram.subarray(0, 12), datagram.subarray(12)]
      this.send(this.#srtp.sealRtp(head, [payload], head.readUInt16BE(2)))
    }
  }

  report(compound: Buffer): void {
    if (this.#srtp !== undefined) this.send(this.#srtp.sealRtcp(compound))
  }

  close(): void {
    clearInterval(this.#checking)
    this.#socket.close()
    this.#tcp?.destroy()
  }

  async #connectTcp(port: number): Promise<void> {
    const socket = connect(port, "127.0.0.1")
    this.#tcp = socket
    let waiting = Buffer.alloc(0)
    socket.on("data", (bytes) => {
      waiting = Buffer.concat([waiting, bytes])
      for (let size = sizeOf(waiting); size <= waiting.length; size = sizeOf(waiting)) {
        this.#receive(waiting.subarray(2, size))
        waiting = waiting.subarray(size)
      }
    })
    await once(socket, "connect")
  }

  #receive(datagram: Buffer): void {
    this.datagrams += 1
    const first = datagram[0] ?? 0
    if (first === 1) {
      this.checksAnswered += 1
      this.#checked()
    }
    if (first >= 20 && first <= 63) this.#dtls.receive(datagram)
    else if (first >> 6 === 2 && this.#srtp !== undefined) {
      if (isRtcp(datagram)) {
        this.reports.push(this.#srtp.openRtcp(datagram))
        return
      }
      // A packet that comes again has the bytes of the first one.
      if (this.#raw.has(datagram.toString("latin1"))) {
        this.copies += 1
        return
      }
      this.#raw.add(datagram.toString("latin1"))
      const { payload } = this.#srtp.openRtp(datagram)
      this.arrived.push({
        ssrc: datagram.readUInt32BE(8),
        sequence: datagram.readUInt16BE(2),
        timestamp: datagram.readUInt32BE(4),
        payload,
      })
    }
  }
}
