/** Registrations that people make themselves: a new one, the one that is there, or one that waits again. */
import { Effect } from "effect"
import { EventFull } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import type { AnswersInput } from "../../../model/forms/form.ts"
import { newId } from "../../../model/ids.ts"
import { placeFor, stateOfNew } from "../../../model/registration.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import {
  findRegistration,
  insertRegistration,
  type Openness,
  type StoredRegistrant,
} from "../../../store/events/registrations.ts"
import { moveRegistrations } from "../../../store/events/waiting-list.ts"
import { query } from "../../../store/query.ts"
import { appendRegistrationOccurrences } from "../../../store/webhooks/registration-occurrences.ts"
import { registrationAnswers } from "./given-answers.ts"
import { DECLINED, lockOpenEvent } from "./open-registration.ts"

export interface Person {
  readonly name: string
  readonly email: string
}

interface Entry {
  readonly person: Person
  readonly answers: AnswersInput
  readonly at: Timestamp
}

/** Stores a new registration with its answers. Fails with `EventFull`. */
const enlist = (sql: Queryable, event: Event, limits: Openness, { person, answers, at }: Entry) =>
  Effect.gen(function* () {
    const state = stateOfNew(limits, person.email)
    if (state === undefined) return yield* new EventFull()
    const registrant = { id: newId(), ...person, state }
    yield* query(() => insertRegistration(sql, { eventId: event.id, ...registrant }))
    const given = yield* registrationAnswers(sql, { id: registrant.id, eventId: event.id }, answers, at)
    const change = state === "approved" ? "created" : state
    const told = change === "declined" ? registrant : { ...registrant, given }
    yield* query(() => appendRegistrationOccurrences(sql, change, event, [told], at))
    return registrant
  })

/**
 * Puts the registration of a person who missed an offer at the end. The request proves nothing about the address, so the name and the
 * answers stay: the link in an email changes answers. Fails with `EventFull`.
 */
const enlistAgain = (sql: Queryable, event: Event, limits: Openness, missed: StoredRegistrant, at: Timestamp) =>
  Effect.gen(function* () {
    const state = placeFor(limits)
    if (state === undefined) return yield* new EventFull()
    const registrant = { ...missed, state }
    yield* query(() => moveRegistrations(sql, event.id, [missed.id], state))
    yield* query(() => appendRegistrationOccurrences(sql, state, event, [registrant], at))
    return registrant
  })

/** Registers a person, or finds the registration. Fails with `Conflict` for a person whom the organisers declined. */
export const takePlace = (sql: Queryable, event: Event, person: Person, at: Timestamp, answers: AnswersInput) =>
  Effect.gen(function* () {
    const limits = yield* lockOpenEvent(sql, event.id)
    const known = yield* query(() => findRegistration(sql, event.id, person.email))
    if (known?.state === "declined") return yield* DECLINED
    if (known === undefined) {
      return { ...(yield* enlist(sql, event, limits, { person, answers, at })), alreadyRegistered: false }
    }
    const registrant = known.state === "expired" ? yield* enlistAgain(sql, event, limits, known, at) : known
    return { ...registrant, alreadyRegistered: true }
  })
