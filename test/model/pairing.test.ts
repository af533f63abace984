import fc from "fast-check"
import { expect, test } from "vitest"
import { completePairing } from "../../src/model/pairing/maximum-matching.ts"
import { repair } from "../../src/model/pairing/pair-repair.ts"
import { Pairing } from "../../src/model/pairing/pairing.ts"
import { pairAgain } from "../../src/model/pairing/repeat-pairs.ts"

type Edge = readonly [number, number]

/** `edges`: who may be paired; `paired`: who is, to begin with. */
const pairingOf = (size: number, edges: ReadonlyArray<Edge>, paired: ReadonlyArray<Edge> = []) => {
  const allowed = new Set(edges.filter(([a, b]) => a !== b).flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]))
  const pairing = new Pairing(size, (a, b) => allowed.has(`${a} ${b}`))
  for (const [a, b] of paired) pairing.pair(a, b)
  return pairing
}

/** A row in which each may be paired with the next, and all but the two at the ends are. */
const row = (size: number) => {
  const edges = Array.from({ length: size - 1 }, (_, at) => [at, at + 1] as const)
  return pairingOf(
    size,
    edges,
    edges.filter(([at]) => at % 2 === 1),
  )
}

test("repair goes through one pair or two, and the exact search through as many as it takes", () => {
  for (const size of [4, 6]) {
    const pairing = row(size)
    repair(pairing)
    expect(pairing.free()).toEqual([])
  }
  const longer = row(12)
  repair(longer)
  expect(longer.free()).toEqual([0, 11])
  completePairing(longer)
  expect([...longer.pairs()]).toEqual([0, 2, 4, 6, 8, 10].map((at) => [at, at + 1]))
})

/** People who each have met fewer than half of everybody: of `seen`, the meetings that nobody's limit forbids. */
const metAtMostHalf = (size: number, seen: ReadonlyArray<Edge>) => {
  const met = Array.from({ length: size }, (_, person) => new Set([person]))
  for (const [a, b] of seen) {
    const sides = [met[a % size], met[b % size]]
    if (sides.some((side) => (side?.size ?? 0) >= size / 2)) continue
    sides[0]?.add(b % size)
    sides[1]?.add(a % size)
  }
  return met
}

test("repair alone pairs everybody when each may be paired with half of the others", () => {
  const meetings = fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 900 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), meetings, fc.nat(10), (half, seen, begun) => {
      const size = 2 * half
      const met = metAtMostHalf(size, seen)
      const pairing = new Pairing(size, (a, b) => met[a]?.has(b) === false)
      for (let a = 0; a < Math.min(begun, size); a++) {
        const b = pairing.free().find((other) => pairing.mayPair(a, other))
        if (pairing.isFree(a) && b !== undefined) pairing.pair(a, b)
      }
      repair(pairing)
      expect(pairing.free()).toEqual([])
      for (const [a, b] of pairing.pairs()) expect(pairing.mayPair(a, b)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test("a pairing is completed to the largest there is, from wherever it begins", () => {
  const edges = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 18 })
  fc.assert(
    fc.property(edges, fc.nat(4), (edges, begun) => {
      const pairing = pairingOf(9, edges)
      for (const [a, b] of edges.slice(0, begun)) {
        if (a !== b && pairing.isFree(a) && pairing.isFree(b)) pairing.pair(a, b)
      }
      const most = (free: ReadonlyArray<number>): number => {
        const [first, ...rest] = free
        if (first === undefined) return 0
        const mates = rest.filter((other) => pairing.mayPair(first, other))
        return Math.max(most(rest), ...mates.map((mate) => 1 + most(rest.filter((other) => other !== mate))))
      }
      completePairing(pairing)
      const found = [...pairing.pairs()]
      expect(found.length).toBe(most([...pairing.mateOf.keys()]))
      for (const [a, b] of found) expect([pairing.mayPair(a, b), pairing.mate(b)]).toEqual([true, a])
    }),
    { numRuns: 3000 },
  )
})

test("of those who must meet again, the ones who met longest ago do, in a large round too", () => {
  const pairing = new Pairing(600, () => false)
  for (let person = 4; person < 600; person += 2) pairing.pair(person, person + 1)
  const rounds = new Map([
    ["0 1", 7],
    ["0 2", 3],
    ["0 3", 9],
    ["1 2", 8],
    ["1 3", 4],
    ["2 3", 6],
  ])
  pairAgain(pairing, (a, b) => rounds.get(`${a} ${b}`) ?? rounds.get(`${b} ${a}`) ?? 1)
  expect([pairing.mate(0), pairing.mate(1)]).toEqual([2, 3])
})
