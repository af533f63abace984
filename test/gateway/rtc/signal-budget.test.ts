/** The budget of one connection for signals. */
import { expect, test } from "vitest"
import { SignalBudget } from "../../../src/gateway/rtc/signal-budget.ts"

const KIB = 1024

test("eighty messages at once, and twenty a second after that", () => {
  const budget = new SignalBudget(0)
  for (let n = 0; n < 80; n++) expect(budget.spend(10, 0)).toBe(0)
  expect(budget.spend(10, 0)).toBe(50)
  for (let n = 0; n < 20; n++) expect(budget.spend(10, 1000)).toBe(0)
  expect(budget.spend(10, 1000)).toBeGreaterThan(0)
})

test("160 KiB at once, and 32 a second after that", () => {
  const budget = new SignalBudget(0)
  for (let n = 0; n < 10; n++) expect(budget.spend(16 * KIB, 0)).toBe(0)
  expect(budget.spend(16 * KIB, 0)).toBe(500)
  expect(budget.spend(16 * KIB, 500)).toBe(0)
})

test("a message that is refused costs nothing of either", () => {
  const budget = new SignalBudget(0)
  for (let n = 0; n < 80; n++) budget.spend(1, 0)
  for (let n = 0; n < 100; n++) expect(budget.spend(16 * KIB, 0)).toBeGreaterThan(0)
  expect(budget.spend(16 * KIB, 50)).toBe(0)
})
