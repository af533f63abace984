import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { followersOf, nodesCores, sizeManyEvents } from "../../capacity/many-events.ts"
import type { Resource } from "../../capacity/resources.ts"
import { manyEvents, ROUND_COSTS } from "./costs.ts"

const need = (resources: ReadonlyArray<Resource>, name: string): number =>
  resources.find((resource) => resource.name.startsWith(name))?.needs ?? Number.NaN

describe("nodes that follow an event", () => {
  test("are those with at least one of its people", () => {
    expect(followersOf({ ...manyEvents, people: 1 }, 10)).toBeCloseTo(1)
    // Two people on two nodes are on one node half of the time.
    expect(followersOf({ ...manyEvents, people: 2 }, 2)).toBeCloseTo(1.5)
  })

  test("are at most the nodes and at most the people", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 500 }), (people, serving) => {
        const followers = followersOf({ ...manyEvents, people }, serving)
        expect(followers).toBeLessThanOrEqual(Math.min(people, serving) + 1e-6)
        expect(followers).toBeGreaterThanOrEqual(1 - 1e-6)
      }),
    )
  })

  test("are one where the load balancer keeps the people of an event together", () => {
    expect(followersOf({ ...manyEvents, together: 1 }, 50)).toBe(1)
  })
})

describe("cores", () => {
  test("of one node that serves ten events of two people, by hand", () => {
    const inputs = { ...manyEvents, events: 10, people: 2, commandsPerMinute: 60, arriveSeconds: 20 }
    // 10 commands and 1 newcomer a second: 11 commits, each with two frames; no other node.
    const expected = 0.02 + 10 * 1e-6 + 20 * 1e-6 + 10 * 2e-6 + 11 * 0.002 + 22 * 5e-6 + (0.0013 + 0.00052)
    expect(nodesCores(inputs, ROUND_COSTS, 1)).toBeCloseTo(expected)
  })

  test("grow with the nodes, because more of them follow each event", () => {
    expect(nodesCores(manyEvents, ROUND_COSTS, 100)).toBeGreaterThan(nodesCores(manyEvents, ROUND_COSTS, 10))
  })
})

describe("the answer", () => {
  test("is linear in the events where it should be", () => {
    const at = (events: number) => sizeManyEvents({ ...manyEvents, events, together: 1 }, ROUND_COSTS).resources
    const [one, two] = [at(20_000), at(40_000)]
    for (const name of ["commits", "messages into NATS"]) expect(need(two, name)).toBeCloseTo(2 * need(one, name))
  })

  test("more events or people never need fewer nodes", () => {
    const count = fc.integer({ min: 10, max: 20_000 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 1, max: 50 }), (a, b, people) => {
        const nodesOf = (events: number, each: number): number =>
          sizeManyEvents({ ...manyEvents, events, people: each }, ROUND_COSTS).nodes
        expect(nodesOf(Math.max(a, b), people)).toBeGreaterThanOrEqual(nodesOf(Math.min(a, b), people))
        expect(nodesOf(a, people + 5)).toBeGreaterThanOrEqual(nodesOf(a, people))
      }),
      { numRuns: 50 },
    )
  })

  test("keeping the people of an event together needs fewer nodes and fewer copies", () => {
    const apart = sizeManyEvents(manyEvents, ROUND_COSTS)
    const together = sizeManyEvents({ ...manyEvents, together: 1 }, ROUND_COSTS)
    expect(together.nodes).toBeLessThan(apart.nodes)
    expect(need(together.resources, "messages out")).toBeLessThan(need(apart.resources, "messages out"))
  })
})
