/** Transcript of an ended event from its captions, and its summary by a model where one is configured. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import type { StoredRecording } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { findWorkspaceOf } from "../../store/events/events.ts"
import { putModelSummary } from "../../store/events/summaries.ts"
import {
  dropCaptionTranscript,
  transcribeBroadcast,
  transcribeEvent,
  transcribeRoom,
  WRITING_TRANSCRIPT,
} from "../../store/media/captions.ts"
import { addSummariseJob, deleteMediaJob } from "../../store/media/media-jobs.ts"
import { addRecogniseJob } from "../../store/media/recognition.ts"
import { findRecording } from "../../store/media/recordings.ts"
import { findEventTranscript, listSlices, segmentsOfSlice } from "../../store/media/transcripts.ts"
import { query } from "../../store/query.ts"
import { announce } from "./announce.ts"

/** Summarises a transcript. Rejects when it cannot. */
export type Summarise = (transcript: string) => Promise<string>

/** Maximum number of characters of a transcript that a model gets. */
const MOST_CHARACTERS = 100_000

const REPLACED = new Error("the transcript was replaced while it was summarised")

interface Job {
  readonly id: number
  readonly eventId: string
}

/** The job is deleted in the transaction that announces the transcript, so a job that is claimed twice announces only one. */
export const transcribe = (
  { id: jobId, eventId }: Job,
  at: Timestamp,
  summarises: boolean,
): Effect.Effect<void, Unavailable, Database> =>
  Effect.flatMap(Database, (database) =>
    database.transaction(async (sql) => {
      if (!(await deleteMediaJob(sql, jobId))) return
      const workspaceId = await findWorkspaceOf(sql, eventId)
      const id = newId()
      if (workspaceId === undefined || !(await transcribeEvent(sql, id, eventId))) return
      const extra = { assetId: id, recordingId: null }
      await announce(sql, at, { type: "transcript.ready", workspaceId, eventId, extra })
      if (summarises) await addSummariseJob(sql, eventId)
    }, WRITING_TRANSCRIPT),
  )

/** A recording made while captions were pushed gets their transcript, another one that of a recogniser. `by` maps captions to its clock. */
export const transcribeRecording = async (
  sql: Queryable,
  at: Timestamp,
  { id: recordingId, workspaceId, eventId }: StoredRecording,
  by: (sql: Queryable, id: string, recordingId: string) => Promise<boolean>,
  recognises: boolean,
): Promise<void> => {
  const id = newId()
  if (!(await by(sql, id, recordingId))) return recognises ? addRecogniseJob(sql, recordingId) : undefined
  await announce(sql, at, { type: "transcript.ready", workspaceId, eventId, extra: { assetId: id, recordingId } })
}

/**
 * Rewrites the transcript of a recording after further captions. The job is deleted in the transaction that announces it. A recording that
 * is not ready gets its transcript when it is, and an uploaded transcript stays.
 */
export const transcribeAgain = (
  { id: jobId, recordingId }: { readonly id: number; readonly recordingId: string },
  at: Timestamp,
): Effect.Effect<void, Unavailable, Database> =>
  Effect.flatMap(Database, (database) =>
    database.transaction(async (sql) => {
      if (!(await deleteMediaJob(sql, jobId))) return
      const recording = await findRecording(sql, recordingId)
      if (recording?.status !== "ready") return
      await dropCaptionTranscript(sql, recordingId)
      const by = recording.source === "broadcast" ? transcribeBroadcast : transcribeRoom
      await transcribeRecording(sql, at, recording, by, false)
    }, WRITING_TRANSCRIPT),
  )

/** Reads only as many slices as a model gets. */
const beginningOf = (slices: ReadonlyArray<string>): string => {
  let text = ""
  for (const slice of slices) {
    const lines = segmentsOfSlice(slice).map(({ speaker, text: said }) =>
      speaker === "" ? said : `${speaker}: ${said}`,
    )
    text += `${text === "" ? "" : "\n"}${lines.join("\n")}`
    if (text.length >= MOST_CHARACTERS) break
  }
  return text.slice(0, MOST_CHARACTERS)
}

/** The job is deleted in the transaction that stores the summary. Fails when the transcript was replaced while the model read it. */
export const summarise = (
  { id: jobId, eventId }: Job,
  by: Summarise,
): Effect.Effect<void, Unavailable | Error, Database> =>
  Effect.gen(function* () {
    const database = yield* Database
    const { transcriptId, slices } = yield* database.run(async (sql) => {
      const transcript = await findEventTranscript(sql, eventId)
      return {
        transcriptId: transcript?.id,
        slices: transcript === undefined ? [] : await listSlices(sql, transcript.id),
      }
    })
    const text = beginningOf(slices)
    const summary =
      text === ""
        ? undefined
        : yield* Effect.tryPromise({
            try: () => by(text),
            catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
          })
    yield* database.transaction((sql) =>
      Effect.flatMap(
        query(async () => {
          // The deletion waits for callers that are adding the job again.
          await deleteMediaJob(sql, jobId)
          return findEventTranscript(sql, eventId)
        }),
        (latest) => {
          if (latest?.id !== transcriptId) return Effect.fail(REPLACED)
          return summary === undefined ? Effect.void : query(() => putModelSummary(sql, eventId, summary))
        },
      ),
    )
  })
