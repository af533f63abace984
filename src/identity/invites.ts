/**
 * Invites: a week-long token that makes its holder a member of a workspace, or gives its holder a role on one event. The
 * token is the authority: no address need match. Using it up and granting are one transaction.
 */
import { Conflict, NotFound } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import type { EventRole } from "../model/roles.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { lockWorkspace } from "../store/accounts/credentials.ts"
import type { Queryable } from "../store/database.ts"
import { onForeignKeyViolation } from "../store/sqlstate.ts"
import {
  findInvitation,
  type InvitationRow,
  type InviteRow,
  insertInvite,
  insertMember,
  renewInvite,
  settleInvite,
} from "../store/workspaces/invites.ts"
import { giveEventRole } from "./participants.ts"
import { hashSecret, newSecret } from "./secrets.ts"

const LIFETIME_MS = 7 * 86_400_000

const notPending = (status: string) => new Conflict({ detail: `The invite is ${status}.` })

export interface IssuedInvite {
  readonly invite: InviteRow
  readonly token: string
}

/** Throws `NotFound` for an event that is gone. Run in a transaction. */
export const issueInvite = async (
  sql: Queryable,
  to: Omit<Parameters<typeof insertInvite>[1], "id" | "tokenHash" | "expiresAt">,
): Promise<IssuedInvite> => {
  const token = newSecret()
  const expiresAt = toTimestamp(Date.now() + LIFETIME_MS)
  const inserting = insertInvite(sql, { ...to, id: newId(), tokenHash: hashSecret(token), expiresAt })
  const invite = await onForeignKeyViolation(inserting, () => NotFound.of("event"))
  return { invite, token }
}

/** A new token for an open invite. Throws `Conflict` for any other. */
export const reissueInvite = async (
  sql: Queryable,
  { id, status }: InvitationRow,
  createdByAccountId: string | null,
): Promise<IssuedInvite> => {
  const token = newSecret()
  const expiresAt = toTimestamp(Date.now() + LIFETIME_MS)
  const invite = await renewInvite(sql, { id, tokenHash: hashSecret(token), expiresAt, createdByAccountId })
  if (invite === undefined) throw notPending(status)
  return { invite, token }
}

/** Throws `NotFound`. */
export const readInvitation = async (sql: Queryable, token: string): Promise<InvitationRow> => {
  const invitation = await findInvitation(sql, hashSecret(token))
  if (invitation === undefined) throw NotFound.of("invite")
  return invitation
}

/** Throws `NotFound`, and `Conflict` when it is not open. */
export const declineInvite = async (sql: Queryable, token: string): Promise<InvitationRow> => {
  const invitation = await readInvitation(sql, token)
  if ((await settleInvite(sql, invitation.id, "declined")) === undefined) throw notPending(invitation.status)
  return { ...invitation, status: "declined" }
}

/** Throws `Conflict` when it is not open. */
export const revokeInvite = async (sql: Queryable, { id, status }: InvitationRow): Promise<void> => {
  if ((await settleInvite(sql, id, "revoked")) === undefined) throw notPending(status)
}

const joinEvent = (sql: Queryable, invitation: InvitationRow, accountId: string, eventId: string): Promise<void> => {
  if (invitation.eventStatus === "ended") throw new Conflict({ detail: "The event has ended." })
  const { workspaceId, role } = invitation
  return giveEventRole(sql, { accountId, workspaceId, eventId, role: role as EventRole })
}

/**
 * Grants the account what the invite promises. Throws `NotFound`, and `Conflict` when it is not open, the event has ended,
 * or the account is a member already. Run in a transaction.
 */
export const acceptInvite = async (
  sql: Queryable,
  token: string,
  accountId: string,
): Promise<{ readonly invitation: InvitationRow; readonly invite: InviteRow }> => {
  const invitation = await readInvitation(sql, token)
  // A removal of a member takes the locks in this order too: the workspace's row, then those of invites and members.
  await lockWorkspace(sql, invitation.workspaceId)
  const invite = await settleInvite(sql, invitation.id, "accepted")
  if (invite === undefined) throw notPending(invitation.status)
  const { workspaceId, role, eventId } = invitation
  if (eventId !== null) await joinEvent(sql, invitation, accountId, eventId)
  else if (!(await insertMember(sql, { id: newId(), workspaceId, accountId, role }))) {
    throw new Conflict({ detail: "You are a member of this workspace already." })
  }
  return { invitation, invite }
}
