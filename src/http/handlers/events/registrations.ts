/** Decisions of organisers about registrations, and what people do with the links of their emails. */
import { Clock, Effect } from "effect"
import { Mailer } from "../../../mail/mailer.ts"
import { Conflict, EventFull, NotFound } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { givenAnswers } from "../../../model/forms/questions.ts"
import { placeFor } from "../../../model/registration.ts"
import { type Timestamp, toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database, type Queryable } from "../../../store/database.ts"
import { findCalendarEvent } from "../../../store/events/calendar-events.ts"
import { listWordings } from "../../../store/events/forms.ts"
import type { Openness, StoredRegistrant } from "../../../store/events/registrations.ts"
import { listRegistrations, type RegisteredRow } from "../../../store/events/reports.ts"
import { moveRegistrations } from "../../../store/events/waiting-list.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { appendRegistrationOccurrences } from "../../../store/webhooks/registration-occurrences.ts"
import type { Registrations } from "../../contract/events/registrations.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { countEmailsToOthers, requireProvedOrganiser } from "../workspaces/mail-to-others.ts"
import { confirmations } from "./confirmations.ts"
import { lockOpenEvent } from "./open-registration.ts"
import { acceptPlace, leavePlace, ownPlace } from "./own-places.ts"

type Decision = { readonly to: "approved" } | { readonly to: "declined"; readonly reason: string | null }
type Decided = "approved" | "waiting" | "declined"
type Of = Pick<Event, "id" | "workspaceId">

/** Any other state stays as it is. */
const DECIDABLE: { readonly [to in Decision["to"]]: ReadonlyArray<StoredRegistrant["state"]> } = {
  approved: ["pending", "declined"],
  declined: ["pending", "waiting", "offered", "expired"],
}

/** Decides one after the other: each approval counts for the next. */
const deciding = (limits: Openness, { to }: Decision) => {
  let { registered, waiting } = limits
  return ({ state }: StoredRegistrant): Decided | Conflict | EventFull => {
    if (!DECIDABLE[to].includes(state)) {
      return new Conflict({
        detail:
          state === to ? `The registration is ${state} already.` : `The registration is ${state}, and cannot be ${to}.`,
      })
    }
    if (to === "declined") return to
    const place = placeFor({ ...limits, registered, waiting })
    if (place === "approved") registered += 1
    if (place === "waiting") waiting += 1
    return place ?? new EventFull()
  }
}

/** The registrations by their ids. Fails with `NotFound` when the event has not all of them. */
const readAll = (sql: Queryable, eventId: string, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const rows = yield* query(() => listRegistrations(sql, eventId, ids))
    const found = new Map(rows.map((row) => [row.id, row]))
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) return yield* NotFound.of(ids.length === 1 ? "registration" : `registration: ${missing}`)
    return ids.flatMap((id) => found.get(id) ?? [])
  })

const STATES: ReadonlyArray<Decided> = ["approved", "waiting", "declined"]

/**
 * Whether the email of a decision must count as one to others. The first answer to a person who registered need not, unless it has a reason:
 * organisers could send any number of emails to any address otherwise. An approval counts own words of the event itself, or goes without
 * them. No email goes to an address that takes none.
 */
const isCounted = ({ state, bouncedAt }: RegisteredRow, reason: string | null): boolean =>
  bouncedAt === null && (state !== "pending" || reason !== null)

/** Decides all, in the order of the ids, in the caller's transaction. `counted` has the ids of those whose emails must count. */
const decideAll = (sql: Queryable, event: Of, ids: ReadonlyArray<string>, decision: Decision, now: Timestamp) =>
  Effect.gen(function* () {
    const next = deciding(yield* lockOpenEvent(sql, event.id), decision)
    const outcomes = (yield* readAll(sql, event.id, ids)).map((person) => ({ person, outcome: next(person) }))
    const decided = outcomes.flatMap(({ person, outcome }) =>
      typeof outcome === "string" ? [{ ...person, state: outcome }] : [],
    )
    const refused = outcomes.flatMap(({ person: { id }, outcome }) =>
      typeof outcome === "string" ? [] : [{ id, failure: outcome }],
    )
    const reason = decision.to === "declined" ? decision.reason : null
    for (const state of STATES) {
      const people = decided.filter((person) => person.state === state)
      const moved = people.map(({ id }) => id)
      yield* query(() => moveRegistrations(sql, event.id, moved, state, reason))
      yield* query(() => appendRegistrationOccurrences(sql, state, event, people, now))
    }
    const counted = outcomes.flatMap(({ person, outcome }) =>
      typeof outcome === "string" && isCounted(person, reason) ? [person.id] : [],
    )
    const decidedIds = decided.map(({ id }) => id)
    return { registrations: yield* readAll(sql, event.id, decidedIds), refused, counted: new Set(counted) }
  })

const decide = (event: Of, ids: ReadonlyArray<string>, decision: Decision) =>
  Effect.gen(function* () {
    yield* requireProvedOrganiser(event.workspaceId)
    const mailer = yield* Mailer
    const outbox = yield* OutboxSignal
    const confirm = yield* confirmations
    const { sendsMail, emailDevMode, mailPerWorkspacePerDay } = yield* HttpSettings
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    const answer = yield* (yield* Database).transaction((sql) =>
      Effect.gen(function* () {
        const { counted, ...decided } = yield* decideAll(sql, event, [...new Set(ids)], decision, now)
        const letters = sendsMail || emailDevMode ? counted.size : 0
        yield* countEmailsToOthers(sql, event.workspaceId, letters, mailPerWorkspacePerDay)
        const stored = yield* query(() => findCalendarEvent(sql, event.id))
        if (stored === undefined) return yield* NotFound.of("event")
        for (const person of decided.registrations) {
          yield* query(() => confirm(sql, stored, person, now, counted.has(person.id)))
        }
        const wordings = yield* query(() => listWordings(sql, event.id, "registration"))
        const answered = decided.registrations.map((row) => ({ ...row, answers: givenAnswers(wordings, row.answers) }))
        return { ...decided, registrations: answered }
      }),
    )
    yield* afterCommit(
      Effect.sync(() => {
        mailer.collect()
        outbox.notify()
      }),
    )
    return answer
  })

const decideOne = (event: Event, id: string, decision: Decision) =>
  Effect.gen(function* () {
    const { registrations, refused } = yield* decide(event, [id], decision)
    const [registration] = registrations
    return registration ?? (yield* refused[0]?.failure ?? NotFound.of("registration"))
  })

const decideMany = (event: Event, ids: ReadonlyArray<string>, decision: Decision) =>
  Effect.map(decide(event, ids, decision), ({ registrations, refused }) => {
    const body = {
      registrations,
      refused: refused.map(({ id, failure }) =>
        failure._tag === "EventFull"
          ? { id, code: "event_full" as const, detail: "The event is full." }
          : { id, code: "conflict" as const, detail: failure.detail },
      ),
    }
    return new Reply(body, { targets: registrations.map(({ id }) => id) })
  })

const placeOf = (eventId: string, token: string) =>
  Effect.map(ownPlace(eventId, token), ({ name, standing }) => ({ name, ...standing }))

export const registrations = {
  approveRegistration: {
    access: "event",
    handle: ({ params: { registrationId }, scope: { event } }) => decideOne(event, registrationId, { to: "approved" }),
  },
  declineRegistration: {
    access: "event",
    handle: ({ params: { registrationId }, payload: { reason = null }, scope: { event } }) =>
      decideOne(event, registrationId, { to: "declined", reason }),
  },
  approveRegistrations: {
    access: "event",
    handle: ({ payload: { ids }, scope: { event } }) => decideMany(event, ids, { to: "approved" }),
  },
  declineRegistrations: {
    access: "event",
    handle: ({ payload: { ids, reason = null }, scope: { event } }) =>
      decideMany(event, ids, { to: "declined", reason }),
  },
  getPlace: { access: "sharedEvent", handle: ({ payload: { token }, scope: { event } }) => placeOf(event.id, token) },
  acceptPlace: {
    access: "sharedEvent",
    handle: ({ payload: { token }, scope: { event } }) =>
      Effect.andThen(acceptPlace(event.id, token), placeOf(event.id, token)),
  },
  leavePlace: {
    access: "sharedEvent",
    handle: ({ payload: { token }, scope: { event } }) => Effect.asVoid(leavePlace(event.id, token)),
  },
} satisfies Handlers<typeof Registrations>
