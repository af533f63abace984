import { readFile } from "node:fs/promises"
import { expect, onTestFinished, test } from "vitest"
import { createTestDatabase } from "../support/database.ts"
import { openStore } from "../support/store.ts"

/** Tables named in the first column of the document. */
const describedTables = async (): Promise<ReadonlyArray<string>> => {
  const text = await readFile(new URL("../../docs/internals/growth.md", import.meta.url), "utf8")
  const rows = text.split("\n").filter((line) => line.startsWith("| `"))
  return rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/gu)].map(([, name = ""]) => name))
}

test("every table has its sweep in the document, or the reason why it is kept", async () => {
  const database = await createTestDatabase()
  const sql = openStore(database.url, 1)
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  const rows = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`
  expect((await describedTables()).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})
