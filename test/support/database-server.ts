/** Makes and drops databases on a PostgreSQL server. */
import postgres from "postgres"

/** The same server and credentials, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

export const createDatabase = (serverUrl: string, database: string, template = "template1"): Promise<void> =>
  administer(serverUrl, async (sql) => {
    // Copies files instead of logging each page: an eighth of the processor time.
    await sql`create database ${sql(database)} template ${sql(template)} strategy file_copy`
  })

/** Ends the sessions still open on it. */
export const dropDatabase = (serverUrl: string, database: string): Promise<void> =>
  administer(serverUrl, async (sql) => {
    await sql`drop database if exists ${sql(database)} with (force)`
  })

/** The same password, stored as the server's settings say now (`scram_iterations`). */
export const setPasswordAgain = (serverUrl: string): Promise<void> =>
  administer(serverUrl, async (sql) => {
    const { username, password } = new URL(serverUrl)
    await sql.unsafe(`alter role ${username} password '${password}'`)
  })

/** A connection costs the server ten milliseconds of processor time, so that a worker keeps one while it is in use. */
const IDLE_SECONDS = 2
const connections = new Map<string, postgres.Sql>()

async function administer(serverUrl: string, work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  // "does not exist, skipping" is no news.
  const sql =
    connections.get(serverUrl) ??
    postgres(serverUrl, { max: 1, idle_timeout: IDLE_SECONDS, onnotice: () => undefined, fetch_types: false })
  connections.set(serverUrl, sql)
  await work(sql)
}
