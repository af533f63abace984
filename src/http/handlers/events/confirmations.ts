/** The email that confirms a registration, with the links of its person and the calendar file of the event. */
import { Effect } from "effect"
import { issueLinks } from "../../../identity/accounts/entry.ts"
import { calendarFile } from "../../../mail/calendar.ts"
import { entryEmail } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import type { CalendarEvent } from "../../../store/events/calendar-events.ts"
import { findForm } from "../../../store/events/forms.ts"
import { HttpSettings } from "../../requests/settings.ts"

interface Registrant {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** Posts a confirmation, in the caller's transaction. */
export const confirmations = Effect.gen(function* () {
  const { appUrl, publicUrl } = yield* HttpSettings
  const mailer = yield* Mailer
  return async (sql: Queryable, event: CalendarEvent, person: Registrant, stamp: Timestamp): Promise<void> => {
    const { scheduledAt, timeZone } = event
    const links = await issueLinks(sql, { appUrl, publicUrl }, { eventId: event.id, registrationId: person.id })
    const file = { method: "REQUEST", stamp, page: links.enter, sender: mailer.sender, attendee: person } as const
    const { questions } = await findForm(sql, event.id, "registration")
    const asks = questions.length > 0
    const entry = { name: person.name, event: event.title, when: scheduledAt, timeZone, asks }
    const calendar =
      scheduledAt === null
        ? {}
        : { calendar: { method: file.method, content: calendarFile({ ...event, scheduledAt }, file) } }
    await mailer.post(sql, entryEmail(person.email, { ...entry, ...calendar }, links))
  }
})
