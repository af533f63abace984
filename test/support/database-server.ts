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

/** All whose names begin so; names have letters, digits and underscores. */
export const dropDatabases = (serverUrl: string, beginning: string): Promise<void> =>
  administer(serverUrl, async (sql) => {
    const names = await sql<
      { datname: string }[]
    >`select datname from pg_database where starts_with(datname, ${beginning})`
    for (const { datname } of names) await sql`drop database if exists ${sql(datname)} with (force)`
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

export async function administer<A>(serverUrl: string, work: (sql: postgres.Sql) => Promise<A>): Promise<A> {
  // "does not exist, skipping" is no news.
  const sql =
    connections.get(serverUrl) ??
    postgres(serverUrl, { max: 1, idle_timeout: IDLE_SECONDS, onnotice: () => undefined, fetch_types: false })
  connections.set(serverUrl, sql)
  return work(sql)
}
