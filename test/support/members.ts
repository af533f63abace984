/** Accounts that belong to a workspace: written straight to the rows, since an invitation is not what these tests are about. */
import { randomUUID } from "node:crypto"
import { type Account, signup } from "./api.ts"
import type { Rows } from "./rows.ts"

export type Member = Account & { readonly memberId: string }

export const addMember = async (
  url: string,
  rows: Rows,
  workspaceId: string,
  role: "member" | "admin" | "owner",
): Promise<Member> => {
  const account = await signup(url, "Mia")
  const memberId = randomUUID()
  const member = [memberId, workspaceId, account.id, role]
  await rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, $4)", member)
  return { ...account, memberId }
}
