/** Acts of a person by the link of an email: seeing the state of the registration, taking an offered place, and leaving. */
import { Clock, Effect } from "effect"
import { readEntryToken } from "../../../identity/accounts/entry.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { Conflict, NotFound } from "../../../model/errors.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { afterCommit, Database } from "../../../store/database.ts"
import { findCalendarEvent } from "../../../store/events/calendar-events.ts"
import { findEvent } from "../../../store/events/events.ts"
import { findRegistrationById } from "../../../store/events/registrations.ts"
import { acceptOffer, findStanding } from "../../../store/events/waiting-list.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { appendRegistrationOccurrences } from "../../../store/webhooks/registration-occurrences.ts"
import { confirmations } from "./confirmations.ts"
import { freePlace } from "./freed-places.ts"
import { DECLINED, lockOpenEvent } from "./open-registration.ts"

/** Fails with `Conflict` once the event is over. */
export const ownPlace = (ofEvent: string, token: string) =>
  Effect.gen(function* () {
    const { id, eventId, name } = yield* readEntryToken(ofEvent, token)
    const database = yield* Database
    const event = yield* database.run((sql) => findEvent(sql, eventId))
    const standing = yield* database.run((sql) => findStanding(sql, eventId, id))
    if (event === undefined || standing === undefined) return yield* NotFound.of("event")
    if (event.status === "ended") return yield* new Conflict({ detail: "The event has ended." })
    return { id, name, event, standing }
  })

/** A declined registration stays, so that its person does not register again. */
export const leavePlace = (ofEvent: string, token: string) =>
  Effect.gen(function* () {
    const { id, event, standing } = yield* ownPlace(ofEvent, token)
    if (standing.state === "declined") return yield* DECLINED
    yield* freePlace(event, id, "person")
    return event
  })

const whyNot = {
  approved: "The place is taken already.",
  pending: "The organisers have not decided about the registration yet.",
  waiting: "There is no offer yet.",
  offered: "The offer is over.",
  expired: "The offer is over.",
  declined: DECLINED.detail,
}

/** Takes the offered place. Fails with `Conflict` when there is no offer, or it is over. */
export const acceptPlace = (ofEvent: string, token: string) =>
  Effect.gen(function* () {
    const { id, name, event } = yield* ownPlace(ofEvent, token)
    const mailer = yield* Mailer
    const outbox = yield* OutboxSignal
    const confirm = yield* confirmations
    const millis = yield* Clock.currentTimeMillis
    const now = toTimestamp(millis)
    yield* (yield* Database).transaction((sql) =>
      Effect.gen(function* () {
        yield* lockOpenEvent(sql, event.id)
        const isTaken = yield* query(() => acceptOffer(sql, event.id, id, now))
        const person = yield* query(() => findRegistrationById(sql, event.id, id))
        const stored = yield* query(() => findCalendarEvent(sql, event.id))
        if (person === undefined || stored === undefined) return yield* NotFound.of("registration")
        if (!isTaken) return yield* new Conflict({ detail: whyNot[person.state] })
        yield* query(() => appendRegistrationOccurrences(sql, "approved", event, [person], now))
        yield* query(() => confirm(sql, stored, person, now))
      }),
    )
    yield* afterCommit(
      Effect.sync(() => {
        mailer.collect()
        outbox.notify()
      }),
    )
    return { name, event }
  })
