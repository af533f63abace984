/**
 * Sound and picture of a room, between its browsers or through the media server of the call. From `start` on it joins the call of the
 * participant's room, and follows them from room to room. The server's lists decide who is in it, and a lost socket alone ends nothing.
 */

import { Emitter } from "../connection/emitter.ts"
import type { MutedSource, RtcLimits, RtcTracks } from "../contract/types.ts"
import { CommandRefused, type CommandReply } from "../entry.ts"
import type { LocalMedia, MediaCallEvents, MediaPeer, MediaProblem, MediaState } from "./call-events.ts"
import type { CallGateway } from "./call-gateway.ts"
import { afterRefusal, isSameTracks, type PeerList, presentSeat } from "./call-rules.ts"
import { Credentials } from "./credentials.ts"
import { backoffMs } from "./link-rules.ts"
import type { CallLinks, LinksNeeds, MediaView } from "./links.ts"
import { linksOf } from "./links-of.ts"
import { LocalTracks, type TrackKind } from "./local-tracks.ts"
import { platformWebRtc, type TrackLike, type WebRtc } from "./web-rtc.ts"

export class MediaCall {
  readonly #gateway: CallGateway
  readonly #given: WebRtc | undefined
  readonly #events = new Emitter<MediaCallEvents>()
  #webRtc: WebRtc | undefined
  /** Undefined before the start. */
  #tracks: LocalTracks | undefined
  #state: MediaState = "off"
  /** Room of this participant's call. */
  #roomId: string | null = null
  /** Whether the current seat is on a media server. */
  #isElsewhere = false
  #ownId: string | undefined
  #list: PeerList | undefined
  #links: CallLinks | undefined
  #views: ReadonlyArray<MediaView> = []
  #joins = 0
  #failures = 0
  /** Tracks of the last `rtc.join`; undefined when it was refused, or there is none. */
  #told: RtcTracks | undefined
  /** Whether another tab of this participant has the call. */
  #isReplaced = false
  /** Serialises changes of tracks: each announces the tracks that the previous one left. */
  #turn: Promise<void> = Promise.resolve()
  #retry: ReturnType<typeof setTimeout> | undefined
  readonly #credentials = new Credentials(() => {
    const tracks = this.#tracks
    const canAsk = tracks !== undefined && this.#ownId !== undefined && this.#gateway.status === "ready"
    return canAsk ? this.#sendJoin(tracks.have) : undefined
  })

  constructor(gateway: CallGateway, webRtc?: WebRtc) {
    this.#gateway = gateway
    this.#given = webRtc
    gateway.on("status", (status) => this.#follow(status === "ready"))
    gateway.on("state", () => this.#follow(false))
    gateway.on("rtc.peers", (list) => this.#take(list))
    gateway.on("rtc.asked", ({ roomId, source }) => {
      if (roomId === this.#roomId) this.#events.emit("asked", source)
    })
    gateway.on("rtc.signal", (signal) => this.#links?.receive(signal))
  }

  /** Adds a listener; returns a function that removes it. */
  get on(): Emitter<MediaCallEvents>["on"] {
    return this.#events.on
  }

  get state(): MediaState {
    return this.#state
  }

  /** Sources of this participant that a host muted: they stay off until the application turns them on after the mute. */
  get muted(): ReadonlyArray<MutedSource> {
    return this.#tracks?.muted ?? []
  }

  get limits(): RtcLimits | undefined {
    return this.#list?.limits
  }

  get peers(): ReadonlyArray<MediaPeer> {
    return this.#links?.peers ?? []
  }

  /**
   * Joins the call of every room of the participant with these tracks from `getUserMedia`. Without tracks it only receives. The tracks stay
   * the application's: `stop` does not end them.
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

  /** Leaves the call, and stops following the participant. */
  stop(): void {
    if (this.#tracks === undefined) return
    // The server executes commands in order: this one follows even an unanswered join.
    const mayBeIn = this.#state === "joining" || this.#state === "joined"
    this.#tracks = undefined
    this.#enter(null, "off")
    // Without an answer the server notices the end of the socket.
    if (mayBeIn) this.#gateway.command("rtc.leave", {}).catch(() => undefined)
  }

  /** Retries a call that was full, or takes the call back from another tab. */
  retry(): void {
    if (this.#state === "refused" && this.#roomId !== null) this.#join()
  }

  /** Sends silence to the peers, also from a later microphone. */
  setMuted(isMuted: boolean): void {
    this.#tracks?.setMuted(isMuted)
  }

  /** Null turns the camera off. A camera that is turned on in a call without room for a picture is reported as `full`. */
  setCamera(track: TrackLike | null): Promise<void> {
    return this.#setTrack("video", track)
  }

  /** Says which people the page shows and how large, the most important first: a media server sends no more than that. */
  show(views: ReadonlyArray<MediaView>): void {
    this.#views = views
    this.#links?.show(views)
  }

  setMicrophone(track: TrackLike | null): Promise<void> {
    return this.#setTrack("audio", track)
  }

  #setTrack(kind: TrackKind, track: TrackLike | null): Promise<void> {
    const tracks = this.#tracks
    if (tracks === undefined) return Promise.resolve()
    if (kind === "video" && track !== null && tracks.muted.includes("camera")) return Promise.resolve()
    tracks.wanted[kind] = track
    // Turning off or replacing a device does not wait for the server.
    if (track === null || tracks[kind] !== null) this.#use(tracks, kind, track)
    return this.#inTurn(tracks, () => this.#change(tracks, kind, track))
  }

  #inTurn(tracks: LocalTracks, work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(() => (this.#tracks === tracks ? work() : undefined))
    return this.#turn
  }

  async #change(tracks: LocalTracks, kind: TrackKind, track: TrackLike | null): Promise<void> {
    // A later change of the same kind decides.
    const isPresent = (): boolean => this.#tracks === tracks && tracks.wanted[kind] === track
    if (!isPresent()) return
    const isAccepted = await this.#tell({ ...tracks.have, [kind]: track !== null })
    if (!isAccepted || !isPresent()) return
    this.#use(tracks, kind, track)
    if (!this.#isReplaced) this.retry()
  }

  #use(tracks: LocalTracks, kind: TrackKind, track: TrackLike | null): void {
    if (tracks[kind] === track) return
    tracks.use(kind, track)
    this.#links?.setTrack(kind, track)
  }

  /** Corrects a track that changed during a join: the room has the tracks of the join. */
  async #agree(tracks: LocalTracks): Promise<void> {
    if ((await this.#tell(tracks.have)) || this.#tracks !== tracks) return
    this.#use(tracks, "video", null)
    await this.#tell(tracks.have)
  }

  /** Announces the tracks that this participant sends. Resolves to false when the room has no capacity for them. */
  async #tell(have: RtcTracks): Promise<boolean> {
    if (this.#ownId === undefined || isSameTracks(this.#told, have)) return true
    try {
      await this.#sendJoin(have)
      return true
    } catch (cause) {
      if (!(cause instanceof CommandRefused)) return true
      const next = afterRefusal(cause.code)
      if (next === "full") this.#report("full", cause.message)
      if (next === "retry" && this.#tracks !== undefined) this.#joinLater()
      return next !== "full"
    }
  }

  #sendJoin(have: RtcTracks): Promise<CommandReply<"rtc.join">> {
    const resume = this.#ownId === undefined ? {} : { resume: this.#ownId }
    this.#told = have
    return this.#gateway.command("rtc.join", { roomId: this.#roomId ?? "", have, ...resume }).then(
      (reply) => {
        const tracks = this.#tracks
        if (tracks !== undefined) void this.#inTurn(tracks, () => this.#agree(tracks))
        return reply
      },
      (cause: unknown) => {
        this.#told = undefined
        throw cause
      },
    )
  }

  /** `isBack` means that the socket is a new one. */
  #follow(isBack: boolean): void {
    const { status, state } = this.#gateway
    if (this.#tracks === undefined) return
    if (status === "closed" || status === "lobby") {
      this.#enter(null, "waiting")
      return
    }
    // Without a socket the links continue: only the server ends them.
    if (status !== "ready" || state === undefined) return
    const seat = presentSeat(state)
    // The seat of a breakout room outlives the right to join its call.
    const roomId = seat?.provider === "mesh" && state.me.can.includes("rtc.join") ? seat.roomId : null
    const isElsewhere = seat?.provider === "livekit"
    if (isElsewhere && !this.#isElsewhere) this.#report("mediaServer", "The call of this room is on a media server.")
    this.#isElsewhere = isElsewhere
    if (roomId !== this.#roomId) {
      this.#enter(roomId, "waiting")
      if (roomId !== null) this.#join()
    } else if (isBack && roomId !== null && this.#state !== "refused") this.#join()
  }

  /** Enters another room, or none: nothing of the previous call stays. */
  #enter(roomId: string | null, state: MediaState): void {
    clearTimeout(this.#retry)
    this.#roomId = roomId
    this.#failures = 0
    this.#joins++
    this.#leave()
    this.#become(state)
  }

  #leave(): void {
    this.#credentials.stop()
    const had = this.peers.length > 0
    this.#links?.close()
    this.#links = undefined
    this.#ownId = undefined
    this.#list = undefined
    this.#hold([])
    if (had) this.#changed()
  }

  #hold(muted: ReadonlyArray<MutedSource>): void {
    const tracks = this.#tracks
    if (tracks === undefined || muted.join() === tracks.muted.join()) return
    tracks.hold(muted)
    // A camera goes on again by the application alone, like a microphone.
    if (muted.includes("camera")) void this.setCamera(null)
    this.#events.emit("muted", muted)
  }

  #join(): void {
    const tracks = this.#tracks
    if (tracks === undefined) return
    clearTimeout(this.#retry)
    this.#isReplaced = false
    const join = ++this.#joins
    if (this.#ownId === undefined) this.#become("joining")
    if (join !== this.#joins) return
    this.#sendJoin(tracks.have).then(
      ({ d }) => {
        if (join !== this.#joins) return
        this.#failures = 0
        if (d.resumed) this.#links?.resumed()
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
    if (this.#tracks === undefined) return
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
    if (list.connectionId !== this.#ownId || (list.server === undefined) !== (this.#list?.server === undefined)) {
      this.#links?.close()
      this.#links = undefined
    }
    this.#list = list
    this.#ownId = list.connectionId
    this.#become("joined")
    // A listener may stop the call at each of its events.
    if (this.#list !== list) return
    if (this.#links === undefined) {
      this.#links = this.#linksOf(list, tracks)
      this.#links?.start()
    }
    if (this.#list === list) this.#links?.take(list)
    if (this.#list !== list) return
    this.#hold(list.peers.find((peer) => peer.connectionId === list.connectionId)?.muted ?? [])
    if (this.#list !== list) return
    this.#credentials.later(list)
    this.#events.emit("limits", list.limits)
    this.#changed()
  }

  /** Called when the server took this participant out of the call. */
  #closed(why: "moved" | "replaced"): void {
    this.#joins++
    this.#leave()
    if (why === "replaced") {
      this.#isReplaced = true
      this.#become("refused")
      this.#report("replaced", "Another tab of this participant has joined the call.")
      return
    }
    this.#become("waiting")
    // The next room follows with the event's state; otherwise the room is still this one.
    this.#joinLater()
  }

  #linksOf(list: PeerList, tracks: LocalTracks): CallLinks | undefined {
    const webRtc = this.#webRtc
    if (webRtc === undefined) return undefined
    const needs: LinksNeeds = {
      webRtc,
      ownId: list.connectionId,
      tracks,
      configuration: () => ({
        iceServers: this.#list?.iceServers ?? [],
        iceTransportPolicy: this.#list?.policy ?? "all",
      }),
      send: (signal) => this.#gateway.command("rtc.signal", signal),
      refresh: () => this.#credentials.refresh(),
      changed: () => this.#changed(),
      failed: (detail) => this.#report("link", detail),
    }
    return linksOf(list, needs, this.#views)
  }

  #changed(): void {
    this.#events.emit("peers", this.peers)
  }

  #become(state: MediaState): void {
    // A listener may have stopped the call before this state.
    if (this.#state === state || (this.#tracks === undefined && state !== "off")) return
    this.#state = state
    this.#events.emit("state", state)
  }

  #report(code: MediaProblem["code"], message: string): void {
    this.#events.emit("problem", { code, message })
  }
}
