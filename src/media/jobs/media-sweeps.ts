/** Media sweeps: incomplete uploads, recordings past their retention, and files without a row. */
import { Effect } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import type { Unavailable } from "../../model/errors.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { Database } from "../../store/database.ts"
import { deleteIdleTurns } from "../../store/media/media-jobs.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { endForgottenRecognitions } from "../../store/media/recognition.ts"
import { deleteRecordingsBefore, expireUploads, findStrayMedia } from "../../store/media/recordings.ts"
import { unlessQuiet } from "../../store/quiet/quiet.ts"
import { inBatches, patiently, sweepEvery } from "../../store/sweeps.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { LiveBroadcasts } from "../placed/live-broadcasts.ts"
import { MediaStorage } from "../storage/storage.ts"
import { sweepCaptures } from "./capture.ts"

const DAY_MS = 24 * 3_600_000
/** Small, because a recording's deletion may include thousands of rows of its transcript. */
const RECORDINGS_AT_ONCE = 50
const STRAYS_AT_ONCE = 1000

/** Removes files of a process that died between a file and its row, or between deleting a row and removing its file. */
const removeStrays = (now: number): Effect.Effect<number, Unavailable, Database | MediaStorage> =>
  Effect.gen(function* () {
    const database = yield* Database
    const storage = yield* MediaStorage
    const files = yield* storage.filesBefore(now - DAY_MS)
    let removed = 0
    for (let at = 0; at < files.length; at += STRAYS_AT_ONCE) {
      const some = files.slice(at, at + STRAYS_AT_ONCE)
      const strays = yield* patiently(database, (sql) => findStrayMedia(sql, some))
      for (const key of strays) yield* storage.remove(key)
      removed += strays.length
    }
    return removed
  })

/** `retentionDays` 0 keeps recordings. */
export const startMediaSweeps = (retentionDays: number) =>
  Effect.gen(function* () {
    const database = yield* Database
    const signal = yield* MediaSignal
    const { log } = yield* Telemetry
    const timers = yield* currentTimers
    const startJobs = Effect.sync(() => signal.notify())

    const expire = Effect.suspend(() => {
      const now = toTimestamp(timers.now())
      return inBatches(database, (sql, limit) => expireUploads(sql, now, limit))
    }).pipe(Effect.andThen(startJobs))
    const forget = inBatches(database, deleteIdleTurns)
    yield* Effect.forkScoped(sweepEvery("1 hour", log, forget))
    // Servers that begin after a long pause have an hour to take their jobs.
    yield* Effect.forkScoped(sweepEvery("1 hour", log, inBatches(database, endForgottenRecognitions)))
    // Uploads also expire while no server runs.
    yield* Effect.forkScoped(Effect.andThen(Effect.ignore(expire), sweepEvery("1 minute", log, expire)))

    const retire = Effect.suspend(() => {
      const before = toTimestamp(timers.now() - retentionDays * DAY_MS)
      return patiently(database, (sql) => deleteRecordingsBefore(sql, before, RECORDINGS_AT_ONCE))
    }).pipe(Effect.repeat({ while: (deleted) => deleted === RECORDINGS_AT_ONCE }), Effect.andThen(startJobs))
    if (retentionDays > 0) {
      yield* Effect.forkScoped(Effect.andThen(Effect.ignore(retire), sweepEvery("1 hour", log, retire)))
    }

    const settle = Effect.provideContext(
      unlessQuiet(sweepCaptures),
      yield* Effect.context<Database | LiveBroadcasts | MediaSignal | MediaStorage | Telemetry>(),
    )
    yield* Effect.forkScoped(Effect.andThen(Effect.ignore(settle), sweepEvery("1 minute", log, settle)))

    const strays = Effect.suspend(() => removeStrays(timers.now())).pipe(
      Effect.tap((removed) =>
        Effect.sync(() => removed > 0 && log.warn({ removed }, "media: removed files that no recording names")),
      ),
      Effect.ignore,
    )
    yield* Effect.forkScoped(unlessQuiet(strays))
  })
