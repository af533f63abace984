import { expect, test } from "vitest"
import { EgressFailed } from "../../src/egress/egress.ts"
import { EgressRefused } from "../../src/model/integrations/egress-target.ts"
import { classifyFailure, classifyStatus } from "../../src/webhooks/classify.ts"

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
