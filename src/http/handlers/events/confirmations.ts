/** The email that tells a person the state of their registration: a confirmation with links and the calendar file, or why there is no place. */
import { Effect } from "effect"
import { issueLinks } from "../../../identity/accounts/entry.ts"
import { confirmationEmail, hasOwnWords, withoutOwnWords } from "../../../mail/confirmation-email.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { outsideEmail } from "../../../mail/registration-emails.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import type { StoredCalendarEvent } from "../../../store/events/calendar-events.ts"
import { findForm } from "../../../store/events/forms.ts"
import type { StoredRegistrant } from "../../../store/events/registrations.ts"
import { findStanding } from "../../../store/events/waiting-list.ts"
import { isBounced } from "../../../store/mail/bounces.ts"
import { mayMailOther } from "../../../store/mail/emails.ts"
import { HttpSettings } from "../../requests/settings.ts"

/**
 * Posts the email of the state, in the caller's transaction, unless the address takes none. Resolves to whether an email was posted.
 *
 * Anybody may register any address. Own words of the organisers are therefore only in a confirmation that counts as an email to others:
 * `isCounted` says that the caller has counted it. A confirmation beyond the limit goes without them.
 */
export const confirmations = Effect.gen(function* () {
  const { appUrl, publicUrl, sendsMail, emailDevMode, mailPerWorkspacePerDay } = yield* HttpSettings
  const posts = sendsMail || emailDevMode
  const mailer = yield* Mailer
  return async (
    sql: Queryable,
    event: StoredCalendarEvent,
    person: StoredRegistrant,
    stamp: Timestamp,
    isCounted = false,
  ): Promise<boolean> => {
    const { workspaceId } = event
    if (!posts || (await isBounced(sql, workspaceId, person.email))) return false
    const links = await issueLinks(sql, { appUrl, publicUrl }, { eventId: event.id, registrationId: person.id })
    const { state } = person
    if (state !== "approved") {
      const standing = await findStanding(sql, event.id, person.id)
      const none = { position: null, offerEndsAt: null, declineReason: null }
      const eventPage = `${appUrl}/enter/${event.id}`
      await mailer.post(sql, outsideEmail(person, event, { ...none, ...standing, state }, { links, eventPage }))
      return true
    }
    const { questions } = await findForm(sql, event.id, "registration")
    const asks = questions.length > 0
    const day = stamp.slice(0, "2026-01-01".length)
    const hasWords =
      isCounted || !hasOwnWords(event) || (await mayMailOther(sql, { workspaceId, day, most: mailPerWorkspacePerDay }))
    const told = hasWords ? event : withoutOwnWords(event)
    await mailer.post(sql, confirmationEmail(told, person, { links, asks, sender: mailer.sender, stamp }))
    return true
  }
})
