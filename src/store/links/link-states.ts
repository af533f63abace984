/** Current validity of the bases of any number of bearer links. */
import { everythingOf, type HeldLink, holderOf, type LinkState, linkHolds, linkIdOf } from "../../model/links.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import { findGrantStates } from "../accounts/grant-states.ts"
import type { Queryable } from "../database.ts"

type Facts = Omit<LinkState, "grant">

/** Whether each of the links holds, in order. */
export const linksHold = async (sql: Queryable, links: ReadonlyArray<HeldLink>): Promise<ReadonlyArray<boolean>> => {
  const asked = links.map(({ ground, givenAt, eventId, kind, objectId }, n) => ({
    n,
    id: linkIdOf({ ground, kind, objectId }),
    everything: everythingOf(ground.workspaceId ?? eventId, holderOf(ground)),
    given_at: toTimestamp(givenAt),
    is_row: kind === "ingest",
    event_id: eventId,
    participant_id: ground.participantId ?? null,
  }))
  const [grants, facts] = await Promise.all([
    findGrantStates(
      sql,
      links.map(({ ground: basis, eventId }) => ({ basis, eventId })),
    ),
    sql<Facts[]>`
      select exists (select from bearer_links l where l.id in (a.id, a.everything) and l.ended_at >= a.given_at)
               or a.is_row and not exists (
                    select from bearer_links l where l.id = a.id and l.created_at = a.given_at and l.ended_at is null) as is_ended,
             a.participant_id is not null and is_blocked(a.event_id, a.participant_id) as is_barred,
             exists (select from erased_guests g where g.event_id = a.event_id and g.participant_id = a.participant_id
                        -- The clocks of nodes differ.
                        and g.erased_at > a.given_at - interval '5 minutes')
               or a.participant_id like 'reg:%' and not exists (
                    select from registrations p where p.event_id = a.event_id and 'reg:' || p.id = a.participant_id) as is_gone,
             (select r.body->>'role' from live_records r
               where r.event_id = a.event_id and r.kind = 'role' and r.id = a.participant_id)::text as given_role
        from jsonb_to_recordset(${sql.json(asked)}) as a(n integer, id uuid, everything uuid, given_at timestamptz, is_row boolean,
               event_id uuid, participant_id text)
       order by a.n`,
  ])
  return links.map(({ ground }, n) => {
    const [grant, fact] = [grants[n], facts[n]]
    return grant !== undefined && fact !== undefined && linkHolds(ground, { ...fact, grant })
  })
}
