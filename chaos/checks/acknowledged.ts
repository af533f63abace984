/** I1 and I3: every acknowledged change is there, and no requested change is there twice. Marks identify the changes. */
import type postgres from "postgres"
import type { Entry, Kind, Ledger } from "../ledger/ledger.ts"
import type { Streams } from "../ledger/streams.ts"
import type { Check } from "./inspection.ts"

type Counts = ReadonlyMap<string, number>
type Marked = { readonly mark: string | null; readonly n: number }

const STORED: Readonly<Partial<Record<Kind, (sql: postgres.Sql) => Promise<ReadonlyArray<Marked>>>>> = {
  chat: (sql) => sql`select text as mark, count(*)::int as n from chat_messages group by text`,
  question: (sql) => sql`select text as mark, count(*)::int as n from questions group by text`,
  poll: (sql) =>
    sql`select body->>'question' as mark, count(*)::int as n from live_records where kind = 'poll' group by 1`,
  event: (sql) => sql`select title as mark, count(*)::int as n from events group by title`,
  phase: (sql) => sql`select config->>'mark' as mark, count(*)::int as n from phases group by 1`,
  user: (sql) => sql`select external_sub as mark, count(*)::int as n from users group by external_sub`,
}

/** Announcements are only dispatched; a number of a stream that no socket received may be that of any announcement. */
const heardAnnouncements = (streams: Streams): { readonly counts: Counts; readonly isWhole: boolean } => {
  const counts = new Map<string, number>()
  for (const { d } of streams.announced) {
    const { text } = d as { readonly text: string }
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return { counts, isWhole: streams.missing("event") === 0 }
}

const judge = (ledger: Ledger, entries: ReadonlyArray<Entry>, counts: Counts, isWhole: boolean): void => {
  for (const { kind, mark, during, acknowledgedAt } of entries) {
    const count = counts.get(mark) ?? 0
    if (count > 1) ledger.violate("I3", `${kind}: asked for once and there ${count} times`, during)
    if (count === 0 && acknowledgedAt !== undefined && isWhole) {
      ledger.violate("I1", `${kind}: acknowledged and not there`, during)
    }
  }
}

export const checkAcknowledged: Check = async ({ sql, ledger, streams }) => {
  for (const [kind, stored] of Object.entries(STORED)) {
    const rows = await stored(sql)
    const counts = new Map(rows.map(({ mark, n }) => [mark ?? "", n]))
    judge(ledger, ledger.entries(kind as Kind), counts, true)
  }
  const { counts, isWhole } = heardAnnouncements(streams)
  judge(ledger, ledger.entries("announcement"), counts, isWhole)
}
