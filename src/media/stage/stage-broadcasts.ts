/** Broadcasts that the media server makes: their playlists are written for viewers from those that it puts into the bucket. */
import { Effect, Fiber } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { NotFound, Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { findBroadcast, type StoredBroadcast } from "../../store/media/broadcasts.ts"
import { type StageTake, stageTakesOf } from "../../store/media/captures.ts"
import { folderOf, MediaStorage } from "../storage/storage.ts"
import { STAGE_FILES } from "./stage-files.ts"
import { readTakePlaylist, type StageTakeSegments, writeStagePlaylist, writeWholeStage } from "./stage-playlist.ts"

/** A day of segments has fewer. */
const MOST_BYTES = 8 * 1024 ** 2
/** Takes that are read at once. */
const AT_ONCE = 8
const SEGMENT_TYPE = "video/mp2t"

export interface StagePlaylist {
  readonly visibility: StoredBroadcast["visibility"]
  /** Nothing is added to it any more. */
  readonly isOver: boolean
  /** `undefined`: there is no segment yet. */
  readonly body: Buffer | undefined
  /** Names the text of a broadcast that is over: its takes, and the hour of its addresses. Null: the broadcast goes on. */
  readonly edition: string | null
}

const HOUR_MS = 3_600_000
/** Addresses that are signed in one go: the playlist of a day has tens of thousands. */
const SIGNED_AT_ONCE = 200

/** Players of a running broadcast give up after some seconds, and its segments are shorter. */
const READ_WITHIN = "5 seconds"
const SLOW = new Unavailable({ detail: "The storage of media does not answer in time.", retryAfterSeconds: 1 })

const breathe = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const textAt = (key: string): Effect.Effect<string, Unavailable, MediaStorage> =>
  Effect.flatMap(MediaStorage, (storage) =>
    Effect.acquireUseRelease(
      storage.open(key),
      (file) =>
        Effect.promise(async () => {
          if (file === null || file.size === 0 || file.size > MOST_BYTES) return ""
          const bytes = Buffer.alloc(file.size)
          return bytes.toString("utf8", 0, await file.read(bytes, 0))
        }),
      (file) => (file === null ? Effect.void : Effect.promise(file.close)),
    ),
  )

const read = (
  { storageKey, hasEnded, isOverdue }: StageTake,
  name: string,
): Effect.Effect<StageTakeSegments, Unavailable, MediaStorage> =>
  Effect.gen(function* () {
    const { linkTo } = yield* MediaStorage
    const folder = folderOf(storageKey)
    const playlist = readTakePlaylist(yield* textAt(`${folder}${name}`))
    const addresses = new Map<string, string>()
    for (const [index, { name: file }] of playlist.segments.entries()) {
      addresses.set(file, linkTo(`${folder}${file}`, SEGMENT_TYPE) ?? file)
      if (index % SIGNED_AT_ONCE === SIGNED_AT_ONCE - 1) yield* breathe
    }
    return {
      ...playlist,
      hasEnded: playlist.hasEnded || hasEnded || isOverdue,
      addressOf: (file) => addresses.get(file) ?? file,
    }
  })

/** Fails after `READ_WITHIN`. The request that takes longer is not waited for: it ends by the storage's own deadlines. */
const soon = <A, E, R>(reading: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.flatMap(Effect.forkDetach(reading), (fiber) =>
    Effect.timeoutOrElse(Fiber.join(fiber), { duration: READ_WITHIN, orElse: () => Effect.fail(SLOW) }),
  )

/** The playlist of a broadcast for its viewers, as it is now. `known`: the one that was made last. */
export const stagePlaylist = (
  broadcastId: string,
  known?: StagePlaylist,
): Effect.Effect<StagePlaylist, NotFound | Unavailable, Database | MediaStorage> =>
  Effect.gen(function* () {
    const database = yield* Database
    const broadcast = yield* database.run((sql) => findBroadcast(sql, broadcastId))
    if (broadcast === undefined) return yield* NotFound.of("broadcast")
    const takes = yield* database.run((sql) => stageTakesOf(sql, broadcastId))
    const readAll = (name: string) => Effect.forEach(takes, (take) => read(take, name), { concurrency: AT_ONCE })
    const isOver = broadcast.status === "ended" && takes.every(({ hasEnded }) => hasEnded)
    const hour = Math.floor((yield* currentTimers).now() / HOUR_MS)
    const edition = isOver ? [hour, ...takes.map(({ id }) => id)].join(" ") : null
    const { visibility } = broadcast
    if (edition !== null && known?.edition === edition) return { ...known, visibility }
    const text = isOver
      ? writeWholeStage(yield* readAll(STAGE_FILES.whole))
      : writeStagePlaylist(yield* soon(readAll(STAGE_FILES.live)))
    if (text === undefined && broadcast.status === "ended") return yield* NotFound.of("file of a broadcast")
    return { visibility, isOver, body: text === undefined ? undefined : Buffer.from(text), edition }
  })
