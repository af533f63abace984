/** I4: each occurrence reaches each endpoint at least once, the same every time and in order, and reports a real change. */
import type postgres from "postgres"
import { sleep } from "../chance.ts"
import type { Told } from "../load/receiver.ts"
import { hashOf } from "../load/receiver.ts"
import type { Check, Inspection } from "./inspection.ts"

const SETTLE_MS = 120_000

type Delivery = {
  readonly endpoint: string
  readonly id: string
  readonly eventId: string
  readonly type: string
  readonly body: string
  readonly status: string
  /** The tries, as they are kept. */
  readonly history: ReadonlyArray<{
    readonly outcome: string
    readonly error: string | null
    readonly statusCode: number | null
    readonly startedAt: string
  }>
}

const triesOf = ({ type, history }: Delivery): string =>
  `${type}: ${history.map(({ outcome, error, startedAt }) => `${startedAt.slice(11)} ${error ?? outcome}`).join(", ")}`

const pendingCount = async (sql: postgres.Sql): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from webhook_deliveries where status = 'pending'`
  return row?.n ?? 0
}

/** The first try of the one that was received late had begun, and failed without an answer, before the other's. */
const beganInOrder = (late: Delivery | undefined, early: Delivery | undefined): boolean => {
  const [first, second] = [late?.history[0], early?.history[0]]
  const isUnheard = first !== undefined && first.statusCode === null && first.outcome === "failed"
  return isUnheard && second !== undefined && first.startedAt <= second.startedAt
}

const outOfOrder = (deliveries: ReadonlyArray<Delivery>, place: number, before: number): string => {
  const [late, early] = [deliveries[place], deliveries[before]]
  const tries = [late, early].map((one) => (one === undefined ? "unknown" : triesOf(one)))
  return `first tries of one event came out of order: one tried (${tries[0]}) after one tried (${tries[1]})`
}

const checkContents = (
  ledger: Inspection["ledger"],
  deliveries: ReadonlyArray<Delivery>,
  received: ReadonlyMap<string, Told>,
): void => {
  for (const { id, body, status } of deliveries) {
    const one = received.get(id)
    if (one === undefined || one.accepted === 0) ledger.violate("I4", `an occurrence was never delivered (${status})`)
    else if (one.changed || one.hash !== hashOf(body)) ledger.violate("I4", "an occurrence was told in two ways")
  }
}

const checkOrder = (
  ledger: Inspection["ledger"],
  deliveries: ReadonlyArray<Delivery>,
  received: ReadonlyMap<string, Told>,
): void => {
  const places = new Map(deliveries.map(({ id }, place) => [id, place]))
  const last = new Map<string | null, number>()
  for (const { id, eventId, type } of received.values()) {
    const place = places.get(id)
    const before = last.get(eventId) ?? -1
    if (place === undefined) ledger.violate("I4", `${type}: told and not stored`)
    else if (place > before) last.set(eventId, place)
    else if (beganInOrder(deliveries[place], deliveries[before])) {
      ledger.count("first tries that the receiver never heard")
    } else ledger.violate("I4", outOfOrder(deliveries, place, before))
  }
}

/** Questions and their occurrences, one to one; events that are live or over, and their start. */
const checkTruth = async ({ sql, ledger, crowd }: Inspection): Promise<void> => {
  const wrong = await sql<{ what: string; n: number }[]>`
    select 'a question without its question.created' as what, count(*)::int as n from questions q
     where not exists (select 1 from outbox_messages m where m.type = 'question.created' and m.body like '%' || q.id || '%')
    union all
    select 'a question.created without its question', count(*)::int from outbox_messages m
     where type = 'question.created'
       and not exists (select 1 from questions q where q.id::text = m.body::jsonb->>'questionId')
    union all
    select 'an event that started without one event.started', count(*)::int from events e
     where workspace_id = ${crowd.workspaceId} and started_at is not null
       and 1 <> (select count(*) from outbox_messages m where m.event_id = e.id and m.type = 'event.started')
    union all
    select 'an event that ended without one event.ended', count(*)::int from events e
     where workspace_id = ${crowd.workspaceId} and status = 'ended'
       and 1 <> (select count(*) from outbox_messages m where m.event_id = e.id and m.type = 'event.ended')
    union all
    select 'a phase that started or ended without one webhook event of each', count(*)::int
      from phases p join events e on e.id = p.event_id,
           lateral (values ('phase.started', p.started_at), ('phase.ended', p.ended_at)) as moment(type, at)
     where e.workspace_id = ${crowd.workspaceId} and moment.at is not null
       and 1 <> (select count(*) from outbox_messages m
                  where m.event_id = e.id and m.type = moment.type and m.body::jsonb->>'phaseId' = p.id::text)`
  for (const { what, n } of wrong) if (n > 0) ledger.violate("I4", `${what} (${n})`)
}

export const checkWebhooks: Check = async (inspection) => {
  const { sql, ledger, receiver, crowd } = inspection
  receiver.behave()
  const deadline = Date.now() + SETTLE_MS
  while ((await pendingCount(sql)) > 0 && Date.now() < deadline) await sleep(500)
  const rows = await sql<Delivery[]>`
    select d.endpoint_id as endpoint, m.id, m.event_id as "eventId", m.type, m.body, d.status, d.history
      from webhook_deliveries d join outbox_messages m on m.id = d.message_id order by d.seq`
  for (const [name, endpoint] of crowd.endpoints) {
    const deliveries = rows.filter((row) => row.endpoint === endpoint)
    const received = receiver.told.get(name) ?? new Map()
    checkContents(ledger, deliveries, received)
    checkOrder(ledger, deliveries, received)
    ledger.count("deliveries checked", deliveries.length)
  }
  await checkTruth(inspection)
}
