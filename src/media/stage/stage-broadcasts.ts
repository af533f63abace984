/** Broadcasts made by the media server: viewers' playlists are written from those that it puts into the bucket. */
import { Effect, Fiber } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { NotFound, Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { findBroadcast, type StoredBroadcast } from "../../store/media/broadcasts.ts"
import {
  keepStageNumbers,
  type StageNumbers,
  type StageTake,
  stageNumbersOf,
  stageTakesOf,
} from "../../store/media/stage-takes.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { folderOf, MediaStorage } from "../storage/storage.ts"
import { type BuildTurns, TOO_MANY_BUILDS } from "./build-turns.ts"
import { inSlices } from "./slices.ts"
import { beginningOf, planStage } from "./stage-numbers.ts"
import { type AddressOf, writeStagePlaylist, writingWholeStage } from "./stage-playlist.ts"
import { readTakes } from "./take-files.ts"
import { TextBytes } from "./text-bytes.ts"

const SEGMENT_TYPE = "video/mp2t"
const HOUR_MS = 3_600_000

export interface StagePlaylist {
  readonly visibility: StoredBroadcast["visibility"]
  /** Whether the playlist is complete. */
  readonly isOver: boolean
  /** `undefined` when there is no segment. */
  readonly body: Buffer | undefined
  /** Whether segments may follow, because the broadcast has not ended. */
  readonly mayCome: boolean
  /** Identifies the text of an ended broadcast: its takes, and the hour of its addresses. Null when the text may change. */
  readonly edition: string | null
  /** Recordings whose playlist could not be read, or lacks its end: the text of an ended broadcast lacks some of their segments. */
  readonly incomplete: ReadonlyArray<string>
}

/** Read timeout: players of a running broadcast give up after some seconds, and its segments are shorter. */
const READ_WITHIN = "5 seconds"
const SLOW = new Unavailable({ detail: "The storage of media does not answer in time.", retryAfterSeconds: 1 })

/** Fails after `READ_WITHIN`. The slow request is not awaited: the storage's own deadlines end it. */
const soon = <A, E, R>(reading: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.flatMap(Effect.forkDetach(reading), (fiber) =>
    Effect.timeoutOrElse(Fiber.join(fiber), { duration: READ_WITHIN, orElse: () => Effect.fail(SLOW) }),
  )

interface Stage {
  readonly broadcast: StoredBroadcast
  readonly takes: ReadonlyArray<StageTake>
  readonly shown: StageNumbers
}

const stageOf = (broadcastId: string): Effect.Effect<Stage, NotFound | Unavailable, Database> =>
  Effect.gen(function* () {
    const found = yield* (yield* Database).run(async (sql) => {
      const broadcast = await findBroadcast(sql, broadcastId)
      if (broadcast === undefined) return undefined
      return {
        broadcast,
        takes: await stageTakesOf(sql, broadcastId),
        shown: await stageNumbersOf(sql, broadcastId),
      }
    })
    return found ?? (yield* NotFound.of("broadcast"))
  })

const addressesOf = (takes: ReadonlyArray<StageTake>, { linkTo }: MediaStorage["Service"]): AddressOf => {
  const folders = new Map(takes.map(({ id, storageKey }) => [id, folderOf(storageKey)]))
  return (take, name) => linkTo(`${folders.get(take) ?? ""}${name}`, SEGMENT_TYPE) ?? name
}

/** Stores numbers before viewers see them, so that they continue after a restart, or after a take is gone. */
const lastSegments = ({ broadcast, takes, shown }: Stage) =>
  Effect.gen(function* () {
    const read = yield* soon(readTakes(takes, "live"))
    const { segments, numbers, places } = planStage(read.takes, shown)
    if (numbers.next !== shown.next || numbers.oldest !== shown.oldest || places.size > 0) {
      yield* (yield* Database).run((sql) => keepStageNumbers(sql, broadcast.id, numbers, places))
    }
    const text = writeStagePlaylist(segments, addressesOf(takes, yield* MediaStorage))
    return text === undefined ? undefined : Buffer.from(text)
  })

const allSegments = ({ takes, shown }: Stage) =>
  Effect.gen(function* () {
    const read = yield* readTakes(takes, "whole")
    const bytes = new TextBytes()
    const writing = writingWholeStage(
      read.takes,
      beginningOf(read.takes, shown),
      addressesOf(takes, yield* MediaStorage),
    )
    yield* Effect.promise(() => inSlices(writing, (text) => bytes.add(text)))
    const body = yield* Effect.promise(() => bytes.joined())
    return { body: body.byteLength === 0 ? undefined : body, incomplete: read.incomplete }
  })

/** Current playlist of a broadcast for its viewers. `known` is the last one made. `turns` limits requests for a whole one. */
export const stagePlaylist = (
  broadcastId: string,
  turns: BuildTurns,
  known?: StagePlaylist,
): Effect.Effect<StagePlaylist, NotFound | Unavailable, Database | MediaStorage | Telemetry> =>
  Effect.gen(function* () {
    const stage = yield* stageOf(broadcastId)
    const { broadcast, takes } = stage
    const { visibility } = broadcast
    const mayCome = broadcast.status !== "ended"
    if (mayCome || takes.some(({ hasEnded, isOverdue }) => !hasEnded && !isOverdue)) {
      // Without a take, as after a failure, viewers keep what they have: a player gives up on a playlist without segments.
      const body = (yield* lastSegments(stage)) ?? (mayCome ? known?.body : undefined)
      return { visibility, isOver: false, body, mayCome, edition: null, incomplete: [] }
    }
    const hour = Math.floor((yield* currentTimers).now() / HOUR_MS)
    const edition = [hour, ...takes.map(({ id }) => id)].join(" ")
    if (known?.edition === edition) return { ...known, visibility }
    const making = Effect.map(allSegments(stage), ({ body, incomplete }) => ({
      visibility,
      isOver: true,
      body,
      mayCome,
      // A text that lacks a take is made anew, because its file may only be late.
      edition: incomplete.length === 0 ? edition : null,
      incomplete,
    }))
    const made: StagePlaylist = yield* Effect.catch(turns.take(making), (failure) =>
      failure === TOO_MANY_BUILDS && known?.isOver === true
        ? Effect.succeed({ ...known, visibility })
        : Effect.fail(failure),
    )
    const missing = made.incomplete.filter((id) => known?.incomplete.includes(id) !== true)
    if (missing.length > 0) {
      const { log } = yield* Telemetry
      log.warn(
        { broadcast: broadcastId, recordings: missing },
        "media: a playlist of a broadcast cannot be read, or lacks its end",
      )
    }
    return made
  })
