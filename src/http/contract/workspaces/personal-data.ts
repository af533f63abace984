/** The export of a person's data, and the erasure of people who registered and of partners' guests. Users are deleted in `people.ts`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { MAX_ISSUER_LENGTH, MAX_SUBJECT_LENGTH } from "../../../model/integrations/guest-integration.ts"
import { named } from "../../../model/named.ts"
import { isKnownEmail, MAX_EMAIL_LENGTH } from "../../../model/text/email.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, NeededScope, ReadsOnly, WriteScope } from "../access.ts"
import { Example, FreshSignIn, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage, partnersGuest } from "../examples/example-objects.ts"
import { guestItem, personalItem, registrationItem } from "../examples/report-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "./audit.ts"

const Kind = Schema.Literals([
  "account",
  "address",
  "session",
  "identity",
  "workspaceMember",
  "user",
  "attendance",
  "bounce",
  "chatMessage",
  "formAnswers",
  "invite",
  "membership",
  "pollVote",
  "question",
  "questionVote",
  "record",
  "registration",
  "tableNotes",
]).annotate(named("PersonalDataKind"))

export const PersonalItem = Schema.Struct({
  kind: Kind,
  id: Schema.String,
  eventId: Schema.NullOr(Uuid),
  /** Time of creation, where it is stored. */
  at: Schema.NullOr(Instant),
  data: Schema.Record(Schema.String, Schema.Unknown),
}).annotate(named("PersonalItem"))

export const Address = {
  email: Schema.String.annotate({ format: "email" })
    .check(
      Schema.makeFilter((text) => isKnownEmail(text) || "must be an e-mail address"),
      // The last check carries the description.
      Schema.isBetweenLength(3, MAX_EMAIL_LENGTH),
    )
    .annotate({ description: "The address that the person gave.", examples: ["ada@example.com"] }),
}

const Partner = {
  issuer: Schema.String.check(Schema.isBetweenLength(1, MAX_ISSUER_LENGTH)).annotate({
    description: "The partner: `iss` of its tokens.",
    examples: ["https://partner.example"],
  }),
  subject: Schema.String.check(Schema.isBetweenLength(1, MAX_SUBJECT_LENGTH)).annotate({
    description: "The partner's own id of the guest: `sub` of the tokens.",
    examples: ["7"],
  }),
}

const PartnersGuest = Schema.Struct(Partner).annotate(named("PartnersGuest"))

export const PersonalData = HttpApiGroup.make("personalData")
  .add(
    HttpApiEndpoint.get("exportUser", "/v1/users/:id/export", {
      params: PathId,
      query: PageQuery,
      success: pageOf("items", PersonalItem),
      error: problems("bad_request", ...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "user")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "personal_data.exported")
      .annotate(NeededScope, "people")
      .annotate(OpenApi.Summary, "Everything that is stored about a user")
      .annotate(
        OpenApi.Description,
        "Each item has its `kind`: the user, invites, and of each event roles, registration, answers to forms, attendance, messages, questions, votes and other records. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
      )
      .annotate(Example, { response: examplePage("items", personalItem) }),
    HttpApiEndpoint.get("exportRegistrant", "/v1/workspaces/:id/registrants/export", {
      params: PathId,
      query: { ...PageQuery, ...Address },
      success: pageOf("items", PersonalItem),
      error: problems("bad_request", ...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "personal_data.exported")
      .annotate(NeededScope, "people")
      .annotate(OpenApi.Summary, "Everything that is stored about whoever registered under an address")
      .annotate(
        OpenApi.Description,
        "For people who are no users of yours. Registrations, invites, and what each event has of the person. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
      )
      .annotate(Example, { response: examplePage("items", registrationItem) }),
    HttpApiEndpoint.delete("eraseRegistrant", "/v1/workspaces/:id/registrants", {
      params: PathId,
      query: Address,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "registrant.erased")
      .annotate(OpenApi.Summary, "Erase whoever registered under an address from the workspace's events")
      .annotate(
        OpenApi.Description,
        "Registrations and invites under the address are deleted, links and sessions behind them end, and the person is disconnected. The name goes from attendance, questions and notes, and their chat messages are deleted, as when a user is deleted. 404 when the workspace has neither registration nor invite of the address.",
      ),
  )
  .add(
    HttpApiEndpoint.get("exportGuest", "/v1/workspaces/:id/guests/export", {
      params: PathId,
      query: { ...PageQuery, ...Partner },
      success: pageOf("items", PersonalItem),
      error: problems("bad_request", ...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "personal_data.exported")
      .annotate(NeededScope, "people")
      .annotate(OpenApi.Summary, "Everything that is stored about a partner's guest")
      .annotate(
        OpenApi.Description,
        "For people whom a partner's tokens name. What each event has of the guest: attendance, messages, questions, votes and other records. A page may have fewer items than its limit, also none: go on until `nextCursor` is null.",
      )
      .annotate(Example, { response: examplePage("items", guestItem) }),
    HttpApiEndpoint.delete("eraseGuest", "/v1/workspaces/:id/guests", {
      params: PathId,
      query: Partner,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "guest.erased")
      .annotate(OpenApi.Summary, "Erase a partner's guest from the workspace's events")
      .annotate(
        OpenApi.Description,
        "Sessions and sockets of the guest end at once (4203). The name goes from attendance, questions and notes, and chat messages are deleted, as when a user is deleted. For a quarter of an hour, until the erasure is over, `POST /v1/events/{id}/guest-session` answers 409 for the guest; after that a token of the partner admits them again. 404 when nothing is stored of the guest, or what is stored is being erased already.",
      ),
  )
  .add(
    HttpApiEndpoint.post("exportNamedGuest", "/v1/workspaces/:id/guests/export", {
      params: PathId,
      query: PageQuery,
      payload: PartnersGuest,
      success: pageOf("items", PersonalItem),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "fresh_sign_in_required"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(ReadsOnly, true)
      .annotate(FreshSignIn, "always")
      .annotate(Audited, "personal_data.exported")
      .annotate(NeededScope, "people")
      .annotate(OpenApi.Summary, "The same, with the guest in the body: for a subject that is too long for an address")
      .annotate(
        OpenApi.Description,
        "As `GET`, for a subject that is too long for an address. The answer is not kept for an `Idempotency-Key`.",
      )
      .annotate(Example, { request: partnersGuest, response: examplePage("items", guestItem) }),
    HttpApiEndpoint.post("eraseNamedGuest", "/v1/workspaces/:id/guests/erase", {
      params: PathId,
      payload: PartnersGuest,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "guest.erased")
      .annotate(OpenApi.Summary, "The same, with the guest in the body: for a subject that is too long for an address")
      .annotate(
        OpenApi.Description,
        "As `DELETE /v1/workspaces/{id}/guests`, for a subject that is too long for an address.",
      )
      .annotate(Example, { request: partnersGuest }),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "What is stored about a person, and taking it away.")
