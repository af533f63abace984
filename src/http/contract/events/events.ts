/** Events and phases (specification §3 and §4). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Event, EventInput, EventPatch, EventWithPhases, PublishedEvent } from "../../../model/event.ts"
import { Id } from "../../../model/ids.ts"
import type { KeyScope } from "../../../model/key-rights.ts"
import { FeatureSet, MAX_PHASES_PER_EVENT, Phase, PhaseConfig, PhaseInput } from "../../../model/phase.ts"
import { Commanded, EndpointAccess, NeededScope, WriteScope } from "../access.ts"
import { created, OptionalBody, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"
import { Audited } from "../workspaces/audit.ts"

const lifecycle = <
  Name extends "publishEvent" | "startEvent" | "endEvent",
  Verb extends "publish" | "start" | "end",
  Answer extends typeof EventWithPhases | typeof PublishedEvent,
>(
  name: Name,
  verb: Verb,
  success: Answer,
  summary: string,
  scope: KeyScope,
) =>
  HttpApiEndpoint.post(name, `/v1/events/:id/${verb}`, {
    params: PathId,
    success,
    error: problems(...COMMON, "not_found", "conflict"),
  })
    .annotate(EndpointAccess, "event")
    .annotate(NeededScope, scope)
    .annotate(Commanded, true)
    .annotate(OpenApi.Summary, summary)

export const Events = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.post("createEvent", "/v1/events", {
      payload: EventInput,
      success: created(Event),
      error: problems(...WITH_BODY, ...COMMON, "conflict"),
    })
      .annotate(EndpointAccess, "workspace")
      .annotate(OpenApi.Summary, "Create a draft event with its phases"),
    HttpApiEndpoint.get("listEvents", "/v1/events", {
      query: PageQuery,
      success: pageOf("events", Event),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspaceEvents")
      .annotate(OpenApi.Summary, "Events, newest first"),
    HttpApiEndpoint.get("getEvent", "/v1/events/:id", {
      params: PathId,
      success: EventWithPhases,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "agenda")
      .annotate(OpenApi.Summary, "An event with its phases"),
    HttpApiEndpoint.patch("patchEvent", "/v1/events/:id", {
      params: PathId,
      payload: EventPatch,
      success: Event,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Change an event; metadata is replaced wholesale"),
    HttpApiEndpoint.delete("deleteEvent", "/v1/events/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Audited, "event.deleted")
      .annotate(OpenApi.Summary, "Delete an event for good; a live one ends first"),
    lifecycle("publishEvent", "publish", PublishedEvent, "Publish a draft", "events:write"),
    lifecycle("startEvent", "start", EventWithPhases, "Go live with the first phase", "live"),
    HttpApiEndpoint.post("advanceEvent", "/v1/events/:id/advance", {
      params: PathId,
      payload: Schema.Struct({ phaseId: Schema.optionalKey(Id) }),
      success: EventWithPhases,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "event")
      .annotate(NeededScope, "live")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "End the active phase and start the next; guarded by `phaseId` when given"),
    lifecycle("endEvent", "end", EventWithPhases, "End the event at once", "live"),
    HttpApiEndpoint.post("appendPhase", "/v1/events/:id/phases", {
      params: PathId,
      payload: PhaseInput,
      success: created(Phase),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Append a phase"),
    HttpApiEndpoint.put("orderPhases", "/v1/events/:id/phases/order", {
      params: PathId,
      payload: Schema.Struct({ phaseIds: Schema.Array(Id).check(Schema.isMaxLength(MAX_PHASES_PER_EVENT)) }),
      success: EventWithPhases,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Put the phases of an event that has not started in another order"),
    HttpApiEndpoint.patch("patchPhase", "/v1/phases/:id", {
      params: PathId,
      payload: Schema.Struct({
        config: Schema.optionalKey(PhaseConfig),
        featureSet: Schema.optionalKey(FeatureSet),
      }),
      success: Phase,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(OpenApi.Summary, "Replace a phase's config or feature set"),
    HttpApiEndpoint.delete("deletePhase", "/v1/phases/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(Audited, "phase.deleted")
      .annotate(OpenApi.Summary, "Remove a phase from an event that has not started"),
    HttpApiEndpoint.post("extendPhase", "/v1/phases/:id/extend", {
      params: PathId,
      payload: Schema.Struct({ seconds: Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 3600 })) }),
      success: Phase,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(NeededScope, "live")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Add seconds to the active phase's timer"),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Events, their lifecycle and their phases.")
