/**
 * The link of a call to its media server: one connection, which sends this participant's tracks once and has a fixed number of places for
 * the others. The server says who is in which place; nothing is negotiated when people come, go or speak.
 */
import type { DispatchData } from "../wire.ts"
import type { MediaPeerState } from "./call-events.ts"
import type { PeerList } from "./call-rules.ts"
import { backoffMs } from "./link-rules.ts"
import { type CallLinks, type IncomingSignal, type LinksNeeds, type MediaView, MOST_PICTURES } from "./links.ts"
import type { TrackKind } from "./local-tracks.ts"
import { servedOffer } from "./served-offer.ts"
import type { PeerConnectionLike, SenderLike, StreamLike, TrackLike } from "./web-rtc.ts"

type Slots = Extract<DispatchData<"rtc.signal">, { readonly kind: "slots" }>["data"]

/** So many people are heard and seen at once. */
const PLACES = { audio: 3, video: MOST_PICTURES } as const
/** Layers of the picture, from small to large; the server forwards one of them to each browser. */
const LAYERS = [
  { rid: "q", scaleResolutionDownBy: 4, maxBitrate: 150_000 },
  { rid: "h", scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { rid: "f", scaleResolutionDownBy: 1, maxBitrate: 1_500_000 },
] as const
const CONNECTED_WITHIN_MS = 8000
/** An interruption may be over by itself. */
const RESTART_AFTER_MS = 2000
const TELL_AFTER_MS = 100

interface Open {
  readonly pc: PeerConnectionLike
  readonly senders: ReadonlyMap<TrackKind, SenderLike>
  /** Tracks of others by the section of the offer. */
  readonly tracks: Map<string, TrackLike>
}

interface Shown {
  readonly key: string
  readonly stream: StreamLike
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export class ServedLinks implements CallLinks {
  readonly #needs: LinksNeeds
  readonly #roomId: string
  readonly #streams = new Map<string, Shown>()
  #list: PeerList
  #open: Open | undefined
  #gen = 0
  #failures = 0
  #state: MediaPeerState = "connecting"
  #slots: Slots = []
  #views: ReadonlyArray<MediaView> = []
  #telling: ReturnType<typeof setTimeout> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(list: PeerList, needs: LinksNeeds) {
    this.#needs = needs
    this.#list = list
    this.#roomId = list.roomId
  }

  start(): void {
    this.#connect()
  }

  get peers() {
    return this.#list.peers.flatMap((peer) => {
      const { connectionId } = peer
      if (connectionId === this.#needs.ownId) return []
      return [{ ...peer, state: this.#state, stream: this.#streams.get(connectionId)?.stream ?? null }]
    })
  }

  take(list: PeerList): void {
    const isAnother = list.server?.session !== this.#list.server?.session
    this.#list = list
    if (isAnother) {
      this.#failures = 0
      this.#connect()
    }
  }

  receive(signal: IncomingSignal): void {
    if (signal.from !== this.#roomId || signal.gen !== this.#gen) return
    if (signal.kind === "answer") void this.#answered(signal.data)
    else if (signal.kind === "slots") {
      this.#slots = signal.data
      this.#arrange()
    }
  }

  setTrack(kind: TrackKind, track: TrackLike | null): void {
    this.#open?.senders.get(kind)?.replaceTrack(track).catch(this.#failed)
  }

  show(views: ReadonlyArray<MediaView>): void {
    this.#views = views
    if (this.#state !== "connected") return
    // A page whose layout changes measures many tiles at once.
    this.#telling ??= setTimeout(() => this.#tellViews(), TELL_AFTER_MS)
  }

  /** Signals that were sent while the socket was away may be lost. */
  resumed(): void {
    if (this.#state === "connected") this.#tellViews()
    else this.#connect()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#telling)
    this.#open?.pc.close()
    this.#open = undefined
  }

  /** Begins another connection. */
  #connect(): void {
    if (this.#isClosed) return
    this.#open?.pc.close()
    this.#gen += 1
    this.#slots = []
    const gen = this.#gen
    this.#become(gen === 1 ? "connecting" : "interrupted")
    // A listener may have ended the call.
    if (this.#isClosed || gen !== this.#gen) return
    const open = this.#made()
    if (open === undefined) return
    this.#open = open
    this.#arrange()
    if (this.#open !== open) return
    this.#again(CONNECTED_WITHIN_MS + backoffMs(this.#failures++))
    this.#offer(open).catch((cause: unknown) => {
      if (this.#open !== open) return
      this.#failed(cause)
      this.#again(backoffMs(this.#failures))
    })
  }

  /** A browser refuses a connection when it has too many; another attempt follows. */
  #made(): Open | undefined {
    try {
      return this.#make()
    } catch (cause) {
      this.#open = undefined
      this.#failed(cause)
      this.#again(CONNECTED_WITHIN_MS)
      return undefined
    }
  }

  #make(): Open {
    const { webRtc, configuration, tracks: own } = this.#needs
    const pc = new webRtc.RTCPeerConnection(configuration())
    const tracks = new Map<string, TrackLike>()
    const senders = new Map<TrackKind, SenderLike>()
    for (const kind of ["audio", "video"] as const) {
      const sendEncodings = kind === "video" ? LAYERS : undefined
      const { sender } = pc.addTransceiver(own[kind] ?? kind, {
        direction: "sendonly",
        ...(sendEncodings !== undefined && { sendEncodings }),
      })
      senders.set(kind, sender)
    }
    for (const kind of ["audio", "video"] as const)
      for (let place = 0; place < PLACES[kind]; place++) pc.addTransceiver(kind, { direction: "recvonly" })
    const open = { pc, senders, tracks }
    pc.ontrack = ({ track, transceiver: { mid } }) => {
      if (mid !== null) tracks.set(mid, track)
      if (this.#open === open) this.#arrange()
    }
    pc.onconnectionstatechange = () => this.#follow(open)
    return open
  }

  async #offer({ pc }: Open): Promise<void> {
    await pc.setLocalDescription()
    const { sdp } = pc.localDescription ?? {}
    if (sdp === undefined || this.#open?.pc !== pc) return
    await this.#needs.send({ to: this.#roomId, kind: "offer", data: servedOffer(sdp), gen: this.#gen })
  }

  async #answered(sdp: string): Promise<void> {
    const open = this.#open
    if (open?.pc.signalingState !== "have-local-offer") return
    try {
      await open.pc.setRemoteDescription({ type: "answer", sdp })
    } catch (cause) {
      if (this.#open === open) this.#failed(cause)
    }
  }

  #follow({ pc }: Open): void {
    if (this.#open?.pc !== pc) return
    const { connectionState } = pc
    if (connectionState === "connected") {
      clearTimeout(this.#timer)
      this.#failures = 0
      this.#become("connected")
      this.#tellViews()
    } else if (connectionState === "disconnected") {
      this.#become("interrupted")
      this.#again(RESTART_AFTER_MS)
    } else if (connectionState === "failed") this.#again(backoffMs(this.#failures))
  }

  /** Another connection after a while, unless this one comes about. */
  #again(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    const open = this.#open
    this.#timer = setTimeout(() => {
      const connect = (): void => {
        if (this.#open === open && this.#state !== "connected") this.#connect()
      }
      this.#needs.refresh().then(connect, connect)
    }, ms)
  }

  /** One stream for each person, of the tracks in their places. A stream stays the same while its tracks do. */
  #arrange(): void {
    const found = new Map<string, TrackLike[]>()
    for (const { mid, peer } of this.#slots) {
      const track = this.#open?.tracks.get(mid)
      if (peer !== null && track !== undefined) found.set(peer, [...(found.get(peer) ?? []), track])
    }
    for (const id of this.#streams.keys()) if (!found.has(id)) this.#streams.delete(id)
    for (const [id, tracks] of found) {
      const key = `${this.#gen} ${tracks.map((track) => track.id).join(" ")}`
      if (this.#streams.get(id)?.key !== key)
        this.#streams.set(id, { key, stream: new this.#needs.webRtc.MediaStream(tracks) })
    }
    this.#needs.changed()
  }

  #tellViews(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    const data = this.#views.slice(0, 25).map(({ connectionId, height }) => {
      const inside = Math.min(4320, Math.max(1, Math.round(height)))
      return { peer: connectionId, source: "camera" as const, height: inside }
    })
    this.#needs.send({ to: this.#roomId, kind: "views", data, gen: this.#gen }).catch(() => undefined)
  }

  #become(state: MediaPeerState): void {
    if (this.#state === state) return
    this.#state = state
    this.#needs.changed()
  }

  readonly #failed = (cause: unknown): void => {
    if (!this.#isClosed) this.#needs.failed(messageOf(cause))
  }
}
