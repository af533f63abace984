/**
 * The journal of a broadcast: each take is a growing file, each segment a range of it with a row. A row is written after its bytes, so that
 * after a crash the file is cut to the end of its last row. When storage runs out, the broadcast continues live: rows without bytes keep
 * its numbers and times.
 */
import { Effect, Schedule } from "effect"
import { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { Database, type Queryable } from "../../store/database.ts"
import {
  insertBroadcastRecording,
  insertSegment,
  insertTake,
  noteCutOff,
  type StoredBroadcast,
} from "../../store/media/broadcasts.ts"
import type { MediaQuota } from "../../store/media/quota.ts"
import type { SegmentEvent } from "../broadcast/segments.ts"
import { cutReasonOf, type GrowingFile, MediaStorage, storageKeyOf } from "../storage/storage.ts"
import { whyFull } from "./free-space.ts"
import type { Journal } from "./live-broadcast.ts"

interface JournalGiven {
  readonly broadcast: StoredBroadcast
  /** Runs an effect with the services of the journal. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Database | MediaStorage>) => Promise<A>
  /** Token of this owner: under an older one than the row's nothing is stored. */
  readonly token: number
  /** Whether other processes may have owned it before: this one then begins files of its own, to which none of them writes. */
  readonly isShared: boolean
  /** Quota of a workspace; 0 means no limit. */
  readonly quota: MediaQuota
  readonly recording: { readonly id: string; readonly storageKey: string } | undefined
  /** The take whose file continues, and the bytes of it that have rows. */
  readonly take: { readonly storageKey: string; readonly bytes: number } | undefined
  /** Whether the journal waits for the database, called during an outage. */
  readonly mayWait: () => boolean
}

/** Tolerated outage of the database; arriving bytes wait in the broadcast's queue meanwhile. */
const PATIENCE = Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: "1 minute" }))

/** Free space is checked once per this many segments. */
const LOOK_EVERY = 8

const over = new Unavailable({ detail: "The broadcast has ended meanwhile, or moved.", retryAfterSeconds: 1 })

/** Returns `full` for a full disk; any other error is thrown. */
const cutReasonOr = (cause: unknown): "full" => {
  if (cutReasonOf(cause) === "full") return "full"
  throw cause
}

/** `token` belongs to an owner whose files have separate names. */
const keyOfTake = (recordingKey: string, take: number, token: number | undefined): string => {
  if (token !== undefined) return `${recordingKey}-${take}-${token}`
  return take === 1 ? recordingKey : `${recordingKey}-${take}`
}

export const openJournal = (given: JournalGiven): Journal => {
  const { broadcast, run, token, isShared, quota, take, mayWait } = given
  const owned = { broadcastId: broadcast.id, token }
  let recording = given.recording
  let file: GrowingFile | undefined
  let isClosed = false
  let bytes = take?.bytes ?? 0
  let segments = 0
  let fullBecause: string | undefined

  /** Retries a statement that may run twice, because its effect is unknown after a failure. */
  const patient = <A, R>(work: Effect.Effect<A, Unavailable, R>): Effect.Effect<A, Unavailable, R> =>
    Effect.retry(work, { schedule: PATIENCE, while: mayWait })

  const stored = <A>(work: (sql: Queryable) => Promise<A>) =>
    patient(Effect.flatMap(Database, (database) => database.run(work)))

  const begun = Effect.gen(function* () {
    if (recording !== undefined) return recording
    const id = newId()
    const storageKey = storageKeyOf(broadcast.workspaceId, id)
    const wasLive = yield* stored((sql) => insertBroadcastRecording(sql, { id, storageKey, broadcast, token }))
    if (!wasLive) return yield* over
    recording = { id, storageKey }
    return recording
  })

  /** Uninterruptible, because a file without an owner would stay open. */
  const opened = (key: string, keep: number) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const next = yield* (yield* MediaStorage).grow(key, keep)
        if (isClosed) {
          yield* Effect.promise(next.close)
          return yield* over
        }
        const before = file
        file = next
        bytes = keep
        if (before !== undefined) yield* Effect.promise(before.close)
        return next
      }),
    )

  /** File of the take that was begun before this process opened the journal. */
  const reopened = Effect.suspend(() =>
    take === undefined ? Effect.die(new Error("a segment comes before its take")) : opened(take.storageKey, bytes),
  )

  const cutOff = (recordingId: string, reason: string) =>
    Effect.gen(function* () {
      fullBecause = reason
      yield* stored((sql) =>
        noteCutOff(sql, owned, recordingId, { code: "cut_off", detail: `The end is not recorded: ${reason}.` }),
      )
    })

  /** Whether `more` bytes may be stored; after a refusal nothing is stored until the process opens the journal anew. */
  const fits = (recordingId: string, more: number) =>
    Effect.gen(function* () {
      if (fullBecause !== undefined) return false
      if (segments++ % LOOK_EVERY !== 0) return true
      const reason = yield* patient(whyFull(broadcast.workspaceId, more * LOOK_EVERY, quota))
      if (reason === undefined) return true
      yield* cutOff(recordingId, reason)
      return false
    })

  /** Returns false when the disk became full since the last check. Bytes of a half write are beyond those that rows name. */
  const written = (recordingId: string, data: SegmentEvent["data"]) =>
    Effect.gen(function* () {
      const to = file ?? (yield* reopened)
      const failure = yield* Effect.promise(() => to.append(data).then(() => undefined, cutReasonOr))
      if (failure === undefined) return true
      yield* cutOff(recordingId, "the disk for media is full")
      return false
    })

  const append = ({ segment, data }: SegmentEvent) =>
    Effect.gen(function* () {
      const { id } = yield* begun
      const isStored = (yield* fits(id, segment.bytes)) && (yield* written(id, data))
      const row = { ...segment, offset: bytes, bytes: isStored ? segment.bytes : 0 }
      if (isStored) bytes += segment.bytes
      const isThere = yield* stored((sql) => insertSegment(sql, owned, id, row))
      if (!isThere) return yield* over
    })

  return {
    recordingId: () => recording?.id,
    whyNotStored: () => fullBecause,
    beginTake: (number, init) =>
      run(
        Effect.gen(function* () {
          const { id } = yield* begun
          const key = keyOfTake(storageKeyOf(broadcast.workspaceId, id), number, isShared ? token : undefined)
          const to = yield* opened(key, 0)
          yield* Effect.promise(() => to.append([init.bytes]))
          bytes = init.bytes.byteLength
          const isThere = yield* stored((sql) =>
            insertTake(sql, owned, id, { number, identity: init.identity, init: init.bytes, storageKey: key }),
          )
          if (isThere) return
          // Without a row nobody else would remove the file.
          yield* (yield* MediaStorage).remove(key)
          return yield* over
        }),
      ),
    append: (event) => run(append(event)),
    close: async () => {
      isClosed = true
      const open = file
      file = undefined
      await open?.close()
    },
  }
}
