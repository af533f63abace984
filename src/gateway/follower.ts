/**
 * Follows one live event: subscribes to the feed first (buffering), then reads snapshot and stored dispatches, then goes
 * on message by message. Invariant: the rings hold exactly what was committed up to `version`. A hole in the versions is
 * filled from the store, once at a time; another history, or a hole longer than the store remembers, starts over.
 */
import { Effect, Schedule } from "effect"
import type { FeedMessage } from "../actors/feed.ts"
import type { LiveSnapshot } from "../actors/protocol.ts"
import { type NotFound, Unavailable } from "../model/errors.ts"
import type { EventStatus } from "../model/event.ts"
import type { PhaseTraits } from "../model/permissions.ts"
import { toMillis, toTimestamp } from "../model/timestamp.ts"
import { listPublications, type StoredPublication } from "../store/live-events.ts"
import { removalIn } from "./removal.ts"
import { Ring, type RingLimits } from "./ring.ts"
import type { Surroundings } from "./surroundings.ts"

/** Streams that this gateway serves. */
export const STREAMS = ["event", "staff"] as const
export type StreamName = (typeof STREAMS)[number]

/** What the follower has to say, in the order it happened. */
export interface FollowerEvents {
  /** The event can be served from now. */
  readonly opened: () => void
  /** It cannot: absent, or what is needed to read it is away. */
  readonly failed: (failure: NotFound | Unavailable) => void
  readonly published: (stream: StreamName, frame: string) => void
  readonly ephemeral: (stream: StreamName, key: string, frame: string) => void
  /** The active phase may allow other things now. */
  readonly narrowed: () => void
  readonly removed: (participantId: string) => void
  readonly ended: () => void
  /** Positions of before mean nothing any more: everyone needs a snapshot. */
  readonly restarted: (reason: "epoch" | "gap") => void
  /** A newer snapshot is there. */
  readonly refreshed: () => void
  /** All of a message, or of a reading, has been said. */
  readonly settled: () => void
  /** The actor is in memory anew and may not know who is here. */
  readonly actorWoke: () => void
}

export interface Standing {
  readonly snapshot: LiveSnapshot
  /** When it was read, Unix milliseconds. */
  readonly at: number
}

const MAX_BUFFERED = 1000
/** How often a reading that failed is tried again while connections depend on it. */
const RETRY_SCHEDULE = Schedule.spaced("500 millis")
/** Bytes of history kept per stream, about. */
const MAX_RING_LENGTH = 4_194_304

export class Follower {
  history = ""
  version = 0
  status: EventStatus = "draft"
  phase: PhaseTraits | null = null
  standing: Standing | undefined
  removed: ReadonlySet<string> = new Set()
  readonly #around: Surroundings
  readonly #eventId: string
  readonly #say: FollowerEvents
  readonly #limits: RingLimits
  #rings = new Map<StreamName, Ring>()
  /** Messages that arrived while the store is read; `undefined` while following. */
  #buffer: FeedMessage[] | undefined = []
  #isOpen = false
  #isStopped = false
  #isRefreshing = false
  #unsubscribe: ReadonlyArray<() => void> = []

  constructor(around: Surroundings, eventId: string, say: FollowerEvents) {
    this.#around = around
    this.#eventId = eventId
    this.#say = say
    const { historyMs, historyEntries } = around.options
    this.#limits = { maxAgeMs: historyMs, maxEntries: historyEntries, maxLength: MAX_RING_LENGTH }
  }

  start(): void {
    const { feed } = this.#around
    this.#unsubscribe = [
      feed.subscribe(this.#eventId, (message) => this.#hear(message)),
      feed.onReset(() => this.#reload()),
    ]
    this.#load()
  }

  stop(): void {
    this.#isStopped = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  ring(stream: StreamName): Ring {
    let ring = this.#rings.get(stream)
    if (ring === undefined) {
      ring = new Ring(this.#limits, 0)
      this.#rings.set(stream, ring)
    }
    return ring
  }

  trim(now: number): void {
    for (const ring of this.#rings.values()) ring.trim(now)
  }

  /** Reads a newer snapshot, once at a time; `refreshed` or, when none can be had, `failed` follows. */
  refresh(): void {
    if (this.#isRefreshing || this.#buffer !== undefined) return
    this.#isRefreshing = true
    this.#around.fork(
      this.#around.live.snapshot(this.#eventId).pipe(
        Effect.match({
          onSuccess: (snapshot) => {
            this.#isRefreshing = false
            if (this.#isStopped || this.#buffer !== undefined) return
            if (snapshot.history !== this.history || snapshot.version > this.version) return this.#reload()
            this.standing = { snapshot, at: Date.now() }
            this.#say.refreshed()
          },
          onFailure: (failure) => {
            this.#isRefreshing = false
            if (!this.#isStopped) this.#say.failed(failure)
          },
        }),
      ),
    )
  }

  /** A listener must not throw into the actor that publishes. */
  #hear(message: FeedMessage): void {
    try {
      if (this.#buffer === undefined) this.#accept(message)
      else this.#keep(this.#buffer, message)
    } catch (error) {
      this.#around.telemetry.log.error({ err: error, eventId: this.#eventId }, "a publication could not be followed")
    }
  }

  /** More than can be kept leaves a hole, which is found and filled afterwards. */
  #keep(buffer: FeedMessage[], message: FeedMessage): void {
    buffer.push(message)
    if (buffer.length > MAX_BUFFERED) buffer.shift()
  }

  #accept(message: FeedMessage): void {
    if (message.kind === "note" && message.ephemeral.length === 0) this.#say.actorWoke()
    const isCommit = message.kind === "commit"
    if (message.history === this.history && message.version < this.version + (isCommit ? 1 : 0)) return
    if (message.history !== this.history || message.version !== this.version + (isCommit ? 1 : 0)) {
      this.#reload(message)
      return
    }
    if (isCommit) {
      this.#apply(message)
      return
    }
    for (const { stream, key, frame } of message.ephemeral) {
      if (isStream(stream)) this.#say.ephemeral(stream, key, frame)
    }
    this.#say.settled()
  }

  #apply(message: FeedMessage): void {
    const now = Date.now()
    this.version = message.version
    for (const { stream, s, frame } of message.publications) {
      if (isStream(stream)) this.#add(stream, s, frame, now)
    }
    this.#settle(message.status, message.phase)
    this.#say.settled()
    this.#eject(message)
  }

  #add(stream: StreamName, s: number, frame: string, at: number): void {
    const ring = this.ring(stream)
    if (s !== ring.head + 1) return
    ring.push(frame, at)
    const removal = removalIn(stream, frame)
    if (removal?.block) this.removed = new Set([...this.removed, removal.participantId])
    this.#say.published(stream, frame)
  }

  #settle(status: EventStatus, phase: PhaseTraits | null): void {
    this.status = status
    const hasChanged = !sameTraits(this.phase, phase)
    this.phase = phase
    if (hasChanged) this.#say.narrowed()
  }

  #eject({ ejections }: FeedMessage): void {
    for (const ejection of ejections) {
      if (ejection.who === "participant") this.#say.removed(ejection.participantId)
      else this.#say.ended()
    }
  }

  /** Something was missed: reads the store, keeping what comes meanwhile. */
  #reload(because?: FeedMessage): void {
    if (this.#buffer !== undefined) return
    this.#buffer = because === undefined ? [] : [because]
    this.#load()
  }

  #load(): void {
    const { live, database, options, fork, telemetry } = this.#around
    fork(
      Effect.gen({ self: this }, function* () {
        const snapshot = yield* live.snapshot(this.#eventId)
        const since = toTimestamp(Date.now() - options.historyMs)
        const stored = yield* database.run((sql) => listPublications(sql, this.#eventId, since, options.historyEntries))
        return { snapshot, stored }
      }).pipe(
        Effect.catchDefect((defect) => {
          telemetry.log.error({ err: defect, eventId: this.#eventId }, "an event could not be read")
          return Effect.fail(new Unavailable({ detail: "The event cannot be read.", retryAfterSeconds: 1 }))
        }),
        Effect.tapError((failure) => Effect.sync(() => this.#loadFailed(failure))),
        // Whoever waits has been told; those already open stay, and get what they missed once it can be read.
        Effect.retry({
          while: (failure) => this.#isOpen && !this.#isStopped && failure._tag === "Unavailable",
          schedule: RETRY_SCHEDULE,
        }),
        Effect.match({
          onSuccess: ({ snapshot, stored }) => {
            if (!this.#isStopped) this.#adopt(snapshot, stored)
          },
          onFailure: () => undefined,
        }),
      ),
    )
  }

  #loadFailed(failure: NotFound | Unavailable): void {
    if (this.#isStopped) return
    // An event that was there and is not any more has been deleted.
    if (this.#isOpen && failure._tag === "NotFound") this.#say.ended()
    else this.#say.failed(failure)
  }

  #adopt(snapshot: LiveSnapshot, stored: ReadonlyArray<StoredPublication>): void {
    const buffered = this.#buffer ?? []
    const reason = this.#fill(snapshot, stored)
    this.#buffer = undefined
    this.standing = { snapshot, at: Date.now() }
    this.removed = new Set(snapshot.removed)
    const active = snapshot.phases.find(({ id }) => id === snapshot.activePhaseId) as PhaseTraits | undefined
    this.#settle(snapshot.event.status, active ?? null)
    const wasOpen = this.#isOpen
    this.#isOpen = true
    if (reason !== undefined) this.#say.restarted(reason)
    else if (wasOpen) this.#say.refreshed()
    this.#say.settled()
    for (const message of buffered) {
      // Commits the snapshot already holds have been filled in, but not their ejections.
      if (message.kind === "commit" && message.version <= snapshot.version) this.#eject(message)
      this.#hear(message)
    }
    if (!wasOpen) this.#say.opened()
    if (this.status === "ended") this.#say.ended()
  }

  /** Brings the rings to the snapshot's version; says why when that is a start over. */
  #fill(snapshot: LiveSnapshot, stored: ReadonlyArray<StoredPublication>): "epoch" | "gap" | undefined {
    const known = stored.filter(({ version }) => version <= snapshot.version)
    const isSameHistory = this.#isOpen && snapshot.history === this.history
    const canGoOn = isSameHistory && STREAMS.every((stream) => this.#reaches(stream, snapshot, known))
    this.history = snapshot.history
    this.version = snapshot.version
    if (canGoOn) {
      for (const { stream, s, frame, at } of known) {
        if (!isStream(stream) || s <= this.ring(stream).head) continue
        this.#add(stream, s, frame, toMillis(at))
        const removal = removalIn(stream, frame)
        if (removal !== undefined) this.#say.removed(removal.participantId)
      }
      return undefined
    }
    this.#rings = new Map(
      STREAMS.map((stream) => {
        const entries = known.filter((publication) => publication.stream === stream)
        const ring = new Ring(this.#limits, (entries[0]?.s ?? (snapshot.heads[stream] ?? 0) + 1) - 1)
        for (const { frame, at } of entries) ring.push(frame, toMillis(at))
        return [stream, ring]
      }),
    )
    if (!this.#isOpen) return undefined
    return isSameHistory ? "gap" : "epoch"
  }

  /** Do the stored dispatches continue right where the ring ends? */
  #reaches(stream: StreamName, snapshot: LiveSnapshot, known: ReadonlyArray<StoredPublication>): boolean {
    const { head } = this.ring(stream)
    const target = snapshot.heads[stream] ?? 0
    return target <= head || known.some((publication) => publication.stream === stream && publication.s === head + 1)
  }
}

const isStream = (stream: string): stream is StreamName => (STREAMS as ReadonlyArray<string>).includes(stream)

const sameTraits = (a: PhaseTraits | null, b: PhaseTraits | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.modality === b.modality && a.featureSet.join(" ") === b.featureSet.join(" "))
