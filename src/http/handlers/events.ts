/** Events and phases. After creation every change goes through the event's actor; reads go to the store. */
import { Effect } from "effect"
import type { Answer, Command, Refused } from "../../actors/commands.ts"
import { LiveEvents } from "../../actors/live-events.ts"
import { giveEventRole } from "../../identity/participants.ts"
import { BadRequest, Conflict, type Failure, NotFound } from "../../model/errors.ts"
import { type Event, endsBeforeItStarts } from "../../model/event.ts"
import { newId } from "../../model/ids.ts"
import { MAX_PHASES_PER_EVENT, type Phase } from "../../model/phase.ts"
import { Database } from "../../store/database.ts"
import { insertEvent, type NewEvent, type NewPhase, pageEvents } from "../../store/events.ts"
import { type Handlers, Reply } from "../call.ts"
import type { Events } from "../contract/events.ts"
import { pageReply, pageRequest } from "../paging.ts"
import { HttpSettings } from "../settings.ts"

/** Only codes that a caller without a per-event role can meet appear here. */
const failureOf = (refused: Refused): BadRequest | NotFound | Conflict => {
  if (refused.code === "bad_request") return new BadRequest({ detail: refused.detail })
  if (refused.code === "not_found") return new NotFound({ detail: refused.detail })
  return new Conflict({ detail: refused.detail })
}

/** Sends a command to the event's mailbox, as a caller that manages the workspace. */
const execute = (eventId: string, command: Command): Effect.Effect<Answer, Failure, LiveEvents> =>
  Effect.flatMap(LiveEvents, (live) =>
    live.execute(eventId, { commandId: newId(), scope: "rest", bodyHash: "", role: null, at: Date.now(), command }),
  ).pipe(Effect.mapError((failure): Failure => (failure._tag === "Refused" ? failureOf(failure) : failure)))

const phaseOf = (answer: Answer, phaseId: string): Effect.Effect<Phase, NotFound> => {
  const phase = answer.event.phases.find(({ id }) => id === phaseId)
  return phase === undefined ? Effect.fail(NotFound.of("phase")) : Effect.succeed(phase)
}

/** Whoever creates an event from the dashboard hosts it (specification §4); a key is nobody. */
const storeEvent = (event: NewEvent, phases: ReadonlyArray<NewPhase>, accountId: string | null) =>
  Effect.flatMap(Database, (database) =>
    accountId === null
      ? database.run((sql) => insertEvent(sql, event, phases))
      : database.transaction<Event, NotFound>(async (sql) => {
          const created = await insertEvent(sql, event, phases)
          const { workspaceId, id: eventId } = event
          await giveEventRole(sql, { accountId, workspaceId, eventId, role: "host" })
          return created
        }),
  )

const lifecycle = (command: Command) => ({
  access: "event" as const,
  handle: ({ scope }: { readonly scope: { readonly event: { readonly id: string } } }) =>
    Effect.map(execute(scope.event.id, command), ({ event }) => event),
})

export const events: Handlers<typeof Events> = {
  createEvent: {
    access: "workspace",
    handle: ({ payload, scope }) =>
      Effect.gen(function* () {
        const { defaultCapacity } = yield* HttpSettings
        const times = { scheduledAt: payload.scheduledAt ?? null, scheduledEndAt: payload.scheduledEndAt ?? null }
        if (endsBeforeItStarts(times)) {
          return yield* new BadRequest({ detail: "scheduledEndAt must not lie before scheduledAt." })
        }
        if ((payload.phases?.length ?? 0) > MAX_PHASES_PER_EVENT) {
          return yield* new Conflict({ detail: `An event has at most ${MAX_PHASES_PER_EVENT} phases.` })
        }
        const event = {
          id: newId(),
          workspaceId: scope.workspaceId,
          type: payload.type,
          title: payload.title,
          status: "draft" as const,
          visibility: payload.visibility ?? ("unlisted" as const),
          ...times,
          allowAnonymousVoting: payload.allowAnonymousVoting ?? false,
          allowAnonymousQuestions: payload.allowAnonymousQuestions ?? false,
          capacity: payload.capacity === undefined ? defaultCapacity : payload.capacity,
          metadata: payload.metadata ?? {},
        }
        const phases = (payload.phases ?? []).map(({ modality, config = {}, featureSet = [] }) => ({
          id: newId(),
          modality,
          config,
          featureSet,
        }))
        return yield* storeEvent(event, phases, scope.accountId)
      }),
  },
  listEvents: {
    access: "workspace",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageEvents(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { events: page.rows, nextCursor: page.nextCursor })
      }),
  },
  getEvent: {
    access: "agenda",
    handle: ({ scope: { event } }) =>
      Effect.succeed({ ...event, activePhaseId: event.phases.find(({ status }) => status === "active")?.id ?? null }),
  },
  patchEvent: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.map(execute(event.id, { type: "patchEvent", patch: payload }), (answer) => answer.event),
  },
  deleteEvent: {
    access: "event",
    handle: ({ scope: { event } }) => Effect.asVoid(execute(event.id, { type: "delete" })),
  },
  publishEvent: lifecycle({ type: "publish" }),
  startEvent: lifecycle({ type: "start" }),
  endEvent: lifecycle({ type: "end" }),
  advanceEvent: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.map(execute(event.id, { type: "advance", phaseId: payload.phaseId ?? null }), (answer) => answer.event),
  },
  appendPhase: {
    access: "event",
    handle: ({ payload: { modality, config = {}, featureSet = [] }, scope: { event } }) =>
      Effect.suspend(() => {
        const phaseId = newId()
        return Effect.flatMap(
          execute(event.id, { type: "appendPhase", phaseId, modality, config, featureSet }),
          (answer) =>
            Effect.map(
              phaseOf(answer, phaseId),
              (phase) => new Reply(phase, { status: 201, headers: [["location", `/v1/phases/${phaseId}`]] }),
            ),
        )
      }),
  },
  patchPhase: {
    access: "phase",
    handle: ({ payload, scope: { eventId, phaseId } }) =>
      Effect.flatMap(execute(eventId, { type: "updatePhase", phaseId, ...payload }), (answer) =>
        phaseOf(answer, phaseId),
      ),
  },
  extendPhase: {
    access: "phase",
    handle: ({ payload: { seconds }, scope: { eventId, phaseId } }) =>
      Effect.flatMap(execute(eventId, { type: "extendTimer", phaseId, seconds }), (answer) => phaseOf(answer, phaseId)),
  },
}
