/**
 * Webhook deliveries for the dispatcher: claim, settle, release, sweep. Every claim is a lease that lapses by itself and has its own name;
 * a release, and a settlement of a failure, count only while that claim is valid. So each statement may be repeated when its outcome is
 * unknown: a repeated claim of first attempts returns the rows it took before, a repeated claim of retries leaves those to lapse, and the
 * other statements change nothing.
 *
 * Order of first attempts: a lane (one of the ordered queues of an endpoint) is claimed by its head, the first row not yet answered. The
 * head is taken with SKIP LOCKED and read again in its newest version, so the claim of the head locks the lane: rows behind it are never
 * handed out while one before them is in flight, however many dispatchers there are. A row may appear before the head when it was numbered
 * first and committed later: it becomes the head and is handed out alone, because a run ends at the first row in flight. Within an event
 * numbers rise with commits, so the event's order is kept. No statement takes an endpoint's lock after a delivery's, so that deleting an
 * endpoint cannot deadlock with settling.
 *
 * The lease of a first attempt ends at `claimed_until`, which is in no index, so that a claim is a heap-only update. That of a retry ends
 * at `next_attempt_at`.
 *
 * Chosen rows are fetched by `id = any (…)` and checked again by conditions that the partial indexes do not match (`finished_at is null` is
 * `pending`, `attempts < 1` is `attempts = 0`): a burst outruns the statistics, and a planner that takes the partial indexes for empty
 * would scan the whole backlog once per row. For the same reason a lane, and the retries of an endpoint, are found by comparing rows of the
 * index's columns in its order: with `endpoint_id = …` the planner may take the index of the lists and sort all that wait. The state of an
 * endpoint is read in a subquery of its own, which the planner cannot turn into a join of all endpoints with all lanes, and a settlement
 * does not name its rows' endpoints, whose index would lead it over all their deliveries.
 */

import type { Attempt, DeliveryStatus } from "../../model/integrations/webhook-delivery.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { FAILURES_APART } from "./webhook-endpoints.ts"

/** The address of an endpoint's requests, and its signing secrets. */
export interface EndpointTarget {
  readonly url: string
  readonly secretSealed: Uint8Array
  /** Secret that is being replaced, while it still signs. */
  readonly previousSecretSealed: Uint8Array | null
  /** Headers of the endpoint's owner. */
  readonly headersSealed: Uint8Array | null
}

const TARGET = `e.url, e.secret_sealed, e.headers_sealed,
  case when e.previous_secret_until > now() then e.previous_secret_sealed end as previous_secret_sealed`

export interface ClaimedDelivery extends EndpointTarget {
  readonly id: string
  /** Name of the claim. */
  readonly claim: string
  readonly endpointId: string
  readonly lane: number
  /** Number of answered attempts before this one. */
  readonly attempts: number
  readonly messageId: string
  /** Time of the webhook event in Unix milliseconds. */
  readonly occurredMs: number
  readonly type: string
  /** Exact text to send. */
  readonly body: string
}

interface ClaimRequest {
  /** Name of the claim: begins with the claimer's id, which is unique to a process, and is never reused. */
  readonly claim: string
  readonly leaseMs: number
  /** Maximum number of lanes, or of retries. */
  readonly limit: number
  /** Maximum per endpoint, including what it already has in this process. */
  readonly perEndpoint: number
  /** Slots currently used by each endpoint. */
  readonly busy: ReadonlyMap<string, number>
}

const byEndpoint = (sql: Queryable, numbers: ReadonlyMap<string, number>) =>
  sql.json([...numbers].map(([endpoint_id, n]) => ({ endpoint_id, n })))

/** Maximum number of first attempts of one lane claimed together. */
export const LONGEST_RUN = 64

export interface FirstTriesRequest extends ClaimRequest {
  /** Number of first attempts of one lane claimed together. */
  readonly runLength: number
  /** Exceptions to `runLength` by endpoint; at most `LONGEST_RUN`. */
  readonly runLengths: ReadonlyMap<string, number>
}

/**
 * Claims a run of first attempts of each free lane, endpoints in turn. The rows of one lane are in the order in which they must be sent.
 */
export const claimFirstTries = async (
  sql: Queryable,
  request: FirstTriesRequest,
): Promise<ReadonlyArray<ClaimedDelivery>> => sql<ClaimedDelivery[]>`
  with recursive lanes as (
    (select endpoint_id, lane from webhook_deliveries where status = 'pending' and attempts = 0
      order by endpoint_id, lane limit 1)
    union all
    select next.endpoint_id, next.lane from lanes cross join lateral (
      select d.endpoint_id, d.lane from webhook_deliveries d where d.status = 'pending' and d.attempts = 0
         and (d.endpoint_id, d.lane) > (lanes.endpoint_id, lanes.lane)
       order by d.endpoint_id, d.lane limit 1) next
  ), free as (
    select h.id, h.seq, h.endpoint_id, h.claimed_by is not distinct from ${request.claim} as is_own,
           row_number() over (partition by h.endpoint_id
                              order by h.claimed_by is not distinct from ${request.claim} desc, h.seq) as turn
      from lanes cross join lateral (
        select d.* from webhook_deliveries d where d.status = 'pending' and d.attempts = 0
           and (d.endpoint_id, d.lane, d.seq) > (lanes.endpoint_id, lanes.lane, 0)
         order by d.endpoint_id, d.lane, d.seq limit 1) h
     where (select e.status from webhook_endpoints e where e.id = lanes.endpoint_id) = 'active'
       and (h.claimed_by is null or h.claimed_by = ${request.claim} or h.claimed_until <= now())
  ), chosen as (
    select free.id from free
      left join jsonb_to_recordset(${byEndpoint(sql, request.busy)}) as b(endpoint_id uuid, n integer) using (endpoint_id)
     where free.turn <= ${request.perEndpoint}::int - coalesce(b.n, 0)
     order by free.is_own desc, free.turn, free.seq limit ${request.limit}
  ), head as (
    select d.endpoint_id, d.lane, d.seq from webhook_deliveries d where d.id = any (array(select id from chosen))
       and d.finished_at is null and d.attempts < 1
       and (d.claimed_by is null or d.claimed_by = ${request.claim} or d.claimed_until <= now())
       for update skip locked
  ), run as (
    select r.id from head
      left join jsonb_to_recordset(${byEndpoint(sql, request.runLengths)}) as b(endpoint_id uuid, n integer) using (endpoint_id)
      cross join lateral (
      select d.id, row_number() over (order by d.seq) as turn, count(*) filter (where d.claimed_by <> ${request.claim} and d.claimed_until > now())
                     over (order by d.seq) as on_their_way
        from (select * from webhook_deliveries where status = 'pending' and attempts = 0
                 and (endpoint_id, lane, seq) >= (head.endpoint_id, head.lane, head.seq)
               order by endpoint_id, lane, seq limit ${LONGEST_RUN}) d
       where d.endpoint_id = head.endpoint_id and d.lane = head.lane) r
     where r.on_their_way = 0 and r.turn <= coalesce(b.n, ${request.runLength}::int)
  ), claimed as (
    update webhook_deliveries d
       set claimed_by = ${request.claim}, claimed_until = now() + ${request.leaseMs}::float8 * interval '1 millisecond'
     where d.id = any (array(select id from run)) and d.finished_at is null and d.attempts < 1
       and (d.claimed_by is null or d.claimed_by = ${request.claim} or d.claimed_until <= now())
    returning d.id, d.seq, d.endpoint_id, d.lane, d.attempts, d.message_id, d.claimed_by as claim
  )
  select c.id, c.claim, c.endpoint_id, c.lane, c.attempts, c.message_id, (extract(epoch from m.occurred_at) * 1000)::float8 as occurred_ms, m.type, m.body, ${sql.unsafe(TARGET)}
    from claimed c join outbox_messages m on m.id = c.message_id join webhook_endpoints e on e.id = c.endpoint_id
   order by c.seq`

/** Claims due retries, endpoints in turn. Retries have no order among each other. */
export const claimRetries = async (
  sql: Queryable,
  request: ClaimRequest,
): Promise<ReadonlyArray<ClaimedDelivery>> => sql<ClaimedDelivery[]>`
  with recursive owners as (
    (select endpoint_id from webhook_deliveries where status = 'pending' and attempts > 0 order by endpoint_id limit 1)
    union all
    select next.endpoint_id from owners cross join lateral (
      select d.endpoint_id from webhook_deliveries d where d.status = 'pending' and d.attempts > 0
         and d.endpoint_id > owners.endpoint_id
       order by d.endpoint_id limit 1) next
  ), due as (
    select r.id, r.next_attempt_at, o.endpoint_id,
           row_number() over (partition by o.endpoint_id order by r.next_attempt_at) as turn
      from owners o cross join lateral (
        select * from webhook_deliveries d where d.status = 'pending' and d.attempts > 0
           and (d.endpoint_id, d.next_attempt_at) >= (o.endpoint_id, '-infinity')
         order by d.endpoint_id, d.next_attempt_at limit ${request.perEndpoint}) r
     where r.endpoint_id = o.endpoint_id and r.next_attempt_at <= now()
       and (select e.status from webhook_endpoints e where e.id = o.endpoint_id) = 'active'
  ), chosen as (
    select due.id from due
      left join jsonb_to_recordset(${byEndpoint(sql, request.busy)}) as b(endpoint_id uuid, n integer) using (endpoint_id)
     where due.turn <= ${request.perEndpoint}::int - coalesce(b.n, 0)
     order by due.turn, due.next_attempt_at limit ${request.limit}
  ), locked as (
    select d.id from webhook_deliveries d where d.id = any (array(select id from chosen))
       and d.finished_at is null and d.attempts > 0 and d.next_attempt_at <= now()
       for update skip locked
  ), claimed as (
    update webhook_deliveries d
       set claimed_by = ${request.claim}, next_attempt_at = now() + ${request.leaseMs}::float8 * interval '1 millisecond'
     where d.id = any (array(select id from locked))
    returning d.id, d.endpoint_id, d.lane, d.attempts, d.message_id, d.claimed_by as claim
  )
  select c.id, c.claim, c.endpoint_id, c.lane, c.attempts, c.message_id, (extract(epoch from m.occurred_at) * 1000)::float8 as occurred_ms, m.type, m.body, ${sql.unsafe(TARGET)}
    from claimed c join outbox_messages m on m.id = c.message_id join webhook_endpoints e on e.id = c.endpoint_id`

/** Milliseconds by the database's clock until the next retry is due (negative when overdue); `undefined` when there is none. */
export const nextRetryInMs = async (sql: Queryable): Promise<number | undefined> => {
  const [row] = await sql<{ ms: number | null }[]>`
    with recursive owners as (
      (select endpoint_id, next_attempt_at from webhook_deliveries where status = 'pending' and attempts > 0
        order by endpoint_id, next_attempt_at limit 1)
      union all
      select next.endpoint_id, next.next_attempt_at from owners cross join lateral (
        select d.endpoint_id, d.next_attempt_at from webhook_deliveries d where d.status = 'pending' and d.attempts > 0
           and d.endpoint_id > owners.endpoint_id
         order by d.endpoint_id, d.next_attempt_at limit 1) next
    )
    select (extract(epoch from min(o.next_attempt_at) - now()) * 1000)::float8 as ms
      from owners o join webhook_endpoints e on e.id = o.endpoint_id and e.status = 'active'`
  return row?.ms ?? undefined
}

export interface Settlement {
  readonly id: string
  readonly claim: string
  readonly endpointId: string
  readonly status: Exclude<DeliveryStatus, "skipped">
  /** Delay until the next attempt, for `pending`. */
  readonly delayMs: number | null
  /** Address of a receiver that is gone for good, so that its endpoint is disabled. */
  readonly goneUrl?: string
  /** Error for operators. */
  readonly lastError: string | null
  readonly attempt: Attempt
}

/**
 * Records the results of attempts. A success is recorded even when the claim has lapsed and another may be active, because the webhook
 * event has been received; any other result only while the claim is valid. It also records when each endpoint last succeeded or failed, and
 * the start of its unbroken failures; an internal fault does not count against the endpoint. An endpoint whose receiver is gone is
 * disabled, unless it has another address by now.
 */
export const settleDeliveries = async (sql: Queryable, settlements: ReadonlyArray<Settlement>): Promise<void> => {
  const rows = settlements.map(({ endpointId: _, ...result }) => result)
  const ids = settlements.map(({ id }) => id)
  const endpointIds = [...new Set(settlements.map(({ endpointId }) => endpointId))]
  // Counting the endpoints locks them before any delivery; the deliveries of a deleted one are gone by then.
  await sql`
    with endpoint as materialized (
      select id from webhook_endpoints where id = any (${endpointIds}::uuid[]) order by id for no key update
    ), result as materialized (
      select * from jsonb_to_recordset(${sql.json(rows)})
             as r(id uuid, claim text, status text, "delayMs" float8, "lastError" text, "goneUrl" text, attempt jsonb)
    ), settled as (
      update webhook_deliveries d
         set status = r.status, attempts = d.attempts + 1, claimed_by = null, claimed_until = null,
             last_status = (r.attempt ->> 'statusCode')::integer,
             history = d.history || r.attempt,
             last_error = r."lastError",
             next_attempt_at = now() + r."delayMs" * interval '1 millisecond',
             finished_at = case when r.status <> 'pending' then now() end
        from result r
       where (select count(*) from endpoint) > 0
         and d.id = r.id and d.id = any (${ids}::uuid[]) and d.finished_at is null
         and (d.claimed_by = r.claim or r.status = 'delivered')
      returning d.endpoint_id, d.status, d.history -> -1 ->> 'error' as error, r."goneUrl" as gone_url
    )
    update webhook_endpoints e
       set last_success_at = case when s.succeeded then now() else e.last_success_at end,
           last_failure_at = case when s.failed then now() else e.last_failure_at end,
           failing_since = case when s.succeeded then null
                                when not s.theirs then e.failing_since
                                when e.last_failure_at > now() - ${FAILURES_APART}::interval
                                then coalesce(e.failing_since, now())
                                else now() end,
           status = case when e.url = any (s.gone_urls) then 'disabled' else e.status end,
           disabled_reason = case when e.url = any (s.gone_urls) and e.status = 'active' then 'gone' else e.disabled_reason end,
           is_untold = e.is_untold or e.url = any (s.gone_urls) and e.status = 'active'
      from (select endpoint_id, bool_or(status = 'delivered') as succeeded, bool_or(status <> 'delivered') as failed,
                   bool_or(error <> 'internal') as theirs, coalesce(array_agg(gone_url) filter (where gone_url is not null), '{}') as gone_urls
              from settled group by endpoint_id) s
     where e.id = s.endpoint_id`
}

/** The existing and active endpoints among these, in their current state: read right before a send. */
export const findTargets = async (
  sql: Queryable,
  endpointIds: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, EndpointTarget>> => {
  const rows = await sql<(EndpointTarget & { id: string })[]>`
    select e.id, ${sql.unsafe(TARGET)} from webhook_endpoints e
     where e.id = any (${[...endpointIds]}::uuid[]) and e.status = 'active'`
  return new Map(rows.map(({ id, ...target }) => [id, target]))
}

/** Releases claimed rows without an attempt; they are due at once. */
export const releaseDeliveries = async (
  sql: Queryable,
  deliveries: ReadonlyArray<Pick<ClaimedDelivery, "id" | "claim">>,
): Promise<void> => {
  const claims = Object.fromEntries(deliveries.map(({ id, claim }) => [id, claim]))
  await sql`
    update webhook_deliveries set claimed_by = null, claimed_until = null,
           next_attempt_at = case when attempts > 0 then now() end
     where id = any (${Object.keys(claims)}::uuid[]) and status = 'pending'
       and claimed_by = ${sql.json(claims)}::jsonb ->> id::text`
}

/**
 * Makes the claims of other nodes due at once. Only for a process that is the only dispatcher on this database; beside others the claims of
 * a dead one lapse by themselves. Resolves to the number of rows.
 */
export const releaseClaims = async (sql: Queryable, exceptNode: string): Promise<number> => {
  const { count } = await sql`
    update webhook_deliveries set claimed_by = null, claimed_until = null,
           next_attempt_at = case when attempts > 0 then now() end
     where not starts_with(claimed_by, ${exceptNode}) and id = any (array(
      select id from webhook_deliveries where status = 'pending' and attempts = 0 and claimed_by is not null union all
      select id from webhook_deliveries where status = 'pending' and attempts > 0 and claimed_by is not null))`
  return count
}

/**
 * Finishes up to `limit` waiting deliveries of disabled endpoints as skipped; those in flight follow later. It waits for no lock, so it
 * cannot deadlock with a claim or a settlement. Resolves to the number of rows.
 */
export const skipDeliveries = async (sql: Queryable, limit: number): Promise<number> => {
  const { count } = await sql`
    update webhook_deliveries set status = 'skipped', claimed_by = null, claimed_until = null, next_attempt_at = null, finished_at = now()
     where id = any (array(
       select d.id from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
        where e.status = 'disabled' and d.status = 'pending' and (d.claimed_by is null or coalesce(d.claimed_until, d.next_attempt_at) <= now())
        limit ${limit} for update of d skip locked))`
  return count
}

/**
 * Deletes up to `limit` messages from before the cutoff that have no pending delivery and none finished since, together with their
 * deliveries. Resolves to the number of messages.
 */
export const sweepMessages = async (sql: Queryable, before: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from outbox_messages where id in (
      select m.id from outbox_messages m where m.occurred_at < ${before} and not exists (
        select from webhook_deliveries d where d.message_id = m.id and (d.status = 'pending' or d.finished_at >= ${before}))
       limit ${limit})`
  return count
}
