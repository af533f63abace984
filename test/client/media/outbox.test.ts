/** Signals to one peer: in order, gathered, repeated while the peer is away, and forgotten when a new connection begins. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { CommandRefused } from "../../../packages/client/src/connection/pending-commands.ts"
import { Outbox, type Signal } from "../../../packages/client/src/media/outbox.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server that answers when the test says so. */
const open = () => {
  const sent: Signal[] = []
  const waiting: Array<{ readonly resolve: () => void; readonly reject: (cause: Error) => void }> = []
  const outbox = new Outbox("peer", (signal) => {
    sent.push(signal)
    return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
  })
  const accept = async () => {
    waiting.shift()?.resolve()
    await vi.advanceTimersByTimeAsync(0)
  }
  const refuse = async (code: "unavailable" | "not_found", retryAfterMs?: number) => {
    const more = retryAfterMs === undefined ? {} : { temporary: true, retryAfterMs }
    waiting.shift()?.reject(new CommandRefused({ code, message: code, ...more }))
    await vi.advanceTimersByTimeAsync(0)
  }
  return { outbox, sent, accept, refuse }
}

const candidate = (n: number) => ({ candidate: `candidate:${n}`, sdpMid: "0" })

test("each signal waits for the one before it", async () => {
  const { outbox, sent, accept } = open()
  outbox.describe("offer", "v=0", 0)
  outbox.describe("answer", "v=1", 0)
  expect(sent).toEqual([{ to: "peer", kind: "offer", data: "v=0", gen: 0 }])
  await accept()
  expect(sent).toHaveLength(2)
})

test("candidates are gathered for thirty milliseconds, sixteen at most", async () => {
  const { outbox, sent, accept } = open()
  for (let n = 0; n < 3; n++) outbox.candidate(candidate(n), 2)
  expect(sent).toEqual([])
  await vi.advanceTimersByTimeAsync(30)
  expect(sent).toEqual([
    { to: "peer", kind: "candidates", gen: 2, data: [0, 1, 2].map((n) => JSON.stringify(candidate(n))) },
  ])
  await accept()
  for (let n = 0; n < 17; n++) outbox.candidate(candidate(n), 2)
  expect(sent[1]?.data).toHaveLength(16)
  await accept()
  await vi.advanceTimersByTimeAsync(30)
  expect(sent[2]?.data).toHaveLength(1)
})

test("a signal to a peer that is away is sent again after the given time, and those after it wait", async () => {
  const { outbox, sent, accept, refuse } = open()
  outbox.describe("offer", "v=0", 0)
  outbox.describe("answer", "v=1", 0)
  await refuse("unavailable", 1000)
  await vi.advanceTimersByTimeAsync(999)
  expect(sent).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(sent.map(({ data }) => data)).toEqual(["v=0", "v=0"])
  await accept()
  expect(sent.at(-1)?.data).toBe("v=1")
})

test("a signal that is refused for good is dropped, and the next one follows", async () => {
  const { outbox, sent, refuse } = open()
  outbox.describe("offer", "v=0", 0)
  outbox.describe("offer", "v=1", 1)
  await refuse("not_found")
  expect(sent.map(({ data }) => data)).toEqual(["v=0", "v=1"])
})

test("after it was cleared nothing of before is sent, and no timer is left", async () => {
  const { outbox, sent, refuse } = open()
  outbox.describe("offer", "v=0", 0)
  outbox.describe("answer", "v=1", 0)
  outbox.candidate(candidate(0), 0)
  outbox.clear()
  await refuse("unavailable", 10)
  await vi.advanceTimersByTimeAsync(1000)
  expect([sent.length, vi.getTimerCount()]).toEqual([1, 0])
  outbox.describe("offer", "v=2", 1)
  expect(sent.at(-1)?.data).toBe("v=2")
})

test("what the server would refuse for its size is not sent", () => {
  const { outbox, sent } = open()
  expect(outbox.describe("offer", "x".repeat(12_289), 0)).toBe(false)
  outbox.candidate({ candidate: "c".repeat(600) }, 0)
  expect([sent, vi.getTimerCount()]).toEqual([[], 0])
})
