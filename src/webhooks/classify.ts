/** What an attempt came to (specification §6, Delivery rules). Pure. */
import type { EgressFailed } from "../egress.ts"
import type { EgressRefused } from "../model/egress-target.ts"

export interface Outcome {
  /** `retry` as long as the schedule lasts; `rejected` for good. */
  readonly kind: "delivered" | "retry" | "rejected"
  /** Status of the answer, if there was one. */
  readonly status: number | null
  readonly error: string | null
}

/** 2xx is delivered; 3xx and 4xx are the receiver's word; the rest may pass. */
export const classifyStatus = (status: number): Outcome => {
  if (status >= 200 && status < 300) return { kind: "delivered", status, error: null }
  if (status >= 300 && status < 500) return { kind: "rejected", status, error: `status ${status}` }
  return { kind: "retry", status, error: `status ${status}` }
}

/** No answer: a target that may not be called will not become one, anything else may pass. */
export const classifyFailure = (failure: EgressRefused | EgressFailed): Outcome =>
  failure._tag === "EgressRefused"
    ? { kind: "rejected", status: null, error: `refused: ${failure.detail}` }
    : { kind: "retry", status: null, error: `${failure.reason}: ${failure.detail}` }
