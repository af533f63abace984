/** How long an operator waits for an email or a webhook on trial. The timers of this process are moved on; sockets are real. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { Effect, Redacted } from "effect"
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { Egress } from "../../src/egress/egress.ts"
import { testEmail } from "../../src/mail/emails.ts"
import { trySending } from "../../src/mail/smtp.ts"
import { answerDeadlines } from "../../src/model/limits/answer-deadlines.ts"
import { tryWebhook } from "../../src/webhooks/trial.ts"
import { startReceiver } from "../support/http-receiver.ts"

const MAIL_MS = 15_000
const WEBHOOK_MS = 10_000

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

/** Expects that the work goes on until so much time has passed, and no longer. */
const resultAfter = async <A>(ms: number, work: Promise<A>): Promise<A> => {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(ms - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  // Time in which this process stood still is given back once, up to the deadline.
  if (!isOver) await vi.advanceTimersByTimeAsync(ms)
  return work
}

test("a mail server that says nothing after its greeting is waited for 15 seconds", async () => {
  const mute = createServer((socket) => {
    socket.write("220 mute.example.com ESMTP\r\n")
    socket.once("data", () => mute.emit("spoken"))
  })
  mute.listen(0, "127.0.0.1")
  await once(mute, "listening")
  onTestFinished(() => void mute.close())
  const { port } = mute.address() as AddressInfo
  const letter = testEmail("ada@example.com", "https://events.example.com")
  const sending = trySending(Redacted.make(`smtp://127.0.0.1:${port}`), "ops@example.com", letter)
  await once(mute, "spoken")
  expect(await resultAfter(MAIL_MS, sending)).toBe(
    `The mail server 127.0.0.1:${port} did not take the email (no answer within 15 seconds).`,
  )
})

test("a receiver that never answers is waited for 10 seconds, and its connection is closed", async () => {
  const receiver = await startReceiver(() => {})
  const trying = Effect.runPromise(
    Effect.provide(tryWebhook(`${receiver.url}/hook`), Egress.layer({ allowLoopback: true })),
  )
  await receiver.count(1)
  expect(await resultAfter(WEBHOOK_MS, trying)).toMatchObject({
    status: null,
    problem: "The address could not be called (timeout: No complete answer within 10000 ms.).",
  })
  await vi.waitFor(() => expect(receiver.open()).toBe(0))
})

test.each([500, 5_000, 60_000])(
  "with a database deadline of %i ms the request waits longer than both",
  (deadlineMs) => {
    expect(answerDeadlines(deadlineMs, null).requestMs).toBeGreaterThan(Math.max(MAIL_MS, WEBHOOK_MS))
  },
)
