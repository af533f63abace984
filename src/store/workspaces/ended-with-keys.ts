/**
 * Objects that end with API keys. The keys' addresses depend on them and need no statement; their open invites are revoked with them. With
 * `cascade` also what they made or let in: keys, webhooks, guest integrations, and the people who joined by their invites.
 */
import type { TakenBack } from "../accounts/first-proof.ts"
import type { Queryable } from "../database.ts"
import { revokeInvitesOfKeys } from "./invites.ts"
import { type Departure, depart } from "./members.ts"

/** Ended objects, in the form used when an address is proved (`store/accounts/first-proof.ts`). */
export interface EndedWithKeys extends Omit<TakenBack, "accountId" | "workspaceIds"> {
  /** Departures of the removed members. */
  readonly departures: ReadonlyArray<Departure>
  /** Addresses of these keys that were used or unexpired. */
  readonly links: ReadonlyArray<{ readonly id: string; readonly kind: string; readonly eventId: string | null }>
}

/** Members who joined by an invite of the keys, except owners, whom an owner has promoted since, and the caller. */
const removeMembersOf = async (
  sql: Queryable,
  workspaceId: string,
  keys: ReadonlyArray<string>,
  by: string,
): Promise<Pick<EndedWithKeys, "members" | "departures">> => {
  const members = await sql<(EndedWithKeys["members"][number] & { readonly accountId: string })[]>`
    delete from workspace_members m using accounts a, account_emails e
     where m.workspace_id = ${workspaceId} and m.role <> 'owner' and m.account_id <> ${by}
       and exists (select from invites i where i.workspace_id = m.workspace_id and i.kind = 'workspace'
                      and i.accepted_by_account_id = m.account_id and i.created_by_key_id = any (${[...keys]}::uuid[]))
       and a.id = m.account_id and e.account_id = a.id and e.is_primary
    returning m.id, m.workspace_id, m.account_id, a.name, e.email`
  const departures: Departure[] = []
  for (const { accountId } of members) departures.push(await depart(sql, workspaceId, accountId))
  return { members, departures }
}

/** `revoked` lists the keys revoked by this transaction. Run it under `lockWorkspace`. `by` is the caller's account. */
export const endMadeByKeys = async (
  sql: Queryable,
  workspaceId: string,
  { revoked, all }: { readonly revoked: ReadonlyArray<string>; readonly all: ReadonlyArray<string> },
  by: string,
): Promise<EndedWithKeys> => {
  const ids = [...all]
  const keys = await sql<EndedWithKeys["keys"][number][]>`
    select id, workspace_id, name, prefix, last4 from api_keys where id = any (${[...revoked]}::uuid[]) order by id`
  const invites = await revokeInvitesOfKeys(sql, workspaceId, ids)
  const { members, departures } = await removeMembersOf(sql, workspaceId, ids, by)
  const roles = await sql<EndedWithKeys["roles"][number][]>`
    delete from memberships m using users u, events e, invites i
     where i.workspace_id = ${workspaceId} and i.created_by_key_id = any (${ids}::uuid[]) and i.event_id = m.event_id
       and u.account_id = i.accepted_by_account_id and u.account_id <> ${by} and m.user_id = u.id and e.id = m.event_id
    returning m.id, u.workspace_id, m.event_id, m.user_id, u.name, e.status = 'ended' as is_over`
  const webhooks = await sql<EndedWithKeys["webhooks"][number][]>`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'manual'
     where created_by_key_id = any (${ids}::uuid[]) and status = 'active' returning id, workspace_id, url`
  const integrations = await sql<EndedWithKeys["integrations"][number][]>`
    update guest_integrations set revoked_at = now()
     where created_by_key_id = any (${ids}::uuid[]) and revoked_at is null returning id, workspace_id, issuer`
  const links = await sql<EndedWithKeys["links"][number][]>`
    select id, kind, event_id from bearer_links
     where holder = any (${ids.map((id) => `key:${id}`)}::text[]) and ended_at is null and expires_at > now() order by id`
  return { keys, invites, members, departures, roles, webhooks, integrations, links }
}
