/**
 * The database, ready for use: embedded or external, at the current schema, and locked by this process alone or together with the other
 * nodes.
 */
import { Redacted } from "effect"
import { readAccess } from "./access.ts"
import { NodeSession } from "./cluster/node-session.ts"
import { startEmbeddedPostgres } from "./embedded/postgres.ts"
import { migrate } from "./migrate.ts"
import { type ProcessLock, takeProcessLock } from "./process-lock.ts"
import { sqlState } from "./sqlstate.ts"

/** The database cannot be used; the message is one sentence for the operator. */
class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused"
}

export interface OpenDatabase {
  readonly url: Redacted.Redacted<string>
  /** Short description without credentials. */
  readonly description: string
  /** Description as the beginning of a sentence. */
  readonly name: string
  readonly lock: ProcessLock
  /** Session of the lock, for a node that shares the database with others. */
  readonly node: NodeSession | null
  /** Schema versions before and after the migrations of this start. */
  readonly schema: { readonly from: number; readonly to: number }
  /** Resolves with a sentence when the embedded server ended by itself; never for an external one. */
  readonly failed: Promise<string>
  /** `graceMs` is the time for the embedded server's shutdown before an immediate one. */
  readonly close: (graceMs: number) => Promise<void>
  /** The last resort before the process exits: the embedded server gets the signal of an immediate shutdown. */
  readonly abandon: () => void
}

/**
 * Codes of an unusable database: not reached, access refused (28, 3D, 42501), starting or stopping (57P), out of a resource (53), damaged
 * (58, XX), too slow or locked (57014, 55P03, 25P03), or a standby (25006).
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

/** @throws DatabaseRefused with all missing permissions of the user */
const requireAccess = async (what: string, url: string): Promise<void> => {
  const { problems } = await usable(what, () => readAccess(url))
  if (problems.length === 0) return
  throw new DatabaseRefused(problems.map(({ problem, remedy }) => `${problem} ${remedy}`).join("\n"))
}

const never = new Promise<string>(() => {})

const ALONE_REFUSED =
  "Another Gathercue server is running on this database; stop it first, or run each of them as a node (CLUSTER_ADDRESS)."
const NODE_REFUSED =
  "A Gathercue server that runs alone, without CLUSTER_ADDRESS, is running on this database; stop it first."

/** `nodeLostMs` is null for a server that runs alone. */
const takeLock = async (
  url: string,
  nodeLostMs: number | null,
): Promise<{ readonly lock: ProcessLock; readonly node: NodeSession | null }> => {
  if (nodeLostMs === null) {
    const lock = await takeProcessLock(url)
    if (lock === undefined) throw new DatabaseRefused(ALONE_REFUSED)
    return { lock, node: null }
  }
  const node = await NodeSession.open(url, nodeLostMs)
  if (node === undefined) throw new DatabaseRefused(NODE_REFUSED)
  return { lock: node, node }
}

export const openDatabase = async (
  wanted: {
    readonly databaseUrl: Redacted.Redacted<string> | null
    readonly dataDir: string
    /** Silence after which a node counts as lost; null for a server that runs alone. */
    readonly nodeLostMs: number | null
  },
  say: (line: string) => void,
): Promise<OpenDatabase> => {
  const embedded =
    wanted.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: wanted.dataDir, onLog: say }) : undefined
  const url = wanted.databaseUrl ?? Redacted.make(embedded?.url ?? "")
  const what = embedded === undefined ? "The database at DATABASE_URL" : `The database in ${embedded.dataDir}`
  let lock: ProcessLock | undefined
  try {
    // Taken before the schema changes, so that it never changes under a server that runs alone.
    const taken = await usable(what, () => takeLock(Redacted.value(url), wanted.nodeLostMs))
    lock = taken.lock
    if (embedded === undefined) await requireAccess(what, Redacted.value(url))
    const schema = await usable(what, () => migrate(Redacted.value(url)))
    return {
      url,
      ...taken,
      schema,
      name: what,
      description:
        embedded === undefined
          ? `external PostgreSQL at ${new URL(Redacted.value(url)).host}`
          : `embedded PostgreSQL ${embedded.version} in ${embedded.dataDir}`,
      failed: embedded?.exited.then(() => "The embedded database stopped by itself.") ?? never,
      close: async (graceMs) => {
        await taken.lock.release()
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
