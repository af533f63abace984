/** Emails: who sends them, who is reminded or told of changes, and who has unsubscribed. */
import { Effect, Layer } from "effect"
import { issueLinks } from "../../identity/accounts/entry.ts"
import { Tokens } from "../../identity/tokens.ts"
import { disabledWebhooksLayer } from "../../mail/disabled-webhooks.ts"
import { EmailRefusals } from "../../mail/email-refusals.ts"
import { Mailer } from "../../mail/mailer.ts"
import { noticesLayer } from "../../mail/notices.ts"
import { offersLayer } from "../../mail/offers.ts"
import { remindersLayer } from "../../mail/reminders.ts"
import { thanksLayer } from "../../mail/thanks.ts"
import type { Queryable } from "../../store/database.ts"
import { appUrlOf, type Composition, keysOf } from "./composition.ts"

export const mailerOf = (composition: Composition) =>
  Mailer.layer({
    sealingKeys: keysOf(composition, "mails"),
    smtp: composition.config.smtp,
    keep: !composition.config.production,
  })

const thanksOf = (options: Omit<Parameters<typeof thanksLayer>[0], "surveyToken">) =>
  Layer.unwrap(
    Effect.map(Tokens, ({ issue }) =>
      thanksLayer({ ...options, surveyToken: (of) => Effect.map(issue("survey", of), ({ token }) => token) }),
    ),
  )

export const mailOf = (composition: Composition, mailer: ReturnType<typeof mailerOf>) => {
  const { config, publicUrl, kept } = composition
  const appUrl = appUrlOf(composition)
  const refusals = EmailRefusals.layer(keysOf(composition, "letter-refusals"), kept.emailRefusals)
  const { mailPerWorkspacePerDay } = config
  const links = (sql: Queryable, eventId: string, registrationId: string) =>
    issueLinks(sql, { appUrl, publicUrl }, { eventId, registrationId })
  // Without mail in production nobody is reminded or thanked. Notices are worked off, and nobody is told of old changes once there is mail.
  const isOff = config.smtp === null && config.production
  const reminders = isOff ? Layer.empty : remindersLayer({ publicUrl, links, mailPerWorkspacePerDay })
  const thanks = isOff ? Layer.empty : thanksOf({ appUrl, publicUrl, mailPerWorkspacePerDay })
  // Without mail the organisers and the people's pages still see offers.
  const offers = offersLayer({ links, appUrl })
  const notices = noticesLayer({ links, appUrl, publicUrl, mailPerWorkspacePerDay })
  return Layer.mergeAll(
    mailer,
    refusals,
    disabledWebhooksLayer(`${appUrl}/host`).pipe(Layer.provide(mailer)),
    Layer.mergeAll(reminders, notices, thanks, offers).pipe(Layer.provide([mailer, refusals])),
  )
}
