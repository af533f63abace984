/** New events and copies of events, as they are stored. */
import { Effect } from "effect"
import { giveEventRole } from "../../../identity/participants.ts"
import { BadRequest, Conflict } from "../../../model/errors.ts"
import {
  type Event,
  type EventCopyInput,
  type EventInput,
  endsBeforeItStarts,
  NEW_EVENT,
} from "../../../model/event.ts"
import { copyOfEvent, copyOfPhase } from "../../../model/event-copy.ts"
import { newId } from "../../../model/ids.ts"
import { MAX_PHASES_PER_EVENT } from "../../../model/phase.ts"
import type { Queryable } from "../../../store/database.ts"
import { type EventAgenda, type EventDraft, insertEvent, insertEvents } from "../../../store/events/events.ts"
import { copyForms } from "../../../store/events/forms.ts"
import { copyPrepared } from "../../../store/live/copied-records.ts"
import { query } from "../../../store/query.ts"
import { HttpSettings } from "../../requests/settings.ts"

export const newDraft = ({ phases: drafts = [], ...fields }: EventInput, workspaceId: string) =>
  Effect.gen(function* () {
    const { defaultCapacity } = yield* HttpSettings
    const settings = { ...NEW_EVENT, capacity: defaultCapacity, ...fields }
    if (endsBeforeItStarts(settings)) {
      return yield* BadRequest.ofField("scheduledEndAt", "must not lie before scheduledAt")
    }
    if (drafts.length > MAX_PHASES_PER_EVENT) {
      return yield* new Conflict({ detail: `An event has at most ${MAX_PHASES_PER_EVENT} phases.` })
    }
    const event = { ...settings, id: newId(), workspaceId, status: "draft" as const }
    const phases = drafts.map(({ modality, config = {}, featureSet = [] }) => ({
      id: newId(),
      modality,
      config,
      featureSet,
    }))
    return { event, phases }
  })

const giveHost = (sql: Queryable, accountId: string | null, workspaceId: string, eventId: string) =>
  accountId === null ? Effect.void : giveEventRole(sql, { accountId, workspaceId, eventId, role: "host" })

/** An account that creates an event from the dashboard becomes its host. A key is no participant, and may be revoked. */
export const insertHosted = (sql: Queryable, draft: EventDraft, accountId: string | null) =>
  Effect.gen(function* () {
    const { workspaceId, id: eventId } = draft.event
    const created = yield* query(() => insertEvent(sql, draft))
    yield* giveHost(sql, accountId, workspaceId, eventId)
    return created
  })

/** Stores copies of an event with its forms and what hosts prepared, in the order of the inputs. */
export const storeCopies = (
  sql: Queryable,
  source: EventAgenda,
  inputs: ReadonlyArray<EventCopyInput>,
  accountId: string | null,
) =>
  Effect.gen(function* () {
    const drafts = inputs.map(
      (input): EventDraft => ({
        event: copyOfEvent(source, input),
        phases: source.phases.map(copyOfPhase),
      }),
    )
    const ids = drafts.map(({ event }) => event.id)
    const copies = new Map<string, Event>()
    for (const copy of yield* query(() => insertEvents(sql, drafts))) copies.set(copy.id, copy)
    const stored = ids.flatMap((id) => copies.get(id) ?? [])
    const [first] = stored
    if (first === undefined) return stored
    yield* Effect.forEach(ids, (id) => giveHost(sql, accountId, source.workspaceId, id), { discard: true })
    yield* query(() => copyForms(sql, source.id, ids, first.createdAt))
    yield* query(() => copyPrepared(sql, { from: source.id, to: ids, at: first.createdAt }))
    return stored
  })
