/** When a certificate is replaced, and how long is waited after failures. */
import { expect, test } from "vitest"
import { orderRetryMs, renewalAt } from "../../src/certificates/certificates.ts"

const DAY = 86_400_000

test("a certificate of 90 days is replaced between day 55.5 and day 60, and one of six days before the fourth is over", () => {
  expect(renewalAt({ from: 0, to: 90 * DAY }, 0)).toBe(60 * DAY)
  expect(renewalAt({ from: 0, to: 90 * DAY }, 1)).toBe(55.5 * DAY)
  expect(renewalAt({ from: 10 * DAY, to: 16 * DAY }, 0)).toBe(14 * DAY)
})

test("after failures at most four tries fall into the first hour, and later ones are six hours apart", () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((failures) => orderRetryMs(failures, 0) / 60_000)).toEqual([
    1, 10, 30, 60, 360, 360, 360,
  ])
  expect(orderRetryMs(1, 1)).toBe(63_000)
})
