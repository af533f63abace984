/** Makes and drops databases on a PostgreSQL server, each call over a connection of its own. */
import postgres from "postgres"

/** The same server and credentials, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

export const createDatabase = (serverUrl: string, database: string, template = "template1"): Promise<void> =>
  administer(serverUrl, async (sql) => {
    await sql`create database ${sql(database)} template ${sql(template)}`
  })

/** Ends the sessions still open on it. */
export const dropDatabase = (serverUrl: string, database: string): Promise<void> =>
  administer(serverUrl, async (sql) => {
    await sql`drop database if exists ${sql(database)} with (force)`
  })

async function administer(serverUrl: string, work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  // "does not exist, skipping" is no news.
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined })
  await work(sql).finally(() => sql.end())
}
