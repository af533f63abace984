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
  [410, "rejected"],
  [429, "rejected"],
  [499, "rejected"],
  [500, "retry"],
  [503, "retry"],
  [599, "retry"],
])("status %i is %s", (status, kind) => {
  expect(classifyStatus(status)).toMatchObject({ kind, status })
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
