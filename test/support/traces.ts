/** Where a database still holds a text: the tables with a row that has it in any column. */
import type { Rows } from "./rows.ts"

/** Dispatches are kept in the text that sockets got, for as long as a client can resume: two minutes. */
const SWEPT_IN_MINUTES = ["publications"]

export const tablesWith = async (rows: Rows, text: string): Promise<ReadonlyArray<string>> => {
  const tables = await rows.run(
    "select table_name as name from information_schema.tables where table_schema = 'public' order by table_name",
  )
  const found: string[] = []
  for (const { name } of tables) {
    if (SWEPT_IN_MINUTES.includes(name)) continue
    const hits = await rows.run(`select 1 from "${name}" t where position($1 in t::text) > 0 limit 1`, [text])
    if (hits.length > 0) found.push(name)
  }
  return found
}
