/** The bodies of webhook deliveries, by type (specification §6): the base fields of all, and those of the type. */
import { Schema } from "effect"
import { named } from "../named.ts"
import { EventRole } from "../roles.ts"
import { Instant } from "../timestamp.ts"
import type { DeliveredType } from "./webhook-events.ts"

const body = <Type extends typeof DeliveredType.Type, Extra extends Schema.Struct.Fields>(
  name: string,
  type: Type,
  description: string,
  extra: Extra,
) =>
  Schema.Struct({
    /** The same for every endpoint and every try. */
    id: Schema.String,
    type: Schema.Literal(type),
    workspaceId: Schema.String,
    eventId: type === "ping" ? Schema.Null : Schema.String,
    occurredAt: Instant,
    ...extra,
  }).annotate({ ...named(name), description })

const PERSON = {
  /** Pairs a join with its leave; anonymous ones begin with `anon:`. */
  participantId: Schema.String,
  /** Of the workspace's user; absent for guests and anonymous viewers. */
  userId: Schema.optionalKey(Schema.String),
  anonymous: Schema.Boolean,
  role: EventRole,
}
const BROADCAST = { broadcastId: Schema.String, phaseId: Schema.String }
const ASSET = { assetId: Schema.String }
const OF_RECORDING = { ...ASSET, recordingId: Schema.NullOr(Schema.String) }

export const WEBHOOK_BODIES = {
  "event.published": body("EventPublished", "event.published", "A draft event was published.", {
    title: Schema.String,
    scheduledAt: Schema.NullOr(Instant),
  }),
  "event.started": body("EventStarted", "event.started", "An event went live with its first phase.", {
    startedAt: Instant,
    phaseId: Schema.NullOr(Schema.String),
  }),
  "event.ended": body("EventEnded", "event.ended", "An event ended.", {
    endedAt: Instant,
    reason: Schema.Literals(["advance", "end", "delete"]),
  }),
  "participant.joined": body("ParticipantJoined", "participant.joined", "A participant joined the live event.", PERSON),
  "participant.left": body("ParticipantLeft", "participant.left", "A participant left the live event.", PERSON),
  "broadcast.live": body(
    "BroadcastLive",
    "broadcast.live",
    "The broadcast of a phase began, or went on after a pause.",
    {
      ...BROADCAST,
      playbackUrl: Schema.NullOr(Schema.String),
    },
  ),
  "broadcast.paused": body("BroadcastPaused", "broadcast.paused", "The broadcast of a phase was paused.", BROADCAST),
  "recording.ready": body("RecordingReady", "recording.ready", "A recording can be watched.", ASSET),
  "transcript.ready": body("TranscriptReady", "transcript.ready", "A transcript can be read.", OF_RECORDING),
  "clip.ready": body("ClipReady", "clip.ready", "A clip can be watched.", OF_RECORDING),
  "question.created": body("QuestionCreated", "question.created", "A question was asked.", {
    questionId: Schema.String,
    text: Schema.String,
    anonymous: Schema.Boolean,
    /** Only of a workspace's user who asked under a name. */
    authorUserId: Schema.optionalKey(Schema.String),
  }),
  ping: body("Ping", "ping", "You asked for a delivery, to see that they arrive. It belongs to no event.", {
    webhookId: Schema.String,
  }),
} as const satisfies { readonly [Type in typeof DeliveredType.Type]: Schema.Top }
