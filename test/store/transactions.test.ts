/** Effects as bodies of `run` and `transaction`: how they fail is typed, and no way of ending leaves half of a transaction. */
import { Cause, Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { Conflict, NotFound, Unavailable } from "../../src/model/errors.ts"
import { Database, isInTransaction, type Queryable } from "../../src/store/database.ts"
import { Pool } from "../../src/store/pool/pool.ts"
import { onUniqueViolation, query } from "../../src/store/query.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { openStore, type TestSql } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
let pool: Pool
let store: Database["Service"]
/** Sees what is committed, through a pool of its own. */
let other: TestSql
const openPool = (deadlineMs: number): void => {
  pool = new Pool({ url: database.url, connections: 2, waiting: 10, deadlineMs })
  store = Database.fromPool(pool)
}
beforeEach(async () => {
  database = await createTestDatabase()
  other = openStore(database.url, 2)
  openPool(60_000)
})
afterEach(async () => {
  await pool.close(1_000)
  await other.end()
  await database.drop()
})

const insert = async (sql: Queryable, slug: string): Promise<void> => {
  await sql`insert into workspaces (id, name, slug) values (gen_random_uuid(), 'W', ${slug})`
}
const add = (sql: Queryable, slug: string) => query(() => insert(sql, slug))
const slugs = async (): Promise<ReadonlyArray<string>> =>
  (await other<{ slug: string }[]>`select slug from workspaces order by slug`).map(({ slug }) => slug)
/** Sessions of the pool that are in a transaction, by the server's word. */
const openTransactions = async (): Promise<number> =>
  (
    await other`
      select 1 from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`
  ).length

test("the failures of a body are its caller's, and no others", async () => {
  const work: Effect.Effect<string, NotFound | Conflict | Unavailable> = store.transaction((sql) =>
    Effect.gen(function* () {
      const [row] = yield* query(() => sql<{ slug: string }[]>`select slug from workspaces`)
      if (row === undefined) return yield* NotFound.of("workspace")
      return row.slug === "taken" ? yield* new Conflict({ detail: "Taken." }) : row.slug
    }),
  )
  const promised: Effect.Effect<ReadonlyArray<object>, Unavailable> = store.run(async (sql) => [
    ...(await sql`select 1`),
  ])
  expect(await Effect.runPromise(Effect.flip(work))).toEqual(NotFound.of("workspace"))
  expect(await Effect.runPromise(promised)).toHaveLength(1)
  await insert(other, "free")
  expect(await Effect.runPromise(work)).toBe("free")
})

test("a transaction whose body fails is rolled back, and fails with the same failure", async () => {
  const work = store.transaction((sql) => Effect.andThen(add(sql, "a"), NotFound.of("place")))
  const caught = Effect.catchTag(work, "NotFound", ({ detail }) => Effect.succeed(detail))
  expect(await Effect.runPromise(caught)).toBe("No such place.")
  expect(await slugs()).toEqual([])
  expect(pool.stats.inUse).toBe(0)
})

test("an expected error of the database is the failure that the operation names", async () => {
  await insert(other, "taken")
  const work = store.transaction((sql) =>
    Effect.andThen(
      add(sql, "a"),
      onUniqueViolation(
        () => insert(sql, "taken"),
        "workspaces_slug_key",
        () => new Conflict({ detail: "Taken." }),
      ),
    ),
  )
  expect(await Effect.runPromise(Effect.flip(work))).toEqual(new Conflict({ detail: "Taken." }))
  expect(await slugs()).toEqual(["taken"])
})

test("statements of `run` before a failure have taken place", async () => {
  const work = store.run((sql) => Effect.andThen(add(sql, "a"), NotFound.of("place")))
  expect(await Effect.runPromise(Effect.flip(work))).toEqual(NotFound.of("place"))
  expect(await slugs()).toEqual(["a"])
})

test("a transaction whose body dies, throws or is refused by the database is rolled back, and it stays a defect", async () => {
  const bodies: ReadonlyArray<(sql: Queryable) => Effect.Effect<unknown, Unavailable> | Promise<unknown>> = [
    (sql) => Effect.andThen(add(sql, "a"), Effect.die("broken")),
    (sql) => Effect.andThen(add(sql, "a"), () => Effect.sync(() => JSON.parse("broken"))),
    (sql) => Effect.andThen(add(sql, "a"), add(sql, "a")),
    // A tagged error that is thrown.
    (sql) => insert(sql, "a").then(() => Promise.reject(NotFound.of("place"))),
  ]
  for (const body of bodies) {
    const exit = await Effect.runPromiseExit(store.transaction(body))
    expect([Exit.hasDies(exit), Exit.hasFails(exit)]).toEqual([true, false])
    expect(await slugs()).toEqual([])
    expect(pool.stats.inUse).toBe(0)
  }
})

test("a transaction in which a statement failed is not committed, though its body takes that for a success", async () => {
  const work = store.transaction((sql) =>
    Effect.andThen(
      add(sql, "a"),
      Effect.catchDefect(add(sql, "a"), () => Effect.void),
    ),
  )
  expect(Exit.hasDies(await Effect.runPromiseExit(work))).toBe(true)
  expect(await slugs()).toEqual([])
})

test("a transaction whose body is interrupted by itself is rolled back, and it stays an interruption", async () => {
  const exit = await Effect.runPromiseExit(store.transaction((sql) => Effect.andThen(add(sql, "a"), Effect.interrupt)))
  expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(true)
  expect(await slugs()).toEqual([])
  expect(pool.stats.inUse).toBe(0)
})

test("an interrupted caller gets its interruption after the transaction has ended, and nothing of it is stored", async () => {
  const ways = [
    // Between two statements, and while one is under way.
    () => Effect.never,
    (sql: Queryable) => query(() => sql`select pg_sleep(2)`),
  ]
  for (const rest of ways) {
    let interrupted = 0
    const fiber = Effect.runFork(
      store.transaction((sql) =>
        Effect.andThen(add(sql, "a"), rest(sql)).pipe(Effect.onInterrupt(() => Effect.sync(() => void interrupted++))),
      ),
    )
    await eventually(async () => (await openTransactions()) === 1 && pool.stats.inUse === 1)
    // timed: the statement is under way for two seconds from its beginning, which has no signal here.
    await Effect.runPromise(Effect.sleep(50))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect([interrupted, pool.stats.inUse, await openTransactions()]).toEqual([1, 0, 0])
    expect(await slugs()).toEqual([])
  }
  // The same sessions go on: none had to be given up.
  expect(pool.stats.open).toBe(1)
  await Effect.runPromise(store.transaction((sql) => add(sql, "b")))
  expect(await slugs()).toEqual(["b"])
})

test("a caller that is interrupted while it waits for a connection has no body run", async () => {
  const [held, release] = [Effect.runSync(Deferred.make<void>()), Effect.runSync(Deferred.make<void>())]
  const holding = store.transaction((sql) =>
    query(() => sql`select 1`).pipe(
      Effect.andThen(Deferred.succeed(held, undefined)),
      Effect.andThen(Deferred.await(release)),
    ),
  )
  const holders = [Effect.runFork(holding), Effect.runFork(holding)]
  await eventually(async () => (await openTransactions()) === 2)
  const waiting = Effect.runFork(store.transaction((sql) => add(sql, "late")))
  await eventually(async () => pool.stats.waiting === 1)
  await Effect.runPromise(Fiber.interrupt(waiting))
  await Effect.runPromise(Deferred.succeed(release, undefined))
  for (const holder of holders) await Effect.runPromise(Fiber.join(holder))
  await eventually(async () => pool.stats.inUse === 0 && pool.stats.waiting === 0)
  expect(await slugs()).toEqual([])
})

test("a body that never ends is interrupted at the deadline of its transaction", async () => {
  await pool.close(0)
  // Also a busy machine opens a connection in this time.
  openPool(2_000)
  let interrupted = false
  const work = store.transaction((sql) =>
    Effect.andThen(add(sql, "a"), Effect.never).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          interrupted = true
        }),
      ),
    ),
  )
  expect(await Effect.runPromise(Effect.flip(work))).toBeInstanceOf(Unavailable)
  expect(interrupted).toBe(true)
  expect(await slugs()).toEqual([])
})

class Slug extends Context.Service<Slug, string>()("test/Slug") {}

test("a body has the services of its caller, and the transaction that the caller has joined", async () => {
  const body = (sql: Queryable) =>
    Effect.gen(function* () {
      yield* add(sql, yield* Slug)
      return yield* isInTransaction
    })
  const work: Effect.Effect<boolean, Unavailable, Slug> = store.transaction(body)
  const given = Effect.provideService(work, Slug, "given")
  expect(await Effect.runPromise(given)).toBe(false)
  await other`delete from workspaces`
  expect(await Effect.runPromise(store.joined(given, () => async () => {}))).toBe(true)
  expect(await slugs()).toEqual(["given"])
})

test("a part of a joined transaction that is interrupted commits nothing, also not its later statements", async () => {
  const [begun, goOn] = [Effect.runSync(Deferred.make<void>()), Effect.runSync(Deferred.make<void>())]
  let late: Promise<void> | undefined
  const part = store.transaction((sql) =>
    query(async () => {
      await insert(sql, "early")
      late = Effect.runPromise(Deferred.await(goOn)).then(() => insert(sql, "late"))
      late.catch(() => {})
      Effect.runSync(Deferred.succeed(begun, undefined))
      await late
    }),
  )
  const work = Effect.gen(function* () {
    const cut = yield* Effect.raceFirst(Effect.asSome(part), Effect.as(Deferred.await(begun), Option.none()))
    expect(cut).toEqual(Option.none())
    yield* Deferred.succeed(goOn, undefined)
    yield* store.run((sql) => add(sql, "next"))
  })
  await Effect.runPromise(store.joined(work, () => async () => {}))
  await expect(late).rejects.toThrow(/after the end/)
  expect(await slugs()).toEqual(["next"])
  expect(pool.stats.inUse).toBe(0)
})
