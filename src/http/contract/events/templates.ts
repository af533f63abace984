/** Templates of a workspace (docs/rest.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ids, T0 } from "../../../model/example-ids.ts"
import { Uuid } from "../../../model/ids.ts"
import { named } from "../../../model/named.ts"
import { Instant } from "../../../model/timestamp.ts"
import { EndpointAccess, WriteScope } from "../access.ts"
import { created, Example, Name, PathId } from "../endpoint.ts"
import { event } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

/** The most templates of a workspace. */
export const MOST_TEMPLATES = 100

export const Template = Schema.Struct({
  /** Id of a draft, which is read, changed, copied and deleted as an event. */
  id: Uuid,
  name: Schema.String,
  title: Schema.String,
  type: Schema.String,
  createdAt: Instant,
}).annotate(named("Template"))

const template = { id: ids.event, name: "Our webinar", title: event.title, type: event.type, createdAt: T0 }

export const Templates = HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.post("createTemplate", "/v1/events/:id/template", {
      params: PathId,
      payload: Schema.Struct({ name: Name }),
      success: created(Template),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "eventOfWorkspace")
      .annotate(Audited, "template.created")
      .annotate(OpenApi.Summary, "Keep a copy of an event as a template")
      .annotate(
        OpenApi.Description,
        `The template is a draft with all that a copy has (\`POST /v1/events/{id}/clone\`). It is in no list of events and cannot be published; read, change, copy and delete it by its id as an event. A workspace has at most ${MOST_TEMPLATES}: 409.`,
      )
      .annotate(Example, { request: { name: template.name }, response: template }),
    HttpApiEndpoint.get("listTemplates", "/v1/templates", {
      success: Schema.Struct({ templates: Schema.Array(Template) }),
      error: problems(...COMMON),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(OpenApi.Summary, "Templates of a workspace, by name")
      .annotate(
        OpenApi.Description,
        "All of them. `POST /v1/events/{id}/clone` with the id of one makes an event of it.",
      )
      .annotate(Example, { response: { templates: [template] } }),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Events to begin with.")
