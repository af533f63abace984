/** The recording of an ended broadcast: nothing is copied, because its files and rows already exist. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { MediaFailure, StoredRecording } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { storedSegments, takeSizes, takesOf } from "../../store/media/broadcasts.ts"
import { transcribeBroadcast, WRITING_TRANSCRIPT } from "../../store/media/captions.ts"
import { addDeriveJob } from "../../store/media/derivations.ts"
import { addMoveJob } from "../../store/media/media-jobs.ts"
import { deleteRecording, findRecording, markBroadcastReady, markFailed } from "../../store/media/recordings.ts"
import { recordedFacts } from "../live/recorded-facts.ts"
import { LiveBroadcasts } from "../placed/live-broadcasts.ts"
import { MediaStorage, sizeOfStored } from "../storage/storage.ts"
import { announce } from "./announce.ts"
import type { AfterRecording } from "./inspect.ts"
import { transcribeRecording } from "./transcribe.ts"

const NOT_RECORDED: MediaFailure = { code: "no_room", detail: "There was no room to record the broadcast." }

/**
 * A broadcast without any media leaves no recording. One with media that was not stored for lack of space leaves a failed recording that
 * says so. One with captions has their transcript.
 */
const settle = async (
  sql: Queryable,
  recording: StoredRecording,
  at: Timestamp,
  { derives, recognises }: AfterRecording,
): Promise<void> => {
  const { id, workspaceId, eventId } = recording
  const [takes, segments] = await Promise.all([takesOf(sql, id), storedSegments(sql, id)])
  const made = recordedFacts(takes, segments)
  if (made === undefined) {
    if (recording.failure === null) await deleteRecording(sql, id)
    else await markFailed(sql, id, NOT_RECORDED)
    return
  }
  const settled = await markBroadcastReady(sql, id, made.facts, made.sizeBytes)
  if (settled === undefined) return
  await addMoveJob(sql, id)
  await announce(sql, at, { type: "recording.ready", workspaceId, eventId, extra: { assetId: id } })
  if (derives) await addDeriveJob(sql, id)
  await transcribeRecording(sql, at, recording, transcribeBroadcast, recognises)
}

/** Cuts off bytes without a row, left by a process that died between the file and the row of a segment. */
const cutToRows = (recordingId: string) =>
  Effect.gen(function* () {
    const storage = yield* MediaStorage
    const takes = yield* (yield* Database).run((sql) => takeSizes(sql, recordingId))
    for (const { storageKey, bytes } of takes) {
      const size = yield* sizeOfStored(storage, storageKey)
      if (size === null || size <= bytes) continue
      yield* Effect.acquireRelease(storage.grow(storageKey, bytes), (cut) => Effect.promise(cut.close)).pipe(
        Effect.scoped,
      )
    }
  })

export const recordBroadcast = (
  recordingId: string,
  at: Timestamp,
  after: AfterRecording,
): Effect.Effect<void, Unavailable, Database | LiveBroadcasts | MediaStorage> =>
  Effect.gen(function* () {
    const database = yield* Database
    const recording = yield* database.run((sql) => findRecording(sql, recordingId))
    if (recording === undefined || recording.status !== "processing") return
    const { broadcastId, eventId } = recording
    if (broadcastId !== null) yield* (yield* LiveBroadcasts).finish({ id: broadcastId, eventId })
    yield* cutToRows(recordingId)
    yield* database.transaction((sql) => settle(sql, recording, at, after), WRITING_TRANSCRIPT)
  })

/**
 * Moves the files of a recording to where recordings are kept. Until then they are played from their old place. A file whose row is deleted
 * meanwhile is removed: the job that removes its bytes may have run before they were stored.
 */
export const moveTakes = (recordingId: string): Effect.Effect<void, Unavailable, Database | MediaStorage> =>
  Effect.gen(function* () {
    const database = yield* Database
    const storage = yield* MediaStorage
    const takes = yield* database.run((sql) => takeSizes(sql, recordingId))
    for (const { storageKey } of takes) {
      yield* storage.keep(storageKey)
      const recording = yield* database.run((sql) => findRecording(sql, recordingId))
      if (recording === undefined) yield* storage.remove(storageKey)
    }
  })
