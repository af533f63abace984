import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { calibrate } from "../../capacity/calibration.ts"
import { compareAll, errorOf } from "../../capacity/check.ts"
import { COST_NOTES, type Costs } from "../../capacity/costs.ts"
import type { Measured } from "../../capacity/measured.ts"

const MOST_ERROR = 0.2

const measured = JSON.parse(readFileSync(new URL("../../capacity/measured.json", import.meta.url), "utf8")) as Measured

describe("the measurements that are committed", () => {
  test.each(compareAll(measured).map((one) => [one.what, one] as const))("are predicted: %s", (_, comparison) => {
    expect(errorOf(comparison)).toBeLessThanOrEqual(MOST_ERROR)
  })

  test("are of three sizes of each kind", () => {
    expect(measured.fanOut).toHaveLength(3)
    expect(new Set(measured.commands.map(({ perSecond }) => perSecond)).size).toBe(3)
    expect(new Set(measured.joins.map(({ joins }) => joins)).size).toBe(4)
  })

  test("give every cost, none of them negative, within sizes that its unit makes likely", () => {
    const costs = calibrate(measured)
    expect(Object.keys(costs).sort()).toEqual(Object.keys(COST_NOTES).sort())
    for (const [name, value] of Object.entries(costs)) {
      const { unit } = COST_NOTES[name as keyof Costs]
      expect(value, name).toBeGreaterThanOrEqual(0)
      // Bytes are whole ones at least; a CPU second for one of anything would be an error of the unit.
      if (unit === "bytes") expect(value, name).toBeGreaterThan(1)
      else expect(value, name).toBeLessThan(0.1)
    }
  })
})
