/**
 * Calls on a LiveKit server. When the room changes, the next connection is made before the last one ends. A lost connection is restored by
 * LiveKit's client while its token is valid, and then from the beginning with a fresh one.
 */
import type { GatewayClient } from "@gathercue/client"
import { presentSeat } from "@gathercue/client/media"
import { ConnectionState, DisconnectReason, type ReconnectPolicy, Room, RoomEvent, Track } from "livekit-client"
import type { CallTransport, LineNews } from "./call-line.ts"
import { type ServerSeat, seatOf } from "./server-seat.ts"

type News = LineNews<Room | null>
type Tracks = Parameters<CallTransport<Room | null>["start"]>[0]

const NO_TRACKS: Tracks = { audio: null, video: null }
const SOURCES = [
  ["audio", Track.Source.Microphone],
  ["video", Track.Source.Camera],
] as const

/** Reconnects everybody within seconds after an outage of the media server, but not all at the same moment. */
const RECONNECT: ReconnectPolicy = {
  nextRetryDelayInMs: ({ retryCount }) => (retryCount < 2 ? retryCount * 300 : 700 + Math.random() * 600),
}
/** Timeouts after which a server that neither answers nor refuses is asked again. */
const CONNECT = { websocketTimeout: 5000, peerConnectionTimeout: 8000, maxRetries: 0 }
const REFRESH_WITHIN_MS = 4000
/** A connection that lasted this long ends the count of failures. */
const SETTLED_MS = 10_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2000

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

const pauseBefore = (tries: number): Promise<void> =>
  after(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + Math.random() / 2))

const stateOf = ({ state }: Room) => (state === ConnectionState.Connected ? "joined" : "reconnecting")

/** Keeps the tracks running for the next room. */
const leave = (room: Room | null): void => {
  void room?.disconnect(false)
}

const connected = async (room: Room, { url, token }: ServerSeat): Promise<boolean> => {
  try {
    await room.connect(url, token, CONNECT)
  } catch {
    return false
  }
  return room.state !== ConnectionState.Disconnected
}

class ServerLine implements CallTransport<Room | null> {
  readonly nobody = null
  readonly #client: GatewayClient
  #heard: (news: News) => void = () => {}
  /** Removes the listener of the client; undefined before the start. */
  #silence: (() => void) | undefined
  #tracks = NO_TRACKS
  #isMuted = false
  /** Seat in the current room; null without one. */
  #seat: ServerSeat | null = null
  /** Whether the seat's token must not be used, because its rights have changed. */
  #isSpent = false
  /** Whether another tab has taken over the call. */
  #isReplaced = false
  /** Called when there is another token. */
  #renewed: () => void = () => {}
  #current: Room | null = null
  /** Room that is being connected to. */
  #next: Room | null = null
  /** Number of the current attempt to enter: an earlier one has no effect any more. */
  #entry = 0
  #isEntering = false
  #wasIn = false
  #joinedAt = 0
  #failures = 0
  /** Serialises the publication of track changes. */
  readonly #turns = new WeakMap<Room, Promise<void>>()

  constructor(client: GatewayClient) {
    this.#client = client
  }

  listen(listener: (news: News) => void): void {
    this.#heard = listener
  }

  start(tracks: Tracks): void {
    if (this.#silence !== undefined) return
    this.#tracks = tracks
    this.#isMuted = false
    this.#wasIn = false
    this.#isReplaced = false
    const silences = [this.#client.on("state", () => this.#follow()), this.#client.on("status", () => this.#follow())]
    this.#silence = () => {
      for (const silence of silences) silence()
    }
    this.#heard({ state: "waiting" })
    this.#follow()
  }

  stop(): void {
    if (this.#silence === undefined) return
    this.#silence()
    this.#silence = undefined
    this.#vacate()
    this.#tracks = NO_TRACKS
    this.#heard({ state: "off", people: null })
  }

  retry(): void {
    this.#isReplaced = false
    if (this.#silence !== undefined && this.#seat !== null) void this.#enter("joining")
  }

  setMuted(isMuted: boolean): void {
    this.#isMuted = isMuted
    // Muting does not wait for the media server.
    if (this.#tracks.audio !== null) this.#tracks.audio.enabled = !isMuted
    this.#agree()
  }

  async setMicrophone(audio: MediaStreamTrack | null): Promise<void> {
    this.#tracks = { ...this.#tracks, audio }
    if (audio !== null) audio.enabled = !this.#isMuted
    this.#agree()
  }

  async setCamera(video: MediaStreamTrack | null): Promise<void> {
    this.#tracks = { ...this.#tracks, video }
    this.#agree()
  }

  #follow(): void {
    const { status, state } = this.#client
    if (status === "closed" || status === "lobby") {
      this.#leavePlace()
      return
    }
    if (state === undefined) return
    const given = presentSeat(state)
    if (given?.provider === "livekit") this.#take(seatOf(given))
    // Between two rooms there is briefly no seat.
    else if (given !== null || state.me.roomId === null) this.#leavePlace()
  }

  #take(seat: ServerSeat): void {
    const before = this.#seat
    if (seat.token === before?.token) return
    this.#seat = seat
    this.#isSpent = false
    this.#renewed()
    if (seat.room === before?.room) return
    this.#failures = 0
    // The call is in another tab. Only a press brings it back: two tabs would replace each other in each room.
    if (this.#isReplaced) return
    void this.#enter(this.#wasIn && this.#current !== null ? undefined : "joining")
  }

  #leavePlace(): void {
    if (this.#seat === null) return
    this.#vacate()
    this.#heard({ state: "waiting", people: null })
  }

  #vacate(): void {
    this.#entry++
    this.#isEntering = false
    this.#seat = null
    this.#renewed()
    for (const room of [this.#next, this.#current]) leave(room)
    this.#next = null
    this.#current = null
  }

  /** `state` is shown meanwhile; absent when the previous room is still connected. */
  async #enter(state?: "joining" | "reconnecting"): Promise<void> {
    const entry = ++this.#entry
    this.#isEntering = true
    leave(this.#next)
    this.#next = null
    if (state !== undefined) this.#heard({ state })
    while (entry === this.#entry && this.#isEntering) await this.#tryToEnter(entry)
  }

  async #tryToEnter(entry: number): Promise<void> {
    if (this.#failures > 0) await pauseBefore(this.#failures)
    const seat = entry === this.#entry ? await this.#usableSeat() : null
    if (seat === null || entry !== this.#entry) return
    const room = this.#open()
    this.#next = room
    const isIn = await connected(room, seat)
    if (entry !== this.#entry) {
      leave(room)
      return
    }
    this.#next = null
    if (isIn) this.#become(room)
    else this.#failed(room)
  }

  #failed(room: Room): void {
    leave(room)
    this.#failures++
    if (!this.#wasIn) {
      this.#heard({ problem: "lost" })
      this.stop()
    } else if (this.#current === null) this.#heard({ state: "reconnecting" })
  }

  #open(): Room {
    const room = new Room({ reconnectPolicy: RECONNECT, stopLocalTrackOnUnpublish: false })
    room.on(RoomEvent.ConnectionStateChanged, (state) => {
      if (room !== this.#current || state === ConnectionState.Disconnected) return
      this.#heard({ state: stateOf(room) })
      // Tracks may have changed while the media server was unreachable.
      if (state === ConnectionState.Connected) this.#agree()
    })
    room.on(RoomEvent.Disconnected, (reason) => this.#lost(room, reason))
    return room
  }

  #become(room: Room): void {
    const before = this.#current
    this.#current = room
    this.#isEntering = false
    this.#wasIn = true
    this.#joinedAt = performance.now()
    this.#heard({ state: stateOf(room), people: room })
    leave(before)
    this.#agree()
  }

  #lost(room: Room, reason: DisconnectReason | undefined): void {
    if (room !== this.#current) return
    this.#current = null
    if (reason === DisconnectReason.DUPLICATE_IDENTITY) {
      this.#entry++
      this.#isEntering = false
      leave(this.#next)
      this.#next = null
      this.#isReplaced = true
      this.#heard({ state: "refused", people: null, problem: "replaced" })
      return
    }
    // A person who was removed from the room may have another seat there.
    if (reason === DisconnectReason.PARTICIPANT_REMOVED) this.#isSpent = true
    this.#failures = performance.now() - this.#joinedAt > SETTLED_MS ? 0 : this.#failures + 1
    if (this.#isEntering) this.#heard({ state: "reconnecting" })
    else void this.#enter("reconnecting")
  }

  async #usableSeat(): Promise<ServerSeat | null> {
    const seat = this.#seat
    if (seat === null || (!this.#isSpent && this.#client.clock.now() < seat.usableUntil)) return seat
    const renewed = new Promise<void>((resolve) => {
      this.#renewed = resolve
    })
    // The answer has all seats again. Without a connection, reconnecting delivers them.
    if (this.#client.status === "ready") this.#client.command("sync", { cursors: {} }).catch(() => {})
    await Promise.race([renewed, after(REFRESH_WITHIN_MS)])
    return this.#seat
  }

  /** Updates the room to the current tracks. */
  #agree(): void {
    const room = this.#current
    if (room === null) return
    const turn = this.#turns.get(room) ?? Promise.resolve()
    this.#turns.set(
      room,
      turn.then(() => this.#publish(room)),
    )
  }

  async #publish(room: Room): Promise<void> {
    const { localParticipant } = room
    try {
      for (const one of SOURCES) await this.#exchange(room, one)
      const microphone = localParticipant.getTrackPublication(Track.Source.Microphone)
      if (microphone !== undefined && microphone.isMuted !== this.#isMuted)
        await (this.#isMuted ? microphone.mute() : microphone.unmute())
    } catch {
      // The room has gone meanwhile, or accepts no track: people are seen and heard all the same.
      if (room.state === ConnectionState.Connected) this.#heard({ problem: "noDevice" })
    }
  }

  async #exchange(room: Room, [kind, source]: (typeof SOURCES)[number]): Promise<void> {
    const { localParticipant } = room
    const published = localParticipant.getTrackPublication(source)?.track?.mediaStreamTrack
    const wanted = this.#tracks[kind] ?? undefined
    if (published === wanted) return
    // Unpublished even during a reconnect, because LiveKit's client would otherwise republish the old track.
    if (published !== undefined) await localParticipant.unpublishTrack(published, false)
    // A disconnected room accepts no track; `#agree` publishes it after the reconnect.
    if (wanted !== undefined && room.state === ConnectionState.Connected)
      await localParticipant.publishTrack(wanted, { source })
  }
}

export const serverLineOf = (client: GatewayClient): CallTransport<Room | null> => new ServerLine(client)
