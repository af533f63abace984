/**
 * One server per database: a session-level advisory lock on a connection of its own. It is gone the moment the process or
 * its connection dies, so nothing is left behind by kill -9. A lost connection is replaced and the lock taken again.
 */
import { Redacted } from "effect"
import postgres from "postgres"

/** "gathercue" as a number of ours; any constant would do. */
const LOCK_KEY = 7_160_928_441
const RETAKE_EVERY_MS = 500

export interface ProcessLock {
  /** Whether the lock is held now. */
  readonly held: () => boolean
  readonly release: () => Promise<void>
}

/** Resolves to `undefined` when another process holds the database. */
export const takeProcessLock = async (url: Redacted.Redacted<string>): Promise<ProcessLock | undefined> => {
  let held = false
  let released = false
  const sql = postgres(Redacted.value(url), {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    connection: { application_name: "gathercue process lock" },
    onclose: () => {
      held = false
      if (!released) void retake()
    },
  })
  const take = async (): Promise<boolean> => {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK_KEY}) as taken`
    held = row?.taken ?? false
    return held
  }
  const retake = async (): Promise<void> => {
    while (!released && !held) {
      await new Promise((resolve) => setTimeout(resolve, RETAKE_EVERY_MS))
      if (!released) await take().catch(() => false)
    }
  }
  const release = async (): Promise<void> => {
    released = true
    held = false
    await sql.end({ timeout: 0.3 })
  }
  try {
    if (await take()) return { held: () => held, release }
  } catch (cause) {
    await release()
    throw cause
  }
  await release()
  return undefined
}
