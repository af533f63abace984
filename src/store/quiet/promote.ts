/** Ends the quiet state: the operator declares this database the original. */
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import { answerForBackups } from "../backups/backups.ts"
import type { Queryable } from "../pool/statement.ts"

/** Maximum number of rows per statement. */
const BATCH = 1_000
/** Maximum number that is counted exactly and reported. */
const COUNTED = 100_000

/** Deliveries and emails that waited before the copy was first started: the original may have sent them. */
interface Copied {
  readonly deliveries: number
  readonly letters: number
}

interface Promotion {
  /** False when nothing had to be done. */
  readonly wasQuiet: boolean
  readonly copied: Copied
}

const NOTHING: Copied = { deliveries: 0, letters: 0 }

export const countCopied = async (sql: Queryable, since: Timestamp): Promise<Copied> => {
  const [row] = await sql<Copied[]>`
    select (select count(*)::int from (
              select from webhook_deliveries d join outbox_messages m on m.id = d.message_id
               where d.status = 'pending' and m.occurred_at < ${since} limit ${COUNTED}::int) d) as deliveries,
           (select count(*)::int from (
              select from mails where due_at is not null and created_at < ${since} limit ${COUNTED}::int) l) as letters`
  return row ?? NOTHING
}

/** Nothing is claimed meanwhile, because the database is quiet. */
const discard = async (sql: Queryable, since: Timestamp): Promise<void> => {
  const deliveries = () => sql`
    update webhook_deliveries
       set status = 'skipped', claimed_by = null, claimed_until = null, next_attempt_at = null, finished_at = now()
     where id = any (array(
       select d.id from webhook_deliveries d join outbox_messages m on m.id = d.message_id
        where d.status = 'pending' and m.occurred_at < ${since} limit ${BATCH}::int))`
  const letters = () => sql`
    delete from mails where id = any (array(
      select id from mails where due_at is not null and created_at < ${since} limit ${BATCH}::int))`
  const notices = () => sql`
    delete from event_notices where number = any (array(
      select number from event_notices where since < ${since} limit ${BATCH}::int))`
  const thanks = () => sql`
    update event_thanks set done = true, after_email = '' where event_id = any (array(
      select event_id from event_thanks where not done and touched_at < ${since} limit ${BATCH}::int))`
  for (const step of [deliveries, letters, notices, thanks]) while ((await step()).count > 0);
}

/**
 * The servers on the database send from now on, within two seconds, and back up beside what others left in the bucket. `discards` drops
 * what already waited in the original. May be repeated.
 */
export const promote = async (sql: Queryable, discards: boolean): Promise<Promotion> => {
  await answerForBackups(sql, toTimestamp(Date.now()))
  const [row] = await sql<{ since: Timestamp }[]>`
    select quiet_since as since from instances where quiet_since is not null`
  if (row === undefined) return { wasQuiet: false, copied: NOTHING }
  const copied = await countCopied(sql, row.since)
  if (discards) await discard(sql, row.since)
  await sql`
    update instances set quiet_since = null, quiet_signs = null, is_held = false,
           system_identifier = null, database_oid = null, place = null, public_url = null`
  return { wasQuiet: true, copied }
}
