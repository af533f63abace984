import fc from "fast-check"
import { expect, test } from "vitest"
import { AddressBuckets, BoundedBuckets } from "../../src/model/limits/bounded-buckets.ts"

const taken = (buckets: BoundedBuckets | AddressBuckets, key: string, times: number, now = 0): number =>
  Array.from({ length: times }, () => buckets.take(key, now)).filter(({ waitMs }) => waitMs === 0).length

test("a bucket gives its burst at once, then its rate, the tokens left and the time when it is full", () => {
  const buckets = new BoundedBuckets({ perSecond: 2, burst: 5 }, 10)
  expect(buckets.take("key", 0)).toEqual({ waitMs: 0, left: 4, fullInMs: 500 })
  expect(taken(buckets, "key", 10)).toBe(4)
  expect(buckets.take("key", 0)).toEqual({ waitMs: 500, left: 0, fullInMs: 2500 })
  expect(taken(buckets, "key", 10, 1_000)).toBe(2)
  expect(taken(buckets, "other", 10)).toBe(5)
  buckets.giveBack("key")
  buckets.giveBack("nobody")
  expect(taken(buckets, "key", 10, 1_000)).toBe(1)
})

test("several at once are taken whole or not at all", () => {
  const buckets = new BoundedBuckets({ perSecond: 1, burst: 10 }, 10)
  expect(buckets.take("key", 0, 8).waitMs).toBe(0)
  expect(buckets.take("key", 0, 8).waitMs).toBe(6_000)
  expect(buckets.take("key", 0, 2)).toMatchObject({ waitMs: 0, left: 0 })
})

test("over any time no more is given than the burst and the rate, and a clock that goes back gives nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 400 }), { maxLength: 200 }), (steps) => {
      const buckets = new BoundedBuckets({ perSecond: 10, burst: 4 }, 10)
      let now = 0
      let highest = 0
      let given = 0
      let forward = 0
      for (const step of steps) {
        forward += Math.max(0, step)
        now += step
        highest = Math.max(highest, now)
        if (buckets.take("key", now).waitMs === 0) given++
        expect(given).toBeLessThanOrEqual(4 + forward / 100 + 1e-6)
      }
    }),
  )
})

test("a clock that goes back takes nothing away either", () => {
  const buckets = new BoundedBuckets({ perSecond: 10, burst: 4 }, 10)
  expect(buckets.take("key", 10_000)).toMatchObject({ waitMs: 0, left: 3 })
  expect(buckets.take("key", 0)).toMatchObject({ waitMs: 0, left: 2 })
  expect(buckets.take("key", 100)).toMatchObject({ waitMs: 0, left: 2 })
})

test("a bucket holds its burst at most, however much is given back", () => {
  const buckets = new BoundedBuckets({ perSecond: 0.001, burst: 3 }, 10)
  expect(taken(buckets, "key", 1)).toBe(1)
  for (let n = 0; n < 5; n++) buckets.giveBack("key")
  expect(taken(buckets, "key", 10)).toBe(3)
})

test("the key used longest ago is forgotten, and one that is still used is not", () => {
  const buckets = new BoundedBuckets({ perSecond: 0.001, burst: 1 }, 3)
  for (const key of ["a", "b", "c"]) expect(taken(buckets, key, 1)).toBe(1)
  expect(taken(buckets, "a", 1)).toBe(0)
  expect(taken(buckets, "d", 1)).toBe(1)
  // "b" had to go for "d"; "a" had been used after it.
  expect([taken(buckets, "a", 1), taken(buckets, "b", 1)]).toEqual([0, 1])
  expect(buckets.size).toBe(3)
})

test("a hundred thousand made-up keys leave no more than are kept", () => {
  const buckets = new BoundedBuckets({ perSecond: 1, burst: 1 }, 7_000)
  for (let n = 0; n < 100_000; n++) buckets.take(`${"x".repeat(250)}${n}`, n)
  expect(buckets.size).toBe(7_000)
})

test("a /48 that has used up its own makes no buckets for its other /64s, and so makes nobody forgotten", () => {
  const buckets = new AddressBuckets({ perSecond: 0.001, burst: 1 }, 20)
  expect(taken(buckets, "192.0.2.1", 1)).toBe(1)
  for (let site = 0; site < 500; site++) buckets.take(`2001:470:1:${site.toString(16)}::/64`, 0)
  expect(taken(buckets, "192.0.2.1", 1)).toBe(0)
})

test("a /64 that has used up its own takes nothing from its /48", () => {
  const buckets = new AddressBuckets({ perSecond: 0.001, burst: 1 }, 100)
  taken(buckets, "2001:470:1:0::/64", 100)
  const others = Array.from({ length: 15 }, (_, site) => `2001:470:1:${(site + 1).toString(16)}::/64`)
  expect(others.map((site) => taken(buckets, site, 1))).toEqual(others.map(() => 1))
})

test("the /64s of a /48 share sixteen times the limit of one, for any text behind the address in the key", () => {
  const buckets = new AddressBuckets({ perSecond: 0.001, burst: 3 }, 1_000)
  const sites = Array.from({ length: 40 }, (_, site) => `2001:470:1:${site.toString(16)}::/64 somebody`)
  const bySite = sites.map((site) => taken(buckets, site, 5))
  expect(bySite).toEqual(sites.map((_, site) => (site < 16 ? 3 : 0)))
  expect(taken(buckets, "2001:470:1:0::/64 another", 5)).toBe(3)
  expect(taken(buckets, "192.0.2.1 somebody", 5)).toBe(3)
  buckets.giveBack("192.0.2.1 somebody")
  expect(taken(buckets, "192.0.2.1 somebody", 5)).toBe(1)
})
