/** Templates: events that are never published, with a name. */
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

interface StoredTemplate {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly type: string
  readonly createdAt: Timestamp
}

/** Templates of a workspace by name; their number is bounded. */
export const listTemplates = async (sql: Queryable, workspaceId: string): Promise<ReadonlyArray<StoredTemplate>> =>
  sql<StoredTemplate[]>`
    select id, template_name as name, title, type, created_at from events
     where workspace_id = ${workspaceId} and template_name is not null order by template_name, id`

export const nameTemplate = async (sql: Queryable, eventId: string, name: string): Promise<void> => {
  await sql`update events set template_name = ${name} where id = ${eventId}`
}

export const isTemplate = async (sql: Queryable, eventId: string): Promise<boolean> =>
  (await sql`select 1 from events where id = ${eventId} and template_name is not null`).length > 0
