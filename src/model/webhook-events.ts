/** Webhook event types and their bodies (specification §6). The base fields stand on every type. */
import { Schema } from "effect"
import type { Timestamp } from "./timestamp.ts"

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
])
export type WebhookEventType = typeof WebhookEventType.Type

/** One occurrence, stored in the outbox by the transaction that caused it. Its id is the same for every endpoint and try. */
export interface Occurrence {
  readonly id: string
  readonly type: WebhookEventType
  readonly workspaceId: string
  readonly eventId: string
  readonly occurredAt: Timestamp
  /** Fields beyond the base ones, by type. */
  readonly extra: { readonly [field: string]: unknown }
}

/** The exact body bytes of an occurrence; encoded once, so that every attempt signs and sends the same text. */
export const encodeOccurrence = (occurrence: Occurrence): string => {
  const { extra, ...base } = occurrence
  return JSON.stringify({ ...base, ...extra })
}
