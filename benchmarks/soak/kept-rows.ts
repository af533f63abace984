/** Everything of an event that the database keeps, as counts. */
import postgres from "postgres"

/** The names of the tables with rows of the event, and their rows, the largest first. */
export const keptRows = async (
  databaseUrl: string,
  eventId: string,
): Promise<ReadonlyArray<readonly [string, number]>> => {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    const tables = await sql<{ readonly name: string }[]>`
      select table_name as name from information_schema.columns
      where table_schema = current_schema() and column_name = 'event_id'`
    const counted: (readonly [string, number])[] = []
    for (const { name } of tables) {
      const [row] = await sql<{ readonly rows: number }[]>`
        select count(*)::int as rows from ${sql(name)} where event_id = ${eventId}`
      if (row !== undefined && row.rows > 0) counted.push([name, row.rows])
    }
    const records = await sql<{ readonly kind: string; readonly rows: number }[]>`
      select kind, count(*)::int as rows from live_records where event_id = ${eventId} group by kind`
    for (const { kind, rows } of records) counted.push([`live_records of kind ${kind}`, rows])
    return counted.sort(([, a], [, b]) => b - a)
  } finally {
    await sql.end()
  }
}
