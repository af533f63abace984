/** Events and phases (docs/concepts.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Event,
  EventCopyInput,
  EventInput,
  EventPatch,
  EventStatus,
  EventWithPhases,
  PublishedEvent,
} from "../../../model/event.ts"
import { ids, T1 } from "../../../model/example-ids.ts"
import { Id } from "../../../model/ids.ts"
import type { KeyScope } from "../../../model/key-rights.ts"
import { FeatureSet, MAX_PHASES_PER_EVENT, Phase, PhaseConfig, PhaseInput } from "../../../model/phase.ts"
import { InstantInput } from "../../../model/timestamp.ts"
import { Commanded, EndpointAccess, NeededScope, WriteScope } from "../access.ts"
import { created, Example, OptionalBody, PageQuery, PathId, pageOf } from "../endpoint.ts"
import { agenda, event, examplePage, phase } from "../examples/example-objects.ts"
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
      .annotate(OpenApi.Summary, "Create a draft event with its phases")
      .annotate(
        OpenApi.Description,
        "The event begins as a `draft`, seen by the workspace alone. `phases` are its agenda, in order; more can be appended later. Read the event to see the ids of its phases. `warnings` name what you may not have meant, such as a start in the past; a published event without phases is one more. With `reminders`, which is on by default, everybody who registers gets an email a day and ten minutes before `scheduledAt`.",
      )
      .annotate(Example, {
        request: {
          type: "webinar",
          title: "Spring launch",
          scheduledAt: T1,
          visibility: "public",
          phases: [{ modality: "broadcast", featureSet: ["qa"] }, { modality: "meeting" }],
        },
        response: { ...event, status: "draft", publishedAt: null, startedAt: null, warnings: [] },
      }),
    HttpApiEndpoint.get("listEvents", "/v1/events", {
      query: {
        ...PageQuery,
        q: Schema.optionalKey(
          Schema.String.check(Schema.isBetweenLength(1, 200)).annotate({
            description: "A part of the title, in small or capital letters.",
            examples: ["launch"],
          }),
        ),
        status: Schema.optionalKey(EventStatus).annotateKey({
          description: "Only events in this state.",
          examples: ["scheduled"],
        }),
        type: Schema.optionalKey(
          Schema.String.check(Schema.isBetweenLength(1, 80)).annotate({
            description: "Only events of exactly this `type`.",
            examples: ["webinar"],
          }),
        ),
        from: Schema.optionalKey(
          InstantInput.annotate({ description: "Only events whose `scheduledAt` is at this time or later." }),
        ),
        to: Schema.optionalKey(
          InstantInput.annotate({ description: "Only events whose `scheduledAt` is before this time." }),
        ),
      },
      success: pageOf("events", Event),
      error: problems("bad_request", ...COMMON),
    })
      .annotate(EndpointAccess, "workspaceEvents")
      .annotate(OpenApi.Summary, "Events, newest first")
      .annotate(
        OpenApi.Description,
        "Without their phases. Events that match all given parameters; one without `scheduledAt` matches neither `from` nor `to`.",
      )
      .annotate(Example, { response: examplePage("events", event) }),
    HttpApiEndpoint.get("getEvent", "/v1/events/:id", {
      params: PathId,
      success: EventWithPhases,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "agenda")
      .annotate(OpenApi.Summary, "An event with its phases")
      .annotate(OpenApi.Description, "The agenda is in order; `activePhaseId` is null unless the event is live.")
      .annotate(Example, { response: { ...agenda, warnings: [] } }),
    HttpApiEndpoint.patch("patchEvent", "/v1/events/:id", {
      params: PathId,
      payload: EventPatch,
      success: Event,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Change an event; metadata is replaced wholesale")
      .annotate(
        OpenApi.Description,
        "Absent fields stay. People at the live event are told of the change over the gateway.",
      )
      .annotate(Example, {
        request: { title: "Spring launch, moved", scheduledAt: null },
        response: { ...event, warnings: [] },
      }),
    HttpApiEndpoint.delete("deleteEvent", "/v1/events/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Audited, "event.deleted")
      .annotate(OpenApi.Summary, "Delete an event for good; a live one ends first")
      .annotate(OpenApi.Description, "Its people are disconnected, and everything that belongs to it is removed."),
    HttpApiEndpoint.post("cloneEvent", "/v1/events/:id/clone", {
      params: PathId,
      payload: EventCopyInput,
      success: created(Event),
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(OptionalBody, true)
      .annotate(EndpointAccess, "eventOfWorkspace")
      .annotate(Audited, "event.cloned")
      .annotate(OpenApi.Summary, "Copy an event, in any state, as a new draft")
      .annotate(
        OpenApi.Description,
        "The copy has the type, the settings, the metadata and the agenda of the event, its polls as drafts without votes, and the prepared announcements that are for everyone. Nothing that people did is copied: no registrations, roles, questions, chat, votes, recordings or links. Without `title` it is called as the event is, with `(copy)`. Without `scheduledAt` it has no time; with it, `scheduledEndAt` keeps its distance.",
      )
      .annotate(Example, {
        request: { title: "Autumn launch", scheduledAt: T1 },
        response: {
          ...event,
          title: "Autumn launch",
          status: "draft",
          publishedAt: null,
          startedAt: null,
          warnings: [],
        },
      }),
    lifecycle("publishEvent", "publish", PublishedEvent, "Publish a draft", "events:write")
      .annotate(
        OpenApi.Description,
        "From `draft` to `scheduled`: registration and the public page open as far as its visibility allows. Webhook `event.published`.",
      )
      .annotate(Example, { response: { ...agenda, status: "scheduled", warnings: [] } }),
    lifecycle("startEvent", "start", EventWithPhases, "Go live with the first phase", "live")
      .annotate(OpenApi.Description, "From `scheduled` to `live`. Timers run from now on. Webhook `event.started`.")
      .annotate(Example, { response: agenda }),
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
      .annotate(OpenApi.Summary, "End the active phase and start the next; guarded by `phaseId` when given")
      .annotate(
        OpenApi.Description,
        "The last phase's end ends the event. With `phaseId` the call has an effect only while that phase is active, so that two hosts do not advance twice: otherwise it answers 200 with the event as it is.",
      )
      .annotate(Example, { request: { phaseId: ids.phase }, response: agenda }),
    lifecycle("endEvent", "end", EventWithPhases, "End the event at once", "live")
      .annotate(
        OpenApi.Description,
        "Ends the active phase, skips those that are left, and closes the sockets of everybody at the event. Webhook `event.ended`.",
      )
      .annotate(Example, { response: { ...agenda, status: "ended", endedAt: T1, activePhaseId: null } }),
    HttpApiEndpoint.post("appendPhase", "/v1/events/:id/phases", {
      params: PathId,
      payload: PhaseInput,
      success: created(Phase),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Append a phase")
      .annotate(
        OpenApi.Description,
        "To the end of the agenda, also while the event is live. An event has at most 50 phases.",
      )
      .annotate(Example, {
        request: { modality: "breakout", config: { roomSize: 4 }, featureSet: ["qa"] },
        response: phase,
      }),
    HttpApiEndpoint.put("orderPhases", "/v1/events/:id/phases/order", {
      params: PathId,
      payload: Schema.Struct({ phaseIds: Schema.Array(Id).check(Schema.isMaxLength(MAX_PHASES_PER_EVENT)) }),
      success: EventWithPhases,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Put the phases of an event that has not started in another order")
      .annotate(
        OpenApi.Description,
        "While the event is `draft` or `scheduled`, otherwise 409. `phaseIds` has each phase of the event once; otherwise 400 says which are missing, unknown or named twice. People who wait for the event see the new order at once.",
      )
      .annotate(Example, {
        request: { phaseIds: [ids.phase] },
        response: {
          ...agenda,
          status: "scheduled",
          startedAt: null,
          phases: [{ ...phase, status: "pending", startedAt: null, timerEndsAt: null }],
          activePhaseId: null,
        },
      }),
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
      .annotate(OpenApi.Summary, "Replace a phase's config or feature set")
      .annotate(
        OpenApi.Description,
        "Of a phase that has not ended. An absent field stays, a given one is replaced wholesale.",
      )
      .annotate(Example, { request: { config: { roomSize: 5 } }, response: phase }),
    HttpApiEndpoint.delete("deletePhase", "/v1/phases/:id", {
      params: PathId,
      error: problems(...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(Audited, "phase.deleted")
      .annotate(OpenApi.Summary, "Remove a phase from an event that has not started")
      .annotate(
        OpenApi.Description,
        "While its event is `draft` or `scheduled`, otherwise 409. The phases after it move up. A phase that a recording belongs to stays: 409. Roles, invites and questions stay as they are.",
      ),
    HttpApiEndpoint.post("extendPhase", "/v1/phases/:id/extend", {
      params: PathId,
      payload: Schema.Struct({ seconds: Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 3600 })) }),
      success: Phase,
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "phase")
      .annotate(NeededScope, "live")
      .annotate(Commanded, true)
      .annotate(OpenApi.Summary, "Add seconds to the active phase's timer")
      .annotate(
        OpenApi.Description,
        "People at the event see the new end at once. A phase with `extendable: false` refuses, and no phase is longer than a day.",
      )
      .annotate(Example, { request: { seconds: 60 }, response: phase }),
  )
  .annotateEndpoints(WriteScope, "events:write")
  .annotate(OpenApi.Description, "Events, their lifecycle and their phases.")
