/** Stored roles of a workspace's users at an event, for use without their sessions. */
import { type Modality, nearestRole } from "../../model/modality.ts"
import { defaultEventRole, type EventRole, type WorkspaceRole } from "../../model/roles.ts"
import type { Queryable } from "../database.ts"

interface Row {
  readonly id: string
  readonly eventRole: EventRole | null
  readonly workspaceRole: WorkspaceRole | null
  readonly modalities: ReadonlyArray<Modality>
}

/** Roles as `accessOf` gives them to a session. Ids that are not of the workspace's users are left out. */
export const findStoredRoles = async (
  sql: Queryable,
  eventId: string,
  userIds: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, EventRole>> => {
  const rows = await sql<Row[]>`
    select u.id, em.role as event_role, m.role as workspace_role,
           array(select distinct p.modality from phases p where p.event_id = e.id) as modalities
      from events e
      join users u on u.workspace_id = e.workspace_id and u.id = any (${[...userIds]}::uuid[])
      left join memberships em on em.event_id = e.id and em.user_id = u.id
      left join workspace_members m on m.account_id = u.account_id and m.workspace_id = e.workspace_id
     where e.id = ${eventId}`
  return new Map(
    rows.map(({ id, eventRole, workspaceRole, modalities }) => {
      const given = eventRole ?? (workspaceRole === null ? "participant" : defaultEventRole(workspaceRole))
      return [id, nearestRole(given, modalities)]
    }),
  )
}
