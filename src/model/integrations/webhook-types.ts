/**
 * Webhook types (docs/reference/webhook-types.md). Each row has the description, the fields of its body in addition to the common ones,
 * and an example of them. The type, the name of its schema, and the endpoints' list of types are derived from the row.
 */
import { Schema } from "effect"
import { ids, T0, T1 } from "../example-ids.ts"
import { GivenAnswer } from "../forms/form.ts"
import { AbsenceMeasure } from "../host-absence.ts"
import { Uuid } from "../ids.ts"
import { PollKind } from "../live/live-values.ts"
import { Modality } from "../modality.ts"
import { named } from "../named.ts"
import { RegistrationState } from "../registration.ts"
import { EventRole } from "../roles.ts"
import { inPascalCase } from "../text/identifiers.ts"
import { Instant, type Timestamp } from "../timestamp.ts"

interface Row {
  readonly description: string
  readonly fields: Schema.Struct.Fields
  readonly example: object
  /** Whether the body belongs to an event; otherwise `eventId` is null. */
  readonly isOfEvent: boolean
}

const ofEvent = <Fields extends Schema.Struct.Fields>(
  description: string,
  fields: Fields,
  example: Schema.Struct<Fields>["Encoded"],
): Row => ({ description, fields, example, isOfEvent: true })

const ofWorkspace = <Fields extends Schema.Struct.Fields>(
  description: string,
  fields: Fields,
  example: Schema.Struct<Fields>["Encoded"],
): Row => ({ description, fields, example, isOfEvent: false })

const PERSON = {
  /** Pairs a join with its leave; anonymous ids begin with `anon:`. */
  participantId: Schema.String,
  /** Id of the workspace's user; absent for guests and anonymous viewers. */
  userId: Schema.optionalKey(Uuid),
  anonymous: Schema.Boolean,
  role: EventRole,
}
const BROADCAST = { broadcastId: Uuid, phaseId: Uuid }
const ASSET = { assetId: Uuid }
const OF_RECORDING = { ...ASSET, recordingId: Schema.NullOr(Uuid) }
/** `authorUserId` is set only for a workspace's user who asked under their name. */
const ASKER = { anonymous: Schema.Boolean, authorUserId: Schema.optionalKey(Uuid) }
const REGISTRATION = {
  registrationId: Uuid,
  /** Participant id of the registrant when they come to the event by the link in their email. */
  participantId: Schema.String,
  name: Schema.String,
  email: Schema.String,
  /** State after the change; of a cancelled registration the last one. Absent in deliveries of earlier releases. */
  state: Schema.optionalKey(RegistrationState),
}
const ANSWERS = { answers: Schema.Array(GivenAnswer) }
const PLANNED = {
  title: Schema.String,
  scheduledAt: Schema.NullOr(Instant),
  scheduledEndAt: Schema.NullOr(Instant),
}
const PHASE = { phaseId: Uuid, position: Schema.Int, modality: Modality, startedAt: Instant }
/** Start of the absence of all hosts, and the measure that the event took. */
const ABSENCE = { since: Instant, measure: AbsenceMeasure }
const CHOICE = { id: Schema.String, text: Schema.String }
const OfferedChoice = Schema.Struct(CHOICE).annotate(named("OfferedChoice"))
/** A poll option with its votes. */
export const PollOption = Schema.Struct({ ...CHOICE, votes: Schema.Int }).annotate(named("PollOption"))
const POLL = {
  pollId: Uuid,
  question: Schema.String,
  kind: PollKind,
  anonymous: Schema.Boolean,
  openedAt: Instant,
}

const OF_PERSON = { participantId: ids.user, userId: ids.user, anonymous: false, role: "participant" } as const
const OF_BROADCAST = { broadcastId: ids.transcript, phaseId: ids.phase }
const OF_REGISTRATION = {
  registrationId: ids.user,
  participantId: `reg:${ids.user}`,
  name: "Ada Lovelace",
  email: "ada@example.com",
  state: "approved",
} as const
const OF_ANSWERS: Schema.Struct<typeof ANSWERS>["Encoded"] = {
  answers: [{ questionId: "diet", kind: "choice", question: "Diet", version: 1, value: "Vegan", answeredAt: T0 }],
}
const OF_PHASE = { phaseId: ids.phase, position: 0, modality: "broadcast", startedAt: T0 } as const
const OF_POLL = { pollId: ids.question, question: "Lunch?", kind: "single", anonymous: false, openedAt: T0 } as const
const OF_ABSENCE = { since: T0, measure: "slowChat" } as const

const TYPES = {
  "event.published": ofEvent(
    "A draft event was published.",
    { title: Schema.String, scheduledAt: Schema.NullOr(Instant) },
    { title: "Launch", scheduledAt: T0 },
  ),
  "event.rescheduled": ofEvent(
    "The title, the start or the planned end of a published event changed. `previous` has them as they were.",
    { ...PLANNED, previous: Schema.Struct(PLANNED).annotate(named("PlannedEvent")) },
    {
      title: "Launch",
      scheduledAt: T1,
      scheduledEndAt: null,
      previous: { title: "Launch", scheduledAt: T0, scheduledEndAt: null },
    },
  ),
  "event.cancelled": ofEvent(
    "An event was cancelled before its start. The deletion of an event sends none of these.",
    {
      title: Schema.String,
      scheduledAt: Schema.NullOr(Instant),
      cancelledAt: Instant,
      cancelReason: Schema.NullOr(Schema.String),
    },
    { title: "Launch", scheduledAt: T1, cancelledAt: T0, cancelReason: "The speaker is ill." },
  ),
  "event.reinstated": ofEvent(
    "A cancelled event takes place after all.",
    { title: Schema.String, scheduledAt: Schema.NullOr(Instant) },
    { title: "Launch", scheduledAt: T1 },
  ),
  "event.started": ofEvent(
    "An event went live with its first phase.",
    { startedAt: Instant, phaseId: Schema.NullOr(Uuid) },
    { startedAt: T1, phaseId: ids.phase },
  ),
  "event.ended": ofEvent(
    "An event ended.",
    { endedAt: Instant, reason: Schema.Literals(["advance", "end", "delete"]) },
    { endedAt: T1, reason: "end" },
  ),
  "participant.joined": ofEvent("A participant joined the live event.", PERSON, OF_PERSON),
  "participant.left": ofEvent("A participant left the live event.", PERSON, OF_PERSON),
  "broadcast.live": ofEvent(
    "The broadcast of a phase began, or went on after a pause.",
    { ...BROADCAST, playbackUrl: Schema.NullOr(Schema.String) },
    { ...OF_BROADCAST, playbackUrl: "https://events.example.com/v1/live/key/index.m3u8" },
  ),
  "broadcast.paused": ofEvent("The broadcast of a phase was paused.", BROADCAST, OF_BROADCAST),
  "recording.ready": ofEvent("A recording can be watched.", ASSET, { assetId: ids.recording }),
  "transcript.ready": ofEvent("A transcript can be read.", OF_RECORDING, {
    assetId: ids.transcript,
    recordingId: ids.recording,
  }),
  "clip.ready": ofEvent("A clip can be watched.", OF_RECORDING, { assetId: ids.clip, recordingId: ids.recording }),
  "question.created": ofEvent(
    "A question was asked.",
    { questionId: Uuid, text: Schema.String, ...ASKER },
    { questionId: ids.question, text: "When does it ship?", anonymous: false, authorUserId: ids.user },
  ),
  "question.answered": ofEvent(
    "A question was answered, or its answer was changed. `answer` is null where the answer was given live.",
    {
      questionId: Uuid,
      text: Schema.String,
      ...ASKER,
      answerMode: Schema.Literals(["live", "text"]),
      answer: Schema.NullOr(Schema.String),
      answeredAt: Instant,
    },
    {
      questionId: ids.question,
      text: "When does it ship?",
      anonymous: true,
      answerMode: "text",
      answer: "In spring.",
      answeredAt: T1,
    },
  ),
  "registration.created": ofEvent(
    "Somebody took a place at an event by registering. A repeated registration of the same address takes no other place, and sends nothing.",
    { ...REGISTRATION, ...ANSWERS },
    { ...OF_REGISTRATION, ...OF_ANSWERS },
  ),
  "registration.answered": ofEvent(
    "The holder of a registration changed their answers to the registration form. `answers` has all of them.",
    { ...REGISTRATION, ...ANSWERS },
    { ...OF_REGISTRATION, ...OF_ANSWERS },
  ),
  "registration.cancelled": ofEvent(
    "A registration was deleted by its person or by the organisers. Its place, if it had one, is free. The deletion of an event sends none of these.",
    REGISTRATION,
    OF_REGISTRATION,
  ),
  "registration.pending": ofEvent(
    "Somebody registered, and waits for the organisers.",
    { ...REGISTRATION, ...ANSWERS },
    { ...OF_REGISTRATION, ...OF_ANSWERS, state: "pending" },
  ),
  "registration.approved": ofEvent(
    "Somebody got a place: the organisers approved the registration, or the person accepted an offer.",
    REGISTRATION,
    OF_REGISTRATION,
  ),
  "registration.declined": ofEvent(
    "The organisers declined a registration, or the domain of its address did.",
    REGISTRATION,
    { ...OF_REGISTRATION, state: "declined" },
  ),
  "registration.waiting": ofEvent(
    "Somebody waits for a place at a full event. Only the webhook of somebody who has just registered has `answers`.",
    { ...REGISTRATION, answers: Schema.optionalKey(ANSWERS.answers) },
    { ...OF_REGISTRATION, ...OF_ANSWERS, state: "waiting" },
  ),
  "registration.offered": ofEvent("Somebody who waited is offered a free place.", REGISTRATION, {
    ...OF_REGISTRATION,
    state: "offered",
  }),
  "registration.expired": ofEvent("Somebody did not take an offered place in time.", REGISTRATION, {
    ...OF_REGISTRATION,
    state: "expired",
  }),
  "survey.answered": ofEvent(
    "Somebody answered the survey of an event. The person is null for answers without a personal link. An anonymous survey sends none of these.",
    {
      registrationId: Schema.NullOr(Uuid),
      participantId: Schema.NullOr(Schema.String),
      name: Schema.NullOr(Schema.String),
      email: Schema.NullOr(Schema.String),
      ...ANSWERS,
    },
    { ...OF_REGISTRATION, ...OF_ANSWERS },
  ),
  "phase.started": ofEvent(
    "A phase of a live event became active.",
    { ...PHASE, timerEndsAt: Schema.NullOr(Instant) },
    { ...OF_PHASE, startedAt: T1, timerEndsAt: null },
  ),
  "phase.ended": ofEvent(
    "The active phase ended, by itself or with its event. Phases that were skipped send nothing.",
    { ...PHASE, endedAt: Instant, reason: Schema.Literals(["advance", "end"]) },
    { ...OF_PHASE, endedAt: T1, reason: "advance" },
  ),
  "poll.opened": ofEvent(
    "A poll takes votes. A poll that is opened again keeps its votes.",
    { ...POLL, options: Schema.Array(OfferedChoice), endsAt: Schema.NullOr(Instant) },
    {
      ...OF_POLL,
      openedAt: T1,
      options: [
        { id: "1", text: "Pizza" },
        { id: "2", text: "Soup" },
      ],
      endsAt: null,
    },
  ),
  "poll.closed": ofEvent(
    "A poll was closed by a host, by its timer or with its event. The results are those that hosts see. A poll that is deleted has no results, and sends nothing.",
    {
      ...POLL,
      closedAt: Instant,
      /** Number of people who voted. */
      voters: Schema.Int,
      options: Schema.Array(PollOption),
    },
    {
      ...OF_POLL,
      closedAt: T1,
      voters: 3,
      options: [
        { id: "1", text: "Pizza", votes: 2 },
        { id: "2", text: "Soup", votes: 1 },
      ],
    },
  ),
  "host.absent": ofEvent("No host is at the event, which has taken a measure (`hostAbsence`).", ABSENCE, OF_ABSENCE),
  "host.returned": ofEvent("The measure of `host.absent` ended.", ABSENCE, OF_ABSENCE),
  "audit.created": ofWorkspace(
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
    {
      entryId: ids.audit,
      action: "api_key.created",
      actor: { kind: "account", id: ids.account },
      targetId: ids.key,
      requestId: ids.request,
      address: "203.0.113.7",
      client: "Firefox on Linux",
    },
  ),
  "webhook.disabled": ofWorkspace(
    "Another endpoint of the workspace was disabled, because its server answered 410 or, for five days, nothing but failures.",
    { webhookId: Uuid, reason: Schema.Literals(["failing", "gone"]) },
    { webhookId: ids.webhook, reason: "gone" },
  ),
} as const

/** A type to which an endpoint can subscribe. */
export type WebhookEventType = keyof typeof TYPES
export const WEBHOOK_EVENT_TYPES = Object.keys(TYPES) as ReadonlyArray<WebhookEventType>
export const WebhookEventType = Schema.Literals(WEBHOOK_EVENT_TYPES).annotate(named("WebhookEventType"))

/** All delivered types. No endpoint subscribes to `ping`. */
const DELIVERED = {
  ...TYPES,
  ping: ofWorkspace(
    "You asked for a delivery, to see that they arrive. It belongs to no event.",
    { webhookId: Uuid },
    { webhookId: ids.webhook },
  ),
} as const

/** Type of a delivery: an event type, or `ping`. */
export const DeliveredType = Schema.Literals(Object.keys(DELIVERED) as ReadonlyArray<keyof typeof DELIVERED>).annotate(
  named("WebhookDeliveryType"),
)

/** A type with the JSON Schema (2020-12) of its body. */
export const ListedWebhookEventType = Schema.Struct({
  type: WebhookEventType,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Json),
}).annotate(named("ListedWebhookEventType"))

const bodyOf = (type: string, { description, fields, isOfEvent }: Row): Schema.Top =>
  Schema.Struct({
    /** The id is the same for every endpoint and every attempt. */
    id: Uuid,
    type: Schema.Literal(type),
    workspaceId: Uuid,
    eventId: isOfEvent ? Uuid : Schema.NullOr(Uuid),
    occurredAt: Instant,
    ...fields,
  }).annotate({ ...named(inPascalCase(type)), description })

const eachRow = <A>(make: (type: string, row: Row) => A) =>
  Object.fromEntries(Object.entries<Row>(DELIVERED).map(([type, row]) => [type, make(type, row)])) as {
    readonly [Type in keyof typeof DELIVERED]: A
  }

export const WEBHOOK_BODIES = eachRow(bodyOf)

/** One example of the body of each type. */
export const WEBHOOK_EXAMPLES: { readonly [type: string]: object } = eachRow((type, { example, isOfEvent }) => ({
  id: ids.session,
  type,
  workspaceId: ids.workspace,
  eventId: isOfEvent ? ids.event : null,
  occurredAt: T1,
  ...example,
}))

/** Exact body bytes of an example that is sent to an endpoint: `isExample` tells it from an occurrence. */
export const encodeExample = (
  type: WebhookEventType,
  own: { readonly id: string; readonly workspaceId: string; readonly occurredAt: Timestamp },
): string => JSON.stringify({ ...WEBHOOK_EXAMPLES[type], ...own, isExample: true })
