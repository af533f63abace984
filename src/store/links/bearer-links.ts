/** Rows of bearer links: given, used and ended. `link-states.ts` reads whether the basis of a link still stands. */
import { everythingOf, type Ground, type HeldLink, holderOf, linkIdOf } from "../../model/links.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { linksHold } from "./link-states.ts"

const rowOf = (link: HeldLink) => ({
  id: linkIdOf(link),
  kind: link.kind,
  event_id: link.eventId,
  object_id: link.objectId,
  holder: holderOf(link.ground),
  participant_id: link.ground.participantId ?? null,
  ground: link.ground,
  created_at: toTimestamp(link.givenAt),
  expires_at: toTimestamp(link.expiresAt),
})

const ROW = `(id uuid, kind text, event_id uuid, object_id uuid, holder text, participant_id text, ground jsonb,
              created_at timestamptz, expires_at timestamptz, used_at timestamptz)`

/**
 * Records that links were given, and when they were last used; `usedAt` is in Unix milliseconds, null for never. An encoder's address gets
 * no new row here, nor does a link of a deleted event.
 */
export const noteLinks = async (
  sql: Queryable,
  links: ReadonlyArray<{ readonly link: HeldLink; readonly usedAt: number | null }>,
): Promise<void> => {
  const given = links.map(({ link, usedAt }) => ({
    ...rowOf(link),
    used_at: usedAt === null ? null : toTimestamp(usedAt),
  }))
  await sql`
    insert into bearer_links as l (id, kind, workspace_id, event_id, object_id, holder, participant_id, ground, created_at, expires_at, last_used_at)
    select g.id, g.kind, e.workspace_id, e.id, g.object_id, g.holder, g.participant_id, g.ground, g.created_at, g.expires_at, g.used_at
      from jsonb_to_recordset(${sql.json(given)}) as g ${sql.unsafe(ROW)} join events e on e.id = g.event_id
     where g.kind <> 'ingest' or exists (select from bearer_links i where i.id = g.id)
     -- Statements that write the same rows take them in one order.
     order by g.id
    on conflict (id) do update set last_used_at = coalesce(excluded.last_used_at, l.last_used_at),
           expires_at = greatest(l.expires_at, excluded.expires_at), created_at = greatest(l.created_at, excluded.created_at),
           ground = case when excluded.created_at > l.created_at then excluded.ground else l.ground end`
}

/**
 * Gives the encoder of a broadcast an address. The same holder's earlier address is refused from now on; those of others stay. Returns
 * false when the broadcast is neither live nor paused.
 */
export const putIngest = async (sql: Queryable, link: HeldLink, tokenHash: Uint8Array): Promise<boolean> => {
  const { count } = await sql`
    with going as (
      select b.id, e.workspace_id from broadcasts b join events e on e.id = b.event_id
       where b.id = ${link.objectId} and b.status in ('live', 'paused')
    ), former as (
      -- The only address of a broadcast that began before 0038.
      delete from broadcast_ingests where broadcast_id in (select id from going)
    )
    insert into bearer_links as l (id, kind, workspace_id, event_id, object_id, holder, participant_id, ground, created_at, expires_at, token_hash)
    select g.id, g.kind, going.workspace_id, g.event_id, g.object_id, g.holder, g.participant_id, g.ground, g.created_at, g.expires_at, ${tokenHash}
      from going, jsonb_to_recordset(${sql.json([rowOf(link)])}) as g ${sql.unsafe(ROW)}
    on conflict (id) do update set token_hash = excluded.token_hash, ground = excluded.ground, ended_at = null, last_used_at = null,
           -- Two addresses of one millisecond are two.
           created_at = greatest(excluded.created_at, l.created_at + interval '1 millisecond'), expires_at = excluded.expires_at`
  return count > 0
}

export interface FoundIngest {
  readonly id: string
  readonly eventId: string
  readonly status: "idle" | "live" | "paused" | "ended"
  /** Null when the address was given before 0038 and depends on nothing. */
  readonly link: HeldLink | null
}

interface IngestRow extends Omit<FoundIngest, "link"> {
  readonly ground: Ground | null
  readonly givenAt: number
  readonly expiresAt: number
}

/** The broadcast of an encoder's token; `undefined` when there is none, or the address has ended. */
export const findIngest = async (sql: Queryable, tokenHash: Uint8Array): Promise<FoundIngest | undefined> => {
  const [row] = await sql<IngestRow[]>`
    select b.id, b.event_id, b.status, l.ground, (extract(epoch from l.created_at) * 1000)::float8 as given_at,
           (extract(epoch from l.expires_at) * 1000)::float8 as expires_at
      from bearer_links l join broadcasts b on b.id = l.object_id where l.token_hash = ${tokenHash} and l.expires_at > now()
    union all
    select b.id, b.event_id, b.status, null, 0, 0 from broadcast_ingests i join broadcasts b on b.id = i.broadcast_id
     where i.token_hash = ${tokenHash} and not exists (select from bearer_links l where l.token_hash = ${tokenHash})`
  if (row === undefined) return undefined
  const { ground, givenAt, expiresAt, ...of } = row
  const link = ground && { kind: "ingest" as const, objectId: of.id, eventId: of.eventId, ground, givenAt, expiresAt }
  const [holds] = link === null ? [true] : await linksHold(sql, [link])
  return holds === true ? { ...of, link } : undefined
}

/** Ends a person's encoder addresses at an event where they may no longer speak. */
export const endIngests = async (sql: Queryable, eventId: string, participantId: string): Promise<void> => {
  await sql`
    update bearer_links set ended_at = now()
     where event_id = ${eventId} and participant_id = ${participantId} and kind = 'ingest' and ended_at is null`
}

/** Maximum clock difference between the nodes, which issue addresses, and the database. */
export const SKEW = `interval '1 second'`

/** Ends all links of a holder in a workspace, including those without a row. The row outlasts what it ends. */
export const endEverything = async (sql: Queryable, workspaceId: string, holder: string): Promise<void> => {
  await sql`
    insert into bearer_links (id, kind, workspace_id, holder, created_at, expires_at, ended_at)
    values (${everythingOf(workspaceId, holder)}, 'everything', ${workspaceId}, ${holder}, now(), now() + interval '30 days', now() + ${sql.unsafe(SKEW)})
    on conflict (id) do update set ended_at = excluded.ended_at, expires_at = excluded.expires_at`
}

/**
 * Time at which something of a holder was last ended, in Unix milliseconds; 0 for never. Links given from now on count as given after it.
 */
export const lastEndOf = async (sql: Queryable, holder: string): Promise<number> => {
  const [row] = await sql<{ at: number | null }[]>`
    select (extract(epoch from max(ended_at)) * 1000)::float8 as at from bearer_links
     where holder = ${holder}`
  return row?.at ?? 0
}

/** Deletes up to `limit` rows of links that have expired. Resolves to their number. */
export const deleteExpiredLinks = async (sql: Queryable, now: Timestamp, limit: number): Promise<number> => {
  const { count } = await sql`
    delete from bearer_links where id = any (array(
      select id from bearer_links where expires_at <= ${now} order by expires_at limit ${limit}))`
  return count
}
