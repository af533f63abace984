/** Limits that all nodes count together: the same as in memory, for every caller at once. */
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { BoundedBuckets } from "../../src/model/limits/bounded-buckets.ts"
import {
  forgetFullBuckets,
  giveBackTokens,
  type SharedBucket,
  takeTokens,
} from "../../src/store/limits/shared-buckets.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { openStore, type TestSql } from "../support/store.ts"

/** Slow enough that no token comes back while a test runs. */
const SLOW = 1 / 3600

let database: TestDatabase
let sql: TestSql
let keys = 0

beforeAll(async () => {
  database = await createTestDatabase()
  sql = openStore(database.url)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const bucket = (burst: number, perSecond = SLOW): SharedBucket => ({ key: `key ${keys++}`, rate: { perSecond, burst } })

test("a bucket gives its burst, and then tells when there is a token again", async () => {
  const three = bucket(3)
  const taken: Awaited<ReturnType<typeof takeTokens>>[] = []
  for (let n = 0; n < 4; n++) taken.push(await takeTokens(sql, [three]))
  expect(taken.map(({ left }) => left)).toEqual([2, 1, 0, 0])
  expect(taken.map(({ waitMs }) => waitMs > 0)).toEqual([false, false, false, true])
  expect(taken[3]?.waitMs).toBeGreaterThan(3_590_000)
  expect(taken[3]?.waitMs).toBeLessThanOrEqual(3_600_000)
  expect(taken[2]?.fullInMs).toBeGreaterThan(3 * 3_590_000)
  await giveBackTokens(sql, [three])
  expect((await takeTokens(sql, [three])).waitMs).toBe(0)
})

test("a token comes back in its time", async () => {
  const slow = bucket(1)
  expect((await takeTokens(sql, [slow])).waitMs).toBe(0)
  const passes = (interval: string) => sql`update rate_buckets set full_at = full_at - ${interval}::interval`
  await passes("59 minutes")
  expect((await takeTokens(sql, [slow])).waitMs).toBeGreaterThan(0)
  await passes("1 minute")
  expect((await takeTokens(sql, [slow])).waitMs).toBe(0)
})

test("of several buckets one that refuses leaves the others as they were", async () => {
  const [wide, narrow] = [bucket(5), bucket(1)]
  expect((await takeTokens(sql, [wide, narrow])).waitMs).toBe(0)
  for (let n = 0; n < 3; n++) expect((await takeTokens(sql, [wide, narrow])).waitMs).toBeGreaterThan(0)
  expect((await takeTokens(sql, [wide])).left).toBe(3)
})

test("callers at once get as many tokens as there are", async () => {
  const [wide, narrow] = [bucket(7), bucket(100)]
  const taken = await Promise.all(Array.from({ length: 30 }, () => takeTokens(sql, [wide, narrow])))
  expect(taken.filter(({ waitMs }) => waitMs === 0)).toHaveLength(7)
  expect((await takeTokens(sql, [narrow])).left).toBe(92)
})

test("any sequence of takes and returns is answered as a bucket in memory answers it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), fc.integer({ min: 1, max: 6 }), async (acts, burst) => {
      const shared = bucket(burst)
      const memory = new BoundedBuckets(shared.rate, 10)
      let open = 0
      for (const takes of acts) {
        if (takes) {
          const expected = memory.take(shared.key, 0)
          const got = await takeTokens(sql, [shared])
          expect([got.waitMs > 0, got.left]).toEqual([expected.waitMs > 0, expected.left])
          if (expected.waitMs === 0) open++
        } else if (open > 0) {
          open--
          memory.giveBack(shared.key)
          await giveBackTokens(sql, [shared])
        }
      }
    }),
    { numRuns: 25 },
  )
})

test("buckets that are full again are forgotten, and no others", async () => {
  const [full, used] = [bucket(1, 1000), bucket(1)]
  await takeTokens(sql, [full])
  await takeTokens(sql, [used])
  await expect.poll(() => forgetFullBuckets(sql, 100)).toBeGreaterThan(0)
  expect((await takeTokens(sql, [used])).waitMs).toBeGreaterThan(0)
})
