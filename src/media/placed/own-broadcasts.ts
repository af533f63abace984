/**
 * Broadcasts that this process takes from encoders. A broadcast is opened from its rows when an encoder or a viewer requests it, and leaves
 * memory some time after the last of them. Its row decides whether it is live: the rows of broadcasts in memory are read again when a live
 * event commits a change to one, and every few seconds.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { currentTimers } from "../../clock/timers.ts"
import { Conflict, NotFound, Unauthorized, Unavailable } from "../../model/errors.ts"
import type { HeldLink } from "../../model/links.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { type FoundIngest, findIngest } from "../../store/links/bearer-links.ts"
import {
  type BroadcastRows,
  findBroadcast,
  findBroadcasts,
  readBroadcast,
  type StoredBroadcast,
  takeBroadcast,
} from "../../store/media/broadcasts.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import type { MediaQuota } from "../../store/media/quota.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { FairPlaces, type PlaceHolder } from "../fair-places.ts"
import { EncoderInput } from "../live/encoder-input.ts"
import { openJournal } from "../live/journal.ts"
import { type EncoderFailure, LiveBroadcast } from "../live/live-broadcast.ts"
import { WINDOW } from "../live/live-settings.ts"
import { type OpenBroadcast, OpenBroadcasts } from "../live/open-broadcasts.ts"
import { restoredFrom } from "../live/restore.ts"
import type { MediaStorage } from "../storage/storage.ts"

export interface OwnOptions {
  /** Null when encoders cannot push to this server. */
  readonly ingest: {
    /** Maximum number of concurrent encoders, in total and per workspace. */
    readonly most: number
    readonly mostOfOne: number
    readonly maxKbps: number
    readonly maxHours: number
  } | null
  /** Whether other processes own broadcasts too. */
  readonly isShared: boolean
  readonly quota: MediaQuota
}

/** Limit on broadcasts whose rows are read concurrently: anybody may request any id. */
const MOST_OPENING = 32
const MOST_FAILURES = 1000
const POLL = "5 seconds"
const HOUR_MS = 3_600_000
/** Time between an encoder's admission and its first bytes. */
const OPENING_MS = 1000

/** A broadcast, and the link with which its encoder came. */
interface Admitted {
  readonly one: OpenBroadcast
  readonly link: HeldLink | null
}

export const notHere = new Conflict({
  detail: "Encoders cannot push to this server: BROADCAST_INGEST is off, or its media server makes the broadcasts.",
})
const busy = new Unavailable({
  detail: "Too many encoders push to this server at once, or too many of the workspace.",
  retryAfterSeconds: 10,
})
const manyOpening = new Unavailable({ detail: "Too many broadcasts are asked for at once.", retryAfterSeconds: 1 })
const moved = new Unavailable({ detail: "The broadcast is being moved; try again.", retryAfterSeconds: 1 })
const stopping = new Unavailable({ detail: "The server is stopping.", retryAfterSeconds: 1 })
const broken = new Unavailable({ detail: "The broadcast could not be stored.", retryAfterSeconds: 2 })
export const notLive = new Conflict({
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

export type EncoderAdmission = Unauthorized | NotFound | Conflict | Unavailable

export class OwnBroadcasts extends Context.Service<
  OwnBroadcasts,
  {
    readonly opened: OpenBroadcasts
    readonly open: (broadcastId: string) => Effect.Effect<OpenBroadcast, NotFound | Unavailable>
    /** Rereads the rows of the broadcasts in memory: afterwards they are live or paused as committed before the call. */
    readonly refresh: Effect.Effect<void>
    /** The broadcast, if it has not ended, of an encoder's token, by its hash. */
    readonly find: (tokenHash: Uint8Array) => Effect.Effect<FoundIngest, Unauthorized | Conflict | Unavailable>
    /**
     * Finds and opens it. A previously accepted encoder is admitted even while the database is unavailable, because no address ends
     * meanwhile.
     */
    readonly admit: (tokenHash: Uint8Array) => Effect.Effect<Admitted, EncoderAdmission>
    /** Succeeds when everything received by an ended broadcast is stored. */
    readonly finish: (broadcastId: string) => Effect.Effect<void, Unavailable>
    /** Makes this process the owner of the event's broadcasts until they are released. */
    readonly claim: (eventId: string) => void
    /** Other processes own the event's broadcasts from now on. Resolves when everything received is stored. */
    readonly release: (eventId: string) => Promise<void>
  }
>()("gathercue/OwnBroadcasts") {
  static readonly layer = (
    options: OwnOptions,
  ): Layer.Layer<OwnBroadcasts, never, Database | MediaStorage | MediaSignal | Telemetry> =>
    Layer.effect(OwnBroadcasts, make(options))
}

const make = ({ ingest, isShared, quota }: OwnOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const signal = yield* MediaSignal
    const { log, metrics, sample, shares } = yield* Telemetry
    const timers = yield* currentTimers
    const run = Effect.runPromiseWith(yield* Effect.context<Database | MediaStorage>())
    const opened = new OpenBroadcasts(timers, log)
    sample(() => metrics.encoders.set(opened.encoders))
    const opening = new Map<string, Promise<OpenBroadcast | undefined>>()
    /** Failures by id of broadcasts that left memory because of them. */
    const failures = new LRUCache<string, EncoderFailure>({ max: MOST_FAILURES })
    /** Events whose broadcasts this process may open, where there are other processes. */
    const claimed = new Set<string>()
    let isStopping = false

    /** Encoders are never cut for others, so a workspace may use at most its share of the capacity. */
    const places = new FairPlaces({ most: ingest?.most ?? 0, mostOfOne: ingest?.mostOfOne ?? 0, timers })
    shares.from("encoders", () => places.byWorkspace())
    const holders = new WeakMap<OpenBroadcast, PlaceHolder>()

    const restored = (broadcast: StoredBroadcast, token: number, rows: BroadcastRows): OpenBroadcast => {
      const { status, visibility, id, eventId, workspaceId, phaseId } = broadcast
      const from = restoredFrom(rows, isShared)
      const take = rows.takes.at(-1)
      const live = new LiveBroadcast({
        ...from,
        journal: openJournal({
          broadcast,
          run,
          token,
          isShared,
          quota,
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
      const of = { id, token, eventId, workspaceId, phaseId, visibility, status }
      const one: OpenBroadcast = { ...of, live, input, lastUsedAt, shown: undefined }
      return one
    }

    const mayOpen = ({ eventId, status }: StoredBroadcast): boolean =>
      !isShared || status === "ended" || claimed.has(eventId)

    /** An ended broadcast is only watched. */
    const take = async (sql: Queryable, broadcast: StoredBroadcast) => {
      const { id, status } = broadcast
      const token = status === "ended" ? 0 : await takeBroadcast(sql, id)
      return token === undefined ? undefined : { broadcast, token, rows: await readBroadcast(sql, id, WINDOW) }
    }

    const load = async (id: string): Promise<OpenBroadcast | undefined> => {
      await opened.closed(id)
      const broadcast = await run(database.run((sql) => findBroadcast(sql, id)))
      if (broadcast === undefined) return undefined
      if (!mayOpen(broadcast)) throw moved
      const read = await run(database.run((sql) => take(sql, broadcast)))
      if (read === undefined) return undefined
      if (isStopping) throw stopping
      if (!mayOpen(broadcast)) throw moved
      const one = restored(read.broadcast, read.token, read.rows)
      opened.add(id, one)
      // Changes committed after this read were not reported to it.
      signal.notify()
      return one
    }

    /** Concurrent callers share one read. */
    const loaded = (id: string): Promise<OpenBroadcast | undefined> => {
      const under = opening.get(id) ?? load(id).finally(() => opening.delete(id))
      opening.set(id, under)
      return under
    }

    const open = (id: string): Effect.Effect<OpenBroadcast, NotFound | Unavailable> =>
      Effect.gen(function* () {
        if (isStopping) return yield* stopping
        const known = opened.use(id)
        if (known !== undefined) return known
        if (opening.size >= MOST_OPENING && !opening.has(id)) return yield* manyOpening
        const found = yield* Effect.tryPromise({
          try: () => loaded(id),
          catch: (cause) => (cause instanceof Unavailable ? cause : broken),
        })
        return found ?? (yield* NotFound.of("broadcast"))
      })

    // Without the database, which logs its own failure, they stay unchanged.
    const refresh = Effect.suspend(() => {
      const { ids } = opened
      if (ids.length === 0) return Effect.void
      return Effect.map(
        database.run((sql) => findBroadcasts(sql, ids)),
        (rows) => opened.follow(ids, rows),
      )
    }).pipe(Effect.ignore)

    yield* whenever(signal, refresh)
    yield* Effect.addFinalizer(() => {
      isStopping = true
      return Effect.promise(() => opened.closeAll())
    })

    const find = (tokenHash: Uint8Array) =>
      Effect.gen(function* () {
        const found = yield* database.run((sql) => findIngest(sql, tokenHash))
        if (found === undefined) return yield* badToken
        // Checks the row instead of memory, which follows a moment later.
        return found.status === "ended" ? yield* over : found
      })

    const withRoom = (one: OpenBroadcast): Effect.Effect<OpenBroadcast, Unavailable> => {
      const admittedAt = timers.elapsed()
      const isHeld = () => opened.hasEncoder(one) || timers.elapsed() - admittedAt < OPENING_MS
      const holder = { workspaceId: one.workspaceId, isHeld }
      const before = holders.get(one)
      if (before !== undefined) places.leave(before)
      if (places.takeNow(holder)) {
        holders.set(one, holder)
        return Effect.succeed(one)
      }
      one.live.fail({ code: "busy", detail: busy.detail })
      return Effect.fail(busy)
    }

    const accept = ({ id, link }: FoundIngest, tokenHash: Uint8Array) =>
      Effect.flatMap(open(id), (one) => {
        one.shown = { tokenHash, link }
        return Effect.as(withRoom(one), { one, link })
      })

    return {
      opened,
      refresh,
      open,
      find,
      admit: (tokenHash) =>
        Effect.flatMap(find(tokenHash), (found) => accept(found, tokenHash)).pipe(
          // While the database is unavailable no address ends, and an admitted encoder continues.
          Effect.catchTag("Unavailable", (failure) => {
            const known = opened.findOfToken(tokenHash)
            if (known === undefined || failure === busy) return Effect.fail(failure)
            return Effect.as(withRoom(known), { one: known, link: known.shown?.link ?? null })
          }),
        ),
      finish: (id) =>
        Effect.gen(function* () {
          if (isShared && opened.use(id) === undefined) {
            yield* Effect.promise(() => opened.closed(id))
            // Bytes that a previous owner is still receiving are no longer stored.
            yield* database.run((sql) => takeBroadcast(sql, id))
          }
          yield* Effect.tryPromise({ try: () => opened.end(id), catch: () => broken })
        }),
      claim: (eventId) => void claimed.add(eventId),
      release: (eventId) => {
        claimed.delete(eventId)
        return opened.release(eventId)
      },
    } satisfies OwnBroadcasts["Service"]
  })

/** Repeats work on each signal and every few seconds, until the scope ends. Signals during the work cause one repetition. */
export const whenever = (signal: MediaSignal["Service"], work: Effect.Effect<void>) =>
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
