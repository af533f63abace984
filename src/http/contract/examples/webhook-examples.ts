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
const REGISTRATION = {
  registrationId: ids.user,
  participantId: `reg:${ids.user}`,
  name: "Ada Lovelace",
  email: "ada@example.com",
}
const PHASE = { phaseId: ids.phase, position: 0, modality: "broadcast", startedAt: T0 }
const POLL = { pollId: ids.question, question: "Lunch?", kind: "single", anonymous: false, openedAt: T0 }

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
  "question.answered": {
    ...base("question.answered"),
    questionId: ids.question,
    text: "When does it ship?",
    anonymous: true,
    answerMode: "text",
    answer: "In spring.",
    answeredAt: T1,
  },
  "registration.created": { ...base("registration.created"), ...REGISTRATION },
  "registration.cancelled": { ...base("registration.cancelled"), ...REGISTRATION },
  "phase.started": { ...base("phase.started"), ...PHASE, startedAt: T1, timerEndsAt: null },
  "phase.ended": { ...base("phase.ended"), ...PHASE, endedAt: T1, reason: "advance" },
  "poll.opened": {
    ...base("poll.opened"),
    ...POLL,
    openedAt: T1,
    options: [
      { id: "1", text: "Pizza" },
      { id: "2", text: "Soup" },
    ],
    endsAt: null,
  },
  "poll.closed": {
    ...base("poll.closed"),
    ...POLL,
    closedAt: T1,
    voters: 3,
    options: [
      { id: "1", text: "Pizza", votes: 2 },
      { id: "2", text: "Soup", votes: 1 },
    ],
  },
  "host.absent": { ...base("host.absent"), since: T0, measure: "slowChat" },
  "host.returned": { ...base("host.returned"), since: T0, measure: "slowChat" },
  "audit.created": {
    ...base("audit.created"),
    eventId: null,
    entryId: ids.audit,
    action: "api_key.created",
    actor: { kind: "account", id: ids.account },
    targetId: ids.key,
    requestId: ids.request,
    address: "203.0.113.7",
    client: "Firefox on Linux",
  },
  "webhook.disabled": { ...base("webhook.disabled"), eventId: null, webhookId: ids.webhook, reason: "gone" },
  ping: { ...base("ping"), eventId: null, webhookId: ids.webhook },
}
