/** Names of the busiest objects, for the operator. Deleted objects have none. */
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

interface NamedWorkspace {
  readonly id: string
  readonly slug: string
}

export const nameWorkspaces = async (
  sql: Queryable,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<NamedWorkspace>> =>
  sql<NamedWorkspace[]>`
    select id, slug from workspaces where id = any (${[...ids]}::uuid[]) and deleted_at is null`

interface NamedOfWorkspace {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
}

export const nameKeys = async (sql: Queryable, ids: ReadonlyArray<string>): Promise<ReadonlyArray<NamedOfWorkspace>> =>
  sql<NamedOfWorkspace[]>`
    select id, name, workspace_id from api_keys
     where id = any (${[...ids]}::uuid[]) and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`

export const nameEvents = async (
  sql: Queryable,
  ids: ReadonlyArray<string>,
): Promise<ReadonlyArray<NamedOfWorkspace>> =>
  sql<NamedOfWorkspace[]>`
    select id, title as name, workspace_id from events
     where id = any (${[...ids]}::uuid[]) and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}`
