import { Result, Schema } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { compact } from "../../src/gateway/event/presence-reports.ts"
import { canonical } from "../../src/gateway/frames/envelopes.ts"
import { RateBudgets } from "../../src/gateway/memory/rate-budgets.ts"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { CommandFrame } from "../../src/protocol/wire/frames.ts"

test("a bucket gives its burst at once, then its rate, and the time of the next token", () => {
  const budgets = new RateBudgets({ ...GATEWAY_DEFAULTS.budgets, commands: { perSecond: 10, burst: 3 } }, 5)
  const spend = (now: number) => budgets.spend("a", "commands", false, now)
  expect([spend(0), spend(0), spend(0)]).toEqual([0, 0, 0])
  expect(spend(0)).toBe(100)
  expect(spend(90)).toBeLessThanOrEqual(11)
  expect(spend(100)).toBe(0)
  expect(budgets.spend("b", "commands", false, 100)).toBe(0)
})

test("staff have five times as much", () => {
  const budgets = new RateBudgets({ ...GATEWAY_DEFAULTS.budgets, commands: { perSecond: 10, burst: 3 } }, 5)
  const waits = Array.from({ length: 16 }, () => budgets.spend("a", "commands", true, 0))
  expect(waits.filter((wait) => wait > 0)).toEqual([20])
})

test("abuse is five times the rate over a window, and forgiven after it", () => {
  const budgets = new RateBudgets({ ...GATEWAY_DEFAULTS.budgets, commands: { perSecond: 1, burst: 1 } }, 5)
  for (let n = 0; n < 50; n++) expect(budgets.isAbuse("a", false, n)).toBe(false)
  expect(budgets.isAbuse("a", false, 60)).toBe(true)
  expect(budgets.isAbuse("a", false, 10_001)).toBe(false)
})

test("equal values have one text whatever the order of their keys", () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, shuffled(inner)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value))
      expect(canonical(shuffled(parsed))).toBe(canonical(parsed))
      expect(JSON.parse(canonical(parsed))).toEqual(parsed)
    }),
  )
})

test("of many presence changes only each one's last remains, in order", () => {
  const leave = (participantId: string) => ({ type: "leave" as const, participantId })
  const join = (participantId: string) => ({
    type: "join" as const,
    participant: { participantId, name: "", role: "viewer" as const, kind: "guest" as const, userId: null },
    connections: [1] as const,
  })
  const acknowledged: string[] = []
  const changes = [join("a"), join("b"), leave("a"), join("a"), leave("b")]
  const entries = changes.map((change, n) => ({
    change,
    acknowledged: n === 1 ? () => void acknowledged.push("b") : undefined,
  }))
  const rest = compact(entries)
  expect(rest.map(({ change }) => change)).toEqual([join("a"), leave("b")])
  // A caller that waits for an overtaken change is answered with the later one.
  for (const entry of rest) entry.acknowledged?.()
  expect(acknowledged).toEqual(["b"])
})

test("a command id that no text column can keep is no command id", () => {
  const decode = Schema.decodeUnknownResult(CommandFrame)
  const isTaken = (id: string) => Result.isSuccess(decode({ op: 3, id, t: "announce", d: {} }))
  expect(["a", "é😀", "x".repeat(64)].every(isTaken)).toBe(true)
  expect(["", "x".repeat(65), "a\u0000b", "x\ud800", "\udc00"].some(isTaken)).toBe(false)
})
