/** A webhook event and the encoding of its body. */
import type { Timestamp } from "../timestamp.ts"
import type { WebhookEventType } from "./webhook-types.ts"

/** One webhook event, stored in the outbox by the transaction that caused it. Its id is the same for every endpoint and attempt. */
export interface Occurrence {
  readonly id: string
  readonly type: WebhookEventType
  readonly workspaceId: string
  /** Null: the webhook event belongs to no live event. */
  readonly eventId: string | null
  readonly occurredAt: Timestamp
  /** Fields in addition to the base ones, by type. */
  readonly extra: { readonly [field: string]: unknown }
}

/** Exact body bytes of a webhook event, encoded once, so that every attempt signs and sends the same text. */
export const encodeOccurrence = (occurrence: Occurrence): string => {
  const { extra, ...base } = occurrence
  return JSON.stringify({ ...base, ...extra })
}

/** Exact body bytes of a ping. A ping belongs to no event, so `eventId` is null. */
export const encodePing = (ping: {
  readonly id: string
  readonly workspaceId: string
  readonly webhookId: string
  readonly occurredAt: Timestamp
}): string => {
  const { id, workspaceId, occurredAt, webhookId } = ping
  return JSON.stringify({ id, type: "ping", workspaceId, eventId: null, occurredAt, webhookId })
}
