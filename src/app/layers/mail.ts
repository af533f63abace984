/** Emails: who sends them, who is reminded or told of changes, and who has unsubscribed. */
import { Layer } from "effect"
import { issueLinks } from "../../identity/accounts/entry.ts"
import { disabledWebhooksLayer } from "../../mail/disabled-webhooks.ts"
import { EmailRefusals } from "../../mail/email-refusals.ts"
import { Mailer } from "../../mail/mailer.ts"
import { noticesLayer } from "../../mail/notices.ts"
import { offersLayer } from "../../mail/offers.ts"
import { remindersLayer } from "../../mail/reminders.ts"
import type { Queryable } from "../../store/database.ts"
import { appUrlOf, type Composition, keysOf } from "./composition.ts"

export const mailerOf = (composition: Composition) =>
  Mailer.layer({
    sealingKeys: keysOf(composition, "mails"),
    smtp: composition.config.smtp,
    keep: !composition.config.production,
  })

export const mailOf = (composition: Composition, mailer: ReturnType<typeof mailerOf>) => {
  const { config, publicUrl, kept } = composition
  const appUrl = appUrlOf(composition)
  const refusals = EmailRefusals.layer(keysOf(composition, "letter-refusals"), kept.emailRefusals)
  const { mailPerWorkspacePerDay } = config
  const links = (sql: Queryable, eventId: string, registrationId: string) =>
    issueLinks(sql, { appUrl, publicUrl }, { eventId, registrationId })
  // Without mail in production nobody is reminded. Notices are worked off, and nobody is told of old changes once there is mail.
  const reminders = config.smtp === null && config.production ? Layer.empty : remindersLayer({ publicUrl, links })
  // Without mail the organisers and the people's pages still see offers.
  const offers = offersLayer({ links, appUrl })
  const notices = noticesLayer({ links, appUrl, publicUrl, mailPerWorkspacePerDay })
  return Layer.mergeAll(
    mailer,
    refusals,
    disabledWebhooksLayer(`${appUrl}/host`).pipe(Layer.provide(mailer)),
    Layer.mergeAll(reminders, notices, offers).pipe(Layer.provide([mailer, refusals])),
  )
}
