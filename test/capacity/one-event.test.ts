import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { aloneness, framesPerSecond, nodeCores, owningCores, sizeOneEvent } from "../../capacity/one-event.ts"
import { binding, nodesFor, type Resource, shareOf } from "../../capacity/resources.ts"
import { oneEvent, ROUND_COSTS } from "./costs.ts"

const need = (resources: ReadonlyArray<Resource>, name: string): number =>
  resources.find((resource) => resource.name.startsWith(name))?.needs ?? Number.NaN

describe("frames", () => {
  test("dispatches of one tick share a frame: the ticks are 50, 150 and 300 ms by the sockets of the node", () => {
    expect(framesPerSecond(100, 1000)).toBe(20 + 1)
    expect(framesPerSecond(100, 1001)).toBeCloseTo(1000 / 150 + 1)
    expect(framesPerSecond(100, 10_001)).toBeCloseTo(1000 / 300 + 1)
  })

  test("rare dispatches have a frame each", () => {
    expect(framesPerSecond(2, 10_001)).toBe(2 + 1)
  })
})

describe("cores", () => {
  test("of a node: its rest, its sockets, their frames, the commits and the newcomers", () => {
    const inputs = { ...oneEvent, viewers: 1000, dispatches: 2, arriveSeconds: 100, churnPerHour: 0 }
    // 0.02 rest + 500 sockets x (1 us + 3 frames x 5 us) + 2 commits x 1 ms + 5 newcomers, each alone, x 1.3 ms
    expect(nodeCores(inputs, ROUND_COSTS, 2)).toBeCloseTo(0.02 + 0.008 + 0.002 + 0.0065)
  })

  test("of the owner: newcomers cost it little where a report has several of them, and much where each has one", () => {
    const inputs = { ...oneEvent, viewers: 100_000, dispatches: 0, arriveSeconds: 100 }
    // 1,000 newcomers a second: of 2 nodes 5 in a report of 10 ms, of 20 nodes 0.5
    expect(owningCores(inputs, ROUND_COSTS, 2)).toBeCloseTo(0.02)
    expect(owningCores(inputs, ROUND_COSTS, 20)).toBeCloseTo(0.52)
    expect(owningCores(inputs, ROUND_COSTS, 200)).toBeCloseTo(0.52)
    // every 100 ms: 5 in a report of 20 nodes
    expect(owningCores({ ...inputs, gatherMs: 100 }, ROUND_COSTS, 20)).toBeCloseTo(0.02)
  })

  test("between one newcomer and ten thirds in a report, the cost falls with their number", () => {
    expect(aloneness({ gatherMs: 10 }, 50)).toBe(1)
    expect(aloneness({ gatherMs: 10 }, 200)).toBeCloseTo((0.5 - 0.3) / 0.7)
    expect(aloneness({ gatherMs: 10 }, 1000)).toBe(0)
  })
})

describe("the answer", () => {
  test("of a hundred thousand viewers, by hand", () => {
    const inputs = { ...oneEvent, viewers: 100_000, dispatches: 2, arriveSeconds: 1000, churnPerHour: 0 }
    const { nodes, resources } = sizeOneEvent(inputs, ROUND_COSTS)
    // A socket needs 1 us + 3 frames x 5 us = 16 us a second: 1.6 cores in all. With 3 serving nodes a node needs
    // 0.02 + 0.533 + 0.002 + 33.3 x 1.3 ms = 0.598 cores, just below 0.6; one more may be lost.
    expect(nodes).toBe(4)
    expect(need(resources, "cores of a node")).toBeCloseTo(0.5987, 3)
    expect(need(resources, "messages into NATS")).toBe(3)
    expect(need(resources, "messages out of NATS")).toBe(9)
    expect(need(resources, "connections")).toBe(44)
    // 4 nodes x 5 ms + 100,000 sockets x 1 us + 2 commits x 1 ms + 100 newcomers x 0.1 ms + 10 ms for presence
    expect(need(resources, "cores of PostgreSQL")).toBeCloseTo(0.142)
    expect(need(resources, "heap of the owner")).toBeCloseTo(80e6 / 1024 ** 3)
    // 100,000 x 20 us
    expect(need(resources, "seconds until")).toBeCloseTo(2)
  })

  test("more viewers never need less of anything", () => {
    const viewers = fc.integer({ min: 1, max: 2_000_000 })
    fc.assert(
      fc.property(viewers, viewers, (a, b) => {
        const [fewer, more] = [Math.min(a, b), Math.max(a, b)]
        const [small, large] = [fewer, more].map((count) => sizeOneEvent({ ...oneEvent, viewers: count }, ROUND_COSTS))
        expect(large?.nodes).toBeGreaterThanOrEqual(small?.nodes ?? 0)
        for (const name of ["cores of PostgreSQL", "heap of the owner", "cores of the owner", "messages out of NATS"]) {
          expect(need(large?.resources ?? [], name)).toBeGreaterThanOrEqual(need(small?.resources ?? [], name) - 1e-9)
        }
      }),
    )
  })

  test("participants in the owner's heap are linear in the viewers, and messages into NATS do not depend on them", () => {
    const [one, two] = [200_000, 400_000].map(
      (viewers) => sizeOneEvent({ ...oneEvent, viewers }, ROUND_COSTS).resources,
    )
    expect(need(two ?? [], "heap of the owner")).toBeCloseTo(2 * need(one ?? [], "heap of the owner"))
    expect(need(two ?? [], "messages into NATS")).toBe(need(one ?? [], "messages into NATS"))
  })

  test("names the resource of which the largest share is needed", () => {
    const answer = sizeOneEvent({ ...oneEvent, databaseConnections: 1 }, ROUND_COSTS)
    expect(binding(answer)?.name).toBe("connections to PostgreSQL")
  })
})

test("the least number of nodes is one more than what serves, so that one may be lost", () => {
  expect(nodesFor((serving) => 10 / serving)).toBe(11)
  expect(nodesFor(() => 0.1)).toBe(2)
})

test("a resource without a limit does not bind", () => {
  expect(shareOf({ name: "commits", needs: 5, unit: "1/s" })).toBe(0)
})
