/**
 * Objects made by an account before its address was proved: any person can sign up with any address. They are taken back in the workspaces
 * whose first member is the account; in others it is one member among several and made nothing.
 */
import type { Queryable } from "../database.ts"
import { deleteFactors } from "./second-factors.ts"

export interface InWorkspace {
  readonly id: string
  readonly workspaceId: string
}

export interface TakenBack {
  readonly accountId: string
  readonly workspaceIds: ReadonlyArray<string>
  readonly keys: ReadonlyArray<
    InWorkspace & { readonly name: string | null; readonly prefix: string; readonly last4: string }
  >
  readonly invites: ReadonlyArray<InWorkspace & { readonly email: string | null; readonly role: string }>
  /** `id` is the membership's id. */
  readonly members: ReadonlyArray<InWorkspace & { readonly name: string; readonly email: string }>
  /** Event roles of accounts. `isOver` means that the event has ended. */
  readonly roles: ReadonlyArray<
    InWorkspace & {
      readonly eventId: string
      readonly userId: string
      readonly name: string | null
      readonly isOver: boolean
    }
  >
  readonly webhooks: ReadonlyArray<InWorkspace & { readonly url: string }>
  readonly integrations: ReadonlyArray<InWorkspace & { readonly issuer: string }>
}

/**
 * Workspaces that the account owns and in which no present member precedes it. The statement waits for transactions that create a key, an
 * invite, a webhook, an integration or a role there; later ones are refused (`requireCredential`).
 */
const lockFounded = async (sql: Queryable, accountId: string): Promise<ReadonlyArray<string>> => {
  const rows = await sql<{ id: string }[]>`
    select w.id from workspace_members m join workspaces w on w.id = m.workspace_id
     where m.account_id = ${accountId} and m.role = 'owner'
       and not exists (select from workspace_members o
                        where o.workspace_id = m.workspace_id and (o.joined_at, o.id) < (m.joined_at, m.id))
     order by w.id for no key update of w`
  return rows.map(({ id }) => id)
}

/** Run it in the transaction that proves the address. */
export const takeBack = async (sql: Queryable, accountId: string): Promise<TakenBack> => {
  const workspaceIds = await lockFounded(sql, accountId)
  // Another person's factor would keep the owner of the address out.
  await deleteFactors(sql, accountId)
  const founded = [...workspaceIds]
  const keys = await sql<TakenBack["keys"][number][]>`
    update api_keys set revoked_at = now() where workspace_id = any (${founded}::uuid[]) and revoked_at is null
    returning id, workspace_id, name, prefix, last4`
  const invites = await sql<TakenBack["invites"][number][]>`
    update invites set status = 'revoked', revoked_at = now()
     where workspace_id = any (${founded}::uuid[]) and status = 'pending' and expires_at > now()
    returning id, workspace_id, email, role`
  // Runs after the invites: a transaction that accepts one has either made a member by now, or finds it revoked.
  const members = await sql<TakenBack["members"][number][]>`
    delete from workspace_members m using accounts a, account_emails e
     where m.workspace_id = any (${founded}::uuid[]) and m.account_id <> ${accountId}
       and a.id = m.account_id and e.account_id = a.id and e.is_primary
    returning m.id, m.workspace_id, a.name, e.email`
  await sql`
    update users set session_version = session_version + 1
     where workspace_id = any (${founded}::uuid[]) and account_id is not null and account_id <> ${accountId}`
  const roles = await sql<TakenBack["roles"][number][]>`
    delete from memberships m using users u, events e
     where u.workspace_id = any (${founded}::uuid[]) and u.account_id is not null and u.account_id <> ${accountId}
       and m.user_id = u.id and e.id = m.event_id
    returning m.id, u.workspace_id, m.event_id, m.user_id, u.name, e.status = 'ended' as is_over`
  const webhooks = await sql<TakenBack["webhooks"][number][]>`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'manual'
     where workspace_id = any (${founded}::uuid[]) and status = 'active' returning id, workspace_id, url`
  const integrations = await sql<TakenBack["integrations"][number][]>`
    update guest_integrations set revoked_at = now()
     where workspace_id = any (${founded}::uuid[]) and revoked_at is null returning id, workspace_id, issuer`
  return { accountId, workspaceIds, keys, invites, members, roles, webhooks, integrations }
}
