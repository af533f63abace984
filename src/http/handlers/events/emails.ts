/** Previews of emails about an event, and addresses that take none. */
import { Clock, Effect } from "effect"
import { previewEmail } from "../../../mail/email-previews.ts"
import { NotFound } from "../../../model/errors.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { findCalendarEvent } from "../../../store/events/calendar-events.ts"
import { findForm } from "../../../store/events/forms.ts"
import { deleteBounce, pageBounces, putBounce } from "../../../store/mail/bounces.ts"
import type { Emails } from "../../contract/events/emails.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
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
  reportBounce: {
    access: "workspaceAdminOrKey",
    handle: ({ payload: { email, reason = null }, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const bounce = yield* (yield* Database).run((sql) =>
          putBounce(sql, workspaceId, { email: foldEmail(email), reason }),
        )
        if (bounce === undefined) return yield* NotFound.of("address")
        // The address must stay out of the log.
        return new Reply(bounce, { targets: [bounce.id] })
      }),
  },
  listBounces: {
    access: "workspaceAdminOrKey",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageBounces(sql, call.scope.workspaceId, request))
        return pageReply(call, page, { bounces: page.rows, nextCursor: page.nextCursor })
      }),
  },
  deleteBounce: {
    access: "workspaceAdminOrKey",
    handle: ({ query: { email }, scope: { workspaceId } }) =>
      Effect.gen(function* () {
        const id = yield* (yield* Database).run((sql) => deleteBounce(sql, workspaceId, foldEmail(email)))
        return id === undefined ? yield* NotFound.of("bounce") : new Reply(undefined, { targets: [id] })
      }),
  },
} satisfies Handlers<typeof Emails>
