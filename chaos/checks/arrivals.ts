/** I4: `participant.joined` and `participant.left` alternate for each person. */
import type { Check } from "./inspection.ts"

interface Change {
  readonly who: string
  readonly type: "participant.joined" | "participant.left"
}

export const checkArrivals: Check = async ({ sql, ledger, crowd }) => {
  const changes = await sql<Change[]>`
    select m.type, m.event_id || ' ' || (m.body::jsonb ->> 'participantId') as who
      from outbox_messages m join webhook_deliveries d on d.message_id = m.id
     where m.workspace_id = ${crowd.workspaceId} and m.type in ('participant.joined', 'participant.left')
     group by m.id order by min(d.seq)`
  const newest = new Map<string, Change>()
  for (const change of changes) {
    const before = newest.get(change.who)
    newest.set(change.who, change)
    const isJoined = change.type === "participant.joined"
    if (isJoined !== (before?.type === "participant.joined")) continue
    if (!isJoined) ledger.violate("I4", "participant.left of somebody who was not there")
    else ledger.violate("I4", "participant.joined again without a left")
  }
  ledger.count("arrivals and departures checked", changes.length)
  ledger.count("departures", changes.filter(({ type }) => type === "participant.left").length)
}
