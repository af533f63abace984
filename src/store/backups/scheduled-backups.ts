/**
 * Scheduled backups of the embedded database, each by a separate process: hashing and sending gigabytes would delay live events. A copy
 * makes none, because they would replace the original's.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { constants, setPriority } from "node:os"
import { Effect, Layer } from "effect"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { Database } from "../database.ts"
import { Quiet } from "../quiet/quiet.ts"
import { backupAge, noteFailedBackup, takeBackupTurn } from "./backups.ts"

interface BackupSchedule {
  readonly everyHours: number
  /** Module of the command, and its inherited environment. */
  readonly module: string
  readonly environment: NodeJS.ProcessEnv
}

const LOOK_EVERY = "5 seconds"
/** Settings of a worker that must use the embedded database. */
const ALONE = { DATABASE_URL: "", CLUSTER_ADDRESS: "", CLUSTER_SECRET: "", CLUSTER_SECRET_OTHER: "", NATS_URL: "" }

/** Resolves to the command's failure message; null when the backup was made. */
const runBackup = ({ module, environment }: BackupSchedule): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const env = { ...environment, ...ALONE, WORKERS: "1" }
    const child = spawn(process.execPath, [module, "backup"], { env, stdio: ["ignore", "ignore", "pipe"] })
    const errors: string[] = []
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()))
    child.once("error", ({ message }) => resume(Effect.succeed(message)))
    child.once("close", (code) => resume(Effect.succeed(code === 0 ? null : errors.join("").trim())))
    // Live events have priority.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    return Effect.promise(async () => {
      if (child.exitCode === null && child.kill()) await once(child, "close")
    })
  })

export const scheduledBackupsLayer = (schedule: BackupSchedule): Layer.Layer<never, never, Database | Telemetry> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const { log, metrics } = yield* Telemetry
      const { isQuiet } = yield* Quiet
      const observe = Effect.map(database.run(backupAge), (seconds) => {
        metrics.backupAge.set(seconds)
        metrics.backupOverdue.set(Math.max(0, seconds - schedule.everyHours * 3600))
      })
      const take = Effect.gen(function* () {
        if (isQuiet() || !(yield* database.run((sql) => takeBackupTurn(sql, schedule.everyHours)))) return
        const reason = yield* runBackup(schedule)
        if (reason === null) return log.info("a backup was made")
        log.error({ reason }, "the backup failed; it is tried again in half an hour")
        yield* database.run((sql) => noteFailedBackup(sql, reason))
      })
      for (const work of [observe, take]) {
        yield* Effect.forkScoped(work.pipe(Effect.ignore, Effect.andThen(Effect.sleep(LOOK_EVERY)), Effect.forever))
      }
    }),
  )
