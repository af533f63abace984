/** Registering many people at once, by a key or a member. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ids } from "../../../model/example-ids.ts"
import { AnswersInput } from "../../../model/forms/form.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Commanded, EndpointAccess, ReadBy, WriteScope } from "../access.ts"
import { Email } from "../accounts/accounts.ts"
import { BodyLimit, Example, Name, PathId } from "../endpoint.ts"
import { CSV } from "../file.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

export const MOST_ROWS = 5000
/** Maximum size of an import in bytes. */
const LARGEST = 4 * 1024 * 1024

export const ImportedRow = Schema.Struct({
  name: Name,
  email: Email,
  answers: Schema.optionalKey(AnswersInput),
}).annotate(named("ImportedRegistration"))

const rowsOf = <Row extends Schema.Top>(row: Row) =>
  Schema.Struct({ registrations: Schema.Array(row).check(Schema.isBetweenLength(1, MOST_ROWS)) })

const CsvFile = Schema.String.pipe(HttpApiSchema.asText({ contentType: CSV }))

const RowReport = Schema.Struct({
  /** Place in the request, starting at 1. */
  row: Schema.Int,
  email: Schema.NullOr(Schema.String),
  outcome: Schema.Literals(["created", "alreadyRegistered", "refused"]),
  registrationId: Schema.NullOr(Uuid),
  /** Code of the problem for which a row is refused, such as `bad_request` or `event_full`. */
  code: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
}).annotate(named("ImportedRow"))
export type RowReport = typeof RowReport.Type

const created = {
  row: 1,
  email: "grace@example.com",
  outcome: "created",
  registrationId: ids.user,
  code: null,
  detail: null,
}
const refused = {
  row: 2,
  email: null,
  outcome: "refused",
  registrationId: null,
  code: "bad_request",
  detail: "email: must be an e-mail address.",
}

export const Imports = HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post("importRegistrations", "/v1/events/:id/registrations/import", {
      params: PathId,
      payload: [rowsOf(ImportedRow), CsvFile],
      success: Schema.Struct({
        created: Schema.Int,
        alreadyRegistered: Schema.Int,
        refused: Schema.Int,
        rows: Schema.Array(RowReport),
      }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Commanded, true)
      .annotate(BodyLimit, LARGEST)
      .annotate(ReadBy, rowsOf(Schema.Json))
      .annotate(Audited, "registrations.imported")
      .annotate(OpenApi.Summary, "Register up to 5,000 people, with a report by row")
      .annotate(
        OpenApi.Description,
        "As JSON, or as CSV with the columns `name`, `email` and, for answers, the ids or texts of questions; several choices are separated by `;`. A row that cannot be taken is refused and the others are stored; the same request again finds every address registered. Nobody has more places than the event, which rows take in their order. Required questions may stay open, and a consent is given by its person alone. No confirmation is sent: `POST …/resend` sends the link. Emails to these people count as those to others (`MAIL_PER_WORKSPACE_PER_DAY`). Webhook `registration.created` for each.",
      )
      .annotate(Example, {
        request: {
          registrations: [{ name: "Grace Hopper", email: "grace@example.com", answers: { company: "Acme" } }],
        },
        response: { created: 1, alreadyRegistered: 0, refused: 1, rows: [created, refused] },
        texts: { [CSV]: "name,email,company\r\nGrace Hopper,grace@example.com,Acme\r\n" },
      }),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "Many registrations at once.")
