/** The store's own pool on a test's database, for tests that call store operations; and what only a test does to a database. */
import postgres from "postgres"
import { Database } from "../../src/store/database.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import type { Queryable } from "../../src/store/pool/statement.ts"

/** Statements on any connection; `begin` for a transaction, in which all statements go through its argument. */
export type TestSql = Queryable & {
  readonly begin: <A>(body: (sql: Queryable) => Promise<A>) => Promise<A>
  readonly end: () => Promise<void>
  /** The same pool as the service that effects ask for. */
  readonly database: Database["Service"]
}

/** `connections` at most. The deadline is longer than a test's, so that tests may hold locks as long as they like. */
export const openStore = (url: string, connections = 4): TestSql => {
  const pool = new Pool({ url, connections, waiting: 1_000, deadlineMs: 60_000 })
  return Object.assign(pool.sql, {
    begin: <A>(body: (sql: Queryable) => Promise<A>) => pool.transaction(body),
    end: () => pool.close(1_000),
    database: Database.fromPool(pool),
  })
}

/** Runs statements that no pool would: several at once, or such as define functions. */
export const runScript = async (url: string, statements: string): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(statements).finally(() => sql.end())
}

/** Holds the row that every commit of the event needs; resolves, once it is held, to what lets it go. */
export const holdLiveEvent = async (url: string, eventId: string): Promise<() => Promise<void>> => {
  const sql = postgres(url, { max: 1 })
  await sql`begin`
  await sql`select 1 from live_events where event_id = ${eventId} for update`
  return async () => {
    await sql`rollback`
    await sql.end()
  }
}
