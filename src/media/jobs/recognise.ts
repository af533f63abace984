/**
 * The transcript of a recording by a speech recogniser, one piece for each claim of the job. What was heard is kept in the job's row, so that
 * a crash costs one piece. The job is deleted in the transaction that writes and announces the transcript.
 */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import type { StoredRecording } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { Database } from "../../store/database.ts"
import { takeSpans } from "../../store/media/broadcasts.ts"
import { WRITING_TRANSCRIPT } from "../../store/media/captions.ts"
import { addSummariseJob } from "../../store/media/media-jobs.ts"
import {
  endRecognition,
  findRecognition,
  type HeardPiece,
  keepHeard,
  leaveRecognition,
  writeHeard,
} from "../../store/media/recognition.ts"
import { findRecording } from "../../store/media/recordings.ts"
import { MOST_SEGMENTS, type Segment } from "../captions/segments.ts"
import { FfmpegFailed, soundOf } from "../derivations/ffmpeg.ts"
import { type Recognise, RecogniserFailed, type Sound } from "../derivations/recogniser.ts"
import { MediaStorage } from "../storage/storage.ts"
import { announce } from "./announce.ts"

export interface RecogniseOptions {
  /** Null when no recogniser is configured any more. */
  readonly by: Recognise | null
  readonly ffmpeg: string | null
  /** Whether no other node could do what this one cannot. */
  readonly alone: boolean
  readonly summarises: boolean
}

interface Job {
  readonly id: number
  readonly recordingId: string
  readonly attempts: number
}

/** Sound of 10 MB. Recognisers take 25 MB. */
const PIECE_MS = 300_000
const MOST_FILE_BYTES = 24 * 1024 ** 2
/** Words at the end of a piece may be cut in two: the next piece begins with a segment that ends later than this before it. */
const CUT_MS = 1500
/** Longer than a piece takes: ffmpeg has two minutes, and the recogniser two and a half. */
export const PIECE_WITHIN_MS = 300_000
/** Tries of one piece, over about forty minutes. */
const MOST_TRIES = 12

/** Types that recognisers take, with the endings by which they know them. */
const ENDINGS: ReadonlyMap<string | null, string> = new Map([
  ["audio/flac", "flac"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["video/mp4", "mp4"],
  ["audio/ogg", "ogg"],
  ["audio/wav", "wav"],
  ["audio/webm", "webm"],
  ["video/webm", "webm"],
])

const NO_FFMPEG = "Without ffmpeg only a single file of at most 24 MiB is transcribed."
const NO_FILE = "The file of the recording is missing."
const UNREADABLE = "The file of the recording could not be read."
const INTERRUPTED = "The work was interrupted again and again."
const UNDECODABLE = "The sound of the recording could not be decoded."
const NO_SPEECH = "No speech was found."
const TOO_LONG = `The transcript would have more than ${MOST_SEGMENTS} segments.`

/** This node cannot do the work without ffmpeg. */
class NeedsFfmpeg extends Error {
  override readonly name = "NeedsFfmpeg"
}

interface Piece {
  readonly sound: Sound | null
  /** Where the piece begins, in milliseconds of the recording: later than the one before ends, where a broadcast paused. */
  readonly beginMs: number
  /** Where the piece ends, in milliseconds of the recording. */
  readonly endMs: number
  readonly isLast: boolean
  /** The piece is the whole recording, whatever was heard before. */
  readonly isWhole: boolean
}

type Failure = Unavailable | FfmpegFailed | RecogniserFailed | NeedsFfmpeg
type Work<A> = Effect.Effect<A, Failure, Database | MediaStorage>

/** A file as it is, where no ffmpeg takes out the sound. */
const wholeFile = ({ storageKey, contentType, durationMs }: StoredRecording): Work<Piece> => {
  const ending = ENDINGS.get(contentType)
  if (ending === undefined) return Effect.fail(new NeedsFfmpeg(`Without ffmpeg ${contentType} is not transcribed.`))
  return Effect.acquireUseRelease(
    Effect.flatMap(MediaStorage, (storage) => storage.open(storageKey)),
    (file) =>
      Effect.gen(function* () {
        if (file === null) return yield* Effect.fail(new RecogniserFailed(NO_FILE))
        if (file.size > MOST_FILE_BYTES) return yield* Effect.fail(new NeedsFfmpeg(NO_FFMPEG))
        const bytes = new Uint8Array(file.size)
        yield* Effect.tryPromise({
          try: () => file.read(bytes, 0),
          catch: (cause) => new RecogniserFailed(UNREADABLE, { cause }),
        })
        const endMs = durationMs ?? 0
        const sound = { bytes, contentType: contentType ?? "", name: `sound.${ending}`, durationMs: endMs }
        return { sound, beginMs: 0, endMs, isLast: true, isWhole: true }
      }),
    (file) => (file === null ? Effect.void : Effect.promise(file.close)),
  )
}

/** `undefined` when nothing is left. A broadcast's recording has several files. */
const pieceFrom = (recording: StoredRecording, ffmpeg: string | null, fromMs: number): Work<Piece | undefined> =>
  Effect.gen(function* () {
    const { id, source, storageKey, durationMs } = recording
    const database = yield* Database
    const spans = source === "broadcast" ? yield* database.run((sql) => takeSpans(sql, id)) : []
    const files = spans.length > 0 ? spans : [{ storageKey, startMs: 0, endMs: durationMs ?? 0 }]
    const file = files.find(({ endMs }) => endMs > fromMs)
    if (file === undefined) return undefined
    if (ffmpeg === null && files.length === 1) return yield* wholeFile({ ...recording, storageKey: file.storageKey })
    if (ffmpeg === null) return yield* Effect.fail(new NeedsFfmpeg(NO_FFMPEG))
    const media = yield* (yield* MediaStorage).source(file.storageKey)
    const beginMs = Math.max(fromMs, file.startMs)
    const endMs = Math.min(file.endMs, beginMs + PIECE_MS)
    const sound = yield* Effect.tryPromise({
      try: (signal) => soundOf({ ffmpeg, signal }, media, beginMs - file.startMs, endMs - beginMs),
      catch: (cause) => (cause instanceof FfmpegFailed ? cause : new FfmpegFailed("no sound was read", { cause })),
    })
    const isLast = endMs === file.endMs
    const named = sound && { ...sound, contentType: "audio/wav", name: "sound.wav" }
    return { sound: named, beginMs, endMs, isLast, isWhole: false }
  })

/** The segments on the clock of the recording, and where the next piece begins: with a segment that this piece may have cut in two. */
const joined = (
  heard: ReadonlyArray<Segment>,
  { beginMs, endMs, isLast, isWhole }: Piece,
): Omit<HeardPiece, "fromMs"> => {
  const last = heard.at(-1)
  const isCut = !isLast && last !== undefined && last.t0 > (endMs - beginMs) / 2 && beginMs + last.t1 > endMs - CUT_MS
  const kept = isCut ? heard.slice(0, -1) : heard
  return {
    isWhole,
    nextMs: isCut ? beginMs + last.t0 : endMs,
    segments: JSON.stringify(kept.map((one) => ({ ...one, t0: beginMs + one.t0, t1: beginMs + one.t1 }))),
  }
}

/** Ends the work without a transcript, once. */
const giveUp = (job: Job, detail: string | null): Work<false> =>
  Effect.flatMap(Database, (database) =>
    Effect.as(
      database.transaction((sql) => endRecognition(sql, job, detail)),
      false as const,
    ),
  )

const write = (
  job: Job,
  { id: recordingId, workspaceId, eventId }: StoredRecording,
  at: Timestamp,
  summarises: boolean,
) =>
  Effect.flatMap(Database, (database) =>
    database.transaction(async (sql) => {
      const id = newId()
      const result = await writeHeard(sql, id, recordingId, job.id)
      const isOurs = await endRecognition(sql, job, result === "silent" ? NO_SPEECH : null)
      if (!isOurs || result !== "written") return
      await announce(sql, at, { type: "transcript.ready", workspaceId, eventId, extra: { assetId: id, recordingId } })
      if (summarises) await addSummariseJob(sql, eventId)
    }, WRITING_TRANSCRIPT),
  )

const hear = (job: Job, { by, ffmpeg, summarises }: RecogniseOptions, at: Timestamp): Work<boolean> =>
  Effect.gen(function* () {
    const database = yield* Database
    const recording = yield* database.run((sql) => findRecording(sql, job.recordingId))
    const left = yield* database.run((sql) => findRecognition(sql, job.id))
    if (left === undefined) return false
    // An uploaded transcript, or one of captions, is kept.
    if (by === null || recording?.status !== "ready" || left.hasTranscript) return yield* giveUp(job, null)
    const piece = yield* pieceFrom(recording, ffmpeg, left.nextMs)
    if (piece === undefined) {
      yield* write(job, recording, at, summarises)
      return false
    }
    const { sound } = piece
    const heard =
      sound === null
        ? []
        : yield* Effect.tryPromise({
            try: (signal) => by(sound, left.language, signal),
            catch: (cause) => (cause instanceof RecogniserFailed ? cause : new RecogniserFailed(String(cause))),
          })
    const kept = { fromMs: left.nextMs, ...joined(heard, piece) }
    const count = yield* database.run((sql) => keepHeard(sql, job.id, kept))
    if (count !== undefined && count > MOST_SEGMENTS) return yield* giveUp(job, TOO_LONG)
    return true
  })

/** A node with ffmpeg may do the work. Where there is none, this one ends it. */
const leave = (job: Job, { alone }: RecogniseOptions, { message }: NeedsFfmpeg): Work<boolean> =>
  Effect.gen(function* () {
    const database = yield* Database
    const isLeft = !alone && (yield* database.run((sql) => leaveRecognition(sql, job.id)))
    return isLeft || (yield* giveUp(job, message))
  })

/** Hears one piece. Succeeds with whether the job waits for its next turn. */
export const recognise = (job: Job, options: RecogniseOptions, at: Timestamp): Work<boolean> => {
  // The tries before ended with their process, or at a database or storage that failed.
  if (job.attempts > MOST_TRIES) return giveUp(job, INTERRUPTED)
  return Effect.catch(hear(job, options, at), (failure): Work<boolean> => {
    if (failure instanceof NeedsFfmpeg) return leave(job, options, failure)
    const isOurs = failure instanceof RecogniserFailed || failure instanceof FfmpegFailed
    if (!isOurs || !(failure.isFinal || job.attempts >= MOST_TRIES)) return Effect.fail(failure)
    return giveUp(job, failure instanceof RecogniserFailed ? failure.message : UNDECODABLE)
  })
}

/** Milliseconds that the recogniser asked to wait; 0 for other failures. */
export const askedPauseMs = (cause: unknown): number =>
  cause instanceof RecogniserFailed ? (cause.retryAfterMs ?? 0) : 0
