/** Series of events (docs/rest.md). */
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CancelReason, EventInput, EventPatch, EventStatus } from "../../../model/event.ts"
import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { AnswersInput } from "../../../model/forms/form.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { MOST_STARTS, RecurrenceRule } from "../../../model/recurrence.ts"
import { Instant, InstantInput } from "../../../model/timestamp.ts"
import { TimeZoneInput } from "../../../model/zoned-moment.ts"
import { Commanded, EndpointAccess, WriteScope } from "../access.ts"
import { Email } from "../accounts/accounts.ts"
import {
  AddressLimit,
  created,
  ExactBody,
  Example,
  Name,
  OptionalBody,
  PageQuery,
  PathId,
  pageOf,
  TextBody,
} from "../endpoint.ts"
import { event, examplePage } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"
import { CALENDAR, Calendar } from "./calendar-body.ts"

const OWN = {
  id: Uuid,
  workspaceId: Uuid,
  rrule: Schema.String,
  timeZone: Schema.String,
  createdAt: Instant,
}
const Series = Schema.Struct(OWN).annotate(named("Series"))

const SeriesEvent = Schema.Struct({
  id: Uuid,
  title: Schema.String,
  status: EventStatus,
  scheduledAt: Schema.NullOr(Instant),
  scheduledEndAt: Schema.NullOr(Instant),
  cancelledAt: Schema.NullOr(Instant),
}).annotate(named("SeriesEvent"))

/** A series and its events, by their start. */
export const SeriesWithEvents = Schema.Struct({ ...OWN, events: Schema.Array(SeriesEvent) }).annotate(
  named("SeriesWithEvents"),
)

const Refused = Schema.Struct({ eventId: Uuid, detail: Schema.String }).annotate(named("RefusedSeriesEvent"))

const ChangedSeries = Schema.Struct({
  ...SeriesWithEvents.fields,
  /** Events that could not be changed, for example because they have begun meanwhile. */
  refused: Schema.Array(Refused),
}).annotate(named("ChangedSeries"))

const SeriesInput = Schema.Struct({
  rrule: RecurrenceRule,
  timeZone: TimeZoneInput.annotate({ description: "IANA zone in which the events keep their local time." }),
  exdates: Schema.optionalKey(
    Schema.Array(InstantInput).check(Schema.isMaxLength(MOST_STARTS)).annotate({
      description: "Starts that the rule names and at which no event takes place.",
    }),
  ),
  /** The first event, with `scheduledAt`. */
  event: Schema.optionalKey(EventInput),
  eventId: Schema.optionalKey(Id).annotate({
    description: "Event that becomes the first one, instead of `event`. It has not begun.",
  }),
}).annotate(named("SeriesInput"))
export type SeriesInput = typeof SeriesInput.Type

const From = Schema.optionalKey(Id).annotate({
  description: "Event of the series: it and those after it are changed. Absent: all.",
})

const SeriesPatch = Schema.Struct({
  from: From,
  startTime: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { message: "must be a time as in 18:30" })),
  ).annotate({ description: "Local time at which the events begin, on their days; their ends keep the distance." }),
  durationMinutes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_080 }))).annotate({
    description: "Minutes from the start of each event to its end.",
  }),
  /** Settings of the events, as in `PATCH /v1/events/{id}`. */
  changes: Schema.optionalKey(
    EventPatch.mapFields(Struct.omit(["scheduledAt", "scheduledEndAt"])).annotate(named("SeriesEventPatch")),
  ),
}).annotate(named("SeriesPatch"))

const Registered = Schema.Struct({
  eventId: Uuid,
  scheduledAt: Schema.NullOr(Instant),
  registered: Schema.Boolean,
  alreadyRegistered: Schema.Boolean,
  /** Code of the problem for which there is no registration. */
  code: Schema.NullOr(Schema.Literals(["bad_request", "conflict", "event_full", "not_found"])),
}).annotate(named("RegisteredSeriesEvent"))

const series = {
  id: ids.series,
  workspaceId: ids.workspace,
  rrule: "FREQ=WEEKLY;COUNT=10",
  timeZone: "Europe/Berlin",
  createdAt: T0,
}
const seriesEvent = {
  id: ids.event,
  title: event.title,
  status: "scheduled",
  scheduledAt: T1,
  scheduledEndAt: null,
  cancelledAt: null,
}
const withEvents = { ...series, events: [seriesEvent] }
const READ = ["not_found", "rate_limited", "unavailable", "internal_error"] as const
const CHANGE = problems(...WITH_BODY, ...COMMON, "not_found", "conflict")
/** The description of each change of a series has this sentence. */
const UNTOUCHED = "Events that are live, over or cancelled stay as they are."

export const SeriesApi = HttpApiGroup.make("series")
  .add(
    HttpApiEndpoint.post("createSeries", "/v1/series", {
      payload: SeriesInput,
      success: created(SeriesWithEvents),
      error: CHANGE,
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(Audited, "series.created")
      .annotate(OpenApi.Summary, "Repeat an event by a rule: its events are made at once, and are ordinary ones")
      .annotate(
        OpenApi.Description,
        "Each event is a copy of the first one, as of `POST /v1/events/{id}/clone`, and a draft until the series or the event is published. A local time that the clocks skip is an hour later on that day; one that they show twice is the first of the two. Move or cancel one event by itself with the calls for events.",
      )
      .annotate(Example, {
        request: {
          rrule: series.rrule,
          timeZone: series.timeZone,
          exdates: ["2030-05-15T10:00:00Z"],
          event: { type: "webinar", title: event.title, scheduledAt: T1 },
        },
        response: { ...withEvents, events: [{ ...seriesEvent, status: "draft" }] },
      }),
    HttpApiEndpoint.get("listSeries", "/v1/series", {
      query: {
        ...PageQuery,
        eventId: Schema.optionalKey(Id.annotate({ description: "Only the series of this event." })),
      },
      success: pageOf("series", Series),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(OpenApi.Summary, "Series, newest first")
      .annotate(OpenApi.Description, "Without their events.")
      .annotate(Example, { response: examplePage("series", series) }),
    HttpApiEndpoint.get("getSeries", "/v1/series/:id", {
      params: PathId,
      success: SeriesWithEvents,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "series")
      .annotate(OpenApi.Summary, "A series with its events, by their start")
      .annotate(OpenApi.Description, "Deleted events are no longer among them.")
      .annotate(Example, { response: withEvents }),
    HttpApiEndpoint.patch("patchSeries", "/v1/series/:id", {
      params: PathId,
      payload: SeriesPatch,
      success: ChangedSeries,
      error: CHANGE,
    })
      .annotate(EndpointAccess, "series")
      .annotate(ExactBody, true)
      .annotate(Audited, "series.changed")
      .annotate(OpenApi.Summary, "Change all events of a series, or one and those after it")
      .annotate(
        OpenApi.Description,
        `${UNTOUCHED} Each event is changed by itself: repeat the call if it fails half-way.`,
      )
      .annotate(Example, {
        request: { from: ids.event, startTime: "18:30", changes: { title: "Spring launch" } },
        response: { ...withEvents, refused: [] },
      }),
    HttpApiEndpoint.post("publishSeries", "/v1/series/:id/publish", {
      params: PathId,
      success: ChangedSeries,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "series")
      .annotate(Commanded, true)
      .annotate(Audited, "series.changed")
      .annotate(OpenApi.Summary, "Publish the drafts of a series")
      .annotate(OpenApi.Description, `${UNTOUCHED} Webhook \`event.published\` for each.`)
      .annotate(Example, { response: { ...withEvents, refused: [] } }),
    HttpApiEndpoint.post("endSeries", "/v1/series/:id/end", {
      params: PathId,
      payload: Schema.Struct({ from: From, reason: Schema.optionalKey(CancelReason) }),
      success: ChangedSeries,
      error: CHANGE,
    })
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "series")
      .annotate(Commanded, true)
      .annotate(Audited, "series.ended")
      .annotate(OpenApi.Summary, "End a series: cancel its events that have not begun")
      .annotate(
        OpenApi.Description,
        `All of them, or \`from\` and those after it. ${UNTOUCHED} People who registered for an event get its email. Webhook \`event.cancelled\` for each.`,
      )
      .annotate(Example, {
        request: { reason: "The series is over." },
        response: { ...series, events: [{ ...seriesEvent, cancelledAt: T1 }], refused: [] },
      }),
    HttpApiEndpoint.get("getSeriesCalendar", "/v1/public/series/:id/calendar.ics", {
      params: PathId,
      success: Calendar,
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "public")
      .annotate(TextBody, CALENDAR)
      .annotate(OpenApi.Summary, "The events of a series for a calendar (RFC 5545)")
      .annotate(
        OpenApi.Description,
        "For a link that calendars subscribe to: each event has the same `UID` as in its own file. Drafts and private events are not in it.",
      )
      .annotate(Example, { response: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR" }),
    HttpApiEndpoint.post("registerForSeries", "/v1/public/series/:id/register", {
      params: PathId,
      payload: Schema.Struct({ name: Name, email: Email, answers: Schema.optionalKey(AnswersInput) }),
      success: Schema.Struct({ registrations: Schema.Array(Registered) }).annotate(named("SeriesRegistration")),
      error: problems(
        ...WITH_BODY,
        "forbidden",
        "not_found",
        "conflict",
        "rate_limited",
        "unavailable",
        "internal_error",
      ),
    })
      .annotate(EndpointAccess, "public")
      .annotate(AddressLimit, "registerForSeries")
      .annotate(ExactBody, true)
      .annotate(OpenApi.Summary, "Take a place at each event of a series that is to come")
      .annotate(
        OpenApi.Description,
        "As `POST /v1/public/events/{id}/register` for each published event that has not begun. One email has the links of all of them, and that of the calendar. No such event: 409.",
      )
      .annotate(Example, {
        request: { name: "Grace Hopper", email: "grace@example.com" },
        response: {
          registrations: [
            { eventId: ids.event, scheduledAt: T1, registered: true, alreadyRegistered: false, code: null },
          ],
        },
      }),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Events that repeat.")
