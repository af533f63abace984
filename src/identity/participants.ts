/** The participant identity of an account in a workspace, and the roles it holds on events. */
import { NotFound } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import { ACCOUNT_SUB_PREFIX } from "../model/participants.ts"
import { defaultEventRole, type EventRole, type WorkspaceRole } from "../model/roles.ts"
import { findPrimaryAddress } from "../store/accounts.ts"
import type { Queryable } from "../store/database.ts"
import { findEventRole, upsertMembership, upsertUser } from "../store/users.ts"
import { findMemberRole } from "../store/workspaces.ts"

/** A role at an event; `from`: the role in the workspace that gives it, null where it is stored. */
export interface MemberStanding {
  readonly role: EventRole
  readonly from: WorkspaceRole | null
}

/**
 * How a workspace's user stands at an event: by the stored role, else by what belonging to the workspace gives. Undefined
 * for who has neither.
 */
export const memberStandingAt = async (
  sql: Queryable,
  event: { readonly id: string; readonly workspaceId: string },
  userId: string,
  accountId: string | null,
): Promise<MemberStanding | undefined> => {
  const [stored, member] = await Promise.all([
    findEventRole(sql, event.id, userId),
    accountId === null ? undefined : findMemberRole(sql, event.workspaceId, accountId),
  ])
  if (stored !== undefined) return { role: stored, from: null }
  return member === undefined ? undefined : { role: defaultEventRole(member), from: member }
}

/** Makes the identity if there is none and gives it the role. Throws `NotFound` for an account that is gone. */
export const giveEventRole = async (
  sql: Queryable,
  to: {
    readonly accountId: string
    readonly workspaceId: string
    readonly eventId: string
    readonly role: EventRole
  },
): Promise<void> => {
  const { accountId, workspaceId, eventId, role } = to
  const account = await findPrimaryAddress(sql, accountId)
  if (account === undefined) throw NotFound.of("account")
  const { email, name } = account
  const externalSub = ACCOUNT_SUB_PREFIX + accountId
  const user = await upsertUser(sql, { id: newId(), workspaceId, accountId, externalSub, email, name })
  await upsertMembership(sql, { id: newId(), eventId, userId: user.id, role })
}
