/** Bearer links of a workspace with their holders: addresses, open invites, and the entry links of one event. */
import type { Ground, HeldLink } from "../../model/links.ts"
import { linkIdOf } from "../../model/links.ts"
import { type Timestamp, toMillis } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { endEverything, SKEW } from "../links/bearer-links.ts"
import { linksHold } from "../links/link-states.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"
import { revokeInvitesOf, revokeInvitesOfKeys } from "./invites.ts"

type ListedKind = HeldLink["kind"] | "invite" | "entry"

interface ListedLink {
  readonly id: string
  readonly kind: ListedKind
  readonly eventId: string | null
  /** Id of the broadcast, recording or other media; null for an invite or entry link. */
  readonly objectId: string | null
  readonly holder: {
    readonly kind: "account" | "key" | "user" | "guest" | "registrant" | "unknown"
    readonly id: string
    readonly name: string | null
  }
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  readonly lastUsedAt: Timestamp | null
}

interface Row extends Omit<ListedLink, "holder"> {
  readonly holder: string
  readonly name: string | null
  readonly ground: Ground | null
}

interface LinkFilter {
  readonly kind?: ListedKind | undefined
  /** Entry links are listed only for one event, because a workspace may have many thousands. */
  readonly eventId?: string | undefined
  readonly holder?: string | undefined
}

const HOLDERS: { readonly [prefix: string]: ListedLink["holder"]["kind"] } = {
  account: "account",
  key: "key",
  user: "user",
  guest: "guest",
  reg: "registrant",
}

const shown = ({ holder, name, ground: _, ...row }: Row): ListedLink => {
  const [prefix = "", id = ""] = holder.split(":")
  return { ...row, holder: { kind: HOLDERS[prefix] ?? "unknown", id, name } }
}

const heldOf = ({ kind, objectId, eventId, ground, createdAt, expiresAt }: Row): HeldLink | undefined =>
  ground === null || objectId === null || kind === "invite" || kind === "entry"
    ? undefined
    : {
        kind,
        objectId,
        eventId: eventId ?? "",
        ground,
        givenAt: toMillis(createdAt),
        expiresAt: expiresAt === null ? 0 : toMillis(expiresAt),
      }

/** Links whose basis is gone are left out, so a page may be short. */
export const pageLinks = async (
  sql: Queryable,
  workspaceId: string,
  { kind, eventId, holder }: LinkFilter,
  page: PageRequest,
): Promise<Page<ListedLink>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<Row[]>`
    select l.id, l.kind, l.event_id, l.object_id, l.holder, l.ground, l.created_at, l.expires_at, l.last_used_at,
           coalesce(l.name, case split_part(l.holder, ':', 1)
             when 'account' then (select a.name from accounts a where a.id = split_part(l.holder, ':', 2)::uuid)
             when 'key' then (select k.name from api_keys k where k.id = split_part(l.holder, ':', 2)::uuid)
             when 'user' then (select u.name from users u where u.id = split_part(l.holder, ':', 2)::uuid) end) as name
      from (
        select id, kind, event_id, object_id, holder, ground, created_at, expires_at, last_used_at, null as name from bearer_links
         where workspace_id = ${workspaceId} and kind <> 'everything' and (ended_at is null or ended_at < created_at) and expires_at > now()
        union all
        select i.id, 'invite', i.event_id, null,
               coalesce('account:' || i.created_by_account_id, 'key:' || i.created_by_key_id, 'unknown:'), null, i.created_at,
               i.expires_at, null, null
          from invites i where i.workspace_id = ${workspaceId} and i.status = 'pending' and i.expires_at > now()
        union all
        select r.id, 'entry', r.event_id, null, 'reg:' || r.id, null, r.created_at, e.ended_at + interval '24 hours',
               (select max(t.last_used_at) from entry_tokens t where t.registration_id = r.id), r.name
          from registrations r join events e on e.id = r.event_id
         where r.event_id = ${eventId ?? null} and e.workspace_id = ${workspaceId}
           and exists (select from entry_tokens t where t.registration_id = r.id)
      ) l
     where (l.created_at, l.id) < (${after.createdAt}, ${after.id}) and (${kind ?? null}::text is null or l.kind = ${kind ?? null})
       and (${eventId ?? null}::uuid is null or l.event_id = ${eventId ?? null})
       and (${holder ?? null}::text is null or l.holder = ${holder ?? null})
     order by l.created_at desc, l.id desc limit ${page.limit + 1}`
  const { rows: some, nextCursor } = toPage(rows, page.limit)
  const held = some.flatMap((row) => heldOf(row) ?? [])
  const hold = await linksHold(sql, held)
  const ended = held.filter((_, n) => hold[n] !== true).map(linkIdOf)
  return { rows: some.filter(({ id }) => !ended.includes(id)).map(shown), nextCursor }
}

/** Ends one link. Returns false when there is no such link. */
export const endLink = async (sql: Queryable, workspaceId: string, id: string): Promise<boolean> => {
  const { count } = await sql`
    with link as (
      update bearer_links set ended_at = now() + ${sql.unsafe(SKEW)}
       where id = ${id} and workspace_id = ${workspaceId} and kind <> 'everything' and (ended_at is null or ended_at < created_at) returning id
    ), invite as (
      update invites set status = 'revoked', revoked_at = now()
       where id = ${id} and workspace_id = ${workspaceId} and status = 'pending' returning id
    ), entry as (
      delete from entry_tokens t using registrations r, events e
       where r.id = ${id} and t.registration_id = r.id and e.id = r.event_id and e.workspace_id = ${workspaceId} returning r.id
    )
    select id from link union select id from invite union select id from entry`
  return count > 0
}

/** A person of the workspace, or a key, that holds links. */
export interface Holder {
  readonly kind: "account" | "user" | "key"
  readonly id: string
}

export const holderText = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind}:${id}`

/** A user with an account holds links as the account. */
export const linkHolderOf = async <H extends { readonly kind: string; readonly id: string }>(
  sql: Queryable,
  workspaceId: string,
  holder: H,
): Promise<H | Holder> => {
  if (holder.kind !== "user") return holder
  const [row] = await sql<{ id: string }[]>`
    select account_id as id from users where id = ${holder.id} and workspace_id = ${workspaceId} and account_id is not null`
  return row === undefined ? holder : { kind: "account", ...row }
}

/** `undefined` when the workspace has no such person or key. */
export const findHolder = async (
  sql: Queryable,
  workspaceId: string,
  holder: Holder,
): Promise<{ readonly isOwner: boolean } | undefined> => {
  const [row] = await sql<{ isOwner: boolean }[]>`
    select exists (select from workspace_members m where m.workspace_id = h.workspace_id and m.account_id = h.account_id
                      and m.role = 'owner') as is_owner
      from (select workspace_id, account_id, 'account:' || account_id as holder from workspace_members
            union all select workspace_id, account_id, 'account:' || account_id from users
            union all select workspace_id, account_id, 'user:' || id from users
            union all select workspace_id, null, 'key:' || id from api_keys) h
     where h.workspace_id = ${workspaceId} and h.holder = ${holderText(holder)} limit 1`
  return row
}

/** Ends all links of the holder in the workspace, and the session tokens of a person. Run it under `lockWorkspace`. */
export const endLinksOf = async (sql: Queryable, workspaceId: string, holder: Holder): Promise<void> => {
  const text = holderText(holder)
  await endEverything(sql, workspaceId, text)
  await sql`
    update bearer_links set ended_at = now() where holder = ${text} and workspace_id = ${workspaceId} and ended_at is null`
  const { kind, id } = holder
  if (kind === "key") await revokeInvitesOfKeys(sql, workspaceId, [id])
  if (kind === "account") await revokeInvitesOf(sql, workspaceId, id)
  await sql`
    update users set session_version = session_version + 1
     where workspace_id = ${workspaceId} and (${kind} = 'account' and account_id = ${id} or ${kind} = 'user' and id = ${id})`
}
