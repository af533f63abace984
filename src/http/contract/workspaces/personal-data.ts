/** The export of a person's data, and the erasure of people who registered and of partners' guests. Users are deleted in `people.ts`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { MAX_ISSUER_LENGTH, MAX_SUBJECT_LENGTH } from "../../../model/integrations/guest-integration.ts"
import { named } from "../../../model/named.ts"
import { isKnownEmail, MAX_EMAIL_LENGTH } from "../../../model/text/email.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, NeededScope, WriteScope } from "../access.ts"
import { FreshSignIn, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { COMMON, problems } from "../problem.ts"
import { Audited } from "./audit.ts"

const Kind = Schema.Literals([
  "account",
  "address",
  "session",
  "identity",
  "workspaceMember",
  "user",
  "attendance",
  "chatMessage",
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
  /** When it came about, where that is stored. */
  at: Schema.NullOr(Instant),
  data: Schema.Record(Schema.String, Schema.Unknown),
}).annotate(named("PersonalItem"))

const Address = {
  email: Schema.String.annotate({ format: "email" })
    .check(
      Schema.makeFilter((text) => isKnownEmail(text) || "must be an e-mail address"),
      // The last check carries the words of the description.
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
      .annotate(OpenApi.Summary, "Everything that is stored about a user"),
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
      .annotate(OpenApi.Summary, "Everything that is stored about whoever registered under an address"),
    HttpApiEndpoint.delete("eraseRegistrant", "/v1/workspaces/:id/registrants", {
      params: PathId,
      query: Address,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "registrant.erased")
      .annotate(OpenApi.Summary, "Erase whoever registered under an address from the workspace's events"),
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
      .annotate(OpenApi.Summary, "Everything that is stored about a partner's guest"),
    HttpApiEndpoint.delete("eraseGuest", "/v1/workspaces/:id/guests", {
      params: PathId,
      query: Partner,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "guest.erased")
      .annotate(OpenApi.Summary, "Erase a partner's guest from the workspace's events"),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "What is stored about a person, and taking it away.")
