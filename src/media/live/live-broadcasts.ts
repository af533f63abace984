/**
 * The broadcasts that this process takes from encoders and gives to viewers. A broadcast is opened from its rows when an encoder or a
 * viewer asks for it, and leaves memory a while after the last of them. Its row decides whether it is live: the rows of those in memory are read
 * again when a live event commits a change of one, and every few seconds.
 */
import { Context, Effect, Layer } from "effect"
import { type Cancel, currentTimers, every } from "../../clock/timers.ts"
import { hashSecret, newSecret } from "../../identity/secrets.ts"
import { Conflict, NotFound, Unauthorized, Unavailable } from "../../model/errors.ts"
import type { Visibility } from "../../model/event.ts"
import { Database } from "../../store/database.ts"
import {
  countDiscontinuities,
  findBroadcast,
  findBroadcastRecording,
  findBroadcasts,
  findIngest,
  lastSegments,
  putIngest,
  type StoredBroadcast,
  type StoredSegment,
  takesOf,
} from "../../store/media/broadcasts.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { type Init, readInit } from "../broadcast/fmp4/init.ts"
import { positionAfter } from "../broadcast/segments.ts"
import { windowOf } from "../broadcast/window.ts"
import type { MediaStorage } from "../storage/storage.ts"
import { EncoderInput } from "./encoder-input.ts"
import { openJournal } from "./journal.ts"
import { LiveBroadcast } from "./live-broadcast.ts"
import { WINDOW } from "./live-settings.ts"

export interface LiveBroadcastOptions {
  /** Null: encoders cannot push to this server. */
  readonly ingest: {
    /** Encoders at once. */
    readonly most: number
    readonly maxKbps: number
    readonly maxHours: number
  } | null
  /** Bytes of a workspace; 0: no limit. */
  readonly quotaBytes: number
}

/** `waiting`: nothing came yet; `lost`: nothing came for ten seconds. */
export type IngestState = "waiting" | "receiving" | "lost"

/** A broadcast in memory. */
export interface OpenBroadcast {
  readonly live: LiveBroadcast
  readonly input: EncoderInput
  readonly eventId: string
  visibility: Visibility
  status: StoredBroadcast["status"]
  /** Milliseconds that only go forward. */
  lastUsedAt: number
}

const POLL_MS = 5000
const IDLE_MS = 60_000
const LOST_AFTER_MS = 10_000

const notHere = new Conflict({ detail: "Encoders cannot push to this server: BROADCAST_INGEST is off." })
const busy = new Unavailable({ detail: "Too many encoders push to this server at once.", retryAfterSeconds: 10 })
const broken = new Unavailable({ detail: "The broadcast could not be stored.", retryAfterSeconds: 2 })
const notLive = new Conflict({ detail: "The broadcast is not live: start it first." })
const over = new Conflict({ detail: "The broadcast has ended." })
const badToken = new Unauthorized({ detail: "The address of the encoder is not valid, or has been replaced." })

export class LiveBroadcasts extends Context.Service<
  LiveBroadcasts,
  {
    /** Encoders may push to this server. */
    readonly takesEncoders: boolean
    /** One that is in memory. */
    readonly peek: (broadcastId: string) => OpenBroadcast | undefined
    readonly open: (broadcastId: string) => Effect.Effect<OpenBroadcast, NotFound | Unavailable>
    /** For an encoder with its token. */
    readonly admit: (token: string) => Effect.Effect<OpenBroadcast, Unauthorized | NotFound | Conflict | Unavailable>
    /** A new token for the encoder of a live broadcast; the one before is refused from now on. */
    readonly issue: (broadcastId: string) => Effect.Effect<string, Conflict | Unavailable>
    /** Succeeds when all that came of an ended broadcast is stored. */
    readonly finish: (broadcastId: string) => Effect.Effect<void, Unavailable>
    readonly stateOf: (open: OpenBroadcast) => IngestState
  }
>()("gathercue/LiveBroadcasts") {
  static readonly layer = (
    options: LiveBroadcastOptions,
  ): Layer.Layer<LiveBroadcasts, never, Database | MediaStorage | MediaSignal | Telemetry> =>
    Layer.effect(LiveBroadcasts, make(options))
}

/** Those after the last that is not stored. */
const listed = (segments: ReadonlyArray<StoredSegment>): ReadonlyArray<StoredSegment> =>
  segments.slice(segments.findLastIndex(({ bytes }) => bytes === 0) + 1)

const make = ({ ingest, quotaBytes }: LiveBroadcastOptions) =>
  Effect.gen(function* () {
    const database = yield* Database
    const signal = yield* MediaSignal
    const { log } = yield* Telemetry
    const timers = yield* currentTimers
    const context = yield* Effect.context<Database | MediaStorage>()
    const run = Effect.runPromiseWith(context)
    const opened = new Map<string, OpenBroadcast>()
    const opening = new Map<string, Promise<OpenBroadcast | undefined>>()

    const stored = (broadcast: StoredBroadcast) =>
      database.run(async (sql) => {
        const recording = await findBroadcastRecording(sql, broadcast.id)
        if (recording === undefined) return { takes: [], segments: [], discontinuities: 0 }
        const [takes, segments] = await Promise.all([
          takesOf(sql, recording.id),
          lastSegments(sql, recording.id, WINDOW),
        ])
        const discontinuities = await countDiscontinuities(sql, recording.id, listed(segments)[0]?.number ?? 0)
        return { recording, takes, segments, discontinuities }
      })

    const restored = (broadcast: StoredBroadcast): Effect.Effect<OpenBroadcast, Unavailable> =>
      Effect.map(stored(broadcast), ({ recording, takes, segments, discontinuities }) => {
        const inits = new Map<number, Init>(takes.map(({ number, init }) => [number, readInit(new Uint8Array(init))]))
        const last = takes.at(-1)
        const init = last === undefined ? undefined : inits.get(last.number)
        const take =
          last === undefined || init === undefined
            ? undefined
            : { number: last.number, identity: last.identity, initBytes: init.bytes.byteLength }
        const end = segments.at(-1)
        // A take whose first segment is not there yet has a file of its description alone.
        const isNewTake = take !== undefined && end?.take !== take.number
        const position = isNewTake
          ? { ...positionAfter(end, take), take, fileBytes: take.initBytes }
          : positionAfter(end, take)
        const live = new LiveBroadcast({
          journal: openJournal({
            broadcast,
            run,
            quotaBytes,
            recording,
            take: last === undefined ? undefined : { storageKey: last.storageKey, bytes: position.fileBytes },
          }),
          position,
          window: { ...windowOf(listed(segments), WINDOW), discontinuities },
          inits,
          hasEnded: broadcast.status === "ended",
          isPaused: broadcast.status === "paused",
          maxMs: (ingest?.maxHours ?? 0) * 3_600_000,
          onBroken: (cause) => {
            log.error({ err: cause, broadcast: broadcast.id }, "media: a broadcast could not be stored")
            drop(broadcast.id, open)
          },
        })
        const open: OpenBroadcast = {
          live,
          input: new EncoderInput(live, timers, ingest?.maxKbps ?? 0),
          eventId: broadcast.eventId,
          visibility: broadcast.visibility,
          status: broadcast.status,
          lastUsedAt: timers.elapsed(),
        }
        return open
      })

    /** Its encoder is cut, and what comes next opens it anew. */
    const drop = (id: string, open: OpenBroadcast): void => {
      if (opened.get(id) !== open) return
      opened.delete(id)
      open.input.reset()
      open.live.close().catch((cause: unknown) => log.error({ err: cause }, "media: a broadcast could not be closed"))
      open.live.changes.notify()
    }

    const load = async (id: string): Promise<OpenBroadcast | undefined> => {
      const open = await run(
        Effect.gen(function* () {
          const broadcast = yield* database.run((sql) => findBroadcast(sql, id))
          return broadcast === undefined ? undefined : yield* restored(broadcast)
        }),
      )
      if (open !== undefined) opened.set(id, open)
      return open
    }

    /** Callers at the same time share one reading. */
    const loaded = (id: string): Promise<OpenBroadcast | undefined> => {
      const under = opening.get(id) ?? load(id).finally(() => opening.delete(id))
      opening.set(id, under)
      return under
    }

    const open = (id: string): Effect.Effect<OpenBroadcast, NotFound | Unavailable> =>
      Effect.gen(function* () {
        const known = opened.get(id)
        if (known !== undefined) return known
        const found = yield* Effect.tryPromise({
          try: () => loaded(id),
          catch: (cause) => (cause instanceof Unavailable ? cause : broken),
        })
        return found ?? (yield* NotFound.of("broadcast"))
      })

    const encoders = (): number => [...opened.values()].filter((one) => isReceiving(one)).length

    const isReceiving = ({ input, live }: OpenBroadcast): boolean => {
      const { lastSegmentAt } = live
      return input.isConnected || (lastSegmentAt !== undefined && timers.now() - lastSegmentAt < LOST_AFTER_MS)
    }

    const follow = (one: OpenBroadcast, now: StoredBroadcast): void => {
      one.visibility = now.visibility
      if (one.status === now.status) return
      one.status = now.status
      if (now.status === "paused") one.live.pause()
      else if (now.status === "live") one.live.resume()
    }

    const refresh = Effect.suspend(() => {
      const ids = [...opened.keys()]
      if (ids.length === 0) return Effect.void
      return Effect.map(
        database.run((sql) => findBroadcasts(sql, ids)),
        (rows) => {
          const now = timers.elapsed()
          for (const id of ids) {
            const one = opened.get(id)
            const row = rows.find((other) => other.id === id)
            if (one === undefined) continue
            if (row === undefined) drop(id, one)
            else {
              follow(one, row)
              if (row.status === "ended" && !one.live.hasEnded) endOf(id, one)
              else if (now - one.lastUsedAt > IDLE_MS && !isReceiving(one)) drop(id, one)
            }
          }
        },
      )
    }).pipe(Effect.ignore)

    const ending = new Map<string, Promise<void>>()
    const endOf = (id: string, one: OpenBroadcast): void => {
      if (ending.has(id)) return
      one.input.reset()
      const ended = one.live.end().finally(() => ending.delete(id))
      ending.set(id, ended)
      ended.catch((cause: unknown) => log.error({ err: cause, broadcast: id }, "media: a broadcast could not be ended"))
    }

    let isReading = false
    let isAsked = false
    const refreshSoon = (): void => {
      if (isReading) {
        isAsked = true
        return
      }
      isReading = true
      void run(refresh).finally(() => {
        isReading = false
        if (!isAsked) return
        isAsked = false
        refreshSoon()
      })
    }
    const silence = signal.subscribe(refreshSoon)
    const stopPolling: Cancel = every(timers, POLL_MS, refreshSoon)
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        silence()
        stopPolling()
        await Promise.all(
          [...opened.values()].map(async ({ input, live }) => {
            input.reset()
            await live.close()
          }),
        ).catch((cause: unknown) => log.error({ err: cause }, "media: a broadcast could not be closed"))
      }),
    )

    return {
      takesEncoders: ingest !== null,
      peek: (id) => {
        const one = opened.get(id)
        if (one !== undefined) one.lastUsedAt = timers.elapsed()
        return one
      },
      open,
      admit: (token) =>
        Effect.gen(function* () {
          if (ingest === null) return yield* notHere
          const id = yield* database.run((sql) => findIngest(sql, hashSecret(token)))
          if (id === undefined) return yield* badToken
          const one = yield* open(id)
          if (one.status === "ended") return yield* over
          if (!isReceiving(one) && encoders() >= ingest.most) return yield* busy
          return one
        }),
      issue: (id) =>
        Effect.gen(function* () {
          if (ingest === null) return yield* notHere
          const token = newSecret()
          const isLive = yield* database.run((sql) => putIngest(sql, id, hashSecret(token)))
          if (!isLive) return yield* notLive
          opened.get(id)?.input.reset()
          return token
        }),
      finish: (id) =>
        Effect.tryPromise({
          try: async () => {
            const one = opened.get(id)
            if (one === undefined || one.live.hasEnded) return
            endOf(id, one)
            await ending.get(id)
          },
          catch: () => broken,
        }),
      stateOf: (one) => {
        if (isReceiving(one)) return "receiving"
        return one.live.durationMs === 0 ? "waiting" : "lost"
      },
    } satisfies LiveBroadcasts["Service"]
  })
