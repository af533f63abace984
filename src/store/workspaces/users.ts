/** People of a workspace, and the roles they hold on its events. */
import { type EventRole, isOnStage } from "../../model/roles.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import { endIngests } from "../links/bearer-links.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

export interface UserRow {
  readonly id: string
  readonly externalSub: string
  readonly email: string | null
  readonly name: string | null
  readonly picture: string | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

interface UserInput {
  readonly externalSub: string
  readonly email?: string | null | undefined
  readonly name?: string | null | undefined
  readonly picture?: string | null | undefined
}

/** Upsert by (workspace, externalSub); an absent field keeps the stored value. `created` distinguishes an insert from an update. */
export const upsertUser = async (
  sql: Queryable,
  user: { id: string; workspaceId: string; accountId: string | null } & UserInput,
): Promise<UserRow & { readonly sessionVersion: number; readonly created: boolean }> => {
  const kept = (value: string | null | undefined) => value === undefined
  const [row] = await sql<(UserRow & { sessionVersion: number; created: boolean })[]>`
    insert into users as u (id, workspace_id, external_sub, account_id, email, name, picture)
    values (${user.id}, ${user.workspaceId}, ${user.externalSub}, ${user.accountId},
            ${user.email ?? null}, ${user.name ?? null}, ${user.picture ?? null})
    on conflict (workspace_id, external_sub) do update set
      email = case when ${kept(user.email)} then u.email else excluded.email end,
      name = case when ${kept(user.name)} then u.name else excluded.name end,
      picture = case when ${kept(user.picture)} then u.picture else excluded.picture end,
      updated_at = now()
    returning id, external_sub, email, name, picture, created_at, updated_at, session_version, xmax = 0 as created`
  if (row === undefined) throw new Error("upsert returned no row")
  return row
}

export const findUser = async (
  sql: Queryable,
  id: string,
): Promise<
  | (UserRow & { readonly workspaceId: string; readonly accountId: string | null; readonly sessionVersion: number })
  | undefined
> => {
  const [row] = await sql<(UserRow & { workspaceId: string; accountId: string | null; sessionVersion: number })[]>`
    select id, workspace_id, account_id, external_sub, email, name, picture, created_at, updated_at, session_version
      from users where id = ${id}`
  return row
}

export const pageUsers = async (sql: Queryable, workspaceId: string, page: PageRequest): Promise<Page<UserRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<UserRow[]>`
    select id, external_sub, email, name, picture, created_at, updated_at from users
     where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

interface MembershipRow {
  readonly id: string
  readonly eventId: string
  readonly userId: string
  readonly role: EventRole
  readonly createdAt: Timestamp
}

/** Creates the membership, or gives an existing one the new role. */
export const upsertMembership = async (
  sql: Queryable,
  membership: { id: string; eventId: string; userId: string; role: EventRole },
): Promise<MembershipRow & { readonly created: boolean }> => {
  const [row] = await sql<(MembershipRow & { created: boolean })[]>`
    insert into memberships (id, event_id, user_id, role)
    values (${membership.id}, ${membership.eventId}, ${membership.userId}, ${membership.role})
    on conflict (event_id, user_id) do update set role = excluded.role
    returning id, event_id, user_id, role, created_at, xmax = 0 as created`
  if (row === undefined) throw new Error("upsert returned no row")
  if (!isOnStage(membership.role)) await endIngests(sql, membership.eventId, membership.userId)
  return row
}

export interface ListedMembershipRow extends MembershipRow {
  /** Name and address of the user. */
  readonly name: string | null
  readonly email: string | null
}

/** Memberships of one event, newest first. */
export const pageMemberships = async (
  sql: Queryable,
  eventId: string,
  page: PageRequest,
): Promise<Page<ListedMembershipRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<ListedMembershipRow[]>`
    select m.id, m.event_id, m.user_id, m.role, m.created_at, u.name, u.email
      from memberships m join users u on u.id = m.user_id
     where m.event_id = ${eventId} and (m.created_at, m.id) < (${after.createdAt}, ${after.id})
     order by m.created_at desc, m.id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

/** Resolves to the user of the membership; `undefined` when the event has no such membership. */
export const deleteMembership = async (
  sql: Queryable,
  eventId: string,
  membershipId: string,
): Promise<string | undefined> => {
  const [row] = await sql<{ userId: string }[]>`
    delete from memberships where id = ${membershipId} and event_id = ${eventId} returning user_id`
  if (row !== undefined) await endIngests(sql, eventId, row.userId)
  return row?.userId
}

/** Whether the account belongs to the workspace, or has a membership on any of its events through its participant identity. */
export const mayEnterWorkspace = async (sql: Queryable, workspaceId: string, accountId: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from workspace_members where workspace_id = ${workspaceId} and account_id = ${accountId}
    union all
    select 1 from users u join memberships m on m.user_id = u.id
     where u.workspace_id = ${workspaceId} and u.account_id = ${accountId}
       and u.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)} limit 1`
  return rows.length > 0
}
