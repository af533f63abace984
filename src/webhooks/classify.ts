/** Outcome of an attempt (docs/webhooks.md). Pure. */
import type { EgressFailed } from "../egress/egress.ts"
import type { EgressRefused } from "../model/integrations/egress-target.ts"
import type { AttemptError } from "../model/integrations/webhook-delivery.ts"
import { retryAfterMs } from "./retry-policy.ts"

export interface AttemptOutcome {
  /** `retry`: may be retried as long as the schedule lasts; `rejected`: final. */
  readonly kind: "delivered" | "retry" | "rejected"
  /** Status of the answer, if there was one. */
  readonly status: number | null
  readonly error: AttemptError | null
  /** The error in words. */
  readonly detail: string | null
  /** Delay requested by the receiver, for an attempt that may be retried. */
  readonly afterMs?: number
  /** True: the receiver wants no more deliveries. */
  readonly isGone?: boolean
}

const GONE = 410
/** Request Timeout, Too Early, Too Many Requests. */
const TEMPORARY = new Set([408, 425, 429])

/** Classifies a status: 2xx is delivered; 3xx and most of 4xx are the receiver's final answer; other statuses may be temporary. */
export const classifyStatus = (status: number, retryAfter: string | undefined, nowMs: number): AttemptOutcome => {
  if (status >= 200 && status < 300) return { kind: "delivered", status, error: null, detail: null }
  const refused = { status, error: "status", detail: `status ${status}` } as const
  if (status >= 300 && status < 500 && !TEMPORARY.has(status)) {
    return { kind: "rejected", ...refused, isGone: status === GONE }
  }
  return { kind: "retry", ...refused, afterMs: retryAfterMs(retryAfter, nowMs) }
}

/** Classifies an attempt without an answer: a target that may not be called stays refused; any other failure may be temporary. */
export const classifyFailure = (failure: EgressRefused | EgressFailed): AttemptOutcome =>
  failure._tag === "EgressRefused"
    ? { kind: "rejected", status: null, error: "refused", detail: `refused: ${failure.detail}` }
    : { kind: "retry", status: null, error: failure.reason, detail: `${failure.reason}: ${failure.detail}` }
