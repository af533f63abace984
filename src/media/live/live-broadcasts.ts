/**
 * The broadcasts that this process takes from encoders and gives to viewers. A broadcast is opened from its rows when an encoder or a
 * viewer asks for it, and leaves memory a while after the last of them. Its row decides whether it is live: the rows of those in memory are read
 * again when a live event commits a change of one, and every few seconds.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { currentTimers } from "../../clock/timers.ts"
import { Conflict, NotFound, Unauthorized, Unavailable } from "../../model/errors.ts"
import type { EncoderState } from "../../model/live/live-values.ts"
import { Database } from "../../store/database.ts"
import {
  type BroadcastRows,
  findBroadcast,
  findBroadcasts,
  findIngest,
  putIngest,
  readBroadcast,
  type StoredBroadcast,
} from "../../store/media/broadcasts.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { MediaStorage } from "../storage/storage.ts"
import { EncoderInput } from "./encoder-input.ts"
import { openJournal } from "./journal.ts"
import { type EncoderFailure, LiveBroadcast } from "./live-broadcast.ts"
import { WINDOW } from "./live-settings.ts"
import { type OpenBroadcast, OpenBroadcasts } from "./open-broadcasts.ts"
import { RecorderReports, type StageReport } from "./recorder-reports.ts"
import { restoredFrom } from "./restore.ts"

export interface LiveBroadcastOptions {
  /** Null: encoders cannot push to this server. */
  readonly ingest: {
    /** Encoders at once. */
    readonly most: number
    readonly maxKbps: number
    readonly maxHours: number
  } | null
  /** A media server makes broadcasts of the stage. */
  readonly followsStage: boolean
  /** Bytes of a workspace; 0: no limit. */
  readonly quotaBytes: number
}

/** Broadcasts whose rows are read at once: anybody may ask for any id. */
const MOST_OPENING = 32
const MOST_FAILURES = 1000
const POLL = "5 seconds"
const HOUR_MS = 3_600_000

const notHere = new Conflict({
  detail: "Encoders cannot push to this server: BROADCAST_INGEST is off, or its media server makes the broadcasts.",
})
const busy = new Unavailable({ detail: "Too many encoders push to this server at once.", retryAfterSeconds: 10 })
const manyOpening = new Unavailable({ detail: "Too many broadcasts are asked for at once.", retryAfterSeconds: 1 })
const broken = new Unavailable({ detail: "The broadcast could not be stored.", retryAfterSeconds: 2 })
const notLive = new Conflict({
  detail: "The phase has no broadcast that goes on: start it first; one that has ended does not begin again.",
})
const over = new Conflict({ detail: "The broadcast has ended." })
const STORED_LATER: EncoderFailure = {
  code: "not_stored",
  detail: "The database is not reachable: what comes is kept, and viewers wait for it.",
}
const NOT_STORED: EncoderFailure = {
  code: "not_stored",
  detail: "The broadcast could not be stored, and its encoder was cut.",
}
const badToken = new Unauthorized({ detail: "The address of the encoder is not valid, or has been replaced." })

/** The state of the encoder of an event's broadcast, or of the media server that makes it. */
export interface EncoderReport {
  readonly broadcastId: string
  readonly phaseId: string
  readonly state: EncoderState
  readonly failure: EncoderFailure | StageReport["failure"]
}

export class LiveBroadcasts extends Context.Service<
  LiveBroadcasts,
  {
    /** Encoders may push to this server. */
    readonly takesEncoders: boolean
    /** One that is in memory. */
    readonly peek: (broadcastId: string) => OpenBroadcast | undefined
    readonly open: (broadcastId: string) => Effect.Effect<OpenBroadcast, NotFound | Unavailable>
    /** Reads the rows of the broadcasts in memory again: afterwards they are live or paused as was committed before the call. */
    readonly refresh: Effect.Effect<void>
    /** For an encoder, by the hash of its token. */
    readonly admit: (
      tokenHash: Uint8Array,
    ) => Effect.Effect<OpenBroadcast, Unauthorized | NotFound | Conflict | Unavailable>
    /** Gives the encoder of a live broadcast a new token, by its hash; the one before is refused from now on. */
    readonly setToken: (broadcastId: string, tokenHash: Uint8Array) => Effect.Effect<void, Conflict | Unavailable>
    /** Succeeds when all that came of an ended broadcast is stored. */
    readonly finish: (broadcastId: string) => Effect.Effect<void, Unavailable>
    readonly stateOf: (open: OpenBroadcast) => EncoderState
    /** Of the event's broadcast that goes on. `undefined`: no encoder and no viewer has asked this process for it lately. */
    readonly encoderOf: (eventId: string) => EncoderReport | undefined
    /** Of the event's broadcast that the media server makes. Null: it makes none now. Succeeds when the report is stored. */
    readonly reportStage: (eventId: string, report: StageReport | null) => Effect.Effect<void, Unavailable>
  }
>()("gathercue/LiveBroadcasts") {
  static readonly layer = (
    options: LiveBroadcastOptions,
  ): Layer.Layer<LiveBroadcasts, never, Database | MediaStorage | MediaSignal | Telemetry> =>
    Layer.effect(LiveBroadcasts, make(options))
}

const make = ({ ingest, followsStage, quotaBytes }: LiveBroadcastOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const signal = yield* MediaSignal
    const { log, metrics, sample } = yield* Telemetry
    const timers = yield* currentTimers
    const run = Effect.runPromiseWith(yield* Effect.context<Database | MediaStorage>())
    const opened = new OpenBroadcasts(timers, log)
    sample(() => metrics.encoders.set(opened.encoders))
    const opening = new Map<string, Promise<OpenBroadcast | undefined>>()
    /** Of broadcasts that left memory for it, by id. */
    const failures = new LRUCache<string, EncoderFailure>({ max: MOST_FAILURES })
    const stages = new RecorderReports(database)

    let isStopping = false

    const restored = (broadcast: StoredBroadcast, rows: BroadcastRows): OpenBroadcast => {
      const { status, visibility, id, eventId, phaseId } = broadcast
      const from = restoredFrom(rows)
      const take = rows.takes.at(-1)
      const live = new LiveBroadcast({
        ...from,
        journal: openJournal({
          broadcast,
          run,
          quotaBytes,
          recording: rows.recording,
          take: take === undefined ? undefined : { storageKey: take.storageKey, bytes: from.position.fileBytes },
          mayWait: () => {
            live.fail(STORED_LATER)
            return !isStopping
          },
        }),
        hasEnded: status === "ended",
        isPaused: status === "paused",
        failure: failures.get(id),
        maxMs: (ingest?.maxHours ?? 0) * HOUR_MS,
        onBroken: (cause) => {
          log.error({ err: cause, broadcast: id }, "media: a broadcast could not be stored")
          failures.set(id, NOT_STORED)
          opened.drop(id, one)
        },
      })
      failures.delete(id)
      const input = new EncoderInput(live, timers, ingest?.maxKbps ?? 0)
      const lastUsedAt = timers.elapsed()
      const one: OpenBroadcast = { eventId, phaseId, live, input, visibility, status, lastUsedAt, tokenHash: undefined }
      return one
    }

    const load = async (id: string): Promise<OpenBroadcast | undefined> => {
      await opened.closed(id)
      const read = await run(
        database.run(async (sql) => {
          const broadcast = await findBroadcast(sql, id)
          return broadcast === undefined ? undefined : { broadcast, rows: await readBroadcast(sql, id, WINDOW) }
        }),
      )
      if (read === undefined) return undefined
      const one = restored(read.broadcast, read.rows)
      opened.add(id, one)
      // Changes that were committed after this reading were not reported to it.
      signal.notify()
      return one
    }

    /** Callers at the same time share one reading. */
    const loaded = (id: string): Promise<OpenBroadcast | undefined> => {
      const under = opening.get(id) ?? load(id).finally(() => opening.delete(id))
      opening.set(id, under)
      return under
    }

    const open = (id: string): Effect.Effect<OpenBroadcast, NotFound | Unavailable> =>
      Effect.gen(function* () {
        const known = opened.use(id)
        if (known !== undefined) return known
        if (opening.size >= MOST_OPENING && !opening.has(id)) return yield* manyOpening
        const found = yield* Effect.tryPromise({
          try: () => loaded(id),
          catch: (cause) => (cause instanceof Unavailable ? cause : broken),
        })
        return found ?? (yield* NotFound.of("broadcast"))
      })

    // Without the database, whose own log says so, they stay as they are.
    const refresh = Effect.suspend(() => {
      const { ids } = opened
      if (ids.length === 0) return Effect.void
      return Effect.map(
        database.run((sql) => findBroadcasts(sql, ids)),
        (rows) => opened.follow(ids, rows),
      )
    }).pipe(Effect.ignore)

    yield* whenever(signal, followsStage ? Effect.andThen(refresh, Effect.ignore(stages.refresh)) : refresh)
    yield* Effect.addFinalizer(() => {
      isStopping = true
      return Effect.promise(() => opened.closeAll())
    })

    const ofToken = (tokenHash: Uint8Array) =>
      Effect.gen(function* () {
        const found = yield* database.run((sql) => findIngest(sql, tokenHash))
        if (found === undefined) return yield* badToken
        // The row, and not memory, which follows a moment later.
        if (found.status === "ended") return yield* over
        const one = yield* open(found.id)
        one.tokenHash = tokenHash
        return one
      }).pipe(
        // While the database is away no address is replaced, and an encoder that was admitted goes on.
        Effect.catchTag("Unavailable", (failure) => {
          const known = opened.findOfToken(tokenHash)
          return known === undefined ? Effect.fail(failure) : Effect.succeed(known)
        }),
      )

    const admit = (tokenHash: Uint8Array, { most }: NonNullable<typeof ingest>) =>
      Effect.gen(function* () {
        const one = yield* ofToken(tokenHash)
        if (opened.hasEncoder(one) || opened.encoders < most) return one
        one.live.fail({ code: "busy", detail: busy.detail })
        return yield* busy
      })

    return {
      takesEncoders: ingest !== null,
      peek: (id) => opened.use(id),
      refresh,
      open,
      admit: (tokenHash) => (ingest === null ? Effect.fail(notHere) : admit(tokenHash, ingest)),
      setToken: (id, tokenHash) =>
        Effect.gen(function* () {
          if (ingest === null) return yield* notHere
          const one = opened.use(id)
          // Also if the outcome of the statement stays unknown.
          if (one !== undefined) one.tokenHash = undefined
          const isLive = yield* database.run((sql) => putIngest(sql, id, tokenHash))
          if (!isLive) return yield* notLive
          opened.use(id)?.input.replace()
        }),
      finish: (id) => Effect.tryPromise({ try: () => opened.end(id), catch: () => broken }),
      stateOf: (one) => opened.stateOf(one),
      reportStage: (eventId, report) => stages.put(eventId, report),
      encoderOf: (eventId) => {
        const stage = stages.of(eventId)
        if (stage !== undefined) return stage
        const found = opened.findOfEvent(eventId)
        if (found === undefined) return undefined
        const [broadcastId, one] = found
        const { phaseId, live } = one
        return { broadcastId, phaseId, state: opened.stateOf(one), failure: live.failure ?? null }
      },
    } satisfies LiveBroadcasts["Service"]
  })

/** Repeats work on each signal and every few seconds, until the scope ends. Signals during the work cause one repetition. */
const whenever = (signal: MediaSignal["Service"], work: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const wake = Latch.makeUnsafe(true)
    const silence = signal.subscribe(() => wake.openUnsafe())
    yield* Effect.addFinalizer(() => Effect.sync(silence))
    const round = Effect.suspend(() => {
      wake.closeUnsafe()
      return Effect.andThen(work, Effect.timeoutOption(wake.await, POLL))
    })
    yield* Effect.forkScoped(Effect.forever(round))
  })
