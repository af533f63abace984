/** Stored outgoing mail: emails wait here until they are sent, or are kept for the development outbox. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

export interface MailRow {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly contentSealed: Uint8Array
  readonly createdAt: Timestamp
}

/** `dueAt` null keeps the email without sending it. */
export const insertMail = async (
  sql: Queryable,
  mail: { id: string; recipient: string; subject: string; contentSealed: Uint8Array; dueAt: Timestamp | null },
): Promise<void> => {
  await sql`
    insert into mails (id, recipient, subject, content_sealed, due_at)
    values (${mail.id}, ${mail.recipient}, ${mail.subject}, ${mail.contentSealed}, ${mail.dueAt})`
}

/** Claims due emails until `heldUntil`; if the process dies meanwhile, they become due again then. */
export const claimMails = (
  sql: Queryable,
  now: Timestamp,
  heldUntil: Timestamp,
  limit: number,
): Promise<Array<MailRow & { readonly attempts: number }>> =>
  sql<Array<MailRow & { readonly attempts: number }>>`
    update mails set due_at = ${heldUntil}, attempts = attempts + 1
     where id in (select id from mails where due_at <= ${now} order by due_at limit ${limit} for update skip locked)
    returning id, recipient, subject, content_sealed, created_at, attempts`.then((rows) => [...rows])

export const postponeMail = async (sql: Queryable, id: string, dueAt: Timestamp): Promise<void> => {
  await sql`update mails set due_at = ${dueAt} where id = ${id}`
}

/** Deletes an email that was sent or given up. */
export const deleteMail = async (sql: Queryable, id: string): Promise<void> => {
  await sql`delete from mails where id = ${id}`
}

/** Number of due emails, and of all waiting emails, each up to a maximum. */
export const countWaiting = async (
  sql: Queryable,
  now: Timestamp,
  mostDue: number,
  most: number,
): Promise<{ readonly due: number; readonly all: number }> => {
  const [row] = await sql<{ due: number; all: number }[]>`
    select (select count(*)::int from (select from mails where due_at <= ${now} limit ${mostDue}) d) as due,
           (select count(*)::int from (select from mails where due_at is not null limit ${most}) w) as all`
  return row ?? { due: 0, all: 0 }
}

/** The development outbox, newest first. */
export const listKeptMails = (sql: Queryable, recipient: string | null, limit: number): Promise<MailRow[]> =>
  sql<MailRow[]>`
    select id, recipient, subject, content_sealed, created_at from mails
     where due_at is null and (${recipient}::text is null or recipient = ${recipient})
     order by created_at desc, id desc limit ${limit}`.then((rows) => [...rows])

/** Deletes emails of the development outbox from before the cutoff. */
export const deleteKeptMails = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from mails where id = any (array(
      select id from mails where due_at is null and created_at < ${before} order by created_at limit ${limit}))`
  return count
}
