/** Emails: who sends them, who is reminded, and who has unsubscribed. */
import { Layer } from "effect"
import { entryLinkOf, issueEntryToken } from "../../identity/accounts/entry.ts"
import { disabledWebhooksLayer } from "../../mail/disabled-webhooks.ts"
import { EmailRefusals } from "../../mail/email-refusals.ts"
import { Mailer } from "../../mail/mailer.ts"
import { remindersLayer } from "../../mail/reminders.ts"
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
  // Without mail in production nobody is reminded.
  const reminders =
    config.smtp === null && config.production
      ? Layer.empty
      : remindersLayer({
          publicUrl,
          entryLink: async (sql, eventId, registrationId) =>
            entryLinkOf(appUrl, eventId, await issueEntryToken(sql, registrationId)),
        }).pipe(Layer.provide([mailer, refusals]))
  return Layer.mergeAll(
    mailer,
    refusals,
    disabledWebhooksLayer(`${appUrl}/host`).pipe(Layer.provide(mailer)),
    reminders,
  )
}
