/** How an event presents itself in emails: each part is the event's, or else the workspace's. */
import type { Language } from "../model/presentation.ts"
import type { Queryable } from "./database.ts"

export interface EventFace {
  /** Null: the usual language. */
  readonly language: Language | null
  readonly coverUrl: string | null
  readonly logoUrl: string | null
  readonly accent: string | null
  /** Name of the workspace, which a logo stands for. */
  readonly workspace: string
}

/** Columns of a face, of `events e` and `workspaces w`. */
export const FACE = `w.name as workspace, e.language, coalesce(e.cover_url, w.branding->>'coverUrl') as cover_url,
  coalesce(e.branding->>'logoUrl', w.branding->>'logoUrl') as logo_url, coalesce(e.branding->>'accent', w.branding->>'accent') as accent`

export const findEventFace = async (sql: Queryable, eventId: string): Promise<EventFace | undefined> => {
  const [row] = await sql<EventFace[]>`
    select ${sql.unsafe(FACE)} from events e join workspaces w on w.id = e.workspace_id where e.id = ${eventId}`
  return row
}
