/**
 * Sound and picture between the browsers of a room, without a media server: `client.media`. From `start` on it is in the call of
 * the room that the participant is in, and follows them from room to room. It links to each peer that the server lists; the
 * server's lists decide, and a lost socket alone ends nothing.
 */

import type { RtcLimits, RtcTracks } from "../../protocol/topics/media.ts"
import { Emitter } from "../connection/emitter.ts"
import { CommandRefused } from "../connection/pending-commands.ts"
import type { EventState } from "../state/event-state.ts"
import type { CommandData, CommandReply, ConnectionStatus, DispatchData } from "../wire.ts"
import type { LocalMedia, MediaCallEvents, MediaPeer, MediaProblem, MediaState } from "./call-events.ts"
import { afterRefusal, type ListedPeer, linkChanges, type PeerList, presentSeat } from "./call-rules.ts"
import { backoffMs } from "./link-rules.ts"
import { LocalTracks, type TrackKind } from "./local-tracks.ts"
import { PeerLink } from "./peer-link.ts"
import { platformWebRtc, type TrackLike, type WebRtc } from "./web-rtc.ts"

interface GatewayEvents {
  readonly status: ConnectionStatus
  readonly state: EventState
  readonly "rtc.peers": PeerList
  readonly "rtc.signal": DispatchData<"rtc.signal">
}

/** The part of the gateway client that a call uses. */
export interface CallGateway {
  readonly status: ConnectionStatus
  readonly state: EventState | undefined
  readonly on: <Name extends keyof GatewayEvents>(
    name: Name,
    listener: (value: GatewayEvents[Name]) => void,
  ) => () => void
  command<T extends "rtc.join" | "rtc.leave" | "rtc.signal">(t: T, d: CommandData<T>): Promise<CommandReply<T>>
}

/** Credentials for TURN servers end an hour after the list that has them. */
const REFRESH_MS = 50 * 60_000
/** A restart does not wait longer for fresh credentials: it needs none without a relay. */
const REFRESH_WITHIN_MS = 1500

interface Linked {
  readonly peer: ListedPeer
  readonly link: PeerLink
}

export class MediaCall {
  readonly #gateway: CallGateway
  readonly #given: WebRtc | undefined
  readonly #events = new Emitter<MediaCallEvents>()
  readonly #links = new Map<string, Linked>()
  #webRtc: WebRtc | undefined
  /** Undefined: not started. */
  #tracks: LocalTracks | undefined
  #state: MediaState = "off"
  /** The room whose call this participant belongs to. */
  #roomId: string | null = null
  /** The present seat is on a media server. */
  #isElsewhere = false
  #ownId: string | undefined
  #list: PeerList | undefined
  #joins = 0
  #failures = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #refreshing: ReturnType<typeof setTimeout> | undefined

  constructor(gateway: CallGateway, webRtc?: WebRtc) {
    this.#gateway = gateway
    this.#given = webRtc
    gateway.on("status", (status) => this.#follow(status === "ready"))
    gateway.on("state", () => this.#follow(false))
    gateway.on("rtc.peers", (list) => this.#take(list))
    gateway.on("rtc.signal", (signal) => this.#links.get(signal.from)?.link.receive(signal))
  }

  /** Adds a listener; returns a function that removes it. */
  get on() {
    return this.#events.on
  }

  get state(): MediaState {
    return this.#state
  }

  get limits(): RtcLimits | undefined {
    return this.#list?.limits
  }

  get peers(): ReadonlyArray<MediaPeer> {
    return Array.from(this.#links.values(), ({ peer, link }) => ({
      ...peer,
      state: link.state === "waiting" ? "connecting" : link.state,
      stream: link.stream,
    }))
  }

  /**
   * Takes part with these tracks, as `getUserMedia` gives them, in the call of every room that the participant comes to. Without
   * tracks it only receives. The tracks stay the application's: `stop` does not end them.
   */
  start({ audio = null, video = null }: LocalMedia = {}): void {
    if (this.#tracks !== undefined) return
    this.#webRtc = this.#given ?? platformWebRtc()
    if (this.#webRtc === undefined) {
      this.#report("unsupported", "This is no browser with WebRTC.")
      return
    }
    this.#tracks = new LocalTracks(new this.#webRtc.MediaStream(), { audio, video })
    this.#become("waiting")
    this.#follow(false)
  }

  /** Leaves the call, and follows the participant no longer. */
  stop(): void {
    if (this.#tracks === undefined) return
    const wasIn = this.#ownId !== undefined
    this.#tracks = undefined
    this.#enter(null, "off")
    // Without an answer the server notices the end of the socket.
    if (wasIn) this.#gateway.command("rtc.leave", {}).catch(() => undefined)
  }

  /** Tries a call that was full once more, or takes the call back from another tab. */
  retry(): void {
    if (this.#state === "refused" && this.#roomId !== null) this.#join()
  }

  /** The peers receive silence. */
  setMuted(isMuted: boolean): void {
    const track = this.#tracks?.audio
    if (track !== null && track !== undefined) track.enabled = !isMuted
  }

  /** Null: the camera is off. A camera that goes on in a call that has no place for a picture is reported as `full`. */
  setCamera(track: TrackLike | null): Promise<void> {
    return this.#setTrack("video", track)
  }

  setMicrophone(track: TrackLike | null): Promise<void> {
    return this.#setTrack("audio", track)
  }

  async #setTrack(kind: TrackKind, track: TrackLike | null): Promise<void> {
    const tracks = this.#tracks
    if (tracks === undefined) return
    const before = tracks[kind]
    const isChange = (before === null) !== (track === null)
    if (isChange && this.#ownId !== undefined) {
      const isAccepted = await this.#announce({ ...tracks.have, [kind]: track !== null })
      if (!isAccepted || this.#tracks !== tracks) return
    }
    tracks[kind] = track
    for (const { link } of this.#links.values()) link.setTrack(kind, track)
    if (this.#state === "refused") this.retry()
  }

  /** Tells the room which tracks this participant sends. False: the room has no place for them. */
  #announce(have: RtcTracks): Promise<boolean> {
    return this.#sendJoin(have).then(
      () => true,
      (cause: unknown) => {
        const isFull = cause instanceof CommandRefused && afterRefusal(cause.code) === "full"
        if (isFull) this.#report("full", cause.message)
        return !isFull
      },
    )
  }

  #sendJoin(have: RtcTracks): Promise<CommandReply<"rtc.join">> {
    const resume = this.#ownId === undefined ? {} : { resume: this.#ownId }
    return this.#gateway.command("rtc.join", { roomId: this.#roomId ?? "", have, ...resume })
  }

  /** `isBack`: the socket is a new one. */
  #follow(isBack: boolean): void {
    const { status, state } = this.#gateway
    if (this.#tracks === undefined) return
    if (status === "closed" || status === "lobby") {
      this.#enter(null, "waiting")
      return
    }
    // Without a socket the links go on: only the server's word ends them.
    if (status !== "ready" || state === undefined) return
    const seat = presentSeat(state)
    const roomId = seat?.provider === "mesh" ? seat.roomId : null
    const isElsewhere = seat?.provider === "livekit"
    if (isElsewhere && !this.#isElsewhere) this.#report("mediaServer", "The call of this room is on a media server.")
    this.#isElsewhere = isElsewhere
    if (roomId !== this.#roomId) {
      this.#enter(roomId, "waiting")
      if (roomId !== null) this.#join()
    } else if (isBack && roomId !== null && this.#state !== "refused") this.#join()
  }

  /** Another room, or none: nothing of the call before it stays. */
  #enter(roomId: string | null, state: MediaState): void {
    clearTimeout(this.#retry)
    this.#roomId = roomId
    this.#failures = 0
    this.#joins++
    this.#leave()
    this.#become(state)
  }

  #leave(): void {
    clearTimeout(this.#refreshing)
    const had = this.#links.size > 0
    for (const { link } of this.#links.values()) link.close()
    this.#links.clear()
    this.#ownId = undefined
    this.#list = undefined
    if (had) this.#changed()
  }

  #join(): void {
    const tracks = this.#tracks
    if (tracks === undefined) return
    clearTimeout(this.#retry)
    const join = ++this.#joins
    if (this.#ownId === undefined) this.#become("joining")
    this.#sendJoin(tracks.have).then(
      ({ d }) => {
        if (join !== this.#joins) return
        this.#failures = 0
        if (d.resumed) for (const { link } of this.#links.values()) link.resumed()
      },
      (cause: unknown) => {
        if (join === this.#joins) this.#refused(cause)
      },
    )
  }

  #refused(cause: unknown): void {
    const next = cause instanceof CommandRefused ? afterRefusal(cause.code) : "retry"
    if (next === "full" && cause instanceof CommandRefused) {
      this.#leave()
      this.#become("refused")
      this.#report("full", cause.message)
    } else if (next === "retry") this.#joinLater()
    else {
      this.#leave()
      this.#become("waiting")
    }
  }

  #joinLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(
      () => {
        if (this.#gateway.status === "ready" && this.#roomId !== null) this.#join()
      },
      backoffMs(this.#failures++),
    )
  }

  #take(list: PeerList): void {
    const tracks = this.#tracks
    if (tracks === undefined || list.roomId !== this.#roomId) return
    if (list.closed !== undefined) {
      if (list.connectionId === this.#ownId) this.#closed(list.closed)
      return
    }
    const { close, open } = linkChanges([...this.#links.keys()], list, this.#ownId)
    for (const id of close) {
      this.#links.get(id)?.link.close()
      this.#links.delete(id)
    }
    this.#list = list
    this.#ownId = list.connectionId
    this.#become("joined")
    for (const peer of list.peers) {
      const linked = this.#links.get(peer.connectionId)
      if (linked !== undefined) this.#links.set(peer.connectionId, { ...linked, peer })
    }
    for (const peer of open) this.#linkTo(peer, tracks, list.connectionId)
    for (const { link } of this.#links.values()) link.applyLimits()
    this.#refreshLater()
    this.#events.emit("limits", list.limits)
    this.#changed()
  }

  /** The server took this participant out of the call. */
  #closed(why: "moved" | "replaced"): void {
    this.#joins++
    this.#leave()
    if (why === "replaced") {
      this.#become("refused")
      this.#report("replaced", "Another tab of this participant has joined the call.")
      return
    }
    this.#become("waiting")
    // The next room follows with the event's state; if none does, the room is still this one.
    this.#joinLater()
  }

  #linkTo(peer: ListedPeer, tracks: LocalTracks, ownId: string): void {
    const { connectionId: peerId } = peer
    const webRtc = this.#webRtc
    if (webRtc === undefined) return
    const link = new PeerLink({
      webRtc,
      ownId,
      peerId,
      tracks,
      configuration: () => ({
        iceServers: this.#list?.iceServers ?? [],
        iceTransportPolicy: this.#list?.policy ?? "all",
      }),
      limits: () => this.#list?.limits,
      expectsVideo: () => this.#links.get(peerId)?.peer.have.video ?? false,
      send: (signal) => this.#gateway.command("rtc.signal", signal),
      refresh: () => this.#refresh(),
      changed: () => this.#changed(),
      failed: (detail) => this.#report("link", detail),
    })
    this.#links.set(peerId, { peer, link })
    link.start()
  }

  /** Joining again without a change is answered with a list and fresh credentials. */
  async #refresh(): Promise<void> {
    const tracks = this.#tracks
    if (tracks === undefined || this.#ownId === undefined || this.#gateway.status !== "ready") return
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, REFRESH_WITHIN_MS)
    })
    const done = this.#sendJoin(tracks.have).then(
      () => undefined,
      () => undefined,
    )
    await Promise.race([done, late])
    clearTimeout(timer)
  }

  #refreshLater(): void {
    clearTimeout(this.#refreshing)
    if (this.#list?.iceServers.some(({ credential }) => credential !== undefined) !== true) return
    this.#refreshing = setTimeout(() => {
      // The list that answers sets the next timer; without an answer this one does.
      this.#refresh().then(
        () => this.#refreshLater(),
        () => undefined,
      )
    }, REFRESH_MS)
  }

  #changed(): void {
    this.#events.emit("peers", this.peers)
  }

  #become(state: MediaState): void {
    if (this.#state === state) return
    this.#state = state
    this.#events.emit("state", state)
  }

  #report(code: MediaProblem["code"], message: string): void {
    this.#events.emit("problem", { code, message })
  }
}
