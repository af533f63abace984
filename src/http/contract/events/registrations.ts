/** Registrations that wait: for the organisers, who approve or decline them, or for a place, which is offered to their people. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T1 } from "../../../model/example-ids.ts"
import { GivenAnswer } from "../../../model/forms/form.ts"
import { Id, Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { DeclineReason, RegistrationState } from "../../../model/registration.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { AddressLimit, Example, OptionalBody, PathId } from "../endpoint.ts"
import { TOKEN } from "../examples/example-objects.ts"
import { registration } from "../examples/report-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

const STANDING = {
  state: RegistrationState,
  /** Place in the waiting list, from 1; null in other states. */
  position: Schema.NullOr(Schema.Int),
  /** Null unless a place is offered. */
  offerEndsAt: Schema.NullOr(Instant),
  /** Reason that the organisers gave to a declined person. */
  declineReason: Schema.NullOr(Schema.String),
}

export const Registration = Schema.Struct({
  id: Uuid,
  eventId: Uuid,
  name: Schema.String,
  email: Schema.String,
  createdAt: Instant,
  ...STANDING,
  bouncedAt: Schema.NullOr(Instant).annotate({
    description: "Time of the first report that the address takes no emails; null without one.",
  }),
  /** Answers to the registration form. */
  answers: Schema.Array(GivenAnswer),
}).annotate(named("Registration"))

const Place = Schema.Struct({ name: Schema.String, ...STANDING }).annotate(named("RegistrationPlace"))

const MOST_AT_ONCE = 100
const Ids = Schema.Array(Id).check(Schema.isBetweenLength(1, MOST_AT_ONCE))
const Reason = Schema.optionalKey(DeclineReason)

const Refused = Schema.Struct({
  id: Uuid,
  code: Schema.Literals(["conflict", "event_full"]),
  detail: Schema.String,
}).annotate(named("RefusedDecision"))
const Decided = Schema.Struct({
  /** The registrations that were decided, in the order of the ids. */
  registrations: Schema.Array(Registration),
  refused: Schema.Array(Refused),
}).annotate(named("Decided"))

const ONE = { ...PathId, registrationId: Id }
const ERRORS = problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "event_full", "rate_limited")
const MANY_ERRORS = problems(...WITH_BODY, ...COMMON, "not_found", "conflict", "rate_limited")
/** Said by each decision. */
const COUNTED =
  "The email counts as one to others (`MAIL_PER_WORKSPACE_PER_DAY`, 429), unless it answers a pending registration without a reason. The description and own words of the event are only in confirmations that count."

const approved = { ...registration, state: "approved" }
const declined = { ...registration, state: "declined", declineReason: "For members only." }
const refused = [{ id: ids.user, code: "conflict", detail: "The registration is approved already." }]

const LINK_ERRORS = problems(
  ...WITH_BODY,
  "unauthorized",
  "not_found",
  "conflict",
  "rate_limited",
  "unavailable",
  "internal_error",
)
const Token = Schema.Struct({ token: Schema.String.check(Schema.isMinLength(1)) })
const place = { name: "Grace Hopper", state: "offered", position: null, offerEndsAt: T1, declineReason: null }

export const Registrations = HttpApiGroup.make("registrations")
  .add(
    HttpApiEndpoint.post("approveRegistration", "/v1/events/:id/registrations/:registrationId/approve", {
      params: ONE,
      success: Registration,
      error: ERRORS,
    })
      .annotate(EndpointAccess, "event")
      .annotate(WriteScope, "people")
      .annotate(Audited, "registration.approved")
      .annotate(OpenApi.Summary, "Approve a registration that is pending or was declined")
      .annotate(
        OpenApi.Description,
        `The person gets a place and the email with the link to enter. At a full event the person waits in the waiting list instead; without one: 409 \`event_full\`. Any other state: 409. ${COUNTED} Webhook \`registration.approved\` or \`registration.waiting\`.`,
      )
      .annotate(Example, { response: approved }),
    HttpApiEndpoint.post("declineRegistration", "/v1/events/:id/registrations/:registrationId/decline", {
      params: ONE,
      payload: Schema.Struct({ reason: Reason }),
      success: Registration,
      error: ERRORS,
    })
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "event")
      .annotate(WriteScope, "people")
      .annotate(Audited, "registration.declined")
      .annotate(OpenApi.Summary, "Decline a registration that has no place yet")
      .annotate(
        OpenApi.Description,
        `The person gets an email with the reason, and cannot register again. An offered place is free for the next. A registration that is approved is cancelled instead: 409. ${COUNTED} Webhook \`registration.declined\`.`,
      )
      .annotate(Example, { request: { reason: "For members only." }, response: declined }),
    HttpApiEndpoint.post("approveRegistrations", "/v1/events/:id/registrations/approve", {
      params: PathId,
      payload: Schema.Struct({ ids: Ids }),
      success: Decided,
      error: MANY_ERRORS,
    })
      .annotate(EndpointAccess, "event")
      .annotate(WriteScope, "people")
      .annotate(Audited, "registration.approved")
      .annotate(OpenApi.Summary, "Approve up to a hundred registrations, in the order of their ids")
      .annotate(
        OpenApi.Description,
        "`refused` has those whose state, or the full event, does not allow it. An id that is no registration of the event: 404, and nothing is decided.",
      )
      .annotate(Example, {
        request: { ids: [registration.id, ids.user] },
        response: { registrations: [approved], refused },
      }),
    HttpApiEndpoint.post("declineRegistrations", "/v1/events/:id/registrations/decline", {
      params: PathId,
      payload: Schema.Struct({ ids: Ids, reason: Reason }),
      success: Decided,
      error: MANY_ERRORS,
    })
      .annotate(EndpointAccess, "event")
      .annotate(WriteScope, "people")
      .annotate(Audited, "registration.declined")
      .annotate(OpenApi.Summary, "Decline up to a hundred registrations")
      .annotate(
        OpenApi.Description,
        "All get the same reason. `refused` has those whose state does not allow it. An id that is no registration of the event: 404, and nothing is decided.",
      )
      .annotate(Example, {
        request: { ids: [registration.id, ids.user], reason: "For members only." },
        response: { registrations: [declined], refused },
      }),
    HttpApiEndpoint.post("getPlace", "/v1/public/events/:id/place", {
      params: PathId,
      payload: Token,
      success: Place,
      error: LINK_ERRORS,
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(OpenApi.Summary, "The state of the registration behind the link of an email")
      .annotate(OpenApi.Description, "For pages of your own. The token comes from a link of any email to the person.")
      .annotate(Example, { request: { token: TOKEN }, response: place }),
    HttpApiEndpoint.post("acceptPlace", "/v1/public/events/:id/place/accept", {
      params: PathId,
      payload: Token,
      success: Place,
      error: LINK_ERRORS,
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(AddressLimit, "register")
      .annotate(OpenApi.Summary, "Take the place that is offered")
      .annotate(
        OpenApi.Description,
        "The email with the link to enter follows. Without an offer, once it is over, and a second time: 409. Webhook `registration.approved`.",
      )
      .annotate(Example, { request: { token: TOKEN }, response: { ...place, state: "approved", offerEndsAt: null } }),
    HttpApiEndpoint.post("leavePlace", "/v1/public/events/:id/place/leave", {
      params: PathId,
      payload: Token,
      error: LINK_ERRORS,
    })
      .annotate(EndpointAccess, "sharedEvent")
      .annotate(AddressLimit, "register")
      .annotate(OpenApi.Summary, "Give a place free, decline an offer, or leave the waiting list")
      .annotate(
        OpenApi.Description,
        "The registration is deleted, and the address may register again, unless the organisers declined it: 409. Webhook `registration.cancelled`.",
      )
      .annotate(Example, { request: { token: TOKEN } }),
  )
  .annotate(OpenApi.Description, "Approval of registrations, and the waiting list of a full event.")
