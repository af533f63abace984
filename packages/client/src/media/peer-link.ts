/**
 * The link to one peer: performs the effects of `link-rules.ts` on the browser's connection. Everything that awaits the browser runs
 * strictly one after the other, and nothing of an earlier connection reaches or delays the current one: pending work of a closed connection
 * never settles (WebRTC 1.0, section 4.4.1.2). Concurrent offers are resolved by perfect negotiation (section 10.7): the side with the
 * smaller id gives way.
 */
import type { RtcLimits } from "../contract/types.ts"
import type { DispatchData } from "../wire.ts"
import { pictureEncoding, soundEncoding } from "./call-rules.ts"
import {
  type LinkEffect,
  type LinkEvent,
  type LinkTimer,
  linkAfter,
  newLink,
  type PeerLinkState,
} from "./link-rules.ts"
import type { LocalTracks, TrackKind } from "./local-tracks.ts"
import { Outbox, type Signal } from "./outbox.ts"
import type { IceConfiguration, PeerConnectionLike, SenderLike, StreamLike, TrackLike, WebRtc } from "./web-rtc.ts"

type IncomingSignal = Exclude<DispatchData<"rtc.signal">, { readonly kind: "slots" }>

/** Interface of the call for a link. */
interface LinkNeeds {
  readonly webRtc: WebRtc
  readonly ownId: string
  readonly peerId: string
  readonly tracks: LocalTracks
  readonly configuration: () => IceConfiguration
  readonly limits: () => RtcLimits | undefined
  /** Whether the peer sends a picture. */
  readonly expectsVideo: () => boolean
  readonly send: (signal: Signal) => Promise<unknown>
  /** Fetches fresh credentials; `configuration` has them when it resolves. Never rejects. */
  readonly refresh: () => Promise<void>
  readonly changed: () => void
  /** Reports a failure of the browser, which the rules of the link repair. */
  readonly failed: (detail: string) => void
}

/** A browser connection with its generation. */
interface Open {
  readonly pc: PeerConnectionLike
  readonly gen: number
  readonly senders: Map<TrackKind, SenderLike>
  hasTracks: boolean
  /** All work requested of this connection so far. */
  work: Promise<void>
}

const KINDS = ["audio", "video"] as const

/** After the rollback of an offer, Chromium sends no more pictures of a track until it is attached again. */
const attachAgain = async (senders: Iterable<SenderLike>): Promise<void> => {
  for (const sender of senders) {
    const { track } = sender
    if (track === null) continue
    await sender.replaceTrack(null)
    await sender.replaceTrack(track)
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const addCandidate = async (pc: PeerConnectionLike, text: string): Promise<void> =>
  pc.addIceCandidate(JSON.parse(text) as object)

export class PeerLink {
  readonly #needs: LinkNeeds
  readonly #outbox: Outbox
  readonly #timers = new Map<LinkTimer, ReturnType<typeof setTimeout>>()
  #link: PeerLinkState
  #open: Open | undefined
  #stream: StreamLike | null = null
  #isClosed = false

  constructor(needs: LinkNeeds) {
    this.#needs = needs
    this.#link = newLink(needs.ownId, needs.peerId)
    this.#outbox = new Outbox(needs.peerId, needs.send)
  }

  get state(): PeerLinkState["state"] {
    return this.#link.state
  }

  /** The peer's sound and picture. */
  get stream(): StreamLike | null {
    return this.#stream
  }

  start(): void {
    this.#take({ type: "start" })
  }

  receive(signal: IncomingSignal): void {
    this.#take({ type: "signal", kind: signal.kind, gen: signal.gen }, signal)
  }

  /** Called when a lost socket is back: signals of that time are sent again. */
  resumed(): void {
    const open = this.#open
    if (open === undefined) return
    this.#outbox.clear()
    this.#then(open, async ({ pc }) => {
      const isUnanswered = pc.signalingState === "have-local-offer"
      const isUnconfirmed = this.#link.state === "connecting" && pc.localDescription?.type === "answer"
      if (isUnanswered || isUnconfirmed) this.#describe(open)
    })
  }

  /** Called when a track of this participant changed; null means that it is off. */
  setTrack(kind: TrackKind, track: TrackLike | null): void {
    const open = this.#open
    if (open === undefined) return
    this.#then(open, async () => {
      const sender = open.senders.get(kind)
      if (sender !== undefined) await sender.replaceTrack(track)
      else if (open.hasTracks && track !== null) this.#addTrack(open, kind, track)
    })
    this.applyLimits()
  }

  applyLimits(): void {
    if (this.#open !== undefined) this.#then(this.#open, (open) => this.#limit(open))
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#close()
  }

  #take(event: LinkEvent, signal?: IncomingSignal): void {
    // A listener closed the link at the previous event.
    if (this.#isClosed) return
    const before = this.#link.state
    const { link, effects } = linkAfter(this.#link, event)
    this.#link = link
    for (const effect of effects) this.#perform(effect, signal)
    if (before !== link.state) this.#needs.changed()
  }

  #perform(effect: LinkEffect, signal: IncomingSignal | undefined): void {
    switch (effect.type) {
      case "open":
        this.#begin(effect.gen, effect.offer)
        break
      case "close":
        this.#close()
        break
      case "restartIce":
        this.#restartIce()
        break
      case "apply":
        if (signal !== undefined && this.#open !== undefined) {
          this.#then(this.#open, (open) => this.#apply(open, signal))
        }
        break
      case "timer":
        clearTimeout(this.#timers.get(effect.timer))
        this.#timers.set(
          effect.timer,
          setTimeout(() => this.#take({ type: "due", timer: effect.timer }), effect.ms),
        )
        break
      case "cancel":
        clearTimeout(this.#timers.get(effect.timer))
        this.#timers.delete(effect.timer)
        break
    }
  }

  /** Runs after all earlier work, unless the connection was replaced meanwhile. */
  #then(open: Open, work: (open: Open) => Promise<void>): void {
    open.work = open.work.then(async () => {
      if (this.#open !== open) return
      try {
        await work(open)
      } catch (cause) {
        if (this.#open !== open) return
        this.#needs.failed(messageOf(cause))
        this.#take({ type: "broken" })
      }
    })
  }

  #begin(gen: number, offer: boolean): void {
    this.#close()
    const pc = this.#connection()
    // The watchdog retries.
    if (pc === undefined) return
    const open: Open = { pc, gen, senders: new Map(), hasTracks: false, work: Promise.resolve() }
    this.#open = open
    pc.onconnectionstatechange = () => this.#take({ type: "changed", to: pc.connectionState })
    pc.onicecandidate = ({ candidate }) => {
      if (candidate !== null && candidate.candidate !== "") this.#outbox.candidate(candidate, gen)
    }
    pc.ontrack = ({ streams: [stream] }) => {
      this.#stream = stream ?? this.#stream
      this.#needs.changed()
    }
    pc.onnegotiationneeded = () => this.#then(open, () => this.#negotiate(open))
    if (offer) this.#addTracks(open, true)
  }

  /** Undefined when the browser refuses: it cannot read the servers, or has reached its limit of connections. */
  #connection(): PeerConnectionLike | undefined {
    try {
      return new this.#needs.webRtc.RTCPeerConnection(this.#needs.configuration())
    } catch (cause) {
      this.#needs.failed(messageOf(cause))
      return undefined
    }
  }

  #close(): void {
    this.#outbox.clear()
    const pc = this.#open?.pc
    this.#open = undefined
    this.#stream = null
    if (pc === undefined) return
    pc.onconnectionstatechange = null
    pc.onicecandidate = null
    pc.ontrack = null
    pc.onnegotiationneeded = null
    pc.close()
  }

  /**
   * `offers` means that this side describes the connection first. A kind that only the peer sends is offered for receiving, so that one
   * offer is enough.
   */
  #addTracks(open: Open, offers: boolean): void {
    open.hasTracks = true
    for (const kind of KINDS) {
      const track = this.#needs.tracks[kind]
      if (track !== null) this.#addTrack(open, kind, track)
      else if (offers && (kind === "audio" || this.#needs.expectsVideo())) {
        open.pc.addTransceiver(kind, { direction: "recvonly" })
      }
    }
  }

  #addTrack({ pc, senders }: Open, kind: TrackKind, track: TrackLike): void {
    senders.set(kind, pc.addTrack(track, this.#needs.tracks.stream))
  }

  async #negotiate(open: Open): Promise<void> {
    // The browser reports it again once the current negotiation is over.
    if (open.pc.signalingState !== "stable") return
    await open.pc.setLocalDescription()
    this.#describe(open)
  }

  #describe({ pc, gen }: Open): void {
    const { localDescription: own } = pc
    if (own === null || (own.type !== "offer" && own.type !== "answer")) return
    if (!this.#outbox.describe(own.type, own.sdp, gen)) this.#needs.failed("The description of the call is too large.")
  }

  async #apply(open: Open, signal: IncomingSignal): Promise<void> {
    switch (signal.kind) {
      case "offer":
        return this.#answer(open, signal.data)
      case "answer":
        if (open.pc.signalingState !== "have-local-offer") return
        await open.pc.setRemoteDescription({ type: "answer", sdp: signal.data })
        return this.#limit(open)
      case "candidates":
        // A candidate of an ignored description does not fit, and one failing candidate of many is no fault of the call.
        for (const text of signal.data) await addCandidate(open.pc, text).catch(() => undefined)
    }
  }

  async #answer(open: Open, sdp: string): Promise<void> {
    const { pc } = open
    const isCollision = pc.signalingState !== "stable"
    // The other side gives way and answers this side's offer.
    if (isCollision && this.#link.offers) return
    await pc.setRemoteDescription({ type: "offer", sdp })
    if (!open.hasTracks) this.#addTracks(open, false)
    await pc.setLocalDescription()
    this.#describe(open)
    if (isCollision) await attachAgain(open.senders.values())
    await this.#limit(open)
  }

  #restartIce(): void {
    const open = this.#open
    if (open === undefined) return
    this.#then(open, async ({ pc }) => {
      await this.#needs.refresh()
      if (this.#open !== open) return
      pc.setConfiguration(this.#needs.configuration())
      pc.restartIce()
    })
  }

  /** A sender has no encodings before the first answer; the limits are applied after it. */
  async #limit({ senders }: Open): Promise<void> {
    const limits = this.#needs.limits()
    if (limits === undefined) return
    for (const [kind, sender] of senders) {
      const parameters = sender.getParameters()
      const encoding =
        kind === "audio" ? soundEncoding(limits) : pictureEncoding(limits.video, sender.track?.getSettings?.() ?? {})
      if (parameters.encodings.length === 0) continue
      for (const one of parameters.encodings) Object.assign(one, encoding)
      // A browser may refuse during a negotiation: the limits are applied again after it, and with each list.
      await sender.setParameters(parameters).catch(() => undefined)
    }
  }
}
