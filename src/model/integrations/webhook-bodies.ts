/** The bodies of webhook deliveries, by type (specification §6): the base fields of all, and those of the type. */
import { Schema } from "effect"
import { AbsenceMeasure } from "../host-absence.ts"
import { Uuid } from "../ids.ts"
import { PollKind } from "../live/live-values.ts"
import { Modality } from "../modality.ts"
import { named } from "../named.ts"
import { EventRole } from "../roles.ts"
import { Instant } from "../timestamp.ts"
import type { DeliveredType } from "./webhook-events.ts"

const WITHOUT_EVENT: ReadonlySet<string> = new Set(["ping", "audit.created", "webhook.disabled"])

const body = <Type extends typeof DeliveredType.Type, Extra extends Schema.Struct.Fields>(
  name: string,
  type: Type,
  description: string,
  extra: Extra,
) =>
  Schema.Struct({
    /** The same for every endpoint and every try. */
    id: Uuid,
    type: Schema.Literal(type),
    workspaceId: Uuid,
    /** Null: it belongs to none. */
    eventId: WITHOUT_EVENT.has(type) ? Schema.NullOr(Uuid) : Uuid,
    occurredAt: Instant,
    ...extra,
  }).annotate({ ...named(name), description })

const PERSON = {
  /** Pairs a join with its leave; anonymous ones begin with `anon:`. */
  participantId: Schema.String,
  /** Of the workspace's user; absent for guests and anonymous viewers. */
  userId: Schema.optionalKey(Uuid),
  anonymous: Schema.Boolean,
  role: EventRole,
}
const BROADCAST = { broadcastId: Uuid, phaseId: Uuid }
const ASSET = { assetId: Uuid }
const OF_RECORDING = { ...ASSET, recordingId: Schema.NullOr(Uuid) }
/** Only of a workspace's user who asked under a name. */
const ASKER = { anonymous: Schema.Boolean, authorUserId: Schema.optionalKey(Uuid) }
const REGISTRATION = {
  registrationId: Uuid,
  /** Their id when they come to the event by the link of their letter. */
  participantId: Schema.String,
  name: Schema.String,
  email: Schema.String,
}
const PHASE = { phaseId: Uuid, position: Schema.Int, modality: Modality, startedAt: Instant }
/** Since when no host was there, and what the event did about it. */
const ABSENCE = { since: Instant, measure: AbsenceMeasure }
const CHOICE = { id: Schema.String, text: Schema.String }
const OfferedChoice = Schema.Struct(CHOICE).annotate(named("OfferedChoice"))
/** An option of a poll with its votes. */
export const PollOption = Schema.Struct({ ...CHOICE, votes: Schema.Int }).annotate(named("PollOption"))
const POLL = {
  pollId: Uuid,
  question: Schema.String,
  kind: PollKind,
  anonymous: Schema.Boolean,
  openedAt: Instant,
}

export const WEBHOOK_BODIES = {
  "event.published": body("EventPublished", "event.published", "A draft event was published.", {
    title: Schema.String,
    scheduledAt: Schema.NullOr(Instant),
  }),
  "event.started": body("EventStarted", "event.started", "An event went live with its first phase.", {
    startedAt: Instant,
    phaseId: Schema.NullOr(Uuid),
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
    questionId: Uuid,
    text: Schema.String,
    ...ASKER,
  }),
  "question.answered": body(
    "QuestionAnswered",
    "question.answered",
    "A question was answered, or its answer was changed. `answer` is null where the answer was given live.",
    {
      questionId: Uuid,
      text: Schema.String,
      ...ASKER,
      answerMode: Schema.Literals(["live", "text"]),
      answer: Schema.NullOr(Schema.String),
      answeredAt: Instant,
    },
  ),
  "registration.created": body(
    "RegistrationCreated",
    "registration.created",
    "Somebody took a place at an event. A repeated registration of the same address takes no other place, and sends nothing.",
    REGISTRATION,
  ),
  "registration.cancelled": body(
    "RegistrationCancelled",
    "registration.cancelled",
    "A place at an event was given free. The deletion of an event sends none of these.",
    REGISTRATION,
  ),
  "phase.started": body("PhaseStarted", "phase.started", "A phase of a live event became active.", {
    ...PHASE,
    timerEndsAt: Schema.NullOr(Instant),
  }),
  "phase.ended": body(
    "PhaseEnded",
    "phase.ended",
    "The active phase ended, by itself or with its event. Phases that were skipped send nothing.",
    { ...PHASE, endedAt: Instant, reason: Schema.Literals(["advance", "end"]) },
  ),
  "poll.opened": body("PollOpened", "poll.opened", "A poll takes votes. A poll that is opened again keeps its votes.", {
    ...POLL,
    options: Schema.Array(OfferedChoice),
    endsAt: Schema.NullOr(Instant),
  }),
  "poll.closed": body(
    "PollClosed",
    "poll.closed",
    "A poll was closed by a host, by its timer or with its event. The results are those that hosts see. A poll that is deleted has no results, and sends nothing.",
    {
      ...POLL,
      closedAt: Instant,
      /** People who voted. */
      voters: Schema.Int,
      options: Schema.Array(PollOption),
    },
  ),
  "host.absent": body(
    "HostAbsent",
    "host.absent",
    "No host is at the event, which has taken a measure (`hostAbsence`).",
    ABSENCE,
  ),
  "host.returned": body("HostReturned", "host.returned", "The measure of `host.absent` ended.", ABSENCE),
  "audit.created": body(
    "AuditCreated",
    "audit.created",
    "The audit log of the workspace has a new entry. Sent only to endpoints that name this type.",
    {
      entryId: Uuid,
      action: Schema.String,
      actor: Schema.Struct({ kind: Schema.String, id: Uuid }).annotate(named("AuditActor")),
      targetId: Schema.NullOr(Schema.String),
      requestId: Schema.String,
      address: Schema.NullOr(Schema.String),
      client: Schema.NullOr(Schema.String),
    },
  ),
  "webhook.disabled": body(
    "WebhookDisabled",
    "webhook.disabled",
    "Another endpoint of the workspace was disabled, because its server answered 410 or, for five days, nothing but failures.",
    { webhookId: Uuid, reason: Schema.Literals(["failing", "gone"]) },
  ),
  ping: body("Ping", "ping", "You asked for a delivery, to see that they arrive. It belongs to no event.", {
    webhookId: Uuid,
  }),
} as const satisfies { readonly [Type in typeof DeliveredType.Type]: Schema.Top }
