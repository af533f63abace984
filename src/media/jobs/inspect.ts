/** The inspection of an uploaded file, or of a room's recording: it becomes ready with what is made of it afterwards, or fails. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { MediaFailure, StoredRecording } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { Database } from "../../store/database.ts"
import { transcribeRoom, WRITING_TRANSCRIPT } from "../../store/media/captions.ts"
import { addDeriveJob } from "../../store/media/derivations.ts"
import { findRecording, markFailed, markReady } from "../../store/media/recordings.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { MediaProcessor, type TaskFailed } from "../processing/media-processor.ts"
import type { MediaInspection } from "../processing/protocol.ts"
import { MediaStorage } from "../storage/storage.ts"
import { announce } from "./announce.ts"
import { transcribeRecording } from "./transcribe.ts"

/** The derivations of a recording that is ready: a picture and a waveform, and a transcript by a recogniser. */
export interface AfterRecording {
  readonly derives: boolean
  readonly recognises: boolean
}

/** Most tries of an inspection, a cut or a summary. */
export const MOST_TRIES = 5

const GIVEN_UP: MediaFailure = {
  code: "processing_failed",
  detail: "The file could not be inspected, or took more time or memory than one may take.",
}

/** Whether the job is not retried. */
export const isFinal = ({ tooMuch, isAway }: TaskFailed, attempts: number): boolean =>
  tooMuch || (isAway !== true && attempts >= MOST_TRIES)

const OTHER_BYTES: MediaFailure = {
  code: "checksum_mismatch",
  detail: "The bytes that arrived have another SHA-256 than the one that was given.",
}

const ready = (
  recording: StoredRecording,
  { facts, sha256 }: Extract<MediaInspection, { outcome: "readable" }>,
  at: Timestamp,
  { derives, recognises }: AfterRecording,
) =>
  Effect.flatMap(Database, (database) =>
    database.transaction(async (sql) => {
      const settled = await markReady(sql, recording.id, facts, sha256 === null ? null : Buffer.from(sha256, "hex"))
      if (settled === undefined) return
      const { id, ...of } = settled
      await announce(sql, at, { type: "recording.ready", ...of, extra: { assetId: id } })
      if (derives) await addDeriveJob(sql, id)
      await transcribeRecording(sql, at, recording, transcribeRoom, recognises)
    }, WRITING_TRANSCRIPT),
  )

const fail = (id: string, failure: MediaFailure) =>
  Effect.flatMap(Database, (database) => Effect.asVoid(database.transaction((sql) => markFailed(sql, id, failure))))

const inspected = ({ storageKey, sizeBytes, expectedSha256 }: StoredRecording) =>
  Effect.gen(function* () {
    const source = yield* (yield* MediaStorage).source(storageKey)
    // The hash of a remote object is computed only if needed, because all bytes must be fetched for it.
    const wantsSha256 = "path" in source || expectedSha256 !== null
    return yield* (yield* MediaProcessor).inspect({ source, sizeBytes, wantsSha256 })
  })

interface Job {
  readonly recordingId: string
  readonly attempts: number
}

export const inspect = ({ recordingId, attempts }: Job, now: () => Timestamp, after: AfterRecording) =>
  Effect.gen(function* () {
    const recording = yield* (yield* Database).run((sql) => findRecording(sql, recordingId))
    if (recording === undefined || recording.status !== "processing") return
    const inspection = yield* inspected(recording)
    if (inspection.outcome === "refused") return yield* fail(recording.id, inspection.failure)
    const expected = recording.expectedSha256
    if (expected !== null && Buffer.from(expected).toString("hex") !== inspection.sha256) {
      return yield* fail(recording.id, OTHER_BYTES)
    }
    yield* ready(recording, inspection, now(), after)
  }).pipe(
    Effect.catchTag(
      "TaskFailed",
      (failed): Effect.Effect<void, Unavailable | TaskFailed, Database | Telemetry> =>
        Effect.gen(function* () {
          const { log } = yield* Telemetry
          log.warn({ recording: recordingId, why: failed.detail }, "media: an inspection failed")
          return yield* isFinal(failed, attempts) ? fail(recordingId, GIVEN_UP) : Effect.fail(failed)
        }),
    ),
  )
