/** Registration for each event of a series that is to come. One email confirms all of them: anybody may name any address. */
import { Clock, Effect } from "effect"
import { issueLinks } from "../../../identity/accounts/entry.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { type SeriesPlace, seriesEmail } from "../../../mail/series-email.ts"
import { type BadRequest, Conflict, NotFound } from "../../../model/errors.ts"
import { type Event, isShared } from "../../../model/event.ts"
import type { AnswersInput } from "../../../model/forms/form.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { type Timestamp, toTimestamp } from "../../../model/timestamp.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { findEventFace } from "../../../store/event-face.ts"
import { findEventsWithPhases } from "../../../store/events/events.ts"
import type { StoredRegistrant } from "../../../store/events/registrations.ts"
import { findSeries, listEventsOfSeries } from "../../../store/events/series.ts"
import { isBounced } from "../../../store/mail/bounces.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { requireProvedOrganiser } from "../workspaces/mail-to-others.ts"
import { type Person, takePlace } from "./taken-places.ts"

const NONE = new Conflict({ detail: "No event of the series takes registrations." })

/** Published events of the series that have not begun, by their start. */
const openEvents = (seriesId: string) =>
  Effect.gen(function* () {
    const database = yield* Database
    const series = yield* database.run((sql) => findSeries(sql, seriesId))
    if (series === undefined) return yield* NotFound.of("public series")
    const listed = (yield* database.run((sql) => listEventsOfSeries(sql, seriesId))).filter(isShared)
    if (listed.length === 0) return yield* NotFound.of("public series")
    const open = listed.filter(({ status, cancelledAt }) => status === "scheduled" && cancelledAt === null)
    const stored = yield* database.run((sql) =>
      findEventsWithPhases(
        sql,
        open.map(({ id }) => id),
      ),
    )
    const events = open.flatMap(({ id }) => stored.find((event) => event.id === id) ?? [])
    return { workspaceId: series.workspaceId, events }
  })

interface Taken {
  readonly event: Event
  readonly registrant: StoredRegistrant
}

type Refusal = "bad_request" | "conflict" | "event_full" | "not_found"

/**
 * Each event is locked in a transaction of its own, so that nobody waits for all of them. `taken` has the places also when one of them fails
 * for another reason than the event: they are stored, and the email tells of them.
 */
const takePlaces = (
  events: ReadonlyArray<Event>,
  person: Person,
  answers: AnswersInput,
  at: Timestamp,
  taken: Taken[],
) =>
  Effect.gen(function* () {
    const database = yield* Database
    const faults: BadRequest[] = []
    const registrations = yield* Effect.forEach(events, (event) => {
      const entry = { eventId: event.id, scheduledAt: event.scheduledAt }
      const without = (code: Refusal) => () =>
        Effect.succeed({ ...entry, registered: false, alreadyRegistered: false, code })
      return database
        .transaction((sql) =>
          Effect.gen(function* () {
            const place = yield* takePlace(sql, event, person, at, answers)
            // The event may have been moved since it was read; from here on it is locked.
            const [present = event] = yield* query(() => findEventsWithPhases(sql, [event.id]))
            return { ...place, present }
          }),
        )
        .pipe(
          Effect.map(({ alreadyRegistered, present, ...registrant }) => {
            taken.push({ event: present, registrant })
            return { ...entry, registered: registrant.state === "approved", alreadyRegistered, code: null }
          }),
          Effect.catchTags({
            BadRequest: (fault) => {
              faults.push(fault)
              return without("bad_request")()
            },
            Conflict: without("conflict"),
            EventFull: without("event_full"),
            NotFound: without("not_found"),
          }),
        )
    })
    const [fault] = faults
    // Forms of single events may differ from the first one's.
    if (taken.length === 0 && fault !== undefined) return yield* fault
    return registrations
  })

/** Places with new links, in the caller's transaction. */
const issuePlaces = async (
  sql: Queryable,
  site: { readonly appUrl: string; readonly publicUrl: string },
  taken: ReadonlyArray<Taken>,
): Promise<ReadonlyArray<SeriesPlace>> => {
  const places: SeriesPlace[] = []
  for (const { event, registrant } of taken) {
    const { id, state } = registrant
    const { enter, place } = await issueLinks(sql, site, { eventId: event.id, registrationId: id })
    places.push({ event, state, url: state === "approved" ? enter : place })
  }
  return places
}

const postEmail = (
  { id: seriesId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  person: Person,
  taken: ReadonlyArray<Taken>,
) =>
  Effect.gen(function* () {
    const { appUrl, publicUrl } = yield* HttpSettings
    const mailer = yield* Mailer
    const known = taken.filter(({ registrant: { state } }) => state !== "declined")
    yield* (yield* Database).transaction((sql) =>
      query(async () => {
        if (await isBounced(sql, workspaceId, person.email)) return
        const [first, ...others] = await issuePlaces(sql, { appUrl, publicUrl }, known)
        const face = first && (await findEventFace(sql, first.event.id))
        if (first === undefined || face === undefined) return
        const calendarUrl = `${publicUrl}/v1/public/series/${seriesId}/calendar.ics`
        await mailer.post(sql, seriesEmail(person, face, [first, ...others], calendarUrl))
      }),
    )
    mailer.collect()
  })

export const registerForSeries = (
  seriesId: string,
  payload: { readonly name: string; readonly email: string; readonly answers?: AnswersInput },
) =>
  Effect.gen(function* () {
    const person = { name: payload.name.trim(), email: foldEmail(payload.email) }
    const { workspaceId, events } = yield* openEvents(seriesId)
    yield* requireProvedOrganiser(workspaceId)
    if (events.length === 0) return yield* NONE
    yield* (yield* RateLimits).mail("entry", person.email)
    const outbox = yield* OutboxSignal
    const now = toTimestamp(yield* Clock.currentTimeMillis)
    const taken: Taken[] = []
    const outcome = yield* Effect.exit(takePlaces(events, person, payload.answers ?? {}, now, taken))
    yield* postEmail({ id: seriesId, workspaceId }, person, taken)
    outbox.notify()
    return { registrations: yield* outcome }
  })
