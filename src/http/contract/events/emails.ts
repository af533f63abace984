/** Emails about an event. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { named } from "../../../model/named.ts"
import { PreviewedEmail } from "../../../model/presentation.ts"
import { EndpointAccess } from "../access.ts"
import { Example, PathId } from "../endpoint.ts"
import { COMMON, problems } from "../problem.ts"

const EmailPreview = Schema.Struct({
  subject: Schema.String,
  /** The email as plain text, with Markdown as it was written. */
  text: Schema.String,
  /** The email as a page of HTML, as mail programs show it. */
  html: Schema.String,
}).annotate(named("EmailPreview"))

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
        "In the event's language, with its picture and its own words as they are now. Nothing is sent, and the links open nothing.",
      )
      .annotate(Example, {
        response: {
          subject: "Your place at Spring launch",
          text: 'Hello Ada Lovelace,\n\nyou are registered for "Spring launch".',
          html: "<!doctype html><p>Hello Ada Lovelace,</p>",
        },
      }),
  )
  .annotate(OpenApi.Description, "Emails about an event, before they are sent.")
