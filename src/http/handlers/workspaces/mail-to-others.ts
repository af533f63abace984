/**
 * Emails to addresses chosen by a workspace: invitations, notes to people who were absent, and decisions about registrations beyond the
 * first answer. An entry email goes to anyone who registers, so it requires the proof too. It counts only with the organisers' own words, and
 * goes without them once the day's emails are used up (`events/confirmations.ts`). The account that requests an
 * email must have proved an address, and the number of emails per day (UTC) is limited. The transaction that posts the emails keeps the
 * count.
 */
import { Clock, Effect } from "effect"
import { EmailRefusals, type UnaskedEmail } from "../../../mail/email-refusals.ts"
import type { EmailMessage } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { EmailsUsedUp, Forbidden, type Unavailable } from "../../../model/errors.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import {
  countEmails,
  FULL_WORKSPACES,
  founderSentMore,
  hasProvedAddress,
  hasProvedOwner,
} from "../../../store/mail/emails.ts"
import { query } from "../../../store/query.ts"
import { HttpSettings } from "../../requests/settings.ts"

export interface MailSender {
  readonly workspaceId: string
  /** Null for a key; any owner of its workspace vouches for it. */
  readonly accountId: string | null
}

const NOT_PROVED = {
  account:
    "Emails to others are sent once you have confirmed your e-mail address: open the link in the email you got when you signed up, or have it sent again with POST /v1/accounts/resend-verification.",
  key: "Emails to others are sent once an owner of the workspace has confirmed their e-mail address, with the link in the email they got when they signed up.",
  organiser:
    "The event takes no registrations until an owner of its workspace has confirmed their e-mail address, with the link in the email they got when they signed up.",
}

const requireProof = (detail: string, isProved: (sql: Queryable) => Promise<boolean>) =>
  Effect.gen(function* () {
    const { provedSendersOnly } = yield* HttpSettings
    if (!provedSendersOnly) return
    if (!(yield* (yield* Database).run(isProved))) return yield* new Forbidden({ detail })
  })

/** Fails for a sender without a proved address, where one is required. Called before anything is counted or made. */
export const requireProvedSender = ({ workspaceId, accountId }: MailSender) =>
  accountId === null
    ? requireProof(NOT_PROVED.key, (sql) => hasProvedOwner(sql, workspaceId))
    : requireProof(NOT_PROVED.account, (sql) => hasProvedAddress(sql, accountId))

/** Like `requireProvedSender`, for the organiser of an event, whose title goes to any address that registers. */
export const requireProvedOrganiser = (workspaceId: string) =>
  requireProof(NOT_PROVED.organiser, (sql) => hasProvedOwner(sql, workspaceId))

/** Posts unsolicited emails, unless their readers refused them. */
export const unaskedEmails = Effect.gen(function* () {
  const { publicUrl, sendsMail, emailDevMode } = yield* HttpSettings
  const mailer = yield* Mailer
  const refusals = yield* EmailRefusals
  /** Runs in the caller's transaction; `emailWith` gets the address for refusing further emails of the kind. */
  return async (
    sql: Queryable,
    to: UnaskedEmail,
    emailWith: (unsubscribeUrl: string) => EmailMessage,
  ): Promise<"posted" | "refused" | "off"> => {
    if (!sendsMail && !emailDevMode) return "off"
    if (await refusals.isRefused(sql, to)) return "refused"
    // This server's own address: an application at `APP_URL` does not implement refusals.
    await mailer.post(sql, emailWith(`${publicUrl}/unsubscribe/${refusals.tokenFor(to)}`))
    return "posted"
  }
})

const DAY_MS = 86_400_000

/** Counts emails posted by the caller's transaction, by workspace and by its founder. */
export const countEmailsToOthers = (
  sql: Queryable,
  workspaceId: string,
  letters: number,
  most: number,
): Effect.Effect<void, EmailsUsedUp | Unavailable> =>
  Effect.gen(function* () {
    if (letters === 0) return
    const now = yield* Clock.currentTimeMillis
    const day = new Date(now).toISOString().slice(0, "2026-01-01".length)
    const retryAfterSeconds = Math.ceil((DAY_MS - (now % DAY_MS)) / 1000)
    if (!(yield* query(() => countEmails(sql, workspaceId, day, letters, most)))) {
      return yield* new EmailsUsedUp({ of: "workspace", quota: most, retryAfterSeconds })
    }
    const mostOfFounder = most * FULL_WORKSPACES
    if (yield* query(() => founderSentMore(sql, workspaceId, day, mostOfFounder))) {
      return yield* new EmailsUsedUp({ of: "founder", quota: mostOfFounder, retryAfterSeconds })
    }
  })
