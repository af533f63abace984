/** Which nodes are gone, from one look at the database to the next. */
import { expect, test } from "vitest"
import { type GoneNode, NodeMembership } from "../../src/cluster/membership.ts"
import { openJumpingClock } from "../support/jumping-clock.ts"

const LOST_MS = 6000

const open = () => {
  const clock = openJumpingClock()
  const membership = new NodeMembership(clock.timers, LOST_MS)
  const gone: GoneNode[] = []
  const silence = membership.onGone((node) => gone.push(node))
  const seen = (...nodes: ReadonlyArray<string>) =>
    membership.seen(new Map(nodes.map((node) => [node, `${node}.internal:4000`])))
  return { clock, membership, gone, seen, silence }
}

test("a node that is not seen any more is gone, once", () => {
  const { membership, gone, seen, silence } = open()
  expect(membership.size).toBe(1)
  seen("a", "b", "c")
  expect(membership.size).toBe(3)
  seen("a", "c")
  seen("a", "c")
  expect(gone).toEqual([{ node: "b", address: "b.internal:4000" }])
  silence()
  seen("a")
  expect([gone.length, membership.size]).toEqual([1, 1])
})

test("a node that reports people before it is seen has time to show up", () => {
  const { clock, membership, gone, seen } = open()
  seen("a")
  membership.heardFrom("b")
  seen("a")
  clock.jump(LOST_MS - 1)
  seen("a", "b")
  clock.jump(2 * LOST_MS)
  seen("a", "b")
  expect(gone).toEqual([])
})

test("a node that reports people after it was given up is given up again", () => {
  const { clock, membership, gone, seen } = open()
  seen("a", "b")
  seen("a")
  membership.heardFrom("b")
  seen("a")
  expect(gone).toHaveLength(1)
  clock.jump(LOST_MS)
  seen("a")
  expect(gone).toEqual([
    { node: "b", address: "b.internal:4000" },
    { node: "b", address: null },
  ])
})
