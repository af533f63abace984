/** One example of the body of each webhook delivery, by type. A test decodes each with its schema. */
import { ids, T0, T1 } from "./example-objects.ts"

const base = (type: string) => ({
  id: ids.session,
  type,
  workspaceId: ids.workspace,
  eventId: ids.event,
  occurredAt: T1,
})

const PERSON = { participantId: ids.user, userId: ids.user, anonymous: false, role: "participant" }
const BROADCAST = { broadcastId: ids.transcript, phaseId: ids.phase }

export const WEBHOOK_EXAMPLES: { readonly [type: string]: unknown } = {
  "event.published": { ...base("event.published"), title: "Launch", scheduledAt: T0 },
  "event.started": { ...base("event.started"), startedAt: T1, phaseId: ids.phase },
  "event.ended": { ...base("event.ended"), endedAt: T1, reason: "end" },
  "participant.joined": { ...base("participant.joined"), ...PERSON },
  "participant.left": { ...base("participant.left"), ...PERSON },
  "broadcast.live": {
    ...base("broadcast.live"),
    ...BROADCAST,
    playbackUrl: "https://events.example.com/v1/live/key/index.m3u8",
  },
  "broadcast.paused": { ...base("broadcast.paused"), ...BROADCAST },
  "recording.ready": { ...base("recording.ready"), assetId: ids.recording },
  "transcript.ready": { ...base("transcript.ready"), assetId: ids.transcript, recordingId: ids.recording },
  "clip.ready": { ...base("clip.ready"), assetId: ids.clip, recordingId: ids.recording },
  "question.created": {
    ...base("question.created"),
    questionId: ids.question,
    text: "When does it ship?",
    anonymous: false,
    authorUserId: ids.user,
  },
  ping: { ...base("ping"), eventId: null, webhookId: ids.webhook },
}
