/** Arrays of text cross the wire unchanged: compared with what PostgreSQL itself makes of the same elements. */
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { MOST_SHARED, readArray, readWords, writeArray } from "../../../src/store/pool/codecs.ts"
import { createEmptyDatabase, type TestDatabase } from "../../support/database.ts"
import { openStore, type TestSql } from "../../support/store.ts"

let database: TestDatabase
let sql: TestSql
beforeAll(async () => {
  database = await createEmptyDatabase()
  sql = openStore(database.url, 2)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** Texts that an array literal might stumble over; PostgreSQL stores no U+0000. */
const element = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\u0000", "")),
  fc.constantFrom("", "NULL", "null", '"', "\\", "{", "}", ",", '\\"', " a ", "{}", "a\nb", "ü€😀"),
)

test("the database reads an array as it was written, and an array from the database is read the same", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 8 }), async (elements) => {
      const [row] = await sql<{ joined: string; n: number; back: string[] }[]>`
        select to_json(given)::text as joined, cardinality(given) as n, given as back from (select ${elements}::text[] as given) g`
      expect(JSON.parse(row?.joined ?? "")).toEqual(elements)
      expect([row?.n, row?.back]).toEqual([elements.length, elements])
    }),
    { numRuns: 300 },
  )
})

test("an element that is not there stays so", () => {
  expect(readArray('{a,NULL,"NULL"}')).toEqual(["a", null, "NULL"])
  expect(writeArray(["a", null, "NULL"])).toBe('{"a",NULL,"NULL"}')
})

test("equal arrays of words are one array, which nobody can change", () => {
  const words = readWords("{qa,chat}")
  expect(words).toEqual(["qa", "chat"])
  expect(readWords("{qa,chat}")).toBe(words)
  expect(() => (words as string[]).push("polls")).toThrow(TypeError)
})

test("more words than are shared are read as they are, and so are long ones", () => {
  const literals = Array.from({ length: MOST_SHARED + 10 }, (_, n) => n)
  for (const n of [...literals, ...literals]) expect(readWords(`{w${n},"a b"}`)).toEqual([`w${n}`, "a b"])
  const long = "x".repeat(200)
  expect(readWords(`{${long}}`)).toEqual([long])
})
