import fc from "fast-check"
import { expect, test } from "vitest"
import { fitPlane } from "../../capacity/fit.ts"

test("a plane is found from exact points, whatever its coefficients", () => {
  const cost = fc.integer({ min: 1, max: 1000 })
  fc.assert(
    fc.property(cost, cost, (a, b) => {
      const xs = [
        [1, 2],
        [3, 1],
        [10, 40],
      ] as const
      const [foundA, foundB] = fitPlane(xs.map((x) => ({ x, y: a * x[0] + b * x[1] })))
      expect(foundA).toBeCloseTo(a, 4)
      expect(foundB).toBeCloseTo(b, 4)
    }),
  )
})

test("a cost is never negative: one that would be is left out, and the other is fitted alone", () => {
  const [fixed, each] = fitPlane([
    { x: [1, 10], y: 8 },
    { x: [1, 20], y: 21 },
  ])
  expect(fixed).toBe(0)
  expect(each).toBeGreaterThan(0.8)
  expect(each).toBeLessThan(1.05)
})

test("relative errors count alike: a large point does not drown a small one", () => {
  const [, each] = fitPlane([
    { x: [0, 1], y: 1 },
    { x: [0, 1000], y: 2000 },
  ])
  // The least squares of absolute errors give 2.00.
  expect(each).toBeCloseTo(1.2, 1)
})
