/**
 * Subscribes to one live event: it first subscribes to the feed (buffering), then reads the snapshot and stored dispatches, then applies
 * messages one by one. Invariant: the replay buffers hold exactly the commits up to `version`. A gap in the versions is filled from the
 * store, one read at a time. Another epoch, or a gap longer than the store keeps, starts over.
 */
import { Effect, Schedule } from "effect"
import type { EphemeralPublication, FeedMessage } from "../../actors/feed.ts"
import type { OpenConnection } from "../../actors/presence/open-connections.ts"
import type { LiveReading, LiveSnapshot } from "../../actors/protocol.ts"
import { type ActivePhase, NO_PHASE, type ParticipantChange } from "../../actors/state/state.ts"
import { type NotFound, Unavailable } from "../../model/errors.ts"
import type { EventStatus, Visibility } from "../../model/event.ts"
import { ownStream } from "../../model/live/streams.ts"
import { toMillis, toTimestamp } from "../../model/timestamp.ts"
import type { StoredVersion } from "../../store/live/live-events.ts"
import { listPublications, type StoredPublication } from "../../store/live/live-history.ts"
import { ParticipantStates } from "../connection/participant-states.ts"
import type { GatewayServices } from "../services.ts"
import type { StreamName } from "../streams/stream-names.ts"
import type { Outgoing } from "../transport/outgoing.ts"
import { AwaitedVersions } from "./awaited-versions.ts"
import type { ReadyRequests } from "./ready-requests.ts"
import { ReplayBuffers, type StreamHeads } from "./replay-buffers.ts"

/** A change of the event. The subscriber emits changes in order. */
export type SubscriberEvent =
  /** The event can be served from now on. */
  | { readonly type: "opened" }
  /** The event cannot be served: it does not exist, or is unreadable for now. */
  | { readonly type: "failed"; readonly failure: NotFound | Unavailable }
  | { readonly type: "published"; readonly stream: StreamName; readonly dispatch: Outgoing }
  | { readonly type: "ephemeral"; readonly publication: EphemeralPublication }
  /** A participant's role, room or admission changed. */
  | { readonly type: "participantChanged"; readonly change: ParticipantChange }
  /** The state of any participant may have changed. */
  | { readonly type: "participantsRead" }
  /** The waiting-room policy changed. */
  | { readonly type: "lobbyChanged" }
  /** The permissions of the active phase may have changed. */
  | { readonly type: "permissionsChanged" }
  | { readonly type: "removed"; readonly participantId: string }
  /** The event is no longer public: anonymous viewers must be closed. */
  | { readonly type: "hidden" }
  | { readonly type: "ended" }
  /** Earlier positions are invalid: every connection needs a snapshot. */
  | { readonly type: "restarted"; readonly reason: "epoch" | "gap" }
  /** A newer snapshot has been read. */
  | { readonly type: "refreshed" }
  /** All events of a message, or of a read, were emitted. */
  | { readonly type: "settled" }
  /** The actor was loaded again and may not know who is present. */
  | { readonly type: "actorLoaded" }
  /** Connections on any node to close, because their participants have too many. */
  | { readonly type: "replaced"; readonly connections: ReadonlyArray<OpenConnection> }

/** The connections for which a subscriber reads. */
interface Receivers {
  readonly requests: ReadyRequests
  /** Participants with an open connection, which receives their own stream. */
  readonly participants: { has(participantId: string): boolean }
}

/** Result of a read: the state, the stream heads at that time, and the stored dispatches that are missing here. */
interface FreshReading {
  readonly reading: LiveReading
  readonly heads: StreamHeads
  readonly stored: ReadonlyArray<StoredPublication>
}

/** The facts on which presence and permissions depend. */
type Terms = Pick<FeedMessage, "status" | "visibility" | "phase" | "lobby">

/** Heads of the requested streams. */
const askedHeads = ({ heads, personal }: LiveReading): StreamHeads => ({
  ...heads,
  ...Object.fromEntries(Object.entries(personal).map(([id, { head }]) => [ownStream(id), head])),
})

const MAX_BUFFERED = 1000
/** Interval of retries of a failed read while connections depend on it. */
const RETRY_SCHEDULE = Schedule.spaced("500 millis")

export class EventSubscriber {
  epoch = ""
  version = 0
  status: EventStatus = "draft"
  visibility: Visibility = "private"
  phase: ActivePhase = NO_PHASE
  /** The last read. */
  read: LiveReading | undefined
  readonly participants = new ParticipantStates()
  readonly versions = new AwaitedVersions()
  readonly buffers: ReplayBuffers
  removed: ReadonlySet<string> = new Set()
  readonly #services: GatewayServices
  readonly #eventId: string
  readonly #emit: (event: SubscriberEvent) => void
  readonly #receivers: Receivers
  /** Messages that arrive during a read of the store; `undefined` otherwise. */
  #buffer: FeedMessage[] | undefined = []
  /** The highest known fencing token of the event. */
  #activation = 0
  #isOpen = false
  #isStopped = false
  #isRefreshing = false
  #unsubscribe: ReadonlyArray<() => void> = []

  constructor(
    services: GatewayServices,
    eventId: string,
    receivers: Receivers,
    emit: (event: SubscriberEvent) => void,
  ) {
    this.#services = services
    this.#eventId = eventId
    this.#receivers = receivers
    this.#emit = emit
    const { historyMs, historyEntries } = services.options
    this.buffers = new ReplayBuffers(historyMs, historyEntries)
  }

  start(): void {
    const { feed } = this.#services
    this.#unsubscribe = [feed.subscribe(this.#eventId, (message) => this.#receive(message))]
    this.#load()
  }

  stop(): void {
    this.#isStopped = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.versions.applied(Number.POSITIVE_INFINITY)
  }

  trim(now: number): void {
    // No known head is dropped during a read: the read may be older than the head.
    const isReading = this.#isRefreshing || this.#buffer !== undefined
    this.buffers.trim(now, (participantId) => isReading || this.#receivers.participants.has(participantId))
  }

  /**
   * Reads again for all waiting connections after the current turn, one read at a time. Emits `refreshed`, or `failed` if the read fails.
   */
  refresh(): void {
    if (this.#isRefreshing || this.#buffer !== undefined) return
    this.#isRefreshing = true
    setImmediate(() => this.#refresh())
  }

  #refresh(): void {
    this.#services.fork(
      this.#look(false).pipe(
        Effect.match({
          onSuccess: ({ reading, heads, stored }) => {
            this.#isRefreshing = false
            if (this.#isStopped || this.#buffer !== undefined) return
            if (reading.snapshot.epoch !== this.epoch || reading.version > this.version) return this.#reload()
            this.#activated(reading.fencingToken)
            this.buffers.learn(heads, stored)
            this.read = reading
            this.#emit({ type: "refreshed" })
          },
          onFailure: (failure) => {
            this.#isRefreshing = false
            if (!this.#isStopped) this.#emit({ type: "failed", failure })
          },
        }),
      ),
    )
  }

  /** `isAnew`: reads all subscribed streams; otherwise only the unknown streams of the waiting participants. */
  #look(isAnew: boolean): Effect.Effect<FreshReading, NotFound | Unavailable> {
    const { live, database, options, telemetry } = this.#services
    return Effect.gen({ self: this }, function* () {
      const phases = [this.phase, this.read?.snapshot.phase ?? this.phase]
      const { participants, fresh } = this.#receivers.requests.readers(phases)
      const reading = yield* live.read(this.#eventId, participants, isAnew || fresh, {
        streams: isAnew ? this.buffers.owned : [],
        known: this.read?.snapshot,
      })
      const heads = isAnew ? { ...reading.snapshot.heads, ...askedHeads(reading) } : askedHeads(reading)
      const isWanted = (stream: StreamName): boolean => isAnew || !this.buffers.knows(stream)
      const wanted = Object.keys(heads).filter((stream) => (heads[stream] ?? 0) > 0 && isWanted(stream))
      const limits = {
        since: toTimestamp(this.#services.timers.now() - options.historyMs),
        perStream: options.historyEntries,
      }
      const stored =
        wanted.length === 0 ? [] : yield* database.run((sql) => listPublications(sql, this.#eventId, wanted, limits))
      return { reading, heads, stored }
    }).pipe(
      Effect.catchDefect((defect) => {
        telemetry.log.error({ err: defect, eventId: this.#eventId }, "an event could not be read")
        return Effect.fail(new Unavailable({ detail: "The event cannot be read.", retryAfterSeconds: 1 }))
      }),
    )
  }

  /** Receives a message. A listener must not throw into the actor that publishes. */
  #receive(message: FeedMessage): void {
    try {
      const { replaced = [] } = message
      if (replaced.length > 0) this.#emit({ type: "replaced", connections: replaced })
      if (this.#buffer === undefined) this.#accept(message)
      else this.#keep(this.#buffer, message)
    } catch (error) {
      this.#services.telemetry.log.error({ err: error, eventId: this.#eventId }, "a publication could not be followed")
    }
  }

  /** Buffers a message. A full buffer drops messages; the gap is detected and filled afterwards. */
  #keep(buffer: FeedMessage[], message: FeedMessage): void {
    buffer.push(message)
    if (buffer.length > MAX_BUFFERED) buffer.shift()
  }

  /** Whether the store is ahead of the messages received here, of which the latest may still be in flight. `undefined`: no such event. */
  isBehind(stored: StoredVersion | undefined): boolean {
    if (!this.#isOpen || this.#isStopped || this.#buffer !== undefined) return false
    if (stored === undefined) return this.status !== "ended"
    return stored.epoch !== this.epoch || stored.version > this.version || stored.fencingToken > this.#activation
  }

  /** Another activation owns the event, and may not know who is connected here. */
  #activated(fencingToken: number): void {
    if (fencingToken <= this.#activation) return
    this.#activation = fencingToken
    if (this.#isOpen) this.#emit({ type: "actorLoaded" })
  }

  #accept(message: FeedMessage): void {
    this.#activated(message.fencingToken)
    const isCommit = message.kind === "commit"
    const isOld = isCommit ? message.version <= this.version : message.version < this.version
    if (message.epoch === this.epoch && isOld) return
    if (message.epoch !== this.epoch || message.from !== this.version) {
      this.#reload(message)
      return
    }
    if (isCommit) {
      this.#apply(message)
      return
    }
    for (const publication of message.ephemeral) this.#emit({ type: "ephemeral", publication })
    this.#emit({ type: "settled" })
  }

  #apply(message: FeedMessage): void {
    const now = this.#services.timers.now()
    this.version = message.version
    // Applied before the dispatches: a participant who enters a room receives its dispatches from here on.
    for (const change of message.participantChanges) {
      this.participants.apply(change)
      if (change.barred !== undefined) this.#bar(change.participantId, change.barred)
      this.#emit({ type: "participantChanged", change: change })
    }
    for (const publication of message.publications) this.#add(publication, now)
    for (const publication of message.ephemeral) this.#emit({ type: "ephemeral", publication })
    this.#settle(message)
    this.#emit({ type: "settled" })
    this.#eject(message)
    this.versions.applied(this.version)
  }

  #add(publication: StoredPublication, at: number): void {
    const dispatch = this.buffers.push(publication, at)
    if (dispatch !== undefined) this.#emit({ type: "published", stream: publication.stream, dispatch })
  }

  #bar(participantId: string, isBarred: boolean): void {
    const removed = new Set(this.removed)
    if (isBarred) removed.add(participantId)
    else removed.delete(participantId)
    this.removed = removed
  }

  #settle({ status, visibility, phase, lobby }: Terms): void {
    this.status = status
    const isHidden = this.visibility === "public" && visibility !== "public"
    this.visibility = visibility
    if (isHidden) this.#emit({ type: "hidden" })
    const hasChanged = !sameTraits(this.phase, phase)
    // Keeps the same object while nothing changes: values derived from it are cached by it.
    if (hasChanged) this.phase = phase
    const hasOtherLobby = this.participants.lobby !== lobby
    this.participants.lobby = lobby
    // Emitted first: participants who have to wait must not receive the dispatches to those inside.
    if (hasOtherLobby) this.#emit({ type: "lobbyChanged" })
    if (hasChanged) this.#emit({ type: "permissionsChanged" })
  }

  #eject({ ejections }: FeedMessage): void {
    for (const ejection of ejections) {
      if (ejection.who === "participant") this.#emit({ type: "removed", participantId: ejection.participantId })
      else this.#emit({ type: "ended" })
    }
  }

  /** Reads the store again after messages were missed. */
  reload(): void {
    if (this.#isOpen && !this.#isStopped) this.#reload()
  }

  /** A message was missed: reads the store, and buffers messages meanwhile. */
  #reload(because?: FeedMessage): void {
    if (this.#buffer !== undefined) return
    this.#buffer = because === undefined ? [] : [because]
    this.#load()
  }

  #load(): void {
    this.#services.fork(
      Effect.suspend(() => this.#look(true)).pipe(
        Effect.tapError((failure) => Effect.sync(() => this.#loadFailed(failure))),
        // Waiting connections have been refused; open ones stay, and get the missed dispatches after a successful read.
        Effect.retry({
          while: (failure) => this.#isOpen && !this.#isStopped && failure._tag === "Unavailable",
          schedule: RETRY_SCHEDULE,
        }),
        Effect.match({
          onSuccess: (look) => {
            if (!this.#isStopped) this.#adopt(look)
          },
          onFailure: () => undefined,
        }),
      ),
    )
  }

  #loadFailed(failure: NotFound | Unavailable): void {
    if (this.#isStopped) return
    // An event that existed and is not found any more was deleted.
    if (this.#isOpen && failure._tag === "NotFound") this.#emit({ type: "ended" })
    else this.#emit({ type: "failed", failure })
  }

  #adopt({ reading, heads, stored }: FreshReading): void {
    const { snapshot } = reading
    const buffered = this.#buffer ?? []
    const reason = this.#fill(snapshot, heads, stored)
    this.#buffer = undefined
    this.read = reading
    this.removed = new Set(snapshot.removed)
    this.participants.restore(snapshot)
    const { phase, lobby } = snapshot
    this.#settle({ ...snapshot.event, phase, lobby })
    const wasOpen = this.#isOpen
    this.#activated(reading.fencingToken)
    this.#isOpen = true
    if (wasOpen) this.#emit({ type: "participantsRead" })
    if (reason !== undefined) this.#emit({ type: "restarted", reason })
    else if (wasOpen) this.#emit({ type: "refreshed" })
    this.#emit({ type: "settled" })
    for (const message of buffered) {
      // The snapshot includes the dispatches of these commits, but not their ejections.
      if (message.kind === "commit" && message.version <= snapshot.version) this.#eject(message)
      this.#receive(message)
    }
    this.versions.applied(this.version)
    if (!wasOpen) this.#emit({ type: "opened" })
    if (this.status === "ended") this.#emit({ type: "ended" })
  }

  /** Brings the replay buffers to the snapshot's version; returns the reason if they had to start over. */
  #fill(
    snapshot: LiveSnapshot,
    heads: StreamHeads,
    stored: ReadonlyArray<StoredPublication>,
  ): "epoch" | "gap" | undefined {
    const known = stored.filter(({ version }) => version <= snapshot.version)
    const isSameEpoch = this.#isOpen && snapshot.epoch === this.epoch
    const canGoOn = isSameEpoch && this.buffers.reach(heads, known)
    this.epoch = snapshot.epoch
    this.version = snapshot.version
    if (canGoOn) {
      for (const publication of known) {
        const { stream, s, at, fact } = publication
        if (!this.buffers.knows(stream) || s <= this.buffers.head(stream)) continue
        this.#add(publication, toMillis(at))
        if (fact?.type === "removed") this.#emit({ type: "removed", participantId: fact.participantId })
      }
      this.buffers.learn(heads, known)
      return undefined
    }
    this.buffers.restore(heads, known)
    if (!this.#isOpen) return undefined
    return isSameEpoch ? "gap" : "epoch"
  }
}

const sameTraits = (a: ActivePhase, b: ActivePhase): boolean =>
  a === b ||
  JSON.stringify([a.id, a.modality, a.featureSet, a.anonymous]) ===
    JSON.stringify([b.id, b.modality, b.featureSet, b.anonymous])
