/** Events and phases. After creation every change goes through the event's actor; reads go to the store. */
import { Clock, Effect } from "effect"
import type { AgendaCommand, Answer } from "../../../actors/commands.ts"
import type { LiveEvents } from "../../../actors/live-events.ts"
import { Conflict, type Failure, NotFound } from "../../../model/errors.ts"
import { type EventCopyInput, type EventWithPhases, withWarnings } from "../../../model/event.ts"
import { newId } from "../../../model/ids.ts"
import type { Phase } from "../../../model/phase.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { requireAndLock } from "../../../store/accounts/credentials.ts"
import { Database } from "../../../store/database.ts"
import { type EventDraft, holdEvent, pageEvents } from "../../../store/events/events.ts"
import { NewEvents } from "../../../store/events/new-events.ts"
import { isTemplate } from "../../../store/events/templates.ts"
import { query } from "../../../store/query.ts"
import type { Events } from "../../contract/events/events.ts"
import { type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { insertHosted, newDraft, storeCopies } from "./event-drafts.ts"
import { ask } from "./live-commands.ts"

/** Runs a command on the event for its manager; resolves to the result and the event after it. */
const steer = (
  eventId: string,
  command: AgendaCommand,
): Effect.Effect<Answer & { readonly event: EventWithPhases }, Failure, LiveEvents> =>
  Effect.flatMap(ask(eventId, command, null), ({ event, ...answer }) =>
    event === null ? Effect.die(new Error("steering answers with the event")) : Effect.succeed({ ...answer, event }),
  )

const execute = (eventId: string, command: AgendaCommand): Effect.Effect<EventWithPhases, Failure, LiveEvents> =>
  Effect.map(steer(eventId, command), ({ event }) => event)

const warned = <E extends Parameters<typeof withWarnings>[0]>(event: E) =>
  Effect.map(Clock.currentTimeMillis, (now) => withWarnings(event, toTimestamp(now)))

const phaseOf = (event: EventWithPhases, phaseId: string): Effect.Effect<Phase, NotFound> => {
  const phase = event.phases.find(({ id }) => id === phaseId)
  return phase === undefined ? Effect.fail(NotFound.of("phase")) : Effect.succeed(phase)
}

const TEMPLATE = new Conflict({ detail: "A template is not published: copy it, and publish the copy." })

const storeEvent = (draft: EventDraft, { accountId, credential }: Scopes["workspace"]) =>
  accountId === null
    ? Effect.flatMap(NewEvents, ({ insert }) => insert(draft))
    : Effect.flatMap(Database, (database) =>
        database.transaction((sql) =>
          // A concurrent removal of the member, which revokes event roles, comes before this or sees its result.
          Effect.andThen(
            requireAndLock(sql, draft.event.workspaceId, credential, "members"),
            insertHosted(sql, draft, accountId),
          ),
        ),
      )

/** Reads the source again in the transaction, because it may have changed or gone since the access was checked. */
const storeCopy = (input: EventCopyInput, { event: { id }, workspaceId, credential, accountId }: Scopes["event"]) =>
  Effect.flatMap(Database, (database) =>
    database.transaction((sql) =>
      Effect.gen(function* () {
        yield* requireAndLock(sql, workspaceId, credential, "members")
        const source = yield* query(() => holdEvent(sql, id))
        if (source === undefined) return yield* NotFound.of("event")
        const [copy] = yield* storeCopies(sql, source, [input], accountId)
        if (copy === undefined) return yield* Effect.die(new Error("a copy was not stored"))
        return copy
      }),
    ),
  )

const lifecycle = (command: AgendaCommand) => ({
  access: "event" as const,
  handle: ({ scope }: { readonly scope: { readonly event: { readonly id: string } } }) =>
    execute(scope.event.id, command),
})

export const events = {
  createEvent: {
    access: "workspace",
    handle: ({ payload, scope }) =>
      Effect.gen(function* () {
        const draft = yield* newDraft(payload, scope.workspaceId)
        return yield* warned(yield* storeEvent(draft, scope))
      }),
  },
  listEvents: {
    access: "workspaceEvents",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageEvents(sql, call.scope, call.query, request))
        return pageReply(call, page, { events: page.rows, nextCursor: page.nextCursor })
      }),
  },
  getEvent: {
    access: "agenda",
    handle: ({ scope: { event } }) =>
      warned({ ...event, activePhaseId: event.phases.find(({ status }) => status === "active")?.id ?? null }),
  },
  patchEvent: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.flatMap(execute(event.id, { type: "event.patch", d: payload }), warned),
  },
  deleteEvent: {
    access: "event",
    handle: ({ scope: { event } }) => Effect.asVoid(execute(event.id, { type: "event.delete", d: {} })),
  },
  cloneEvent: {
    access: "eventOfWorkspace",
    handle: ({ payload, scope }) =>
      Effect.gen(function* () {
        const copy = yield* warned(yield* storeCopy(payload, scope))
        return new Reply(copy, { status: 201, headers: [["location", `/v1/events/${copy.id}`]] })
      }),
  },
  publishEvent: {
    access: "event",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        if (yield* (yield* Database).run((sql) => isTemplate(sql, event.id))) return yield* TEMPLATE
        return yield* warned(yield* execute(event.id, { type: "event.publish", d: {} }))
      }),
  },
  cancelEvent: {
    access: "event",
    handle: ({ payload, scope: { event } }) => execute(event.id, { type: "event.cancel", d: payload }),
  },
  reinstateEvent: lifecycle({ type: "event.reinstate", d: {} }),
  startEvent: lifecycle({ type: "event.start", d: {} }),
  endEvent: lifecycle({ type: "event.end", d: {} }),
  advanceEvent: {
    access: "event",
    handle: ({ payload, scope: { event } }) => execute(event.id, { type: "phase.next", d: payload }),
  },
  appendPhase: {
    access: "event",
    handle: ({ payload: { modality, config = {}, featureSet = [] }, scope: { event } }) =>
      Effect.gen(function* () {
        const command = { type: "phase.append", d: { phaseId: newId(), modality, config, featureSet } } as const
        const answer = yield* steer(event.id, command)
        // A repeated command is answered with the phase appended by the first.
        const { id } = (answer.result as { readonly phase: { readonly id: string } }).phase
        const phase = yield* phaseOf(answer.event, id)
        return new Reply(phase, { status: 201, headers: [["location", `/v1/phases/${id}`]] })
      }),
  },
  orderPhases: {
    access: "event",
    handle: ({ payload, scope: { event } }) => execute(event.id, { type: "phases.order", d: payload }),
  },
  deletePhase: {
    access: "phase",
    handle: ({ scope: { eventId, phaseId } }) =>
      Effect.asVoid(execute(eventId, { type: "phase.remove", d: { phaseId } })),
  },
  patchPhase: {
    access: "phase",
    handle: ({ payload, scope: { eventId, phaseId } }) =>
      Effect.flatMap(execute(eventId, { type: "phase.update", d: { phaseId, ...payload } }), (answer) =>
        phaseOf(answer, phaseId),
      ),
  },
  extendPhase: {
    access: "phase",
    handle: ({ payload: { seconds }, scope: { eventId, phaseId } }) =>
      Effect.flatMap(execute(eventId, { type: "timer.extend", d: { timerId: phaseId, seconds } }), (answer) =>
        phaseOf(answer, phaseId),
      ),
  },
} satisfies Handlers<typeof Events>
