/** The export of a person's data, and the erasure of people who registered. Users are deleted in `people.ts`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { named } from "../../../model/named.ts"
import { isKnownEmail, MAX_EMAIL_LENGTH } from "../../../model/text/email.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess } from "../access.ts"
import { PageQuery, PathId, pageOf } from "../endpoint.ts"
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
  eventId: Schema.NullOr(Schema.String),
  /** When it came about, where that is stored. */
  at: Schema.NullOr(Instant),
  data: Schema.Record(Schema.String, Schema.Unknown),
}).annotate(named("PersonalItem"))

const Address = {
  email: Schema.String.check(
    Schema.makeFilter((text) => isKnownEmail(text) || "must be an e-mail address"),
    // The last check carries the words of the description.
    Schema.isBetweenLength(3, MAX_EMAIL_LENGTH),
  ).annotate({ description: "The address that the person gave.", examples: ["ada@example.com"] }),
}

export const PersonalData = HttpApiGroup.make("personalData")
  .add(
    HttpApiEndpoint.get("exportUser", "/v1/users/:id/export", {
      params: PathId,
      query: PageQuery,
      success: pageOf("items", PersonalItem),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "user")
      .annotate(OpenApi.Summary, "Everything that is stored about a user"),
    HttpApiEndpoint.get("exportRegistrant", "/v1/workspaces/:id/registrants/export", {
      params: PathId,
      query: { ...PageQuery, ...Address },
      success: pageOf("items", PersonalItem),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
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
  .annotate(OpenApi.Description, "What is stored about a person, and taking it away.")
