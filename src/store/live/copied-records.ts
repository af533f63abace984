/** Copies what hosts prepared at an event into the records of another event. */
import { Result } from "effect"
import { copiesOfPrepared, type PreparedRecord } from "../../model/live/copied-records.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { decodeRecord } from "../record-versions.ts"
import { activityRows } from "./live-records.ts"

/**
 * Stores copies of what hosts prepared at one event as records of others that no live event has read yet.
 *
 * @throws RecordUnreadable for a record that a newer release has written
 */
export const copyPrepared = async (
  sql: Queryable,
  { from, to, at }: { readonly from: string; readonly to: ReadonlyArray<string>; readonly at: Timestamp },
): Promise<void> => {
  const rows = await sql<{ kind: string; version: number; body: unknown }[]>`
    select kind, version, body from live_records where event_id = ${from} and kind in ('poll', 'prepared') order by id`
  if (rows.length === 0) return
  const records = rows.map(
    ({ kind, version, body }) => Result.getOrThrow(decodeRecord(kind, version, body)) as PreparedRecord,
  )
  for (const copy of to) {
    await sql`select write_activities(${copy}, ${sql.json(activityRows(copiesOfPrepared(records, at)))})`
  }
}
