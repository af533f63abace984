/** Previews of emails about an event. */
import { Clock, Effect } from "effect"
import { previewEmail } from "../../../mail/email-previews.ts"
import { NotFound } from "../../../model/errors.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { findCalendarEvent } from "../../../store/events/calendar-events.ts"
import { findForm } from "../../../store/events/forms.ts"
import type { Emails } from "../../contract/events/emails.ts"
import type { Handlers } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"

export const emails = {
  previewEmail: {
    access: "event",
    handle: ({ params: { kind }, scope: { event } }) =>
      Effect.gen(function* () {
        const { appUrl, publicUrl } = yield* HttpSettings
        const stamp = toTimestamp(yield* Clock.currentTimeMillis)
        const [stored, registration, survey] = yield* (yield* Database).run((sql) =>
          Promise.all([
            findCalendarEvent(sql, event.id),
            findForm(sql, event.id, "registration"),
            findForm(sql, event.id, "survey"),
          ]),
        )
        if (stored === undefined) return yield* NotFound.of("event")
        const [asks, surveys] = [registration.questions.length > 0, survey.questions.length > 0]
        const { subject, text, html } = previewEmail(kind, stored, {
          addresses: { appUrl, publicUrl },
          asks,
          surveys,
          stamp,
        })
        return { subject, text, html }
      }),
  },
} satisfies Handlers<typeof Emails>
