/**
 * Outgoing mail: an email is posted inside the transaction that causes it, and sent after the commit. A rolled-back transaction sends
 * nothing, a crash loses nothing, and no caller waits for a mail server. Emails hold one-time links, so they are sealed at rest and deleted
 * once sent. Without a mail server they are kept for the development outbox, or dropped in production.
 */
import { Context, Effect, Latch, Layer, type Redacted } from "effect"
import { currentTimers } from "../clock/timers.ts"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { Unavailable } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import { type Timestamp, toMillis, toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import {
  claimMails,
  deleteKeptMails,
  deleteMail,
  insertMail,
  listKeptMails,
  type MailRow,
  postponeMail,
} from "../store/mail/mails.ts"
import { Quiet } from "../store/quiet/quiet.ts"
import { openText, sealText } from "../store/sealing/sealed-text.ts"
import { inBatches, sweepEvery } from "../store/sweeps.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { EmailMessage } from "./emails.ts"
import { MailNotSent } from "./mail-not-sent.ts"
import type { Smtp } from "./smtp.ts"

interface MailerOptions {
  /** Keys of 32 bytes, derived from the configured secret for this purpose alone. */
  readonly sealingKeys: KeyRing
  /** `null` without a mail server. */
  readonly smtp: { readonly url: Redacted.Redacted<string>; readonly from: string } | null
  /** Whether emails that cannot be sent are kept for the development outbox. */
  readonly keep: boolean
  /** Delays before each further attempt, in milliseconds. */
  readonly retryDelaysMs?: ReadonlyArray<number>
}

/** An email of the development outbox. */
interface KeptEmail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly links: ReadonlyArray<string>
  /** The calendar file that comes with the email. */
  readonly calendar: string | null
  readonly createdAt: Timestamp
}

const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
const POLL = "2 seconds"
/** One at a time: a dying process delays only the one email it claimed, and not for long. */
const BATCH = 1
/** Lease time, longer than sending an email may take. */
const HELD_MS = 120_000
const KEPT_MS = 7 * 86_400_000
const OUTBOX_LENGTH = 100

/** The address of a sender who may have a name. */
const addressIn = (from: string): string => /<([^<>]+)>/.exec(from)?.[1] ?? from

export class Mailer extends Context.Service<
  Mailer,
  {
    /** Posts an email as part of the caller's transaction. */
    readonly post: (sql: Queryable, letter: EmailMessage) => Promise<void>
    /** Reports that emails were committed, which are then sent at once instead of at the next poll. */
    readonly collect: () => void
    /** Address of the sender; null without a mail server. */
    readonly sender: string | null
    /** Sends an email at once, and resolves to null or to a sentence why it was not sent. The function is null without a mail server. */
    readonly trySending: ((letter: EmailMessage) => Promise<string | null>) | null
    /** The development outbox, newest first; all addresses when `to` is null. */
    readonly outbox: (to: string | null) => Effect.Effect<ReadonlyArray<KeptEmail>, Unavailable>
  }
>()("gathercue/Mailer") {
  static readonly layer = (options: MailerOptions): Layer.Layer<Mailer, never, Database | Telemetry> =>
    Layer.effect(
      Mailer,
      Effect.gen(function* () {
        const database = yield* Database
        const timers = yield* currentTimers
        const { log } = yield* Telemetry
        const { isQuiet } = yield* Quiet
        const { sealingKeys, keep } = options
        const delays = options.retryDelaysMs ?? RETRY_DELAYS_MS
        const signal = yield* Latch.make(false)

        const contentOf = ({ id, contentSealed }: MailRow): Omit<EmailMessage, "to" | "subject"> =>
          JSON.parse(openText(sealingKeys, id, contentSealed))

        /** Sends one claimed email, which is then deleted or due again. */
        const deliver = async (smtp: Smtp, mail: MailRow & { readonly attempts: number }): Promise<void> => {
          try {
            const { notAfter, ...content } = contentOf(mail)
            const isOfUse = notAfter === undefined || toMillis(notAfter) > timers.now()
            if (isOfUse) await smtp.send({ to: mail.recipient, subject: mail.subject, ...content })
            else log.warn({ mailId: mail.id }, "an email was not sent in time, and is of no use any more")
          } catch (cause) {
            const delay = delays[mail.attempts - 1]
            const isTemporary = cause instanceof MailNotSent && cause.temporary
            log.warn({ mailId: mail.id, attempt: mail.attempts, reason: String(cause) }, "an email was not taken")
            if (isTemporary && delay !== undefined) {
              return postponeMail(database.sql, mail.id, toTimestamp(timers.now() + delay))
            }
            log.error({ mailId: mail.id }, "an email was given up")
          }
          return deleteMail(database.sql, mail.id)
        }

        const round = (smtp: Smtp) =>
          database
            .run((sql) => claimMails(sql, toTimestamp(timers.now()), toTimestamp(timers.now() + HELD_MS), BATCH))
            .pipe(
              Effect.flatMap((mails) =>
                Effect.as(
                  Effect.forEach(mails, (mail) => Effect.tryPromise(() => deliver(smtp, mail)).pipe(Effect.ignore)),
                  mails.length,
                ),
              ),
              Effect.orElseSucceed(() => 0),
            )

        const send = (smtp: Smtp) =>
          Effect.forever(
            Effect.gen(function* () {
              yield* signal.close
              if (!isQuiet() && (yield* round(smtp)) > 0) return
              yield* Effect.race(signal.await, Effect.sleep(POLL))
            }),
          )

        const server = options.smtp
        if (server !== null) {
          const { url, from } = server
          const smtp = yield* Effect.acquireRelease(
            // Loaded on demand, because most servers have no mail server at their first start.
            Effect.promise(async () => (await import("./smtp.ts")).openSmtp(url, from)),
            (open) => Effect.sync(open.close),
          )
          yield* Effect.forkScoped(send(smtp))
        } else if (keep) {
          const forget = Effect.suspend(() => {
            const before = toTimestamp(timers.now() - KEPT_MS)
            return inBatches(database, (sql, limit) => deleteKeptMails(sql, before, limit))
          })
          yield* Effect.forkScoped(sweepEvery("1 hour", log, forget))
        } else log.warn("SMTP_URL is not set: no mail will be sent")

        return {
          post: async (sql, { to, subject, ...content }) => {
            if (options.smtp === null && !keep) return
            const id = newId()
            const contentSealed = sealText(sealingKeys, id, JSON.stringify(content))
            const dueAt = options.smtp === null ? null : toTimestamp(timers.now())
            await insertMail(sql, { id, recipient: to, subject, contentSealed, dueAt })
          },
          collect: () => {
            signal.openUnsafe()
          },
          sender: server === null ? null : addressIn(server.from),
          trySending:
            server && (async (letter) => (await import("./smtp.ts")).trySending(server.url, server.from, letter)),
          outbox: (to) =>
            Effect.map(
              database.run((sql) => listKeptMails(sql, to, OUTBOX_LENGTH)),
              (mails) =>
                mails.map((mail) => {
                  const { text, links, calendar } = contentOf(mail)
                  const { recipient: to, subject, createdAt } = mail
                  return { to, subject, text, links, calendar: calendar?.content ?? null, createdAt }
                }),
            ),
        }
      }),
    )
}
