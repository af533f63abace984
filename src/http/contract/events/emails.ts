/** Emails about events, and addresses that take none. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T0 } from "../../../model/example-ids.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { PreviewedEmail } from "../../../model/presentation.ts"
import { MembersText } from "../../../model/text/shown-text.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { KnownEmail } from "../accounts/accounts.ts"
import { Example, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { examplePage } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited, ReadsPeople } from "../workspaces/audit.ts"
import { Address } from "../workspaces/personal-data.ts"

const EmailPreview = Schema.Struct({
  subject: Schema.String,
  /** The email as plain text, with Markdown as it was written. */
  text: Schema.String,
  /** The email as a page of HTML, as mail programs show it. */
  html: Schema.String,
}).annotate(named("EmailPreview"))

const Bounce = Schema.Struct({
  id: Uuid,
  email: Schema.String,
  reason: Schema.NullOr(Schema.String),
  /** Number of reports. */
  reports: Schema.Int,
  createdAt: Instant,
  /** Time of the last report. */
  lastAt: Instant,
}).annotate(named("Bounce"))

const REASON_LIMIT = 500
const bounce = {
  id: ids.session,
  email: "grace@example.com",
  reason: "550 5.1.1 No such mailbox",
  reports: 1,
  createdAt: T0,
  lastAt: T0,
}

export const Emails = HttpApiGroup.make("emails")
  .add(
    HttpApiEndpoint.get("previewEmail", "/v1/events/:id/emails/:kind", {
      params: { ...PathId, kind: PreviewedEmail },
      success: EmailPreview,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "An email about the event, as a made-up person would get it")
      .annotate(
        OpenApi.Description,
        "In the event's language, with its picture and its own words as they are now. Nothing is sent, and the links hold no token.",
      )
      .annotate(Example, {
        response: {
          subject: "Your place at Spring launch",
          text: 'Hello Ada Lovelace,\n\nyou are registered for "Spring launch".',
          html: "<!doctype html><p>Hello Ada Lovelace,</p>",
        },
      }),
    HttpApiEndpoint.post("reportBounce", "/v1/workspaces/:id/bounces", {
      params: PathId,
      payload: Schema.Struct({
        email: KnownEmail,
        reason: Schema.optionalKey(MembersText(1, REASON_LIMIT)).annotateKey({
          description: "Why the mail server refused it, for the people of the workspace.",
        }),
      }),
      success: Bounce,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "bounce.reported")
      .annotate(OpenApi.Summary, "Report that an address takes no emails")
      .annotate(
        OpenApi.Description,
        "For what your mail service tells of permanent failures. From then on the workspace's events and invitations send no emails to the address, except those on their way already, and its registrations have `bouncedAt`. An offer of a free place to it expires unheard. Reports of one address are counted. An address of nobody who registered, was invited or is a user: 404.",
      )
      .annotate(Example, { request: { email: bounce.email, reason: bounce.reason }, response: bounce }),
    HttpApiEndpoint.get("listBounces", "/v1/workspaces/:id/bounces", {
      params: PathId,
      query: PageQuery,
      success: pageOf("bounces", Bounce),
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(ReadsPeople, true)
      .annotate(OpenApi.Summary, "The addresses that take no emails, the newest first")
      .annotate(OpenApi.Description, "Addresses that the workspace reported, with the number of reports.")
      .annotate(Example, { response: examplePage("bounces", bounce) }),
    HttpApiEndpoint.delete("deleteBounce", "/v1/workspaces/:id/bounces", {
      params: PathId,
      query: Address,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "workspaceAdminOrKey")
      .annotate(Audited, "bounce.deleted")
      .annotate(OpenApi.Summary, "Take the reports of an address back")
      .annotate(OpenApi.Description, "Emails go to it again. What was not sent meanwhile is not sent afterwards."),
  )
  .annotateEndpoints(WriteScope, "people")
  .annotate(OpenApi.Description, "Emails about events before they are sent, and addresses that take none.")
