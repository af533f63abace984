/** The email that tells a person the state of their registration: a confirmation with links and the calendar file, or why there is no place. */
import { Effect } from "effect"
import { issueLinks } from "../../../identity/accounts/entry.ts"
import { confirmationEmail } from "../../../mail/confirmation-email.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { outsideEmail } from "../../../mail/registration-emails.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import type { StoredCalendarEvent } from "../../../store/events/calendar-events.ts"
import { findForm } from "../../../store/events/forms.ts"
import type { StoredRegistrant } from "../../../store/events/registrations.ts"
import { findStanding } from "../../../store/events/waiting-list.ts"
import { isBounced } from "../../../store/mail/bounces.ts"
import { HttpSettings } from "../../requests/settings.ts"

/** Posts the email of the state, in the caller's transaction, unless the address takes none. */
export const confirmations = Effect.gen(function* () {
  const { appUrl, publicUrl } = yield* HttpSettings
  const mailer = yield* Mailer
  return async (
    sql: Queryable,
    event: StoredCalendarEvent,
    person: StoredRegistrant,
    stamp: Timestamp,
  ): Promise<void> => {
    if (await isBounced(sql, event.workspaceId, person.email)) return
    const links = await issueLinks(sql, { appUrl, publicUrl }, { eventId: event.id, registrationId: person.id })
    const { state } = person
    if (state !== "approved") {
      const standing = await findStanding(sql, event.id, person.id)
      const none = { position: null, offerEndsAt: null, declineReason: null }
      const eventPage = `${appUrl}/enter/${event.id}`
      await mailer.post(sql, outsideEmail(person, event, { ...none, ...standing, state }, { links, eventPage }))
      return
    }
    const { questions } = await findForm(sql, event.id, "registration")
    const asks = questions.length > 0
    await mailer.post(sql, confirmationEmail(event, person, { links, asks, sender: mailer.sender, stamp }))
  }
})
