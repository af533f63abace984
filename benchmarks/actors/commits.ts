/** Commands per second: through an actor, and the same commit sent to the database without one. */
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import type { Queryable } from "../../src/store/database.ts"
import { runCommit, writtenCommit } from "../../src/store/live/live-commit.ts"
import type { ActorHouse } from "./house.ts"

const BY = { participantId: "00000000-0000-7000-8000-000000000001", name: "Host" }
const TEXT = "Please find your seats, we begin in two minutes."

/** Repeats `work` with so many in flight until the time is over; resolves to how many were done per second. */
export const rateOf = async (
  inFlight: number,
  seconds: number,
  work: (lane: number) => Promise<unknown>,
): Promise<number> => {
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  let done = 0
  const lane = async (index: number): Promise<void> => {
    while (performance.now() < until) {
      await work(index)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, index) => lane(index)))
  return done / ((performance.now() - startedAt) / 1000)
}

/** One announcement: one dispatch and one remembered answer are written. */
export const announce = (house: ActorHouse, eventId: string): Promise<unknown> => {
  const announcementId = newId()
  return house.execute(eventId, {
    commandId: announcementId,
    scope: "bench",
    bodyHash: announcementId,
    by: null,
    freshId: announcementId,
    command: { type: "announce", d: { text: TEXT } },
  })
}

interface BareEvent {
  readonly id: string
  readonly fencingToken: number
  version: number
  s: number
}

/** Where the database thinks the event stands. */
export const readBare = async (sql: Queryable, eventId: string): Promise<BareEvent> => {
  const [row] = await sql<{ fencingToken: number; version: number; s: number }[]>`
    select epoch as fencing_token, version, (select coalesce(max(s), 0) from publications p
                             where p.event_id = l.event_id and stream = 'event') as s
      from live_events l where event_id = ${eventId}`
  if (row === undefined) throw new Error("the event was never active")
  return { id: eventId, ...row }
}

/** The transaction of an announcement: same statements, same sizes, nothing decided and nobody told. */
export const commitBare = (sql: Queryable, event: BareEvent): Promise<unknown> => {
  const id = newId()
  const now = Date.now()
  const at = toTimestamp(now)
  const { version, s } = { version: ++event.version, s: ++event.s }
  const d = { announcement: { id, text: TEXT, by: BY, at } }
  const frame = JSON.stringify({ op: 0, st: "event", s, v: version, ts: now, t: "announcement", d })
  return runCommit(
    sql,
    writtenCommit({
      eventId: event.id,
      fencingToken: event.fencingToken,
      from: version - 1,
      version,
      at,
      chart: null,
      event: null,
      phases: [],
      dropped: [],
      moved: [],
      publications: [{ stream: "event", s, version, at, frame }],
      occurrences: [],
      commands: [{ scope: "bench", commandId: id, bodyHash: id, reply: { result: d, version }, at }],
      changes: [],
      removed: [],
      restored: [],
      silenced: [],
      captured: null,
      presence: null,
      deleted: false,
    }),
  )
}
