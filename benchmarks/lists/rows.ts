/**
 * A workspace as years leave it, made by the database itself: as many events, users, memberships of one event, audit entries, invites,
 * deliveries of one endpoint and questions of one event as asked for. Their times are spread evenly over ten days, so that nothing is old
 * enough to be swept; ids are made from the times, as the server makes them.
 */
import postgres from "postgres"
import { newId } from "../../src/model/ids.ts"

/** Of the oldest row. */
export const SPAN_MS = 10 * 86_400_000
/** Questions have 0 to 49 votes. */
export const MOST_VOTES = 49

export interface Stored {
  readonly eventId: string
  readonly webhookId: string
}

interface Place extends Stored {
  readonly workspaceId: string
  readonly rows: number
}

type Step = readonly [what: string, insert: (sql: postgres.Sql, place: Place) => PromiseLike<unknown>]

/** Of the nth row of so many: the last one is the newest. */
const ago = (sql: postgres.Sql, rows: number) => sql`(${rows}::integer - n) * (${SPAN_MS / rows} * interval '1 ms')`

const STEPS: ReadonlyArray<Step> = [
  [
    "events",
    (sql, { workspaceId, rows }) => sql`
      insert into events (id, workspace_id, type, title, status, visibility, scheduled_at, allow_anonymous_voting,
                          allow_anonymous_questions, capacity, metadata, created_at, entries_swept)
      select uuidv7(-age), ${workspaceId}, 'webinar', 'All hands ' || n, case when n % 3 = 0 then 'ended' else 'scheduled' end,
             'public', now(), false, false, 1000, '{"campaign": "spring"}', now() - age, true
        from generate_series(1, ${rows}::integer) as g(n) cross join lateral (select ${ago(sql, rows)} as age) a`,
  ],
  [
    "users",
    (sql, { workspaceId, rows }) => sql`
      insert into users (id, workspace_id, external_sub, email, name, created_at)
      select uuidv7(-age), ${workspaceId}, 'guest-' || n, 'guest-' || n || '@example.com', 'Guest ' || n, now() - age
        from generate_series(1, ${rows}::integer) as g(n) cross join lateral (select ${ago(sql, rows)} as age) a`,
  ],
  [
    "memberships",
    (sql, { workspaceId, eventId }) => sql`
      insert into memberships (id, event_id, user_id, role, created_at)
      select uuidv7(created_at - now()), ${eventId}, id, 'viewer', created_at from users
       where workspace_id = ${workspaceId} order by created_at`,
  ],
  [
    "audit entries",
    (sql, { workspaceId, rows }) => sql`
      insert into audit_entries (id, workspace_id, action, actor_kind, actor_id, target_id, request_id, created_at)
      select uuidv7(-age), ${workspaceId}, 'membership.set', 'key', gen_random_uuid(), gen_random_uuid()::text, 'request-' || n,
             now() - age
        from generate_series(1, ${rows}::integer) as g(n) cross join lateral (select ${ago(sql, rows)} as age) a`,
  ],
  [
    "invites",
    (sql, { workspaceId, eventId, rows }) => sql`
      insert into invites (id, workspace_id, event_id, kind, email, role, token_hash, created_at, expires_at)
      select uuidv7(-age), ${workspaceId}, ${eventId}, 'event', 'guest-' || n || '@example.com', 'participant',
             sha256(n::text::bytea), now() - age, now() - age + interval '7 days'
        from generate_series(1, ${rows}::integer) as g(n) cross join lateral (select ${ago(sql, rows)} as age) a`,
  ],
  [
    "webhook events",
    (sql, { workspaceId, eventId, rows }) => sql`
      insert into outbox_messages (id, workspace_id, event_id, type, body, occurred_at)
      select uuidv7(-age), ${workspaceId}, ${eventId}, 'participant.joined', '{}', now() - age
        from generate_series(1, ${rows}::integer) as g(n) cross join lateral (select ${ago(sql, rows)} as age) a`,
  ],
  [
    // Of 1,000 one waits for tomorrow, 9 were rejected, 10 exhausted and 10 skipped.
    "deliveries",
    (sql, { eventId, webhookId }) => sql`
      insert into webhook_deliveries (id, message_id, endpoint_id, event_id, status, attempts, history, next_attempt_at,
                                      last_status, created_at, finished_at)
      select uuidv7(occurred_at - now()), id, ${webhookId}, ${eventId}, status, 1, '[]',
             case when status = 'pending' then now() + interval '1 day' end, 200, occurred_at,
             case when status <> 'pending' then occurred_at end
        from (select id, occurred_at, row_number() over (order by occurred_at, id) % 1000 as n from outbox_messages) m
       cross join lateral (select case when n = 0 then 'pending' when n < 10 then 'rejected' when n < 20 then 'exhausted'
                                       when n < 30 then 'skipped' else 'delivered' end as status) s`,
  ],
  [
    // Of 10,000 one is hidden, 10 are pending and 1,000 are answered.
    "questions",
    (sql, { eventId, rows }) => sql`
      insert into questions (id, event_id, text, status, asker_id, author_name, anonymous, votes, created_at, answer,
                             answer_mode, answered_at)
      select uuidv7(-age), ${eventId}, 'Will the slides be sent to everybody who was there? ' || n, status, 'asker-' || n % 1000,
             'Guest ' || n % 1000, false, n * 7919::bigint % ${MOST_VOTES + 1}, now() - age,
             case when status = 'answered' then 'Yes.' end, case when status = 'answered' then 'text' end,
             case when status = 'answered' then now() - age end
        from generate_series(1, ${rows}::integer) as g(n) cross join lateral (select ${ago(sql, rows)} as age) a
       cross join lateral (select case when n % 10000 = 0 then 'hidden' when n % 10000 <= 10 then 'pending'
                                       when n % 10000 <= 1010 then 'answered' else 'approved' end as status) s`,
  ],
]

/** Stores all of it, and says how long each took. */
export const storeRows = async (
  url: string,
  { workspaceId, eventId, rows }: Omit<Place, "webhookId">,
): Promise<Stored> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const place = { workspaceId, eventId, rows, webhookId: newId() }
  try {
    // Rows that fit together by how they are made need no look at what they refer to.
    await sql`set session_replication_role = replica`
    await sql`
      insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed)
      values (${place.webhookId}, ${workspaceId}, 'https://receiver.example.com/', '{participant.joined}', '\\x00')`
    const took: string[] = []
    for (const [what, insert] of STEPS) {
      const startedAt = performance.now()
      await insert(sql, place)
      took.push(`${what} ${((performance.now() - startedAt) / 1000).toFixed(1)}`)
    }
    console.log(`  stored, in seconds: ${took.join(", ")}`)
    // As autovacuum does of itself after as many rows.
    await sql`vacuum analyze`
    await sql`checkpoint`
  } finally {
    await sql.end()
  }
  return place
}
