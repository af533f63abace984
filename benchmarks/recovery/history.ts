/** A history as months leave it, made by the database itself: much faster than by what would really have said it. */
import { newId } from "../../src/model/ids.ts"
import type { Queryable } from "../../src/store/database.ts"

interface Amounts {
  readonly messages: number
  readonly publications: number
  readonly heads: number
}

/** Participants who were told something of their own. */
const PEOPLE = 5_000
/** Streams that an event of the past leaves. */
const HEADS_PER_EVENT = 2_000
/** The history that gateways replay. */
export const HISTORY_MS = 120_000

const seedEvent = async (sql: Queryable, workspaceId: string, status: "live" | "ended"): Promise<string> => {
  const id = newId()
  await sql`
    insert into events (id, workspace_id, type, title, status, visibility, allow_anonymous_voting,
                        allow_anonymous_questions, metadata, started_at, ended_at)
    values (${id}, ${workspaceId}, 'webinar', 'All hands', ${status}, 'public', false, false, '{}', now(),
            case when ${status} = 'ended' then now() - interval '1 month' end)`
  await sql`
    insert into phases (id, event_id, position, modality, config, feature_set, status, started_at)
    values (${newId()}, ${id}, 0, 'broadcast', '{}', '{qa,chat}', case when ${status} = 'live' then 'active' else 'ended' end, now())`
  await sql`insert into live_events (event_id, epoch, node, version, history) values (${id}, 1, 'bench', 0, ${newId()})`
  return id
}

const seedChat = (sql: Queryable, eventId: string, messages: number): PromiseLike<unknown> => sql`
  insert into chat_messages (id, event_id, target, participant_id, name, role, text, at)
  select gen_random_uuid(), ${eventId}, case when n % 10 = 0 then 'room:' || n % 500 else 'event' end, 'p' || n % 1000,
         'Somebody', 'participant', 'Has anybody seen the slides of the second talk yet?', now() - n * interval '100 ms'
    from generate_series(1, ${messages}::integer) as g(n)`

/** Half of them told to everyone, half to one participant each; all young enough to be replayed. */
const seedPublications = async (sql: Queryable, eventId: string, count: number): Promise<void> => {
  await sql`
    insert into publications (event_id, stream, s, version, frame, at)
    select ${eventId}, case when n % 2 = 0 then 'event' else 'me:p' || n / 2 % ${PEOPLE}::integer end,
           case when n % 2 = 0 then n / 2 + 1 else n / 2 / ${PEOPLE}::integer + 1 end, n + 1, repeat('x', 280),
           now() - ${HISTORY_MS / 2} * interval '1 ms'
      from generate_series(0, ${count}::integer - 1) as g(n)`
  await sql`update live_events set version = ${count} where event_id = ${eventId}`
}

const seedHeads = async (sql: Queryable, workspaceId: string, heads: number): Promise<void> => {
  for (let seeded = 0; seeded < heads; seeded += HEADS_PER_EVENT) {
    const past = await seedEvent(sql, workspaceId, "ended")
    const most = Math.min(HEADS_PER_EVENT, heads - seeded)
    await sql`
      insert into stream_heads (event_id, stream, s)
      select ${past}, 'me:p' || n, 7 from generate_series(1, ${most}::integer) as g(n)`
  }
}

/** Resolves to the event that has all of it, and to one without any. */
export const seedHistory = async (
  sql: Queryable,
  amounts: Amounts,
): Promise<{ readonly long: string; readonly empty: string }> => {
  const workspaceId = newId()
  await sql`insert into workspaces (id, name, slug) values (${workspaceId}, 'Bench', ${workspaceId})`
  const long = await seedEvent(sql, workspaceId, "live")
  await seedChat(sql, long, amounts.messages)
  await seedPublications(sql, long, amounts.publications)
  await seedHeads(sql, workspaceId, amounts.heads)
  const empty = await seedEvent(sql, workspaceId, "live")
  // As autovacuum does of itself after as many rows.
  await sql`vacuum analyze`
  return { long, empty }
}
