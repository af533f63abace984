/** Live events as the store keeps them: five phases, the first one active with a running timer. */
import postgres, { type Sql } from "postgres"
import { newId } from "../../src/model/ids.ts"

const PHASE_SECONDS = 1800
const AGENDA = [
  { modality: "broadcast", config: { durationSeconds: PHASE_SECONDS }, features: ["qa", "chat", "reactions"] },
  { modality: "breakout", config: { durationSeconds: 900, roomSize: 5 }, features: ["chat"] },
  { modality: "rotation", config: { rounds: 4, roundSeconds: 300 }, features: [] },
  { modality: "meeting", config: { durationSeconds: 1200, extendable: true }, features: ["qa", "polls"] },
  { modality: "broadcast", config: {}, features: ["qa", "chat", "reactions"] },
]

export interface SeededEvent {
  readonly id: string
  /** Unix milliseconds. */
  readonly endsAt: number
}

const phaseRows = (sql: Sql, { id, endsAt }: SeededEvent) =>
  AGENDA.map(({ modality, config, features }, position) => {
    const running = { status: "active", started_at: startOf(endsAt), timer_ends_at: isoTime(endsAt), timer_rev: 1 }
    const waiting = { status: "pending", started_at: null, timer_ends_at: null, timer_rev: 0 }
    return {
      id: newId(),
      event_id: id,
      position,
      modality,
      config: sql.json(config as never),
      feature_set: features,
      ...(position === 0 ? running : waiting),
    }
  })

const isoTime = (ms: number): string => new Date(ms).toISOString()
const startOf = (endsAt: number): string => isoTime(endsAt - PHASE_SECONDS * 1000)

/** Inserts live events whose timers end at the given moments. */
export const seedLiveEvents = async (
  sql: Sql,
  workspaceId: string,
  endings: ReadonlyArray<number>,
): Promise<ReadonlyArray<SeededEvent>> => {
  const seeded = endings.map((endsAt) => ({ id: newId(), endsAt }))
  const CHUNK = 500
  for (let from = 0; from < seeded.length; from += CHUNK) {
    const chunk = seeded.slice(from, from + CHUNK)
    const events = chunk.map(({ id, endsAt }) => ({
      id,
      workspace_id: workspaceId,
      type: "webinar",
      title: "Quarterly product launch",
      status: "live",
      visibility: "public",
      allow_anonymous_voting: false,
      allow_anonymous_questions: true,
      capacity: 500,
      metadata: sql.json({ campaign: "spring", track: 3, owner: "events@example.com" }),
      published_at: isoTime(endsAt - 86_400_000),
      started_at: startOf(endsAt),
    }))
    const phases = chunk.flatMap((event) => phaseRows(sql, event))
    await sql`insert into events ${sql(events)}`
    await sql`insert into phases ${sql(phases)}`
  }
  return seeded
}

/** After the end of every benchmark. */
const ENDS_IN_MS = 7_200_000

/** As `seedLiveEvents`, with timers that run throughout; resolves to the ids. */
export const storeLiveEvents = async (
  url: string,
  workspaceId: string,
  count: number,
): Promise<ReadonlyArray<string>> => {
  const sql = postgres(url, { max: 1 })
  try {
    const endings = Array.from({ length: count }, () => Date.now() + ENDS_IN_MS)
    return (await seedLiveEvents(sql, workspaceId, endings)).map(({ id }) => id)
  } finally {
    await sql.end()
  }
}

export const seedWorkspace = async (sql: Sql): Promise<string> => {
  const id = newId()
  await sql`insert into workspaces (id, name, slug) values (${id}, 'Bench', ${id})`
  return id
}
