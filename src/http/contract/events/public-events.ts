/** The public view of an event, and entry to it. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EventReference, EventStatus, Visibility } from "../../../model/event.ts"
import { ids, T1 } from "../../../model/example-ids.ts"
import { AnswersInput } from "../../../model/forms/form.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { FeatureSet, Phase } from "../../../model/phase.ts"
import { EventBranding, Language } from "../../../model/presentation.ts"
import { EventRole } from "../../../model/roles.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { Email } from "../accounts/accounts.ts"
import { AddressLimit, ExactBody, Example, Name, PathId, SecretAddress, TextBody } from "../endpoint.ts"
import { cast, clip, event, head, JWT, notes, recording, TOKEN } from "../examples/example-objects.ts"
import { problems, WITH_BODY } from "../problem.ts"
import { CALENDAR, Calendar } from "./calendar-body.ts"
import { TableSummary } from "./table-summary.ts"
import { Summary } from "./transcripts.ts"

const READ = ["unauthorized", "not_found", "rate_limited", "unavailable", "internal_error"] as const

const CastMember = Schema.Struct({ name: Schema.String, role: EventRole }).annotate(named("CastMember"))

const Cast = Schema.Array(CastMember).annotate({
  description: "Who is on stage while the event is live, and afterwards who was; empty before the start.",
})

const Speakers = Schema.Array(CastMember).annotate({
  description: "The hosts and speakers whom the workspace announces, whether they are there or not.",
})

const Broadcast = Schema.Struct({
  broadcastId: Uuid,
  phaseId: Uuid,
  status: Schema.Literals(["idle", "live", "paused", "ended"]),
  playbackUrl: Schema.NullOr(Schema.String),
}).annotate(named("PublicBroadcast"))

const Shade = Schema.Struct({ accent: Schema.String, onAccent: Schema.String, soft: Schema.String }).annotate(
  named("Shade"),
)

const PublicBranding = Schema.Struct({
  ...EventBranding.fields,
  shades: Schema.NullOr(Schema.Struct({ light: Shade, dark: Shade }).annotate(named("Shades"))).annotate({
    description:
      "The accent as light and dark pages show it, with a contrast of 4.5 at least, the text on it, and a quiet ground for it. Null: no accent.",
  }),
})
  .annotate(named("PublicBranding"))
  .annotate({ description: "Each member is the event's, or else the workspace's." })

const EventHead = {
  id: Uuid,
  title: Schema.String,
  type: Schema.String,
  description: Schema.NullOr(Schema.String),
  status: EventStatus,
  visibility: Visibility,
  scheduledAt: Schema.NullOr(Instant),
  scheduledEndAt: Schema.NullOr(Instant),
  timeZone: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Language),
  coverUrl: Schema.NullOr(Schema.String).annotate({ description: "The event's picture, or else the workspace's." }),
  workspace: Schema.Struct({ name: Schema.String }).annotate(named("PublicWorkspace")),
  branding: PublicBranding,
  /** Null unless the event is cancelled, which it is in addition to its status. */
  cancelledAt: Schema.NullOr(Instant),
  cancelReason: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Instant),
  endedAt: Schema.NullOr(Instant),
}

const PublicEventHead = Schema.Struct(EventHead).annotate(named("PublicEventHead"))

const PublicEvent = Schema.Struct({
  ...EventHead,
  descriptionHtml: Schema.NullOr(Schema.String).annotate({
    description: "The description as HTML without scripts, pictures, styles or forms, for a place of your page.",
  }),
  capacity: Schema.NullOr(
    Schema.Struct({ total: Schema.Int, remaining: Schema.Int }).annotate(named("PublicCapacity")),
  ),
  phases: Schema.Array(
    Schema.Struct({
      id: Uuid,
      position: Schema.Int,
      modality: Phase.fields.modality,
      featureSet: FeatureSet,
      status: Phase.fields.status,
      startedAt: Schema.NullOr(Instant),
      timerEndsAt: Schema.NullOr(Instant),
    }).annotate(named("PublicPhase")),
  ),
  cast: Cast,
  speakers: Speakers,
  activeBroadcast: Schema.NullOr(Broadcast),
}).annotate(named("PublicEvent"))

const AssetStatus = Schema.Literals(["uploading", "processing", "ready", "failed"]).annotate(named("AssetStatus"))

const Recording = Schema.Struct({
  id: Uuid,
  kind: Schema.String,
  title: Schema.NullOr(Schema.String),
  status: AssetStatus,
  durationMs: Schema.NullOr(Schema.Int),
  playbackUrl: Schema.NullOr(Schema.String),
  createdAt: Instant,
}).annotate(named("PublicRecording"))

const Clip = Schema.Struct({
  id: Uuid,
  title: Schema.NullOr(Schema.String),
  status: AssetStatus,
  durationMs: Schema.Int,
  playbackUrl: Schema.NullOr(Schema.String),
  createdAt: Instant,
}).annotate(named("PublicClip"))

const NewestClips = Schema.Array(Clip).annotate({
  description: "The newest hundred clips, in the order in which they were made.",
})

export const PublicEvents = HttpApiGroup.make("publicEvents")
  .add(
    HttpApiEndpoint.get("getPublicEvent", "/v1/public/events/:id", {
      params: PathId,
      success: PublicEvent,
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "publicEvent")
      .annotate(OpenApi.Summary, "An event as its lobby and stage show it")
      .annotate(
        OpenApi.Description,
        "What a page shows without a sign-in: agenda, who is on stage, places that are left, and the broadcast.",
      )
      .annotate(Example, {
        response: {
          ...head,
          descriptionHtml: "<p>What is new</p>",
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
      }),
    HttpApiEndpoint.get("getRecap", "/v1/public/events/:id/recap", {
      params: PathId,
      success: Schema.Struct({
        event: PublicEventHead,
        recording: Schema.NullOr(Recording),
        clips: NewestClips,
        /** Null unless the event can be replayed on the gateway. `offsetMs`: time of the recording's beginning since the event's start. */
        replay: Schema.NullOr(Schema.Struct({ offsetMs: Schema.Int })),
        summary: Schema.NullOr(Summary),
        cast: Cast,
      }),
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "publicEvent")
      .annotate(OpenApi.Summary, "The recap of an event: its latest recording, clips and a summary")
      .annotate(OpenApi.Description, "Fields are null until there is something to show.")
      .annotate(Example, {
        response: {
          event: head,
          recording,
          clips: [clip],
          replay: { offsetMs: 0 },
          summary: { text: "A launch in May.", speakers: [{ name: "Grace Hopper", words: 4000, seconds: 1800 }] },
          cast,
        },
      }),
    HttpApiEndpoint.get("getContent", "/v1/public/events/:id/content", {
      params: PathId,
      success: Schema.Struct({
        event: PublicEventHead,
        recording: Schema.NullOr(Recording),
        derivations: Schema.Array(
          Schema.Struct({
            id: Uuid,
            kind: Schema.String,
            status: AssetStatus,
            url: Schema.NullOr(Schema.String),
          }).annotate(named("Derivation")),
        ),
        media: NewestClips,
        cast: Cast,
      }),
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "publicEvent")
      .annotate(OpenApi.Summary, "The replay of an event: recording, what was derived from it, and who was on stage")
      .annotate(OpenApi.Description, "Fields are null or empty until there is something to show.")
      .annotate(Example, {
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
      }),
    HttpApiEndpoint.get("getAsset", "/v1/public/assets/:id", {
      params: PathId,
      success: Schema.Struct({
        id: Uuid,
        kind: Schema.String,
        title: Schema.NullOr(Schema.String),
        status: AssetStatus,
        durationMs: Schema.NullOr(Schema.Int),
        playbackUrl: Schema.NullOr(Schema.String),
        event: EventReference,
      }),
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "publicAsset")
      .annotate(OpenApi.Summary, "One recording or clip, shown to anyone who may see its event")
      .annotate(OpenApi.Description, "The playback address expires; ask again for a fresh one.")
      .annotate(Example, {
        response: {
          id: ids.clip,
          kind: "clip",
          title: clip.title,
          status: "ready",
          durationMs: clip.durationMs,
          playbackUrl: clip.playbackUrl,
          event: { id: ids.event, title: event.title, scheduledAt: T1 },
        },
      }),
    HttpApiEndpoint.get("getTableSummary", "/v1/public/events/:id/table-summary", {
      params: PathId,
      query: {
        t: Schema.String.check(Schema.isMinLength(1)).annotate({
          description: "The token of the email.",
          examples: ["2b8NvQ0xJwYyVt6u"],
        }),
      },
      success: TableSummary,
      error: problems("bad_request", "not_found", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "public")
      .annotate(SecretAddress, true)
      .annotate(OpenApi.Summary, "The notes of one table, for who holds the token from their email")
      .annotate(OpenApi.Description, "`t` is the token of the email, and the credential.")
      .annotate(Example, {
        response: {
          event: { id: ids.event, title: event.title, scheduledAt: T1 },
          table: { roomId: "table-3", number: 3, label: "Table 3" },
          recipientUserId: ids.user,
          recipientName: "Grace Hopper",
          ...notes,
          generatedAt: T1,
        },
      }),
    HttpApiEndpoint.get("getCalendar", "/v1/public/events/:id/calendar.ics", {
      params: PathId,
      success: Calendar,
      error: problems(...READ),
    })
      .annotate(EndpointAccess, "publicEvent")
      .annotate(TextBody, CALENDAR)
      .annotate(OpenApi.Summary, "The event for a calendar (RFC 5545)")
      .annotate(
        OpenApi.Description,
        "For a link that calendars open or subscribe to. `SEQUENCE` grows with each change that a calendar shows, and a cancelled event has `STATUS:CANCELLED`.",
      )
      .annotate(Example, { response: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR" }),
    HttpApiEndpoint.post("register", "/v1/public/events/:id/register", {
      params: PathId,
      payload: Schema.Struct({ name: Name, email: Email, answers: Schema.optionalKey(AnswersInput) }),
      success: Schema.Struct({
        registered: Schema.Boolean,
        alreadyRegistered: Schema.Boolean,
      }),
      error: problems(
        ...WITH_BODY,
        "forbidden",
        "not_found",
        "conflict",
        "event_full",
        "rate_limited",
        "unavailable",
        "internal_error",
      ),
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(AddressLimit, "register")
      .annotate(ExactBody, true)
      .annotate(OpenApi.Summary, "Take a place; the entry link comes by mail")
      .annotate(
        OpenApi.Description,
        "`answers` is for the event's registration form (`GET /v1/public/events/{id}/forms/registration`), and not read from an address that is registered. One registration for each address: `alreadyRegistered` says that there was one, and `registered` that it has a place. Without one the person waits for approval or for a place (`approval`, `waitingList` of the event), or is declined; the email says which. Otherwise the email has a link to enter, a link that gives the place up, and a calendar file. A cancelled event takes no registrations, and neither does a person whom the organisers declined: 409. The link of the email is in the email alone; outside production without mail `GET /v1/dev/outbox?to=` shows it.",
      )
      .annotate(Example, {
        request: { name: "Grace Hopper", email: "grace@example.com", answers: { company: "Acme" } },
        response: { registered: true, alreadyRegistered: false },
      }),
    HttpApiEndpoint.post("enter", "/v1/public/events/:id/enter", {
      params: PathId,
      payload: Schema.Struct({ token: Schema.String.check(Schema.isMinLength(1)) }),
      success: Schema.Struct({
        sessionToken: Schema.String,
        eventId: Uuid,
        name: Schema.NullOr(Schema.String),
      }),
      error: problems(...WITH_BODY, "unauthorized", "not_found", "rate_limited", "unavailable", "internal_error"),
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(ExactBody, true)
      .annotate(OpenApi.Summary, "Exchange the token of an entry link for a session")
      .annotate(OpenApi.Description, "The token comes from the entry link. The session is for this event alone.")
      .annotate(Example, {
        request: { token: TOKEN },
        response: { sessionToken: JWT, eventId: ids.event, name: "Grace Hopper" },
      }),
  )
  .annotate(OpenApi.Description, "Events as the public sees them.")
