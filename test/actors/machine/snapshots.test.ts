/** Snapshots of the chart are shared by their values, and never mixed up, however many there are. */
import { expect, test } from "vitest"
import type { StateValue } from "xstate"
import { MOST_SHARED, sharedSnapshot } from "../../../src/actors/machine/snapshots.ts"

const STATES = {
  phase: ["none", "untimed", "running", "elapsed"],
  door: ["none", "open", "ask", "shut"],
  rooms: ["closed", "open", "closing"],
  broadcast: ["off", "idle", "live", "paused", "ended"],
  hosts: ["here", "away", "unattended"],
  capture: ["off", "on"],
}

/** Every combination of these states. */
const liveValues = (): ReadonlyArray<{ readonly live: { readonly [region: string]: string } }> =>
  Object.entries(STATES)
    .reduce<ReadonlyArray<{ readonly [region: string]: string }>>(
      (values, [region, states]) => values.flatMap((value) => states.map((state) => ({ ...value, [region]: state }))),
      [{ presence: "list", rotation: "idle" }],
    )
    .map((live) => ({ live }))

test("events in the same state share one snapshot, in whatever order its regions are named", () => {
  const [one, other] = liveValues()
  if (one === undefined || other === undefined) expect.fail()
  const backwards = { live: Object.fromEntries(Object.entries(one.live).toReversed()) }
  expect(sharedSnapshot(backwards)).toBe(sharedSnapshot(one))
  expect(sharedSnapshot(other)).not.toBe(sharedSnapshot(one))
})

test("more values than are shared at a time have each their own snapshot", () => {
  const values = liveValues()
  expect(values.length).toBeGreaterThan(MOST_SHARED)
  for (const value of [...values, ...values.slice(0, 10)]) expect(sharedSnapshot(value).value).toEqual(value)
})

test("what is no value of the chart has no snapshot, the second time as the first", () => {
  const values: ReadonlyArray<StateValue> = ["finished", { live: { phase: "over" } }]
  for (const value of [...values, ...values]) expect(() => sharedSnapshot(value)).toThrow()
})
