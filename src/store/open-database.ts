/** The database, ready to be worked on: embedded or external, at the current schema, and held by this process alone. */
import { Redacted } from "effect"
import postgres from "postgres"
import { startEmbeddedPostgres } from "./embedded-postgres.ts"
import { migrate } from "./migrate.ts"
import { type ProcessLock, takeProcessLock } from "./process-lock.ts"

/** The database cannot be used; the message is one sentence for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused"
}

export interface OpenDatabase {
  readonly url: Redacted.Redacted<string>
  /** In a few words, without credentials. */
  readonly description: string
  readonly lock: ProcessLock
  /** Schema versions before and after the migrations of this start. */
  readonly schema: { readonly from: number; readonly to: number }
  /** Resolves with a sentence when the embedded server ended by itself; never for an external one. */
  readonly failed: Promise<string>
  /** `graceMs`: how long the embedded server may take to shut down before it is told to at once. */
  readonly close: (graceMs: number) => Promise<void>
  /** The last resort before the process exits: an embedded server is not left behind. */
  readonly abandon: () => void
}

/** A server that was just killed may hold its lock until the database notices: tried this often before refusing. */
const LOCK_TRIES = 10
const LOCK_PAUSE_MS = 300

const lockDatabase = async (url: Redacted.Redacted<string>): Promise<ProcessLock> => {
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    const lock = await takeProcessLock(url)
    if (lock !== undefined) return lock
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS))
  }
  throw new DatabaseRefused("Another Gathercue server is running on this database; stop it first.")
}

const bringUpToDate = async (url: Redacted.Redacted<string>): Promise<OpenDatabase["schema"]> => {
  const sql = postgres(Redacted.value(url), { max: 2, connect_timeout: 10, onnotice: () => {} })
  try {
    return await migrate(sql)
  } catch (cause) {
    const code = (cause as { readonly code?: unknown }).code
    if (typeof code !== "string" || !/^(?:E|CONNECT|28|3D)/.test(code)) throw cause
    throw new DatabaseRefused(`The database at DATABASE_URL cannot be used (${(cause as Error).message}).`)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const never = new Promise<string>(() => {})

export const openDatabase = async (
  wanted: { readonly databaseUrl: Redacted.Redacted<string> | null; readonly dataDir: string },
  say: (line: string) => void,
): Promise<OpenDatabase> => {
  const embedded =
    wanted.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: wanted.dataDir, onLog: say }) : undefined
  const url = wanted.databaseUrl ?? Redacted.make(embedded?.url ?? "")
  try {
    const schema = await bringUpToDate(url)
    const lock = await lockDatabase(url)
    return {
      url,
      lock,
      schema,
      description:
        embedded === undefined
          ? `external PostgreSQL at ${new URL(Redacted.value(url)).host}`
          : `embedded PostgreSQL ${embedded.version} in ${embedded.dataDir}`,
      failed: embedded?.exited.then(() => "The embedded database stopped by itself.") ?? never,
      close: async (graceMs) => {
        await lock.release()
        await embedded?.stop(graceMs)
      },
      abandon: () => {
        if (embedded !== undefined) process.kill(embedded.pid, "SIGQUIT")
      },
    }
  } catch (cause) {
    await embedded?.stop()
    throw cause
  }
}
