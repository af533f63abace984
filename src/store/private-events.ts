/** Who may see a private event with a workspace session; membership is asked for on every use (a token outlives it). */
import type { Queryable } from "./database.ts"
import { findEventRole } from "./users.ts"
import { findMemberRole } from "./workspaces.ts"

export const maySeePrivateEvent = async (
  sql: Queryable,
  event: { readonly id: string; readonly workspaceId: string },
  session: { readonly workspaceId: string; readonly userId: string; readonly accountId: string | null },
): Promise<boolean> => {
  if (session.workspaceId !== event.workspaceId) return false
  // A user that a key of the workspace vouched for has no account.
  if (session.accountId === null) return true
  const [role, member] = await Promise.all([
    findEventRole(sql, event.id, session.userId),
    findMemberRole(sql, event.workspaceId, session.accountId),
  ])
  return role !== undefined || member !== undefined
}
