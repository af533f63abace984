/**
 * One browser's session: its path, its keys, what it publishes and the slots in which it receives. A packet that does not prove itself is
 * dropped without a trace.
 */
import { randomBytes, randomInt } from "node:crypto"
import type { Timers } from "../../clock/timers.ts"
import { Malformed } from "../bytes.ts"
import type { Certificate } from "../dtls/certificate.ts"
import { DtlsServer } from "../dtls/server.ts"
import { Layer } from "../forwarding/layer.ts"
import { Publication, type Source } from "../forwarding/publication.ts"
import { Slot } from "../forwarding/slot.ts"
import { isRtcp, type RtpPacket, readRtp } from "../rtp/packet.ts"
import {
  bandwidthLimit,
  type Feedback,
  keyFrameRequest,
  lossReport,
  readFeedback,
  receiverReport,
  type SenderReport,
} from "../rtp/rtcp.ts"
import { srtpKeysOf } from "../srtp/keys.ts"
import { SrtpSession } from "../srtp/session.ts"
import type { Offer, Section } from "./offer.ts"

interface PeerEvents {
  /** The browser ended its session, or is not who made the offer. */
  readonly onClosed: (peer: Peer) => void
  readonly onPacket: (publication: Publication, layer: Layer, packet: RtpPacket, number: number) => void
  /** A browser asks that its slot shows a whole picture. */
  readonly onKeyFrameAsked: (slot: Slot) => void
}

/** Address from which datagrams of the browser come, or a connection. */
export interface Path {
  readonly key: string
  readonly send: (datagram: Buffer) => void
}

/** The most that a peer may send in a second. Packets beyond it are dropped before they cost anything. */
interface UpLimits {
  readonly bits: number
  readonly packets: number
}

/** A browser's microphone, its camera in three layers, and its screen: some 300 packets. */
const ROOM_LIMITS: UpLimits = { bits: 6_000_000, packets: 1000 }
/** Bits that may come, of those that the peer is told. */
const TOLERANCE = 1.5
const SOUNDS_PER_SECOND = 200
/** A path is the address that a check came from; a browser tries few. */
const MOST_PATHS = 8
const MOST_SECTIONS = 40
const MOST_EARLY = 8
/** A browser tells within a second what it can receive; until then its pictures are small. */
const FIRST_DOWN = 1_000_000
/** After the browser said that less arrives than was sent, no more is tried for so long. */
const NO_TRIAL_MS = 10_000

interface PeerFacts {
  readonly id: string
  /** Counts the browser's connections. */
  readonly gen: number
  readonly offer: Offer
  readonly certificate: Certificate
  readonly timers: Timers
  readonly limits?: UpLimits
}

interface Received {
  readonly sent: Sent
  readonly layer: Layer
}

interface Sent {
  readonly publication: Publication
  readonly section: Section
}

export class Peer {
  readonly id: string
  /** Counts the browser's connections. */
  readonly gen: number
  /** Secrets of the path: each session has its own, and the server knows a check by them. */
  readonly fragment = randomBytes(8).toString("hex")
  readonly password = randomBytes(16).toString("hex")
  readonly #offered: Pick<Offer, "fingerprint" | "fragment">
  readonly #events: PeerEvents
  readonly #limits: UpLimits
  readonly #timers: Timers
  readonly #dtls: DtlsServer
  readonly #source = randomInt(1, 0x7fff_ffff)
  readonly #slots = new Map<string, Slot>()
  readonly #sent = new Map<string, Sent>()
  readonly #layers = new Map<number, Received>()
  /** Reports of sources of which no packet has come. */
  readonly #early = new Map<number, SenderReport>()
  /** Keys of the paths over which checks came, the latest last. */
  readonly paths = new Set<string>()
  #path: Path | undefined
  #srtp: SrtpSession | undefined
  #heardAt: number
  #down = FIRST_DOWN
  #second = { since: 0, packets: 0, bytes: 0, sounds: 0 }
  #noTrialUntil = 0

  constructor({ id, gen, offer, certificate, timers, limits = ROOM_LIMITS }: PeerFacts, events: PeerEvents) {
    this.#limits = limits
    this.id = id
    this.gen = gen
    this.#offered = offer
    this.#events = events
    this.#timers = timers
    this.#heardAt = timers.elapsed()
    this.#dtls = new DtlsServer({
      certificate,
      fingerprint: offer.fingerprint,
      timers,
      send: (datagram) => this.#path?.send(datagram),
      onConnected: (secrets) => {
        this.#srtp = new SrtpSession(srtpKeysOf(secrets))
      },
      onClosed: () => events.onClosed(this),
    })
    this.negotiate(offer)
  }

  /** Takes another offer of the same session: it may add sections, never change what one is for. @throws Malformed */
  negotiate({ sections }: Offer): void {
    const names = new Set([...this.#sent.keys(), ...this.#slots.keys(), ...sections.map(({ mid }) => mid)])
    if (names.size > MOST_SECTIONS) throw new Malformed("The session has too many sections.")
    for (const { section } of sections) {
      if (section === undefined) continue
      if (section.isSent) this.#publish(section)
      else if (!this.#slots.has(section.mid)) this.#slots.set(section.mid, this.#slotOf(section))
    }
  }

  get isConnected(): boolean {
    return this.#srtp !== undefined
  }

  /**
   * Bits to send in a second. A browser reports at most half more than what arrives, so that a report above that says nothing of the path:
   * then twice as much is tried.
   */
  allowance(now: number): number {
    const shown = new Set(this.slots.flatMap(({ shown: layer }) => layer ?? []))
    const sent = [...shown].reduce((sum, { bitsPerSecond }) => sum + bitsPerSecond, 0)
    if (this.#down < sent) this.#noTrialUntil = now + NO_TRIAL_MS
    return now < this.#noTrialUntil ? this.#down : Math.max(this.#down, 2 * sent + FIRST_DOWN / 2)
  }

  /** Whether the offer is one of this session. */
  isOf({ fingerprint, fragment }: Offer): boolean {
    return this.#offered.fingerprint === fingerprint && this.#offered.fragment === fragment
  }

  get slots(): ReadonlyArray<Slot> {
    return [...this.#slots.values()]
  }

  get publications(): ReadonlyArray<Publication> {
    return [...this.#sent.values()].map(({ publication }) => publication)
  }

  /** Milliseconds since the last authentic check. */
  silentFor(): number {
    return this.#timers.elapsed() - this.#heardAt
  }

  sourceOf(mid: string): number {
    return this.#slots.get(mid)?.ssrc ?? 0
  }

  /** An authentic check came over the path. Returns the path that is too many now. */
  heard(path: Path, isNominated: boolean): string | undefined {
    this.paths.delete(path.key)
    this.paths.add(path.key)
    this.#heardAt = this.#timers.elapsed()
    if (this.#path === undefined || isNominated) this.#path = path
    if (this.paths.size <= MOST_PATHS) return undefined
    const [oldest = ""] = this.paths
    this.paths.delete(oldest)
    return oldest
  }

  /** A datagram that is no check. */
  receive(datagram: Buffer): void {
    if (this.#isFlood(datagram.length)) return
    const first = datagram[0] ?? 0
    if (first >= 20 && first <= 63) this.#dtls.receive(datagram)
    if (first >> 6 !== 2 || this.#srtp === undefined) return
    try {
      if (isRtcp(datagram)) for (const feedback of readFeedback(this.#srtp.openRtcp(datagram))) this.#heed(feedback)
      else this.#receiveRtp(datagram, this.#srtp)
    } catch (cause) {
      if (!(cause instanceof Malformed)) throw cause
    }
  }

  #isFlood(bytes: number): boolean {
    const now = this.#timers.elapsed()
    if (now - this.#second.since >= 1000) this.#second = { since: now, packets: 0, bytes: 0, sounds: 0 }
    this.#second.packets += 1
    this.#second.bytes += bytes
    const { bits, packets } = this.#limits
    return this.#second.packets > packets || this.#second.bytes > (TOLERANCE * bits) / 8
  }

  #isNoise({ kind }: Publication): boolean {
    if (kind === "audio") this.#second.sounds += 1
    return this.#second.sounds > SOUNDS_PER_SECOND
  }

  askKeyFrame(layer: Layer): void {
    if (layer.mayAskKeyFrame(this.#timers.elapsed())) this.#sendRtcp(keyFrameRequest(this.#source, layer.ssrc))
  }

  /** Asks for lost packets of pictures. Lost sound is not worth the wait. */
  askLost(): void {
    const now = this.#timers.elapsed()
    for (const { layer } of this.#layers.values()) {
      const missing = layer.missing(now)
      if (missing.length > 0) this.#sendRtcp(lossReport(this.#source, layer.ssrc, missing))
    }
  }

  /** Tells the browser how its packets arrive, and what it may send. */
  report(): void {
    const now = this.#timers.elapsed()
    const receptions = [...this.#layers.values()].flatMap(({ layer }) => layer.reception(now) ?? [])
    if (receptions.length === 0) return
    const limit = bandwidthLimit(
      this.#source,
      this.#limits.bits,
      receptions.map(({ ssrc }) => ssrc),
    )
    this.#sendRtcp(Buffer.concat([receiverReport(this.#source, receptions), limit]))
  }

  close(): void {
    this.#dtls.close()
    this.#path = undefined
    this.#srtp = undefined
  }

  /** A browser has one microphone, one camera and one screen; the first picture is the camera's. */
  #publish(section: Section): void {
    if (this.#sent.has(section.mid)) return
    const has = (source: Source): boolean => this.publications.some((one) => one.source === source)
    const picture: Source = has("camera") ? "screen" : "camera"
    const source = section.kind === "audio" ? "microphone" : picture
    if (!has(source)) this.#sent.set(section.mid, { publication: new Publication(this.id, source), section })
  }

  #slotOf({ mid, kind, payloadType, extensions: { absSendTime } }: Section): Slot {
    return new Slot(mid, kind, randomInt(1, 0x7fff_ffff), randomInt(1, 0x4000), {
      payloadType,
      absSendTimeId: absSendTime,
      send: (head, payload, sequence) => {
        if (this.#srtp !== undefined) this.#path?.send(this.#srtp.sealRtp(head, payload, sequence))
      },
    })
  }

  #receiveRtp(datagram: Buffer, srtp: SrtpSession): void {
    const { payload, number } = srtp.openRtp(datagram)
    const known = this.#layers.get(datagram.readUInt32BE(8)) ?? this.#learn(datagram, payload)
    if (known === undefined || this.#isNoise(known.sent.publication)) return
    const { sent, layer } = known
    // A packet of padding alone goes on as an empty one: it has a place in the order too.
    const packet = readRtp(datagram, payload, sent.section.extensions)
    if (packet.payloadType !== sent.section.payloadType) return
    const now = this.#timers.elapsed()
    if (packet.level !== undefined) sent.publication.hear(packet.level, now)
    layer.add(packet, number, now)
    this.#events.onPacket(sent.publication, layer, packet, number)
  }

  /** The layer of a new source: the section names the source, or the packet names its section. */
  #learn(datagram: Buffer, payload: Buffer): Received | undefined {
    const ssrc = datagram.readUInt32BE(8)
    for (const sent of this.#sent.values()) {
      const { section } = sent
      const { mid, rid } = readRtp(datagram, payload, section.extensions)
      if (!section.ssrcs.includes(ssrc) && mid !== section.mid) continue
      const at = section.rids.length === 0 ? 0 : section.rids.indexOf(rid ?? "")
      if (at >= 0) return this.#begin(ssrc, sent, at)
    }
    return undefined
  }

  /** A browser that begins its source anew replaces the layer. */
  #begin(ssrc: number, sent: Sent, at: number): Received {
    const { section, publication } = sent
    for (const [old, { layer }] of this.#layers) if (layer === publication.layers[at]) this.#layers.delete(old)
    const received = { sent, layer: new Layer(ssrc, section.kind) }
    const report = this.#early.get(ssrc)
    if (report !== undefined) received.layer.noteSenderReport(report, this.#timers.elapsed())
    this.#early.delete(ssrc)
    publication.layers[at] = received.layer
    this.#layers.set(ssrc, received)
    return received
  }

  #heed(feedback: Feedback): void {
    if (feedback.kind === "bandwidth") this.#down = feedback.bitsPerSecond
    else if (feedback.kind === "senderReport") {
      const known = this.#layers.get(feedback.ssrc)
      if (known !== undefined) known.layer.noteSenderReport(feedback, this.#timers.elapsed())
      else if (this.#early.size < MOST_EARLY) this.#early.set(feedback.ssrc, feedback)
    } else {
      const slot = this.slots.find(({ ssrc }) => ssrc === feedback.ssrc)
      if (slot === undefined) return
      if (feedback.kind === "keyFrame") this.#events.onKeyFrameAsked(slot)
      else for (const sequence of feedback.sequences) slot.resend(sequence, this.#timers.elapsed())
    }
  }

  #sendRtcp(compound: Buffer): void {
    if (this.#srtp !== undefined) this.#path?.send(this.#srtp.sealRtcp(compound))
  }
}
