/** I4: receivers know of everybody who is there. Checked before the last kill, after which presence begins anew, and between builds. */
import type postgres from "postgres"
import { sleep } from "../chance.ts"
import type { Inspection } from "./inspection.ts"

/** Receivers get the arrival of a connected participant within this time. */
const TOLD_WITHIN_MS = 60_000

/** People whose newest occurrence says that they are there, as "event participant". */
const presentOnes = async (sql: postgres.Sql, workspaceId: string): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ who: string }[]>`
    select who from (
      select distinct on (who) m.type, who from outbox_messages m join webhook_deliveries d on d.message_id = m.id,
             lateral (select m.event_id || ' ' || (m.body::jsonb ->> 'participantId') as who) person
       where m.workspace_id = ${workspaceId} and m.type in ('participant.joined', 'participant.left')
       order by who, d.seq desc) newest
     where type = 'participant.joined'`
  return new Set(rows.map(({ who }) => who))
}

export const checkPresence = async ({
  sql,
  ledger,
  crowd,
}: Pick<Inspection, "sql" | "ledger" | "crowd">): Promise<void> => {
  const connected = (): ReadonlyArray<string> =>
    crowd.scenes.flatMap(({ eventId, hosts, people }) =>
      [...hosts, ...people].filter(({ isReady }) => isReady).map(({ participantId }) => `${eventId} ${participantId}`),
    )
  const deadline = Date.now() + TOLD_WITHIN_MS
  let untold = connected()
  while (untold.length > 0 && Date.now() < deadline) {
    await sleep(250)
    const told = await presentOnes(sql, crowd.workspaceId)
    untold = connected().filter((one) => !told.has(one))
  }
  for (const _ of untold) ledger.violate("I4", "somebody is there, and receivers have not been told")
  ledger.count("people told of to receivers", connected().length - untold.length)
}
