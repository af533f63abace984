/** The recording of a broadcast that has ended: nothing is copied, its files and rows are there. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { MediaFailure, Recording } from "../../model/media/recording.ts"
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
import { transcribeRecording } from "./transcribe.ts"

const NOT_RECORDED: MediaFailure = { code: "no_room", detail: "There was no room to record the broadcast." }

/**
 * A broadcast of which nothing came leaves no recording. One that came, and was not stored for want of room, leaves a failed one that says
 * so. One with captions has their transcript.
 */
const settle = async (sql: Queryable, recording: Recording, at: Timestamp, derives: boolean): Promise<void> => {
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
  await transcribeRecording(sql, at, recording, transcribeBroadcast)
}

/** A process that died between the file and the row of a segment left bytes that no row names. */
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

/** `derives`: a picture and a waveform are made of it afterwards. */
export const recordBroadcast = (
  recordingId: string,
  at: Timestamp,
  derives: boolean,
): Effect.Effect<void, Unavailable, Database | LiveBroadcasts | MediaStorage> =>
  Effect.gen(function* () {
    const database = yield* Database
    const recording = yield* database.run((sql) => findRecording(sql, recordingId))
    if (recording === undefined || recording.status !== "processing") return
    const { broadcastId, eventId } = recording
    if (broadcastId !== null) yield* (yield* LiveBroadcasts).finish({ id: broadcastId, eventId })
    yield* cutToRows(recordingId)
    yield* database.transaction((sql) => settle(sql, recording, at, derives), WRITING_TRANSCRIPT)
  })

/**
 * Takes the files of a recording to where recordings are kept. Until then they are watched from where they are. One whose row goes
 * meanwhile is removed: the job that removes its bytes may have been done before they were stored.
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
