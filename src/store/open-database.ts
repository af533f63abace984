/** The database, ready for use: embedded or external, at the current schema, and locked by this process alone. */
import { Redacted } from "effect"
import { startEmbeddedPostgres } from "./embedded/postgres.ts"
import { migrate } from "./migrate.ts"
import { type ProcessLock, takeProcessLock } from "./process-lock.ts"
import { sqlState } from "./sqlstate.ts"

/** The database cannot be used; the message is one sentence for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused"
}

export interface OpenDatabase {
  readonly url: Redacted.Redacted<string>
  /** In a few words, without credentials. */
  readonly description: string
  /** The same as the beginning of a sentence. */
  readonly name: string
  readonly lock: ProcessLock
  /** Schema versions before and after the migrations of this start. */
  readonly schema: { readonly from: number; readonly to: number }
  /** Resolves with a sentence when the embedded server ended by itself; never for an external one. */
  readonly failed: Promise<string>
  /** `graceMs`: time for the embedded server's shutdown before an immediate one. */
  readonly close: (graceMs: number) => Promise<void>
  /** The last resort before the process exits: the embedded server gets the signal of an immediate shutdown. */
  readonly abandon: () => void
}

/**
 * Not reached, access refused (28, 3D, 42501), starting or stopping (57P), out of a resource (53), damaged (58, XX), too slow or
 * locked (57014, 55P03, 25P03), or a standby (25006).
 */
const UNUSABLE = /^(?:E[A-Z]|CONNECT|POOL_|08|28|3D|42501|57P|53|58|XX|57014|55P03|25P03|25006)/

/**
 * Runs a part of the start that needs the database; `what` names it. A failure that an operator can act on becomes one sentence.
 */
export const usable = async <A>(what: string, part: () => Promise<A>): Promise<A> => {
  try {
    return await part()
  } catch (cause) {
    if (!UNUSABLE.test(sqlState(cause).code)) throw cause
    throw new DatabaseRefused(`${what} cannot be used (${(cause as Error).message}).`)
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
  const what = embedded === undefined ? "The database at DATABASE_URL" : `The database in ${embedded.dataDir}`
  let lock: ProcessLock | undefined
  try {
    // Taken before the schema changes, so that it never changes under a running server.
    const held = await usable(what, () => takeProcessLock(Redacted.value(url)))
    if (held === undefined) {
      throw new DatabaseRefused("Another Gathercue server is running on this database; stop it first.")
    }
    lock = held
    const schema = await usable(what, () => migrate(Redacted.value(url)))
    return {
      url,
      lock: held,
      schema,
      name: what,
      description:
        embedded === undefined
          ? `external PostgreSQL at ${new URL(Redacted.value(url)).host}`
          : `embedded PostgreSQL ${embedded.version} in ${embedded.dataDir}`,
      failed: embedded?.exited.then(() => "The embedded database stopped by itself.") ?? never,
      close: async (graceMs) => {
        await held.release()
        await embedded?.stop(graceMs)
      },
      abandon: () => {
        if (embedded !== undefined) process.kill(embedded.pid, "SIGQUIT")
      },
    }
  } catch (cause) {
    await lock?.release()
    await embedded?.stop()
    throw cause
  }
}
