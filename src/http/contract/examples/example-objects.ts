/** Objects that examples are made of: one workspace, one event, and its people. */
import { ids, T0, T1 } from "../../../model/example-ids.ts"

export const TOKEN = "2b8NvQ0xJwYyVt6uKfRzQmHc4aLpXsDgEoTiBn1rSkM"
export const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl"
export const KEY = `gck_${TOKEN}`

const branding = {
  logoUrl: "https://cdn.example.com/logo.png",
  accent: "#0b7a4b",
  theme: "system",
  coverUrl: "https://cdn.example.com/cover.jpg",
}

export const account = {
  account: {
    id: ids.account,
    name: "Ada Lovelace",
    email: "ada@example.com",
    emailVerified: true,
    createdAt: T0,
    mfa: true,
  },
  emails: [{ id: ids.email, email: "ada@example.com", verified: true, primary: true }],
  workspaces: [
    {
      id: ids.workspace,
      name: "Analytical Events",
      slug: "analytical-events",
      role: "owner",
      requireMfa: false,
      sso: "optional",
      publicList: false,
      branding,
    },
  ],
}
export const workspace = {
  id: ids.workspace,
  name: "Analytical Events",
  slug: "analytical-events",
  role: "owner",
  requireMfa: false,
  sso: "optional",
  publicList: false,
  branding,
  createdAt: T0,
  updatedAt: T0,
}
export const member = {
  id: ids.member,
  accountId: ids.account,
  role: "admin",
  name: "Ada Lovelace",
  email: "ada@example.com",
  emailVerified: true,
  joinedAt: T0,
}
export const apiKey = {
  id: ids.key,
  name: "production",
  prefix: "gck_2b8N",
  last4: "rSkM",
  status: "active",
  createdAt: T0,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  createdByKeyId: null,
  scopes: ["read", "live"],
  eventIds: null,
}
export const invite = {
  id: ids.invite,
  kind: "event",
  email: "grace@example.com",
  role: "speaker",
  eventId: ids.event,
  status: "pending",
  createdAt: T0,
  expiresAt: "2030-05-08T09:00:00.000Z",
  acceptedAt: null,
  revokedAt: null,
}
export const issuedInvite = { ...invite, inviteUrl: `https://events.example.com/invite#token=${TOKEN}` }
export const preview = {
  kind: "event",
  status: "pending",
  workspace: { name: workspace.name, slug: workspace.slug },
  event: { id: ids.event, title: "Spring launch", scheduledAt: T1 },
  role: "speaker",
  email: "g•••@example.com",
  expiresAt: invite.expiresAt,
}
export const event = {
  id: ids.event,
  workspaceId: ids.workspace,
  type: "webinar",
  title: "Spring launch",
  status: "live",
  visibility: "public",
  scheduledAt: T1,
  scheduledEndAt: null,
  timeZone: "Europe/Berlin",
  description: "What is new",
  location: "Town hall, room 2",
  language: "en",
  coverUrl: "https://cdn.example.com/launch.jpg",
  branding: { logoUrl: null, accent: "#0b7a4b", theme: "dark" },
  emailTexts: { confirmation: "**Bring a laptop.**", reminder: null },
  allowAnonymousVoting: true,
  allowAnonymousQuestions: false,
  reminders: true,
  hostAbsence: { measure: "slowChat", afterSeconds: 60 },
  history: "kept",
  approval: null,
  waitingList: { offerHours: 24 },
  reminderMinutes: [10_080, 60],
  capacity: 1000,
  metadata: { crmId: "4711" },
  createdAt: T0,
  updatedAt: T0,
  publishedAt: T0,
  cancelledAt: null,
  cancelReason: null,
  startedAt: T1,
  endedAt: null,
}
export const phase = {
  id: ids.phase,
  eventId: ids.event,
  position: 0,
  modality: "breakout",
  config: { roomSize: 4, durationSeconds: 600 },
  featureSet: ["qa", "chat"],
  status: "active",
  startedAt: T1,
  endedAt: null,
  timerEndsAt: "2030-05-01T10:10:00.000Z",
  extendedSeconds: 0,
}
export const exampleBroadcast = {
  broadcastId: "0197a000-0000-7000-8000-0000000000b1",
  phaseId: ids.phase,
  status: "live",
  playbackUrl: "https://video.example.com/live.m3u8",
  ingest: { state: "receiving", lastSegmentAt: T1, takes: 1, durationMs: 62_000, failure: null },
}
export const agenda = { ...event, phases: [phase], activePhaseId: ids.phase }
export const user = {
  id: ids.user,
  externalSub: "crm-4711",
  email: "grace@example.com",
  name: "Grace Hopper",
  picture: null,
  createdAt: T0,
  updatedAt: T0,
}
export const membership = { id: ids.membership, eventId: ids.event, userId: ids.user, role: "speaker", createdAt: T0 }
export const head = {
  id: ids.event,
  title: event.title,
  type: event.type,
  description: "What is new",
  status: "live",
  visibility: "public",
  scheduledAt: T1,
  scheduledEndAt: null,
  timeZone: event.timeZone,
  location: event.location,
  language: event.language,
  coverUrl: event.coverUrl,
  workspace: { name: workspace.name },
  branding: {
    logoUrl: branding.logoUrl,
    accent: branding.accent,
    theme: "dark",
    shades: {
      light: { accent: "#0b7a4b", onAccent: "#ffffff", soft: "#ddf3e5" },
      dark: { accent: "#4aa876", onAccent: "#001c0d", soft: "#01381f" },
    },
  },
  cancelledAt: null,
  cancelReason: null,
  startedAt: T1,
  endedAt: null,
}
export const cast = [{ name: "Grace Hopper", role: "speaker" }]
export const recording = {
  id: ids.recording,
  kind: "merged",
  title: "Spring launch",
  status: "ready",
  durationMs: 3_600_000,
  playbackUrl: "https://cdn.example.com/replay.m3u8",
  createdAt: T1,
}
export const managedRecording = {
  id: ids.recording,
  eventId: ids.event,
  phaseId: null,
  roomId: null,
  kind: "merged",
  source: "upload",
  title: "Spring launch",
  status: "ready",
  sizeBytes: 968_000_000,
  contentType: "video/mp4",
  durationMs: 3_600_000,
  playbackUrl: `https://events.example.com/v1/media/recordings/play.${ids.recording}.workspace.1795363200.Rk9PQkFSQkFaRk9PQkFSQkFaQkE`,
  downloadUrl: `https://events.example.com/v1/media/recordings/download.${ids.recording}.workspace.1795363200.QkFSRk9PQkFaRk9PQkFSQkFaQkE`,
  failure: null,
  transcription: null,
  createdAt: T1,
}
export const transcriptHead = { id: ids.transcript, eventId: ids.event, recordingId: ids.recording, createdAt: T1 }
export const transcript = {
  ...transcriptHead,
  segments: [{ t0: 0, t1: 2500, speaker: "Grace Hopper", lang: "en", text: "Welcome, all." }],
}
export const TRANSCRIPT_TEXTS = {
  "text/vtt": "WEBVTT\n\n00:00:00.000 --> 00:00:02.500\n<v Grace Hopper>Welcome, all.</v>\n",
  "application/x-subrip": "1\n00:00:00,000 --> 00:00:02,500\nWelcome, all.\n",
  "text/plain": "Grace Hopper: Welcome, all.\n",
}
export const clip = {
  id: ids.clip,
  title: "The reveal",
  status: "ready",
  durationMs: 30_000,
  playbackUrl: "https://cdn.example.com/clip.mp4",
  createdAt: T1,
}
export const managedClip = {
  id: ids.clip,
  recordingId: ids.recording,
  eventId: ids.event,
  title: "The reveal",
  status: "processing",
  startMs: 60_000,
  endMs: 90_000,
  actualStartMs: null,
  actualEndMs: null,
  durationMs: 30_000,
  sizeBytes: null,
  contentType: null,
  playbackUrl: null,
  downloadUrl: null,
  failure: null,
  createdAt: T1,
}
export const readyClip = {
  ...managedClip,
  status: "ready",
  actualStartMs: 60_000,
  actualEndMs: 90_040,
  durationMs: 30_040,
  sizeBytes: 8_100_000,
  contentType: "video/mp4",
  playbackUrl: `https://events.example.com/v1/media/clips/play.clip.${ids.clip}.workspace.1795363200.Rk9PQkFSQkFaRk9PQkFSQkFaQkE`,
  downloadUrl: `https://events.example.com/v1/media/clips/download.clip.${ids.clip}.workspace.1795363200.QkFSRk9PQkFaRk9PQkFSQkFaQkE`,
}
export const notes = {
  summary: {
    tldr: "The table agreed to begin small.",
    themes: [{ title: "Scope", summary: "Less, but whole" }],
    ideas: ["A pilot in May"],
    questions: ["Who begins?"],
    perQuestion: [{ ordinal: 1, question: "What is missing?", discussed: true, summary: "Time" }],
  },
  stats: { totalWords: 1200, promptsCovered: 2, promptsTotal: 3, lifetimeSeconds: 600, headcount: 4 },
  people: [{ userId: ids.user, name: "Grace Hopper", words: 400, turns: 9, badges: [] }],
}
export const integration = {
  id: ids.integration,
  workspaceId: ids.workspace,
  issuer: "https://login.partner.example",
  jwksUrl: "https://login.partner.example/jwks.json",
  publicKeyFingerprint: null,
  status: "active",
  createdAt: T0,
  revokedAt: null,
  lastVerifiedAt: null,
  lastError: null,
}
export const webhook = {
  id: ids.webhook,
  url: "https://hooks.example.com/gathercue",
  eventId: null,
  eventTypes: ["event.started", "event.ended"],
  headerNames: ["authorization"],
  status: "active",
  disabledReason: null,
  createdAt: T0,
  lastSuccessAt: null,
  lastFailureAt: null,
}
export const delivery = {
  id: ids.delivery,
  webhookId: ids.webhook,
  occurrenceId: ids.clip,
  type: "event.started",
  eventId: ids.event,
  status: "delivered",
  attemptCount: 1,
  lastStatusCode: 204,
  lastError: null,
  nextAttemptAt: null,
  createdAt: T0,
  finishedAt: T0,
}
export const question = {
  id: ids.question,
  eventId: ids.event,
  phaseId: ids.phase,
  text: "When does it ship?",
  status: "approved",
  authorUserId: ids.user,
  authorName: "Grace Hopper",
  anonymous: false,
  pinned: false,
  votes: 12,
  createdAt: T1,
  answer: null,
  answeredAt: null,
}
export const examplePage = (name: string, item: unknown) => ({ [name]: [item], nextCursor: null })

export const partnersGuest = { issuer: "https://partner.example", subject: "7" }
