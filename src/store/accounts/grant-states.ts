/** Current state of the bases of grants, in one statement for any number of grants. */

import type { EventStatus, Visibility } from "../../model/event.ts"
import type { Basis, GrantState } from "../../model/grants.ts"
import type { Ground } from "../../model/links.ts"
import type { Modality } from "../../model/modality.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"

export interface GrantQuestion {
  /** Basis of the grant, or the ground of a link, whose absent parts are not checked. */
  readonly basis: Basis | Ground
  /** The event of the query, if any. */
  readonly eventId: string | null
}

interface Row extends Omit<GrantState, "event"> {
  readonly status: EventStatus | null
  readonly visibility: Visibility | null
  readonly modalities: ReadonlyArray<Modality> | null
}

const NOTHING: GrantState = {
  userHolds: false,
  loginHolds: false,
  keyHolds: false,
  name: null,
  workspaceRole: null,
  eventRole: null,
  event: null,
}

const footingOf = ({ status, visibility, modalities, ...row }: Row): GrantState => ({
  ...row,
  event: status === null || visibility === null ? null : { status, visibility, modalities: modalities ?? [] },
})

/** One grant state per query, in order. */
export const findGrantStates = async (
  sql: Queryable,
  questions: ReadonlyArray<GrantQuestion>,
): Promise<ReadonlyArray<GrantState>> => {
  const asked = questions.map(({ basis: { userId, workspaceId, sessionVersion, login, keyId }, eventId }, n) => ({
    n,
    user_id: userId ?? null,
    workspace_id: workspaceId ?? null,
    session_version: sessionVersion ?? null,
    account_id: login?.accountId ?? null,
    session_id: login?.sessionId ?? null,
    credentials_version: login?.credentialsVersion ?? null,
    key_id: keyId ?? null,
    event_id: eventId,
  }))
  const rows = await sql<Row[]>`
    with asked as materialized (
      select * from jsonb_to_recordset(${sql.json(asked)}) as a(n integer, user_id uuid, workspace_id uuid, session_version integer,
        account_id uuid, session_id uuid, credentials_version integer, key_id uuid, event_id uuid)
    ), event as materialized (
      select e.id, e.workspace_id, e.status, e.visibility,
             array(select distinct p.modality from phases p where p.event_id = e.id) as modalities
        from events e where e.id in (select event_id from asked) and e.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
    )
    select asked.user_id is null or u.id is not null as user_holds, u.name,
           asked.session_id is null or s.id is not null as login_holds,
           asked.key_id is null or k.id is not null as key_holds,
           case when not is_kept_out then m.role end as workspace_role, em.role as event_role, event.status, event.visibility, event.modalities
      from asked
      left join users u on u.id = asked.user_id and u.workspace_id = asked.workspace_id
                       and u.session_version = asked.session_version
                       and u.workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
      left join accounts a on a.id = asked.account_id and a.credentials_version = coalesce(asked.credentials_version, a.credentials_version)
      left join account_sessions s on s.id = asked.session_id and s.account_id = a.id
                                  and s.idle_expires_at > now() and s.expires_at > now()
      left join api_keys k on k.id = asked.key_id and k.workspace_id = asked.workspace_id and k.revoked_at is null
                          and (k.expires_at is null or k.expires_at > now())
      left join workspaces w on w.id = asked.workspace_id
      left join workspace_members m on m.account_id = asked.account_id and m.workspace_id = asked.workspace_id
      -- Such a member has no role at the workspace's events either.
      cross join lateral (
        select m.role is not null and (lacks_factor(w, m.account_id) or lacks_sso(w, m.role, s.id)) as is_kept_out) out
      left join event on event.id = asked.event_id and event.workspace_id = coalesce(asked.workspace_id, event.workspace_id)
      left join memberships em on em.event_id = event.id and em.user_id = asked.user_id and not is_kept_out
     order by asked.n`
  return rows.map(footingOf)
}

export const findGrantState = async (
  sql: Queryable,
  basis: Basis,
  eventId: string | null = null,
): Promise<GrantState> => (await findGrantStates(sql, [{ basis, eventId }]))[0] ?? NOTHING
