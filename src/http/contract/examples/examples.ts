/** One example of every body that is sent or answered, by endpoint. A test decodes each with its schema. */
import { PROBLEMS } from "../problem.ts"
import {
  account,
  agenda,
  apiKey,
  cast,
  clip,
  delivery,
  event,
  exampleBroadcast,
  examplePage,
  head,
  ids,
  integration,
  invite,
  issuedInvite,
  JWT,
  KEY,
  managedClip,
  managedRecording,
  member,
  membership,
  notes,
  phase,
  preview,
  question,
  readyClip,
  recording,
  T0,
  T1,
  TOKEN,
  TRANSCRIPT_TEXTS,
  transcript,
  transcriptHead,
  user,
  webhook,
  workspace,
} from "./example-objects.ts"
import { platformExamples } from "./platform-example.ts"
import {
  ATTENDANCE_CSV,
  AUDIT_CSV,
  attendee,
  CHAT_CSV,
  chatMessage,
  guestItem,
  heldRound,
  joinCode,
  joinTarget,
  MEMBERSHIPS_CSV,
  POLLS_CSV,
  personalItem,
  pollResult,
  QR_CODE,
  QUESTIONS_CSV,
  REGISTRATIONS_CSV,
  ROUNDS_CSV,
  registration,
  registrationItem,
} from "./report-objects.ts"

import { SECOND_FACTOR_EXAMPLES } from "./second-factor-examples.ts"
import { WEBHOOK_EXAMPLES } from "./webhook-examples.ts"

export interface Example {
  readonly request?: unknown
  readonly response?: unknown
  /** By media type, where a body may be text too. */
  readonly texts?: { readonly [mediaType: string]: string }
}

const partnersGuest = { issuer: "https://partner.example", subject: "7" }

export const EXAMPLES: { readonly [endpoint: string]: Example } = {
  deleteWorkspace: { request: { slug: "acme" } },
  exportAccount: { response: examplePage("items", personalItem) },
  deleteAccount: { request: { password: "correct horse battery" } },
  exportUser: { response: examplePage("items", personalItem) },
  exportRegistrant: { response: examplePage("items", registrationItem) },
  exportGuest: { response: examplePage("items", guestItem) },
  exportNamedGuest: { request: partnersGuest, response: examplePage("items", guestItem) },
  eraseNamedGuest: { request: partnersGuest },
  signup: {
    request: { email: "ada@example.com", password: "correct horse battery", name: "Ada Lovelace" },
    response: account,
  },
  login: { request: { email: "ada@example.com", password: "correct horse battery" }, response: account },
  loginWithCode: { request: { mfaToken: TOKEN, code: "492039" }, response: account },
  ...SECOND_FACTOR_EXAMPLES,
  me: { response: account },
  verifyEmail: { request: { token: TOKEN }, response: { verified: true, email: "ada@example.com" } },
  resendVerification: { response: { requested: true } },
  requestPasswordReset: { request: { email: "ada@example.com" }, response: { requested: true } },
  resetPassword: { request: { token: TOKEN, password: "a newer horse battery" }, response: { reset: true } },
  changePassword: {
    request: { currentPassword: "correct horse battery", password: "a newer horse battery" },
    response: { changed: true },
  },
  listSessions: {
    response: {
      sessions: [
        {
          id: ids.session,
          device: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
          createdAt: T0,
          lastSeenAt: T1,
          expiresAt: T1,
          current: true,
        },
      ],
    },
  },
  createJoinCode: { response: joinCode },
  findByJoinCode: { response: joinTarget },
  getQrCode: { response: QR_CODE },
  listAttendance: { response: examplePage("attendees", attendee), texts: { "text/csv": ATTENDANCE_CSV } },
  listRegistrations: { response: examplePage("registrations", registration), texts: { "text/csv": REGISTRATIONS_CSV } },
  resendRegistration: { response: { sent: true } },
  listChat: { response: examplePage("messages", chatMessage), texts: { "text/csv": CHAT_CSV } },
  listPolls: { response: examplePage("polls", pollResult), texts: { "text/csv": POLLS_CSV } },
  listRounds: { response: examplePage("rounds", heldRound), texts: { "text/csv": ROUNDS_CSV } },
  createWorkspace: {
    request: { name: "Analytical Events", slug: "analytical-events" },
    response: {
      ...workspace,
      apiKey: { id: ids.key, name: "default", secret: KEY, prefix: "gck_2b8N", createdAt: T0 },
    },
  },
  listWorkspaces: { response: examplePage("workspaces", workspace) },
  patchWorkspace: { request: { name: "Analytical Events" }, response: workspace },
  listMembers: { response: examplePage("members", member) },
  patchMember: { request: { role: "admin" }, response: member },
  makeOwner: { request: { memberId: ids.member }, response: { ...member, role: "owner" } },
  createWorkspaceSession: {
    response: {
      sessionToken: JWT,
      expiresAt: T1,
      workspaceId: ids.workspace,
      participant: { userId: ids.user, name: "Ada Lovelace", email: "ada@example.com", picture: null },
    },
  },
  listApiKeys: { response: examplePage("apiKeys", apiKey) },
  createApiKey: {
    request: { name: "production", scopes: ["read", "live"], expiresAt: null },
    response: { ...apiKey, secret: KEY },
  },
  deleteApiKey: {
    response: {
      apiKeys: [{ id: ids.key, name: "production", prefix: "gck_4fQx", last4: "9aZk" }],
      invites: [{ id: ids.invite, email: "grace@example.com", role: "admin" }],
      members: [{ id: ids.member, name: "Grace Hopper", email: "grace@example.com" }],
      memberships: [],
      webhooks: [],
      integrations: [],
      links: [{ id: ids.recording, kind: "upload", eventId: ids.event }],
    },
  },
  listLinks: {
    response: examplePage("links", {
      id: ids.recording,
      kind: "ingest",
      eventId: ids.event,
      objectId: ids.recording,
      holder: { kind: "account", id: ids.account, name: "Ada Lovelace" },
      createdAt: T0,
      expiresAt: T1,
      lastUsedAt: null,
    }),
  },
  createKeyByKey: { request: { name: "worker" }, response: { ...apiKey, name: "worker", secret: KEY } },
  createInvite: {
    request: { email: "grace@example.com", eventId: ids.event, role: "speaker" },
    response: issuedInvite,
  },
  listInvites: { response: examplePage("invites", invite) },
  resendInvite: { response: issuedInvite },
  listAudit: {
    response: examplePage("entries", {
      id: ids.session,
      action: "api_key.created",
      actor: { kind: "account", id: ids.account },
      targetId: ids.key,
      requestId: "0196a1f0-0000-7000-8000-0000000000ff",
      createdAt: T0,
      address: "203.0.113.7",
      client: "Firefox on Linux",
    }),
    texts: { "text/csv": AUDIT_CSV },
  },
  previewInvite: { response: preview },
  acceptInvite: {
    response: {
      invite: { ...invite, status: "accepted", acceptedAt: T0 },
      workspace: { id: ids.workspace, ...preview.workspace },
      event: preview.event,
    },
  },
  declineInvite: { response: { ...preview, status: "declined" } },
  createEvent: {
    request: {
      type: "webinar",
      title: "Spring launch",
      scheduledAt: T1,
      visibility: "public",
      phases: [{ modality: "broadcast", featureSet: ["qa"] }, { modality: "meeting" }],
    },
    response: { ...event, status: "draft", publishedAt: null, startedAt: null, warnings: [] },
  },
  listEvents: { response: examplePage("events", event) },
  getEvent: { response: { ...agenda, warnings: [] } },
  patchEvent: { request: { title: "Spring launch, moved", scheduledAt: null }, response: { ...event, warnings: [] } },
  publishEvent: { response: { ...agenda, status: "scheduled", warnings: [] } },
  startEvent: { response: agenda },
  advanceEvent: { request: { phaseId: ids.phase }, response: agenda },
  endEvent: { response: { ...agenda, status: "ended", endedAt: T1, activePhaseId: null } },
  appendPhase: { request: { modality: "breakout", config: { roomSize: 4 }, featureSet: ["qa"] }, response: phase },
  orderPhases: {
    request: { phaseIds: [ids.phase] },
    response: {
      ...agenda,
      status: "scheduled",
      startedAt: null,
      phases: [{ ...phase, status: "pending", startedAt: null, timerEndsAt: null }],
      activePhaseId: null,
    },
  },
  patchPhase: { request: { config: { roomSize: 5 } }, response: phase },
  startBroadcast: { request: {}, response: exampleBroadcast },
  pauseBroadcast: { response: { ...exampleBroadcast, status: "paused" } },
  resumeBroadcast: { response: exampleBroadcast },
  pushTranscript: {
    request: {
      segments: [
        { segment: "42", final: true, speaker: "Hedy", lang: "en", t0: 61_200, t1: 63_900, text: "Let us begin." },
      ],
    },
    response: { accepted: 1 },
  },
  getBroadcast: { response: exampleBroadcast },
  createIngest: {
    response: {
      url: "https://live.example.com/v1/ingest/3fX0q9Zb7LrVtPz2mNdKc8WgYhJuQe5sAoRi1TfUxEk/index.m3u8",
      streamUrl: "https://live.example.com/v1/ingest/3fX0q9Zb7LrVtPz2mNdKc8WgYhJuQe5sAoRi1TfUxEk/stream",
      token: "3fX0q9Zb7LrVtPz2mNdKc8WgYhJuQe5sAoRi1TfUxEk",
    },
  },
  putSummary: {
    request: { text: "A launch in May." },
    response: { text: "A launch in May.", speakers: [{ name: "Grace Hopper", words: 4000, seconds: 1800 }] },
  },
  stopBroadcast: { response: { ...exampleBroadcast, status: "ended" } },
  extendPhase: { request: { seconds: 60 }, response: phase },
  listUsers: { response: examplePage("users", user) },
  upsertUser: {
    request: { externalSub: "crm-4711", email: "grace@example.com", name: "Grace Hopper" },
    response: user,
  },
  createUserSession: { response: { sessionToken: JWT, expiresAt: T1, userId: ids.user } },
  createMembership: { request: { userId: ids.user, role: "speaker" }, response: membership },
  listMemberships: {
    response: examplePage("memberships", { ...membership, name: user.name, email: user.email }),
    texts: { "text/csv": MEMBERSHIPS_CSV },
  },
  createWebhook: {
    request: { url: webhook.url, eventTypes: webhook.eventTypes },
    response: { ...webhook, secret: `whsec_${TOKEN}` },
  },
  listWebhooks: { response: examplePage("webhooks", webhook) },
  patchWebhook: {
    request: { status: "disabled" },
    response: { ...webhook, status: "disabled", disabledReason: "manual" },
  },
  rotateWebhookSecret: {
    response: { ...webhook, secret: `whsec_${TOKEN}`, previousSecretExpiresAt: "2030-05-02T09:00:00.000Z" },
  },
  pingWebhook: { response: { ...delivery, type: "ping", eventId: null, status: "pending", finishedAt: null } },
  listWebhookDeliveries: { response: examplePage("deliveries", delivery) },
  getWebhookDelivery: {
    response: {
      ...delivery,
      body: WEBHOOK_EXAMPLES["event.started"],
      attempts: [
        {
          number: 1,
          startedAt: T0,
          durationMs: 84,
          outcome: "delivered",
          statusCode: 204,
          error: null,
          nextAttemptAt: null,
        },
      ],
    },
  },
  redeliverWebhookDelivery: { response: { ...delivery, status: "pending", finishedAt: null } },
  getPublicEvent: {
    response: {
      ...head,
      capacity: { total: 1000, remaining: 480 },
      phases: [
        {
          id: ids.phase,
          position: 0,
          modality: "broadcast",
          featureSet: ["qa"],
          status: "active",
          startedAt: T1,
          timerEndsAt: null,
        },
      ],
      cast,
      speakers: [{ name: "Ada Lovelace", role: "host" }, ...cast],
      activeBroadcast: null,
    },
  },
  createRecording: {
    request: { kind: "merged", title: "Spring launch", sizeBytes: 968_000_000 },
    response: {
      ...managedRecording,
      status: "uploading",
      contentType: null,
      durationMs: null,
      playbackUrl: null,
      downloadUrl: null,
      uploadUrl: `https://events.example.com/v1/media/uploads/upload.${ids.recording}.workspace.1795363200.QkFaRk9PQkFSRk9PQkFSQkFaQkE`,
      expiresAt: T1,
      parts: { sizeBytes: 16_777_216, maxParts: 58 },
    },
  },
  addressParts: {
    request: { from: 1, to: 1 },
    response: {
      parts: [
        {
          number: 1,
          sizeBytes: 16_777_216,
          url: `https://events.example.com/v1/media/parts/part.${ids.recording}_1.workspace.1795363200.QkFaRk9PQkFSRk9PQkFSQkFaQkE`,
        },
      ],
    },
  },
  completeRecording: {
    request: { sizeBytes: 968_000_000 },
    response: {
      ...managedRecording,
      status: "processing",
      contentType: null,
      durationMs: null,
      playbackUrl: null,
      downloadUrl: null,
    },
  },
  listRecordings: { response: examplePage("recordings", managedRecording) },
  getRecording: { response: managedRecording },
  createClip: { request: { startMs: 60_000, endMs: 90_000, title: "The reveal" }, response: managedClip },
  listClips: { response: examplePage("clips", readyClip) },
  getClip: { response: readyClip },
  putTranscript: {
    request: { segments: [{ t0: 0, t1: 2500, speaker: "Grace Hopper", lang: "en", text: "Welcome, all." }] },
    response: { ...transcriptHead, segments: 1 },
    texts: TRANSCRIPT_TEXTS,
  },
  getTranscript: { response: transcript, texts: TRANSCRIPT_TEXTS },
  getEventTranscript: { response: transcript, texts: TRANSCRIPT_TEXTS },
  getRecap: {
    response: {
      event: head,
      recording,
      clips: [clip],
      summary: { text: "A launch in May.", speakers: [{ name: "Grace Hopper", words: 4000, seconds: 1800 }] },
      cast,
    },
  },
  getContent: {
    response: {
      event: head,
      recording,
      derivations: [
        {
          id: ids.clip,
          kind: "transcript",
          status: "ready",
          url: `https://events.example.com/v1/media/captions/captions.${ids.clip}.public.1795363200.QkFaRk9PQkFSRk9PQkFSQkFaQkE`,
        },
      ],
      media: [clip],
      cast,
    },
  },
  getAsset: {
    response: {
      id: ids.clip,
      kind: "clip",
      title: clip.title,
      status: "ready",
      durationMs: clip.durationMs,
      playbackUrl: clip.playbackUrl,
      event: { id: ids.event, title: event.title, scheduledAt: T1 },
    },
  },
  getTableSummary: {
    response: {
      event: { id: ids.event, title: event.title, scheduledAt: T1 },
      table: { roomId: "table-3", number: 3, label: "Table 3" },
      recipientUserId: ids.user,
      recipientName: "Grace Hopper",
      ...notes,
      generatedAt: T1,
    },
  },
  getCalendar: { response: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR" },
  register: {
    request: { name: "Grace Hopper", email: "grace@example.com" },
    response: { registered: true, alreadyRegistered: false },
  },
  enter: { request: { token: TOKEN }, response: { sessionToken: JWT, eventId: ids.event, name: "Grace Hopper" } },
  putTableSummary: {
    request: {
      table: { number: 3, label: "Table 3" },
      ...notes,
      recipients: [{ userId: ids.user, name: "Grace Hopper", email: "grace@example.com" }],
    },
    response: {
      eventId: ids.event,
      roomId: "table-3",
      generatedAt: T1,
      recipients: [{ userId: ids.user, mailed: true }],
    },
  },
  draftTableSummary: { response: notes },
  createGatewayToken: {
    request: { eventId: ids.event },
    response: {
      token: JWT,
      expiresAt: T1,
      url: "wss://events.example.com/v1/gateway",
      eventId: ids.event,
      role: "viewer",
      participantId: `anon:${ids.user}`,
      anonymous: true,
    },
  },
  createGuestIntegration: {
    request: { issuer: integration.issuer, jwksUrl: integration.jwksUrl },
    response: integration,
  },
  listGuestIntegrations: { response: examplePage("integrations", integration) },
  listGuestRefusals: {
    response: {
      refusals: [
        {
          integrationId: ids.integration,
          reason: "unknown_key",
          detail: 'There is no RSA key of 2048 to 8192 bits for RS256 that fits the kid "2026-11".',
          refusedAt: T0,
        },
      ],
    },
  },
  createGuestSession: {
    request: { token: JWT },
    response: {
      sessionToken: JWT,
      expiresAt: T1,
      eventId: ids.event,
      participantId: `guest:${ids.user}`,
      name: "Grace Hopper",
      role: "participant",
    },
  },
  listQuestions: { response: examplePage("questions", question), texts: { "text/csv": QUESTIONS_CSV } },
  patchQuestion: {
    request: { answer: "In June.", pinned: true },
    response: { ...question, status: "answered", answer: "In June.", pinned: true, answeredAt: T1 },
  },
  askQuestion: { request: { text: "When does it ship?" }, response: { ...question, votes: 0 } },
  voteQuestion: { response: { questionId: ids.question, votes: 13, voted: true } },
  unvoteQuestion: { response: { questionId: ids.question, votes: 12, voted: false } },
  askHelp: {
    request: { messages: [{ role: "user", text: "How do I extend the timer?" }], audience: "host", stage: "live" },
    response: { reply: "Add between 10 seconds and an hour to the timer of the active phase." },
  },
  listWebhookEventTypes: {
    response: {
      eventTypes: [
        {
          type: "event.ended",
          description: "An event ended.",
          schema: {
            $schema: "https://json-schema.org/draft/2020-12/schema",
            type: "object",
            required: ["id", "type", "workspaceId", "eventId", "occurredAt", "endedAt", "reason"],
          },
        },
      ],
    },
  },
  ...platformExamples,
  getIdp: { response: { configured: true, signup: "open" } },
  getProblem: {
    response: { code: "conflict", status: 409, meaning: PROBLEMS.conflict.meaning, remedy: PROBLEMS.conflict.remedy },
  },
}
