/** Work that joins one transaction: all of it is stored with its last act, or none of it. */
import { Effect, Exit } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { NotFound } from "../../src/model/errors.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { afterCommit, isInTransaction, outsideTransaction } from "../../src/store/database.ts"
import { keepAnswer } from "../../src/store/idempotency.ts"
import { query } from "../../src/store/query.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { openStore, type TestSql } from "../support/store.ts"

let database: TestDatabase
let sql: TestSql
let other: TestSql
beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url, 3)
  other = openStore(database.url, 3)
})
afterAll(async () => {
  await sql.end()
  await other.end()
  await database.drop()
})

const add = (of: TestSql, slug: string) =>
  of.database.run(
    async (run) => void (await run`insert into workspaces (id, name, slug) values (gen_random_uuid(), 'W', ${slug})`),
  )
const slugs = async (like: string): Promise<ReadonlyArray<string>> => {
  const rows = await other<{ slug: string }[]>`select slug from workspaces where slug like ${`${like}%`} order by slug`
  return rows.map(({ slug }) => slug)
}
const nothing = async (): Promise<void> => {}
const FOREVER = toTimestamp(0)
const ANSWER = { bodyHash: Buffer.from("b"), status: 201, answerSealed: Buffer.from("a") }

test("is stored as a whole, and a part that failed is rolled back alone", async () => {
  const work = Effect.gen(function* () {
    yield* add(sql, "whole-1")
    // The same again: refused by the database, and caught by the work.
    yield* Effect.ignore(Effect.catchDefect(add(sql, "whole-1"), () => Effect.void))
    const failing = sql.database.transaction((run) =>
      Effect.andThen(
        query(() => run`insert into workspaces (id, name, slug) values (gen_random_uuid(), 'W', 'whole-2')`),
        NotFound.of("nothing"),
      ),
    )
    expect(yield* Effect.flip(failing)).toEqual(NotFound.of("nothing"))
    yield* add(sql, "whole-3")
    expect(yield* Effect.promise(() => slugs("whole"))).toEqual([])
  })
  await Effect.runPromise(sql.database.joined(work, () => nothing))
  expect(await slugs("whole")).toEqual(["whole-1", "whole-3"])
})

test("is taken back when its answer is not one to keep, when it fails, dies or is interrupted", async () => {
  const refused = sql.database.joined(add(sql, "back-1"), () => null)
  const failed = sql.database.joined(Effect.andThen(add(sql, "back-2"), NotFound.of("x")), () => nothing)
  const died = sql.database.joined(Effect.andThen(add(sql, "back-3"), Effect.die("x")), () => nothing)
  const cut = sql.database.joined(Effect.andThen(add(sql, "back-4"), Effect.never), () => nothing)
  for (const work of [refused, failed, died, Effect.timeout(cut, "200 millis")]) {
    await Effect.runPromiseExit(work as Effect.Effect<unknown, unknown>)
  }
  const last = sql.database.joined(add(sql, "back-5"), () => () => Effect.fail(NotFound.of("last")))
  expect(await Effect.runPromise(Effect.flip(last))).toEqual(NotFound.of("last"))
  const broken = sql.database.joined(add(sql, "back-7"), () => () => Promise.reject(NotFound.of("last")))
  expect(Exit.hasDies(await Effect.runPromiseExit(broken))).toBe(true)
  expect(await slugs("back")).toEqual([])
  // No connection is left in a transaction, or out.
  const held = await other`select 1 from pg_stat_activity where datname = current_database() and state like 'idle in%'`
  expect(held).toHaveLength(0)
  await Effect.runPromise(add(sql, "back-6"))
  expect(await slugs("back")).toEqual(["back-6"])
})

test("holds no connection before its first statement, and reads outside of it on request", async () => {
  const states = async () =>
    (await other`select 1 from pg_stat_activity where datname = current_database() and state like 'idle in%'`).length
  const seen: number[] = []
  const look = Effect.promise(async () => void seen.push(await states()))
  const read = sql.database.run(async (run) => void (await run`select 1`))
  const work = Effect.gen(function* () {
    yield* look
    yield* outsideTransaction(read)
    yield* look
    expect(yield* isInTransaction).toBe(true)
    expect(yield* outsideTransaction(isInTransaction)).toBe(false)
    yield* read
    yield* look
  })
  await Effect.runPromise(sql.database.joined(work, () => nothing))
  expect([...seen, await states()]).toEqual([0, 0, 1, 0])
})

test("has its effects run after the commit, outside of it, and none when it is taken back", async () => {
  const seen: unknown[] = []
  const effect = Effect.gen(function* () {
    seen.push([yield* isInTransaction, yield* Effect.promise(() => slugs("after"))])
  })
  const work = Effect.andThen(afterCommit(effect), add(sql, "after-1"))
  await Effect.runPromise(sql.database.joined(work, () => null))
  expect(seen).toEqual([])
  await Effect.runPromise(sql.database.joined(work, () => nothing))
  expect(seen).toEqual([[false, ["after-1"]]])
  await Effect.runPromise(afterCommit(effect))
  expect(seen).toHaveLength(2)
})

test("of two processes under one key, one answer is stored and the other process finds it", async () => {
  const of = { principal: "p", method: "POST", path: "/", key: "k" }
  const once = (house: TestSql, slug: string) =>
    Effect.runPromiseExit(house.database.joined(add(house, slug), () => (run) => keepAnswer(run, of, ANSWER, FOREVER)))
  for (let round = 0; round < 20; round++) {
    await sql`delete from idempotency_keys`
    const exits = await Promise.all([once(sql, `two-${round}-a`), once(other, `two-${round}-b`)])
    expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
    expect(JSON.stringify(exits.find(Exit.isFailure))).toContain("AlreadyAnswered")
    expect(await slugs(`two-${round}-`)).toHaveLength(1)
  }
})

test("begun by a fiber that outlives it is refused, instead of being left open", async () => {
  let late: Effect.Effect<unknown> | undefined
  const work = Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    late = Effect.provideContext(Effect.exit(add(sql, "late")), context)
  })
  await Effect.runPromise(sql.database.joined(work, () => null))
  if (late === undefined) throw new Error("the work did not run")
  expect(JSON.stringify(await Effect.runPromise(late))).toContain("Failure")
  expect(await slugs("late")).toEqual([])
})
