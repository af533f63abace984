/** Webhook events of media, written in the transaction that makes the media ready. */
import { newId } from "../../model/ids.ts"
import type { WebhookEventType } from "../../model/integrations/webhook-types.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../../store/database.ts"
import { appendOccurrences } from "../../store/webhooks/outbox.ts"

interface ReadyMedia {
  readonly type: Extract<WebhookEventType, "recording.ready" | "transcript.ready" | "clip.ready">
  readonly workspaceId: string
  readonly eventId: string
  readonly extra: { readonly assetId: string; readonly recordingId?: string | null }
}

export const announce = (sql: Queryable, at: Timestamp, ready: ReadyMedia): Promise<void> =>
  appendOccurrences(sql, [{ id: newId(), occurredAt: at, ...ready }]).then(() => {})
