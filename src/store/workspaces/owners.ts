/** Owners of a workspace, with the addresses for emails. */
import type { Queryable } from "../database.ts"

interface OwnerAddress {
  readonly name: string
  readonly email: string
}

/** A proved address of each owner, the primary one if it is proved. */
export const ownerAddresses = async (sql: Queryable, workspaceId: string): Promise<ReadonlyArray<OwnerAddress>> =>
  sql<OwnerAddress[]>`
    select distinct on (a.id) a.name, e.email
      from workspace_members m join accounts a on a.id = m.account_id join account_emails e on e.account_id = a.id
     where m.workspace_id = ${workspaceId} and m.role = 'owner' and e.verified_at is not null
     order by a.id, e.is_primary desc, e.email`
