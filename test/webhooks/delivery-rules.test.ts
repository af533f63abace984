/** Rules of deliveries: answers that are tried again, delays, slots and signatures. */

import { createHmac } from "node:crypto"
import { Effect, Scope } from "effect"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { EgressFailed } from "../../src/egress/egress.ts"
import { EgressRefused } from "../../src/model/integrations/egress-target.ts"
import type { Database } from "../../src/store/database.ts"
import type { EndpointTarget } from "../../src/store/webhooks/webhook-deliveries.ts"
import { newSigningSecret } from "../../src/store/webhooks/webhook-registration.ts"
import { classifyFailure, classifyStatus } from "../../src/webhooks/classify.ts"
import { makeSlots } from "../../src/webhooks/concurrency-slots.ts"
import { makeEndpointWatch } from "../../src/webhooks/endpoint-watch.ts"
import { JITTER, nextDelayMs, retryAfterMs } from "../../src/webhooks/retry-policy.ts"
import { SIGNATURE_WINDOW_SECONDS, signatureHeaders, verifySignature } from "../../src/webhooks/signature.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

test.each([
  [200, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [300, "rejected"],
  [301, "rejected"],
  [308, "rejected"],
  [400, "rejected"],
  [408, "retry"],
  [410, "rejected"],
  [425, "retry"],
  [429, "retry"],
  [499, "rejected"],
  [500, "retry"],
  [503, "retry"],
  [599, "retry"],
])("status %i is %s", (status, kind) => {
  expect(classifyStatus(status, undefined, 0)).toMatchObject({ kind, status })
})

test("only 410 says that the receiver is gone", () => {
  for (let status = 200; status < 600; status++) {
    expect(classifyStatus(status, undefined, 0).isGone === true, String(status)).toBe(status === 410)
  }
})

test("Retry-After counts with every status that is tried again, and with no other", () => {
  for (const status of [408, 425, 429, 500, 503]) expect(classifyStatus(status, "7", 0).afterMs).toBe(7_000)
  for (const status of [200, 301, 404, 410]) expect(classifyStatus(status, "7", 0).afterMs).toBeUndefined()
})

test.each(["timeout", "dns", "connect", "tls", "protocol"] as const)("a %s failure is tried again", (reason) => {
  expect(classifyFailure(new EgressFailed({ reason, detail: "x" }))).toEqual({
    kind: "retry",
    status: null,
    error: reason,
    detail: `${reason}: x`,
  })
})

test("a target that may not be called is rejected", () => {
  expect(classifyFailure(new EgressRefused({ detail: "x" }))).toMatchObject({
    kind: "rejected",
    status: null,
    error: "refused",
  })
})

test("one endpoint gets an eighth of the slots, and at least one", () => {
  expect(makeSlots(64).perEndpoint).toBe(8)
  expect(makeSlots(1).perEndpoint).toBe(1)
})

test("slots are counted as a whole and by endpoint", () => {
  const slots = makeSlots(16)
  for (const endpoint of ["a", "a", "b"]) slots.take(endpoint)
  expect(slots.free()).toBe(13)
  expect([...slots.busy()]).toEqual([
    ["a", 2],
    ["b", 1],
  ])
  expect(slots.leave("a")).toBe(false)
  expect(slots.leave("a")).toBe(true)
  expect(slots.leave("b")).toBe(true)
  expect(slots.free()).toBe(16)
  expect(slots.busy().size).toBe(0)
})

test("the faster an endpoint answers, the longer its runs are, while it has a slot", () => {
  const slots = makeSlots(64)
  const runAfter = (ms: number) => {
    slots.answered("a", ms)
    return slots.runLengths().get("a")
  }
  expect(runAfter(5)).toBeUndefined()
  slots.take("a")
  expect([9_000, 251, 100, 10, 3, 0.4].map(runAfter)).toEqual([1, 1, 2, 25, 64, 64])
  slots.leave("a")
  expect(slots.runLengths().size).toBe(0)
})

test("an endpoint that answers slowly keeps one place until it answers fast", () => {
  const slots = makeSlots(64)
  slots.answered("slow", 10_000)
  expect(slots.perEndpoint - (slots.busy().get("slow") ?? 0)).toBe(1)
  // It has no slot between its runs.
  slots.take("slow")
  slots.leave("slow")
  expect(slots.runLengths().get("slow")).toBe(1)
  slots.answered("slow", 20)
  expect(slots.runLengths().size).toBe(0)
  expect(slots.busy().get("slow") ?? 0).toBe(0)
})

const targetAt = (url: string) => ({ url }) as EndpointTarget

test("the newest look at an endpoint is believed, whatever order looks come back in, and for a moment only", async () => {
  const { timers, pass } = await openVirtualTime()
  const stored = targetAt("https://example.com/stored")
  const database = { run: () => Effect.succeed(new Map([["endpoint", stored]])) } as unknown as Database["Service"]
  const watch = makeEndpointWatch(timers, database, (effect) => Effect.orDie(effect), Scope.makeUnsafe())
  const target = () => Effect.runPromise(watch.target("endpoint"))
  await pass(100)
  const [older, newer] = [targetAt("https://example.com/older"), targetAt("https://example.com/newer")]
  watch.seen("endpoint", newer, timers.elapsed())
  // A claim that began earlier.
  watch.seen("endpoint", older, timers.elapsed() - 10)
  expect(await target()).toBe(newer)
  await pass(24)
  expect(await target()).toBe(newer)
  await pass(1)
  expect(await target()).toBe(stored)
})

const delays = { min: 0, max: 604_800_000 }
const schedule = fc.array(fc.integer(delays), { maxLength: 30 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test("each delay is the scheduled one, stretched by less than a fifth", () => {
  fc.assert(
    fc.property(schedule, fc.integer(delays), random, (before, scheduled, chance) => {
      const delay = nextDelayMs([...before, scheduled], before.length + 1, chance)
      expect(delay).toBeGreaterThanOrEqual(scheduled)
      expect(delay).toBeLessThanOrEqual(scheduled * (1 + JITTER))
    }),
  )
})

test("a schedule of n delays allows n retries and no more", () => {
  fc.assert(
    fc.property(schedule, random, (delays, chance) => {
      const retries = Array.from({ length: 40 }, (_, index) => nextDelayMs(delays, index + 1, chance))
      expect(retries.filter((delay) => delay !== undefined)).toHaveLength(delays.length)
    }),
  )
})

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37)
const HOUR = 3_600_000

test.each<[string | undefined, number]>([
  [undefined, 0],
  ["", 0],
  ["0", 0],
  ["2", 2_000],
  [" 120 ", 120_000],
  ["3600", HOUR],
  ["3601", HOUR],
  ["9".repeat(400), HOUR],
  ["-5", 0],
  ["1.5", 0],
  ["1e3", 0],
  ["0x10", 0],
  ["soon", 0],
  ["2, 3", 0],
  ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:50:37 GMT", 60_000],
  ["Sun Nov  6 08:50:37 1994", 60_000],
  ["Sun, 06 Nov 1994 08:49:36 GMT", 0],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["Tue, 19 Jan 2038 03:14:08 GMT", HOUR],
  ["Fri, 31 Dec 9999 23:59:59 GMT", HOUR],
  ["Sun, 31 Nov 1994 25:61:61 GMT", 0],
  ["Sun, never GMT", 0],
  ["Sun, \u0000 GMT", 0],
])("Retry-After %j asks for %i ms", (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms)
})

test("no try is made before the time for which the receiver asked, nor earlier than scheduled, nor later than an hour", () => {
  fc.assert(
    fc.property(fc.integer(delays), fc.integer({ min: 0, max: HOUR }), random, (scheduled, after, chance) => {
      const delay = nextDelayMs([scheduled], 1, chance, after) ?? Number.NaN
      expect(delay).toBeGreaterThanOrEqual(Math.max(scheduled, after))
      expect(delay).toBeLessThanOrEqual(Math.max(scheduled * (1 + JITTER), Math.min(HOUR, after * (1 + JITTER))))
    }),
  )
  expect(nextDelayMs([], 1, 0, HOUR)).toBeUndefined()
})

const message = { id: "0199d2a0-0000-7000-8000-000000000000", body: '{"type":"event.started","title":"Fête"}' }
const now = () => Math.floor(Date.now() / 1000)

test("the signature is the hex HMAC-SHA256 of time, dot and raw body under the whole secret text", () => {
  const secret = newSigningSecret()
  const expected = createHmac("sha256", Buffer.from(secret, "utf8")).update(`1700000000.${message.body}`).digest("hex")
  expect(signatureHeaders([secret], message, 1_700_000_000)["x-gc-signature"]).toBe(`t=1700000000,v1=${expected}`)
})

test("the Standard Webhooks library accepts our deliveries, and refuses them when anything differs", () => {
  const secret = newSigningSecret()
  const headers = { ...signatureHeaders([secret], message, now()) }
  const receiver = new Webhook(secret)
  expect(receiver.verify(message.body, headers)).toEqual(JSON.parse(message.body))
  expect(() => receiver.verify(`${message.body} `, headers)).toThrow()
  expect(() => receiver.verify(message.body, { ...headers, "webhook-id": "another" })).toThrow()
  expect(() => new Webhook(newSigningSecret()).verify(message.body, headers)).toThrow()
})

test("while a secret is being replaced, receivers with the old one and with the new one both verify", () => {
  const [old, next] = [newSigningSecret(), newSigningSecret()]
  const headers = { ...signatureHeaders([next, old], message, now()) }
  for (const secret of [old, next]) {
    expect(verifySignature(headers["x-gc-signature"], message.body, secret, now())).toBe(true)
    expect(new Webhook(secret).verify(message.body, headers)).toBeDefined()
  }
})

test("any body under any secret verifies within the window, as text and as bytes, and not outside it", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.integer({ min: 1_000_000, max: 4_000_000_000 }),
      fc.integer({ min: -1_000, max: 1_000 }),
      (body, key, time, shift) => {
        const secret = `whsec_${Buffer.from(key).toString("base64")}`
        const header = signatureHeaders([secret], { id: "x", body }, time)["x-gc-signature"]
        const good = Math.abs(shift) <= SIGNATURE_WINDOW_SECONDS
        expect(verifySignature(header, body, secret, time + shift)).toBe(good)
        expect(verifySignature(header, Buffer.from(body), secret, time + shift)).toBe(good)
        expect(verifySignature(header, `${body}!`, secret, time)).toBe(false)
        expect(verifySignature(header, body, `${secret}A`, time)).toBe(false)
      },
    ),
    { numRuns: 200 },
  )
})

test("a header of any other form is refused and never throws", () => {
  const secret = newSigningSecret()
  const right = signatureHeaders([secret], message, 1_700_000_000)["x-gc-signature"]
  for (const header of [
    "",
    "t=",
    "v1=",
    "t=1700000000",
    "t=x,v1=ab",
    right.slice(0, -1),
    right.replace("v1=", "v0="),
  ]) {
    expect(verifySignature(header, message.body, secret, 1_700_000_000)).toBe(false)
  }
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(verifySignature(header, message.body, secret, 1_700_000_000)).toBe(false)
    }),
  )
})
