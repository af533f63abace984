import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import postgres from "postgres"
import { expect, test } from "vitest"
import type { Unavailable } from "../../src/model/errors.ts"
import { Database } from "../../src/store/database.ts"
import { query } from "../../src/store/query.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase } from "../support/database.ts"
import { eventually } from "../support/wait.ts"

test("connections that are cut again and again under load fail their queries and nothing else", async () => {
  const database = await createTestDatabase()
  const runtime = ManagedRuntime.make(
    Database.layer({ url: Redacted.make(database.url), connections: 8 }).pipe(Layer.provide(Telemetry.layer("silent"))),
  )
  const killer = postgres(database.url, { max: 1, connection: { application_name: "killer" } })
  try {
    const service = await runtime.runPromise(Database)
    let running = true
    const outcomes = { done: 0, unavailable: 0, other: [] as unknown[] }
    const long = "x".repeat(2000)
    const ways: ReadonlyArray<Effect.Effect<unknown, Unavailable>> = [
      service.transaction((sql) => Promise.all([sql`select pg_sleep(0.002)`, sql`select ${long}::text as long`])),
      service.transaction((sql) =>
        Effect.andThen(
          query(() => sql`select pg_sleep(0.002)`),
          query(() => sql`select ${long}::text as long`),
        ),
      ),
      service.run(async (sql) => void (await sql`select pg_sleep(0.002), ${1}::int as one`)),
      service.run((sql) => query(() => sql`select pg_sleep(0.002), ${1}::int as one`)),
    ]
    const one = async (way: Effect.Effect<unknown, Unavailable>): Promise<void> => {
      const exit = await runtime.runPromiseExit(way)
      if (exit._tag === "Success") outcomes.done++
      else if (JSON.stringify(exit.cause).includes("Unavailable")) outcomes.unavailable++
      else outcomes.other.push(exit.cause)
    }
    const workers = ways.flatMap((way) =>
      Array.from({ length: 4 }, async () => {
        while (running) await one(way)
      }),
    )
    for (let wave = 0; wave < 12; wave++) {
      const soFar = outcomes.done
      await eventually(() => outcomes.done > soFar + 20, "work between two waves")
      await killer`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'killer'`
    }
    const before = outcomes.done
    await eventually(() => outcomes.done > before + 100, "work after the last wave")
    running = false
    // Every worker ends: no query was left without an answer.
    await Promise.all(workers)
    expect(outcomes.other).toEqual([])
    expect(outcomes.unavailable).toBeGreaterThan(0)
  } finally {
    await killer.end()
    await runtime.dispose()
    await database.drop()
  }
})
