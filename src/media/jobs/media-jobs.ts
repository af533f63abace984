/**
 * Runs the jobs on stored bytes, in lanes with separate capacity, while its layer's scope is open. A failed job is retried; one that
 * exceeds its limits is given up. The loop sleeps until the signal, the end of a job, a due job, or five seconds.
 */
import { Cause, Effect, Latch, Layer, Semaphore } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { type MediaFailure, MOST_RECORDINGS } from "../../model/media/recording.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Database } from "../../store/database.ts"
import {
  claimMediaJob,
  countJobTime,
  deleteMediaJob,
  endMediaLeases,
  type JobGroup,
  lanesWithJobs,
  type MediaJob,
  nextMediaJobInMs,
  postponeMediaJob,
} from "../../store/media/media-jobs.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import type { MediaQuota } from "../../store/media/quota.ts"
import { Quiet } from "../../store/quiet/quiet.ts"
import { OutboxSignal } from "../../store/webhooks/outbox.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { LiveBroadcasts } from "../placed/live-broadcasts.ts"
import type { MediaProcessor, TaskFailed } from "../processing/media-processor.ts"
import { DISK_FULL, MediaStorage } from "../storage/storage.ts"
import { EMPTY_ROOM, followCapture } from "./capture.ts"
import { cutClip, failClip, STORAGE_FULL } from "./cut.ts"
import { derive } from "./derive.ts"
import { EventTurns } from "./event-turns.ts"
import { inspect, isFinal, MOST_TRIES } from "./inspect.ts"
import { startMediaSweeps } from "./media-sweeps.ts"
import { askedPauseMs, PIECE_WITHIN_MS, type RecogniseOptions, recognise } from "./recognise.ts"
import { moveTakes, recordBroadcast } from "./record.ts"
import { type Summarise, summarise, transcribe, transcribeAgain } from "./transcribe.ts"

interface MediaJobsOptions {
  /** Whether no other process works on this database: leases of a dead one then end at the start. */
  readonly alone: boolean
  /** Lease time, longer than a job may take. */
  readonly leaseMs: number
  /** Recordings are deleted after this many days; 0 means never. */
  readonly retentionDays: number
  readonly quota: MediaQuota
  /** Path of ffmpeg; null when recordings get no pictures and waveforms. */
  readonly ffmpeg: string | null
  /** Null when no model is configured. */
  readonly summarise: Summarise | null
  /** Null when no speech recogniser is configured. */
  readonly recognise: RecogniseOptions["by"]
}

const POLL_MS = 5_000
/** Result of a job that stays for its next turn. */
const MORE = Symbol("more")
const MOST_DERIVE_TRIES = 2
/** Concurrent events; a media server that does not answer for one of them does not keep the others waiting. */
const CAPTURES_AT_ONCE = 8

interface MediaLane extends JobGroup {
  /** Maximum number of concurrent jobs. */
  readonly places: number
  /** Lease time of jobs that may take longer than the others. */
  readonly leaseMs?: number
}

/**
 * Untrusted files are read one after the other. Cheap work does not wait for them: removals, ends of broadcasts, transcripts. Nor does a
 * recording wait for ffmpeg, for a model, which takes a minute, or for the files of a long broadcast.
 */
const LANES: ReadonlyArray<MediaLane> = [
  { name: "files", kinds: ["inspect", "cut"], places: 1 },
  { name: "quick", kinds: ["remove", "record", "transcribe", "retranscribe"], places: 1 },
  { name: "derive", kinds: ["derive"], places: 1 },
  { name: "move", kinds: ["move"], places: 1 },
  { name: "summarise", kinds: ["summarise"], places: 4 },
  { name: "recognise", kinds: ["recognise"], places: 2, leaseMs: PIECE_WITHIN_MS },
  // Unlimited, because one job mostly waits for another of its event.
  { name: "capture", kinds: ["capture"], places: Number.POSITIVE_INFINITY },
]
/**
 * Jobs that a copy of a database may run: they call no other server, and do not write to or remove from the storage, which the copy may
 * share with the original.
 */
const DONE_WHILE_QUIET: ReadonlySet<MediaJob["kind"]> = new Set(["inspect", "transcribe", "retranscribe"])
const QUIET_LANES: ReadonlyArray<MediaLane> = LANES.map(({ kinds, ...lane }) => ({
  ...lane,
  kinds: kinds.filter((kind) => DONE_WHILE_QUIET.has(kind)),
})).filter(({ kinds }) => kinds.length > 0)
/** A node without a recogniser leaves its jobs to nodes that have one. */
export const lanesOf = (recognises: boolean): ReadonlyArray<MediaLane> =>
  LANES.filter(({ name }) => recognises || name !== "recognise")
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 300_000

const pauseAfter = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** Math.min(attempts - 1, 10))

/** Short, so that an announced recording begins soon after somebody has joined the room. */
const CAPTURE_PAUSE_MS = 3_000

const pauseOf = ({ kind, attempts }: MediaJob): number =>
  kind === "capture" ? Math.min(CAPTURE_PAUSE_MS, pauseAfter(attempts)) : pauseAfter(attempts)

const CUT_GIVEN_UP: MediaFailure = {
  code: "processing_failed",
  detail: "The clip could not be cut, or took more time or memory than one may take.",
}

type Services = Database | LiveBroadcasts | MediaProcessor | MediaSignal | MediaStorage | Telemetry
type Cut = Effect.Effect<void, Unavailable | TaskFailed, Database>

const start = ({
  alone,
  leaseMs,
  retentionDays,
  quota,
  ffmpeg,
  summarise: summariseBy,
  ...options
}: MediaJobsOptions) =>
  Effect.gen(function* () {
    const after = { derives: ffmpeg !== null, recognises: options.recognise !== null }
    const recognition = { by: options.recognise, ffmpeg, alone, summarises: summariseBy !== null }
    const lanes = lanesOf(alone || after.recognises)
    const database = yield* Database
    const storage = yield* MediaStorage
    const context = yield* Effect.context<Services>()
    const signal = yield* MediaSignal
    const outbox = yield* OutboxSignal
    const timers = yield* currentTimers
    const { isQuiet } = yield* Quiet
    const { log, metrics } = yield* Telemetry
    const wake = Latch.makeUnsafe(true)
    const now = () => toTimestamp(timers.now())

    const cut = ({ clipId, attempts }: Extract<MediaJob, { kind: "cut" }>) =>
      cutClip(clipId, quota, now).pipe(
        Effect.catchTag("TaskFailed", (failed): Cut => {
          log.warn({ clip: clipId, why: failed.detail }, "media: a cut failed")
          return isFinal(failed, attempts) ? failClip(clipId, CUT_GIVEN_UP) : Effect.fail(failed)
        }),
        Effect.catchTag(
          "Unavailable",
          (away): Cut =>
            away === DISK_FULL && attempts >= MOST_TRIES ? failClip(clipId, STORAGE_FULL) : Effect.fail(away),
        ),
      )

    const work = (job: MediaJob): Effect.Effect<unknown, Unavailable | TaskFailed | Error, Services> => {
      switch (job.kind) {
        case "inspect":
          return inspect(job, now, after)
        case "cut":
          return cut(job)
        case "record":
          return recordBroadcast(job.recordingId, now(), after)
        case "move":
          return moveTakes(job.recordingId)
        case "derive":
          // A file that ffmpeg cannot decode stays as it is.
          return job.attempts > MOST_DERIVE_TRIES ? Effect.void : derive(job.recordingId, ffmpeg)
        case "transcribe":
          return transcribe(job, now(), summariseBy !== null)
        case "retranscribe":
          return transcribeAgain(job, now())
        case "recognise":
          return Effect.map(recognise(job, recognition, now()), (hasMore) => (hasMore ? MORE : undefined))
        case "capture":
          return followCapture(job.eventId, job.id, { quota, perEvent: MOST_RECORDINGS })
        case "summarise":
          // Without a summary from a model that is away for long, people can write one.
          if (summariseBy === null || job.attempts > MOST_TRIES) return Effect.void
          return summarise(job, summariseBy)
        case "remove":
          return storage.remove(job.storageKey)
      }
    }

    const tryLater = (job: MediaJob, cause: Cause.Cause<unknown>) =>
      Effect.suspend(() => {
        const err = Cause.squash(cause)
        const error = String(err).slice(0, 500)
        // A room may be empty for hours.
        if (err !== EMPTY_ROOM) {
          metrics.mediaJobs.add(1, "retry")
          log.warn({ job: job.id, kind: job.kind, attempts: job.attempts, err }, "media: a job failed")
        }
        return database.run((sql) => postponeMediaJob(sql, job.id, Math.max(pauseOf(job), askedPauseMs(err)), error))
      })

    const perform = (lane: MediaLane, job: MediaJob) =>
      Effect.suspend(() => {
        const from = timers.elapsed()
        const counted = Effect.suspend(() =>
          Effect.ignore(database.run((sql) => countJobTime(sql, lane, job, timers.elapsed() - from))),
        )
        return Effect.tap(Effect.exit(Effect.provideContext(work(job), context)), counted)
      }).pipe(
        Effect.flatten,
        Effect.flatMap((result) =>
          result === MORE ? Effect.void : database.run((sql) => deleteMediaJob(sql, job.id)),
        ),
        Effect.tap(() => Effect.sync(() => metrics.mediaJobs.add(1, "done"))),
        Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.interrupt : tryLater(job, cause))),
        Effect.andThen(Effect.sync(() => outbox.notify())),
      )

    const scope = yield* Effect.scope
    const running = new Map(LANES.map(({ name }) => [name, 0]))
    const capturing = yield* Semaphore.make(CAPTURES_AT_ONCE)
    const turns = new EventTurns()
    /** A job whose lease ends meanwhile is done twice, one after the other, which does no harm. */
    const begin = (lane: MediaLane, job: MediaJob) =>
      Effect.suspend(() => {
        running.set(lane.name, (running.get(lane.name) ?? 0) + 1)
        const doing = Effect.ignore(perform(lane, job))
        const done = Effect.sync(() => {
          running.set(lane.name, (running.get(lane.name) ?? 0) - 1)
          wake.openUnsafe()
        })
        return (job.kind === "capture" ? turns.take(job.eventId, capturing.withPermits(1)(doing)) : doing).pipe(
          Effect.andThen(done),
          Effect.forkIn(scope),
          Effect.asVoid,
        )
      })

    /** Returns true when a job has begun. */
    const beginNext = (lane: MediaLane) =>
      Effect.flatMap(
        database.run((sql) => claimMediaJob(sql, lane, lane.leaseMs ?? leaseMs)),
        (job) => (job === undefined ? Effect.succeed(false) : Effect.as(begin(lane, job), true)),
      )

    const sleepMs = (lanes: ReadonlyArray<JobGroup>) =>
      Effect.map(
        database.run((sql) => nextMediaJobInMs(sql, lanes)),
        (inMs) => Math.max(0, Math.min(POLL_MS, Math.ceil(inMs ?? POLL_MS))),
      )

    const round = Effect.gen(function* () {
      wake.closeUnsafe()
      const free = (isQuiet() ? QUIET_LANES : lanes).filter(({ name, places }) => (running.get(name) ?? 0) < places)
      const queued = yield* database.run((sql) => lanesWithJobs(sql, free))
      const begun = yield* Effect.forEach(queued, beginNext)
      if (!begun.includes(true)) yield* Effect.timeoutOption(wake.await, yield* sleepMs(queued))
    }).pipe(
      // The database is unavailable, which its own log reports.
      Effect.catch(() => Effect.sleep("1 second")),
    )

    const silence = signal.subscribe(() => wake.openUnsafe())
    yield* Effect.addFinalizer(() => Effect.sync(silence))
    if (alone) yield* Effect.ignore(database.run(endMediaLeases))
    yield* Effect.forkScoped(Effect.forever(round))
    yield* startMediaSweeps(retentionDays)
  })

export const mediaJobsLayer = (
  options: MediaJobsOptions,
): Layer.Layer<
  never,
  never,
  Database | MediaStorage | MediaProcessor | LiveBroadcasts | MediaSignal | OutboxSignal | Telemetry
> => Layer.effectDiscard(start(options))
