/** The connection pool on a database of its own behind a proxy that breaks things, and a client that reads what is stored. */
import postgres from "postgres"
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest"
import { Pool, type PoolOptions } from "../../src/store/pool/pool.ts"
import { createEmptyDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { shared } from "../support/shared.ts"

export type Settled = "done" | string
export const settle = (work: PromiseLike<unknown>): Promise<Settled> =>
  Promise.resolve(work).then(
    () => "done",
    (cause: unknown) => String((cause as { readonly code?: unknown }).code ?? cause),
  )

export const tally = (outcomes: ReadonlyArray<Settled>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

interface Place {
  pool: Pool
  proxy: PostgresProxy
  /** Why connections were destroyed. */
  destroyed: string[]
  /** Deadlines that were reported as passed. */
  late: string[]
  direct: postgres.Sql
  readonly openPool: (options?: Partial<PoolOptions>) => Pool
  readonly stored: () => Promise<ReadonlySet<string>>
}

/** It adds hooks, so a file calls it once, outside of its tests. Each test has a proxy, and opens its pool. */
export const poolPlace = (): Place => {
  const database = shared(createEmptyDatabase, ({ drop }) => drop())
  const place = {
    openPool: (options = {}) => {
      const observe = {
        destroyed: (why: string) => void place.destroyed.push(why),
        pastDeadline: (what: string) => void place.late.push(what),
        refused: () => {},
      }
      const given = { url: place.proxy.url, connections: 10, waiting: 500, deadlineMs: 5_000, observe, ...options }
      place.pool = new Pool(given)
      return place.pool
    },
    stored: async () => new Set((await place.direct<{ id: string }[]>`select id from notes`).map(({ id }) => id)),
  } as Partial<Place> as Place
  beforeAll(async () => {
    place.direct = postgres(database.url, { max: 2, onnotice: () => {} })
    await place.direct`create table notes (id uuid primary key)`
    await place.direct`create table notes_asked (text text not null)`
  })
  afterAll(() => place.direct.end())
  beforeEach(async () => {
    place.destroyed = []
    place.late = []
    await place.direct`delete from notes`
    await place.direct`delete from notes_asked`
    place.proxy = await startPostgresProxy(database.url)
  })
  afterEach(async () => {
    await place.pool.close(100)
    await place.proxy.close()
  })
  return place
}
