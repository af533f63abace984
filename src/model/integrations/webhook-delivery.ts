/** A delivery, which is one webhook event for one endpoint, and its attempts, as shown to people. */
import { Schema } from "effect"
import { named } from "../named.ts"
import { Instant } from "../timestamp.ts"

/**
 * `pending`: waiting for its first or next attempt; `rejected`: the receiver's answer is final; `exhausted`: no attempt is left; `skipped`:
 * never sent, because the endpoint was disabled.
 */
export const DeliveryStatus = Schema.Literals(["pending", "delivered", "rejected", "exhausted", "skipped"]).annotate(
  named("WebhookDeliveryStatus"),
)
export type DeliveryStatus = typeof DeliveryStatus.Type

/**
 * Reason why an attempt did not deliver. `status`: the receiver answered something other than 2xx; `refused`: the address may not be
 * called; `internal`: a fault of this server; for the others no answer came.
 */
export const AttemptError = Schema.Literals([
  "status",
  "timeout",
  "dns",
  "connect",
  "tls",
  "protocol",
  "refused",
  "internal",
]).annotate(named("WebhookAttemptError"))
export type AttemptError = typeof AttemptError.Type

/** Record of one answered or failed attempt. Only the status of the answer is kept. */
export const Attempt = Schema.Struct({
  startedAt: Instant,
  durationMs: Schema.Int,
  /** `failed` may be retried, as long as the schedule lasts. */
  outcome: Schema.Literals(["delivered", "failed", "rejected"]),
  statusCode: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(AttemptError),
})
export type Attempt = typeof Attempt.Type
