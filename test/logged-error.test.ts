/** Errors in logs: enough to find the fault, and no value of anybody's. */
import { Cause } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { loggedError, withoutValues } from "../src/telemetry/logged-error.ts"
import { createTestDatabase, type TestDatabase } from "./support/database.ts"

const SECRET = "grace.hopper@example.com"

let database: TestDatabase
let sql: postgres.Sql
beforeAll(async () => {
  database = await createTestDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql`create table people (email text constraint people_email unique, born date, age int check (age > 0))`
  await sql`insert into people (email) values (${SECRET})`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const failing = (statement: () => PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(statement()).then(
    () => expect.fail("the statement succeeded"),
    (cause: unknown) => cause,
  )

describe("an error of the database", () => {
  test("has code, constraint, table and message, and nothing of the row", async () => {
    const cause = await failing(() => sql`insert into people (email) values (${SECRET})`)
    expect(JSON.stringify(cause)).toContain(SECRET)
    const logged = loggedError(cause)
    expect(logged).toMatchObject({
      code: "23505",
      constraint: "people_email",
      table: "people",
      message: 'duplicate key value violates unique constraint "people_email"',
    })
    expect(JSON.stringify(logged)).not.toContain(SECRET)
  })

  test("has no value that could not be read, nor a row that was checked", async () => {
    for (const statement of [
      () => sql.unsafe(`select '${SECRET}'::uuid`),
      () => sql.unsafe(`insert into people (email, born) values ('x', '${SECRET}')`),
      () => sql.unsafe(`insert into people (email, age) values ('${SECRET}2', -1)`),
      () => sql`insert into people (email, age) values (${`${SECRET}3`}, ${-1})`,
    ]) {
      const logged = loggedError(await failing(statement))
      expect(logged).toMatchObject({ code: expect.stringMatching(/^2/) })
      expect(JSON.stringify(logged)).not.toContain("hopper")
    }
  })

  test("is the same as a cause of another, in a cause of Effect, and however deep", async () => {
    const cause = await failing(() => sql`insert into people (email) values (${SECRET})`)
    for (const wrapped of [
      new Error("outer", { cause }),
      Cause.die(cause),
      new Error("a", { cause: new Error("b", { cause }) }),
    ]) {
      const text = JSON.stringify(loggedError(wrapped))
      expect(text).toContain("23505")
      expect(text).not.toContain(SECRET)
    }
    const circle = new Error("circle")
    circle.cause = circle
    expect(JSON.stringify(loggedError(circle))).toContain("circle")
  })
})

test("another error keeps its kind, message and frames", () => {
  const logged = loggedError(new TypeError("x is not a function"))
  expect(logged).toMatchObject({
    type: "TypeError",
    message: "x is not a function",
    stack: expect.stringContaining("at "),
  })
  expect(loggedError({ email: SECRET })).toBe("[not an error]")
  expect(loggedError("text")).toBe("text")
})

test.each([
  ['invalid input syntax for type uuid: "a@b.c"', 'invalid input syntax for type uuid: "…"'],
  ['invalid input syntax for type uuid: "a" b" c"', 'invalid input syntax for type uuid: "…"'],
  ['value "99999999999" is out of range for type integer', 'value "…" is out of range for type integer'],
  ["DETAIL:  Key (email)=(a@b.c) already exists.", "DETAIL:  Key (email)=(…) already exists."],
  ['relation "people" does not exist', 'relation "people" does not exist'],
])("%s is logged as %s", (text, logged) => {
  expect(withoutValues(text)).toBe(logged)
})
