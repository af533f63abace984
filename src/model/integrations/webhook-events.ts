/** Webhook event types and their bodies (specification §6). Every type has the base fields. */
import { Schema } from "effect"
import { named } from "../named.ts"
import type { Timestamp } from "../timestamp.ts"

export const WebhookEventType = Schema.Literals([
  "event.published",
  "event.started",
  "event.ended",
  "participant.joined",
  "participant.left",
  "broadcast.live",
  "broadcast.paused",
  "recording.ready",
  "transcript.ready",
  "clip.ready",
  "question.created",
  "question.answered",
  "registration.created",
  "registration.cancelled",
  "phase.started",
  "phase.ended",
  "poll.opened",
  "poll.closed",
  "host.absent",
  "host.returned",
  "audit.created",
  "webhook.disabled",
]).annotate(named("WebhookEventType"))
export type WebhookEventType = typeof WebhookEventType.Type

/** A type with the JSON Schema (2020-12) of its body. */
export const ListedWebhookEventType = Schema.Struct({
  type: WebhookEventType,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Json),
}).annotate(named("ListedWebhookEventType"))

/** The type of a delivery: an event type, or a `ping`, which no endpoint subscribes to. */
export const DeliveredType = Schema.Literals([...WebhookEventType.literals, "ping"]).annotate(
  named("WebhookDeliveryType"),
)

/** One webhook event, stored in the outbox by the transaction that caused it. Its id is the same for every endpoint and try. */
export interface WebhookEvent {
  readonly id: string
  readonly type: WebhookEventType
  readonly workspaceId: string
  /** Null: it belongs to no event. */
  readonly eventId: string | null
  readonly occurredAt: Timestamp
  /** Fields beyond the base ones, by type. */
  readonly extra: { readonly [field: string]: unknown }
}

/** The exact body bytes of a webhook event; encoded once, so that every attempt signs and sends the same text. */
export const encodeOccurrence = (occurrence: WebhookEvent): string => {
  const { extra, ...base } = occurrence
  return JSON.stringify({ ...base, ...extra })
}

/** The exact body bytes of a ping. It belongs to no event, so that `eventId` is null. */
export const encodePing = (ping: {
  readonly id: string
  readonly workspaceId: string
  readonly webhookId: string
  readonly occurredAt: Timestamp
}): string => {
  const { id, workspaceId, occurredAt, webhookId } = ping
  return JSON.stringify({ id, type: "ping", workspaceId, eventId: null, occurredAt, webhookId })
}
