/** An event: a workspace schedules it, and a host runs it (docs/concepts.md). */
import { Effect, Schema, Struct } from "effect"
import { HostAbsence, HostAbsenceOfNode, NO_MEASURE } from "./host-absence.ts"
import { Uuid } from "./ids.ts"
import { named } from "./named.ts"
import { Phase, PhaseInput } from "./phase.ts"
import { EmailTexts, EventBranding, Language, PictureUrl } from "./presentation.ts"
import { Approval, WaitingList } from "./registration.ts"
import { isVisible, LegibleText, MembersText, MembersTitle, membersText } from "./text/shown-text.ts"
import { Instant, InstantInput, type Timestamp } from "./timestamp.ts"
import { TimeZoneInput } from "./zoned-moment.ts"

export const EventStatus = Schema.Literals(["draft", "scheduled", "live", "ended"]).annotate(named("EventStatus"))
export type EventStatus = typeof EventStatus.Type

export const Visibility = Schema.Literals(["public", "unlisted", "private"]).annotate(named("Visibility"))
export type Visibility = typeof Visibility.Type

/** `kept`: the event can be replayed after its end, as an anonymous viewer would have seen it. */
export const EventHistory = Schema.Literals(["brief", "kept"]).annotate(named("EventHistory"))

const METADATA_LIMIT_BYTES = 16_384

const Named = (maximum: number) => LegibleText(maximum, isVisible, "must not be blank", membersText)
/** Longest title, in UTF-16 units. */
export const TITLE_LIMIT = 300
const Title = Named(TITLE_LIMIT)
const Type = Named(80)
const NullOrTimeZone = Schema.NullOr(TimeZoneInput).annotate({
  description: "Name in the IANA database, in which emails and the page show the times of the event; null: UTC.",
  examples: ["Europe/Berlin"],
})
const DESCRIPTION_LIMIT = 10_000
const NullOrDescription = Schema.NullOr(MembersText(1, DESCRIPTION_LIMIT)).annotate({
  description:
    "Text in Markdown for the page of the event and the confirmation of a registration; HTML in it is shown as text. Null: `description` of the metadata is shown.",
})
const LOCATION_LIMIT = 300
const NullOrLocation = Schema.NullOr(MembersTitle(LOCATION_LIMIT, isVisible)).annotate({
  description: "Place of an event that people also come to, on one line.",
  examples: ["Town hall, room 2"],
})
const NullOrLanguage = Schema.NullOr(Language).annotate({
  description:
    "Language of the emails about the event, and of its page for people who chose none. Null: English, and the language of the reader's browser.",
})
const NullOrCoverUrl = Schema.NullOr(PictureUrl).annotate({
  description:
    "Picture for the page of the event, previews of links to it, and emails: an address with https. Null: that of the workspace's branding, or else one is made from title and accent.",
  examples: ["https://cdn.example.com/launch.jpg"],
})
const NullOrBranding = Schema.NullOr(EventBranding).annotate({
  description: "Logo, colour and scheme of the event. A null member is the workspace's; null: all are.",
})
const NullOrEmailTexts = Schema.NullOr(EmailTexts).annotate({
  description: "Own words in Markdown for emails about the event. Null: none.",
})
const Capacity = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })))
/**
 * The integrator's own data, read by its servers and members, and stored unchanged. The public page shows only its `description`, as
 * shown text, where the event has none itself.
 */
const Metadata = Schema.Record(Schema.String, Schema.Json).check(
  Schema.makeFilter(
    (metadata) =>
      Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_LIMIT_BYTES || "must be at most 16 KiB of JSON",
  ),
)

/** Longest reason of a cancellation, in UTF-16 units. */
export const CANCEL_REASON_LIMIT = 1000
/** Why an event is cancelled, as its people read it. */
export const CancelReason = LegibleText(CANCEL_REASON_LIMIT, isVisible, "must not be blank", membersText)

/** Everybody who registered gets emails before `scheduledAt` (`reminderMinutes`). */
const Reminders = Schema.Boolean

const MAX_REMINDERS = 5
/** Minutes before an event of its earliest reminder: thirty days. */
export const EARLIEST_REMINDER = 43_200
const ReminderMinutes = Schema.Array(
  Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: EARLIEST_REMINDER })),
).check(Schema.isBetweenLength(1, MAX_REMINDERS), Schema.isUnique())

/** Settings that callers give and get in one form. */
const CHOICES = {
  allowAnonymousVoting: Schema.Boolean,
  allowAnonymousQuestions: Schema.Boolean,
  reminders: Reminders,
  reminderMinutes: Schema.NullOr(ReminderMinutes).annotate({
    description: "Minutes before `scheduledAt` of each reminder. Null: 1,440 and 10.",
  }),
  hostAbsence: HostAbsence,
  history: EventHistory,
  approval: Schema.NullOr(Approval).annotate({ description: "Null: everybody is approved at once." }),
  waitingList: Schema.NullOr(WaitingList).annotate({ description: "Null: a full event takes no registrations." }),
}

/** Settings of an event, in the form in which callers give them. */
const Settings = Schema.Struct({
  type: Type,
  title: Title,
  scheduledAt: Schema.NullOr(InstantInput),
  scheduledEndAt: Schema.NullOr(InstantInput),
  timeZone: NullOrTimeZone,
  description: NullOrDescription,
  location: NullOrLocation,
  language: NullOrLanguage,
  coverUrl: NullOrCoverUrl,
  branding: NullOrBranding,
  emailTexts: NullOrEmailTexts,
  visibility: Visibility,
  ...CHOICES,
  capacity: Capacity,
  metadata: Metadata,
})

/** Default settings of a new event. `capacity` has the server's default. */
export const NEW_EVENT = {
  scheduledAt: null,
  scheduledEndAt: null,
  timeZone: null,
  description: null,
  location: null,
  language: null,
  coverUrl: null,
  branding: null,
  emailTexts: null,
  visibility: "unlisted",
  allowAnonymousVoting: false,
  allowAnonymousQuestions: false,
  reminders: true,
  reminderMinutes: null,
  hostAbsence: NO_MEASURE,
  history: "brief",
  approval: null,
  waitingList: null,
  metadata: {},
} as const satisfies Partial<typeof Settings.Type>

/** Fields that a PATCH may change; an absent key leaves its field unchanged, `metadata` is replaced as a whole. */
export const EventPatch = Settings.mapFields(Struct.map(Schema.optionalKey)).annotate(named("EventPatch"))
export type EventPatch = typeof EventPatch.Type

export const EventInput = Schema.Struct({
  ...EventPatch.fields,
  type: Type,
  title: Title,
  phases: Schema.optionalKey(Schema.Array(PhaseInput)),
}).annotate(named("EventInput"))
export type EventInput = typeof EventInput.Type

/** Fields that a request for a copy may set; the copy has the others from its source. */
export const EventCopyInput = Schema.Struct({
  title: Schema.optionalKey(Title),
  scheduledAt: EventPatch.fields.scheduledAt,
}).annotate(named("EventCopyInput"))
export type EventCopyInput = typeof EventCopyInput.Type

/** A possible mistake of the hosts in an event; it refuses nothing. */
export const EventWarning = Schema.Struct({
  code: Schema.String.annotate({
    description: "`starts_in_past`, `no_phases`; more may be added.",
    examples: ["starts_in_past"],
  }),
  detail: Schema.String,
}).annotate(named("EventWarning"))
export type EventWarning = typeof EventWarning.Type

export const Event = Schema.Struct({
  id: Uuid,
  workspaceId: Uuid,
  type: Schema.String,
  title: Schema.String,
  status: EventStatus,
  visibility: Visibility,
  scheduledAt: Schema.NullOr(Instant),
  scheduledEndAt: Schema.NullOr(Instant),
  timeZone: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Language),
  coverUrl: Schema.NullOr(Schema.String),
  branding: Schema.NullOr(EventBranding),
  emailTexts: Schema.NullOr(EmailTexts),
  ...CHOICES,
  capacity: Schema.NullOr(Schema.Int),
  metadata: Schema.Record(Schema.String, Schema.Json),
  createdAt: Instant,
  updatedAt: Instant,
  publishedAt: Schema.NullOr(Instant),
  /** Null unless the event is cancelled, which it is in addition to its status. */
  cancelledAt: Schema.NullOr(Instant),
  cancelReason: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Instant),
  endedAt: Schema.NullOr(Instant),
  /** Present when the event is created, read by its id, changed or published. */
  warnings: Schema.optionalKey(Schema.Array(EventWarning)),
}).annotate(named("Event"))
export type Event = typeof Event.Type

/** An event with its agenda, as returned by reads and lifecycle calls. */
export const EventWithPhases = Schema.Struct({
  ...Event.fields,
  phases: Schema.Array(Phase),
  activePhaseId: Schema.NullOr(Uuid),
}).annotate(named("EventWithPhases"))
export type EventWithPhases = typeof EventWithPhases.Type

export const PublishedEvent = Schema.Struct({
  ...EventWithPhases.fields,
  warnings: Schema.Array(EventWarning),
}).annotate(named("PublishedEvent"))

/** Whether the event was published, or would be now, after its planned start: usually the date is mistyped. */
const startsInPast = (
  { status, scheduledAt, publishedAt }: Pick<Event, "status" | "scheduledAt" | "publishedAt">,
  now: Timestamp,
): boolean =>
  (status === "draft" || status === "scheduled") && scheduledAt !== null && scheduledAt < (publishedAt ?? now)

type Warned = Pick<Event, "status" | "scheduledAt" | "publishedAt"> & Partial<Pick<EventWithPhases, "phases">>

export const withWarnings = <E extends Warned>(
  event: E,
  now: Timestamp,
): E & { readonly warnings: ReadonlyArray<EventWarning> } => {
  const warnings: EventWarning[] = []
  if (startsInPast(event, now)) {
    warnings.push({
      code: "starts_in_past",
      detail: `The start of the event (${event.scheduledAt}) lies in the past.`,
    })
  }
  if (event.status === "scheduled" && event.phases?.length === 0) {
    warnings.push({ code: "no_phases", detail: "The event has no phase: after its start nothing takes place in it." })
  }
  return { ...event, warnings }
}

/** The part of an event that is shown in answers about something else. */
export const EventReference = Schema.Struct({
  id: Uuid,
  title: Schema.String,
  scheduledAt: Schema.NullOr(Instant),
}).annotate(named("EventReference"))

const TextOfNode = Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** Defaults for answers of nodes whose release did not know these fields. */
const FIELDS_OF_NODE = {
  timeZone: TextOfNode,
  description: TextOfNode,
  location: TextOfNode,
  language: Schema.NullOr(Language).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  coverUrl: TextOfNode,
  branding: Schema.NullOr(EventBranding).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  emailTexts: Schema.NullOr(EmailTexts).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  reminders: Reminders.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  reminderMinutes: Schema.NullOr(ReminderMinutes).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  hostAbsence: HostAbsenceOfNode,
  history: EventHistory.pipe(Schema.withDecodingDefaultKey(Effect.succeed("brief" as const))),
  approval: Schema.NullOr(Approval).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  waitingList: Schema.NullOr(WaitingList).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  cancelledAt: Schema.NullOr(Instant).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  cancelReason: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
}

/** Events in the form in which nodes send them to each other. */
export const EventOfNode = Schema.Struct({ ...Event.fields, ...FIELDS_OF_NODE })
export const EventWithPhasesOfNode = Schema.Struct({ ...EventWithPhases.fields, ...FIELDS_OF_NODE })

/** Whether the event is visible to a caller who knows its id and has no credential. */
export const isShared = ({ status, visibility }: Pick<Event, "status" | "visibility">): boolean =>
  status !== "draft" && visibility !== "private"

/** The first dispatches of an event that has begun are gone, and a replay could not begin. */
export const isKeptTooLate = (
  { status, history }: Pick<Event, "status" | "history">,
  { history: wanted = history }: EventPatch,
): boolean => wanted === "kept" && history !== "kept" && (status === "live" || status === "ended")

/** Whether the planned end lies before the planned start, which is refused. */
export const endsBeforeItStarts = (times: {
  readonly scheduledAt: string | null
  readonly scheduledEndAt: string | null
}): boolean => times.scheduledAt !== null && times.scheduledEndAt !== null && times.scheduledEndAt < times.scheduledAt
