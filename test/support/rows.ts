/** Straight to the rows of a test's database: for what no endpoint shows, and for ageing things. */
import postgres from "postgres"

export interface Rows {
  readonly run: (
    statement: string,
    parameters?: ReadonlyArray<string | number>,
  ) => Promise<postgres.RowList<postgres.Row[]>>
  readonly end: () => Promise<void>
}

export const rowsOf = (databaseUrl: string): Rows => {
  const sql = postgres(databaseUrl, { max: 1 })
  return { run: (statement, parameters = []) => sql.unsafe(statement, [...parameters]), end: () => sql.end() }
}
