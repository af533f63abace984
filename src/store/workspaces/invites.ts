/** Invites, by id for their managers and by the hash of their token for its holder. */
import type { Timestamp } from "../../model/timestamp.ts"
import { lockWorkspace } from "../accounts/credentials.ts"
import type { Queryable } from "../database.ts"
import { type EventFace, FACE } from "../event-face.ts"
import { FIRST_PAGE, type Page, type PageRequest, toPage } from "../page.ts"

type InviteKind = "workspace" | "event"
/** `expired` is a pending invite whose time is over. */
type InviteStatus = "pending" | "accepted" | "declined" | "revoked" | "expired"

export interface InviteRow {
  readonly id: string
  readonly kind: InviteKind
  readonly email: string | null
  readonly role: string
  readonly eventId: string | null
  readonly status: InviteStatus
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  readonly acceptedAt: Timestamp | null
  readonly revokedAt: Timestamp | null
}

/** An invite with its workspace and event. */
export interface InvitationRow extends InviteRow, EventFace {
  readonly workspaceId: string
  readonly workspaceSlug: string
  readonly eventTitle: string | null
  readonly eventStatus: string | null
  readonly scheduledAt: Timestamp | null
}

/** An invite expires by itself or with the key that made it; a revoked key has no open invites. */
const IS_OPEN = `(i.status = 'pending' and i.expires_at > now()
  and not exists (select from api_keys k where k.id = i.created_by_key_id and k.expires_at <= now()))`
const STATUS = `case when i.status = 'pending' and not ${IS_OPEN} then 'expired' else i.status end as status`
const INVITE = `i.id, i.kind, i.email, i.role, i.event_id, ${STATUS}, i.created_at, i.expires_at, i.accepted_at, i.revoked_at`

/** Revokes an older open invite of the same address to the same object. Run it in a transaction. */
export const insertInvite = async (
  sql: Queryable,
  invite: {
    id: string
    workspaceId: string
    eventId: string | null
    kind: InviteKind
    email: string | null
    role: string
    tokenHash: Uint8Array
    expiresAt: Timestamp
    /** Exactly one of the two makers is null. */
    createdByAccountId: string | null
    createdByKeyId: string | null
  },
): Promise<InviteRow> => {
  // Locks the workspace's row: of two invites to the same address the later revokes the earlier, and a transaction that revokes all invites
  // of the workspace misses none in progress.
  await lockWorkspace(sql, invite.workspaceId)
  if (invite.email !== null) {
    await sql`
      update invites set status = 'revoked', revoked_at = now()
       where workspace_id = ${invite.workspaceId} and event_id is not distinct from ${invite.eventId}
         and email = ${invite.email} and status = 'pending'`
  }
  const [row] = await sql<InviteRow[]>`
    insert into invites as i (id, workspace_id, event_id, kind, email, role, token_hash, expires_at,
                              created_by_account_id, created_by_key_id)
    values (${invite.id}, ${invite.workspaceId}, ${invite.eventId}, ${invite.kind}, ${invite.email}, ${invite.role},
            ${invite.tokenHash}, ${invite.expiresAt}, ${invite.createdByAccountId}, ${invite.createdByKeyId})
    returning ${sql.unsafe(INVITE)}`
  if (row === undefined) throw new Error("insert returned no row")
  return row
}

export const pageInvites = async (sql: Queryable, workspaceId: string, page: PageRequest): Promise<Page<InviteRow>> => {
  const after = page.after ?? FIRST_PAGE
  const rows = await sql<InviteRow[]>`
    select ${sql.unsafe(INVITE)} from invites i
     where workspace_id = ${workspaceId} and (created_at, id) < (${after.createdAt}, ${after.id})
     order by created_at desc, id desc limit ${page.limit + 1}`
  return toPage(rows, page.limit)
}

const INVITATION = `select ${INVITE}, i.workspace_id, ${FACE}, w.slug as workspace_slug,
  e.title as event_title, e.status as event_status, e.scheduled_at
  from invites i join workspaces w on w.id = i.workspace_id left join events e on e.id = i.event_id`

export const findInvitation = async (sql: Queryable, tokenHash: Uint8Array): Promise<InvitationRow | undefined> => {
  const [row] = await sql<
    InvitationRow[]
  >`${sql.unsafe(INVITATION)} where i.token_hash = ${tokenHash} and w.deleted_at is null`
  return row
}

export const findWorkspaceInvitation = async (
  sql: Queryable,
  workspaceId: string,
  id: string,
): Promise<InvitationRow | undefined> => {
  const [row] = await sql<InvitationRow[]>`
    ${sql.unsafe(INVITATION)} where i.workspace_id = ${workspaceId} and i.id = ${id}`
  return row
}

/**
 * Changes the status of an open invite; one of several callers gets the row, the others `undefined`. `by` is the account that accepts it.
 */
export const settleInvite = async (
  sql: Queryable,
  id: string,
  to: "accepted" | "declined" | "revoked",
  by: string | null = null,
): Promise<InviteRow | undefined> => {
  const [row] = await sql<InviteRow[]>`
    update invites i set status = ${to}, accepted_by_account_id = ${by},
           accepted_at = case when ${to} = 'accepted' then now() else accepted_at end,
           revoked_at = case when ${to} = 'revoked' then now() else revoked_at end
     where id = ${id} and ${sql.unsafe(IS_OPEN)}
    returning ${sql.unsafe(INVITE)}`
  return row
}

/** Gives an open invite, which is now the caller's, a new token and a new term; the old token becomes invalid. */
export const renewInvite = async (
  sql: Queryable,
  {
    id,
    tokenHash,
    expiresAt,
    createdByAccountId,
    createdByKeyId,
  }: Pick<
    Parameters<typeof insertInvite>[1],
    "id" | "tokenHash" | "expiresAt" | "createdByAccountId" | "createdByKeyId"
  >,
): Promise<InviteRow | undefined> => {
  const [row] = await sql<InviteRow[]>`
    update invites i set token_hash = ${tokenHash}, expires_at = ${expiresAt}, created_by_account_id = ${createdByAccountId},
           created_by_key_id = ${createdByKeyId}
     where id = ${id} and ${sql.unsafe(IS_OPEN)} returning ${sql.unsafe(INVITE)}`
  return row
}

/** Whether there is an open invite for this address. */
export const hasOpenInvite = async (sql: Queryable, email: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from invites i join workspaces w on w.id = i.workspace_id
     where i.email = ${email} and ${sql.unsafe(IS_OPEN)} and w.deleted_at is null limit 1`
  return rows.length > 0
}

/** Revokes the open invites that the account made in the workspace. Run it under `lockWorkspace`. */
export const revokeInvitesOf = async (sql: Queryable, workspaceId: string, accountId: string): Promise<void> => {
  await sql`
    update invites set status = 'revoked', revoked_at = now()
     where workspace_id = ${workspaceId} and created_by_account_id = ${accountId} and status = 'pending'`
}

/**
 * Revokes the open invites made by the keys, and those since the first of the keys that have no known maker: a node of an earlier release
 * stored none for a key. Run it under `lockWorkspace`.
 */
export const revokeInvitesOfKeys = async (
  sql: Queryable,
  workspaceId: string,
  keyIds: ReadonlyArray<string>,
): Promise<
  ReadonlyArray<{
    readonly id: string
    readonly workspaceId: string
    readonly email: string | null
    readonly role: string
  }>
> =>
  sql`
    update invites set status = 'revoked', revoked_at = now()
     where workspace_id = ${workspaceId} and status = 'pending' and expires_at > now()
       and (created_by_key_id = any (${[...keyIds]}::uuid[])
            or created_by_account_id is null and created_by_key_id is null
               and created_at >= (select min(created_at) from api_keys where id = any (${[...keyIds]}::uuid[])))
    returning id, workspace_id, email, role`

/** Whether a person with this address is already a member. */
export const isMemberByEmail = async (sql: Queryable, workspaceId: string, email: string): Promise<boolean> => {
  const rows = await sql`
    select 1 from account_emails e join workspace_members m on m.account_id = e.account_id
     where m.workspace_id = ${workspaceId} and e.email = ${email}`
  return rows.length > 0
}

/** Ends the exclusion of a person who was removed and is invited again. */
export const letIn = async (sql: Queryable, workspaceId: string, accountId: string): Promise<void> => {
  await sql`delete from removed_members where workspace_id = ${workspaceId} and account_id = ${accountId}`
}

/** Resolves to whether the account was not a member before. */
export const insertMember = async (
  sql: Queryable,
  member: { id: string; workspaceId: string; accountId: string; role: string },
): Promise<boolean> => {
  const { count } = await sql`
    insert into workspace_members (id, workspace_id, account_id, role)
    values (${member.id}, ${member.workspaceId}, ${member.accountId}, ${member.role})
    on conflict (account_id, workspace_id) do nothing`
  return count > 0
}
