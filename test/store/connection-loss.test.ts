import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import postgres from "postgres"
import { expect, test } from "vitest"
import { Database } from "../../src/store/database.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase } from "../support/database.ts"

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
    const one = async (inTransaction: boolean): Promise<void> => {
      const exit = await runtime.runPromiseExit(
        inTransaction
          ? service.transaction(async (sql) => {
              await Promise.all([sql`select pg_sleep(0.002)`, sql`select ${"x".repeat(2000)}::text as long`])
            })
          : service.run(async (sql) => void (await sql`select pg_sleep(0.002), ${1}::int as one`)),
      )
      if (exit._tag === "Success") outcomes.done++
      else if (JSON.stringify(exit.cause).includes("Unavailable")) outcomes.unavailable++
      else outcomes.other.push(exit.cause)
    }
    const workers = Array.from({ length: 16 }, async (_, index) => {
      while (running) await one(index % 2 === 0)
    })
    for (let wave = 0; wave < 12; wave++) {
      await Effect.runPromise(Effect.sleep(100))
      await killer`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'killer'`
    }
    await Effect.runPromise(Effect.sleep(200))
    const before = outcomes.done
    await Effect.runPromise(Effect.sleep(300))
    running = false
    // Every worker ends: no query was left without an answer.
    await Promise.all(workers)
    expect(outcomes.other).toEqual([])
    expect(outcomes.unavailable).toBeGreaterThan(0)
    expect(outcomes.done).toBeGreaterThan(before)
  } finally {
    await killer.end()
    await runtime.dispose()
    await database.drop()
  }
}, 120_000)
