/** The stays that a commit adds to the attendance of an event: each once, however often it is reported. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { seedEvent } from "../support/live-events.ts"
import { sharedDatabase, sharedStore } from "../support/shared.ts"

const database = sharedDatabase()
const sql = sharedStore(database)

const at = (seconds: number): string => new Date(Date.UTC(2030, 0, 1, 10, 0, seconds)).toISOString()

const stay = (joined: number, left: number, more: object = {}) => ({
  participantId: "ada",
  userId: null,
  name: "Ada",
  role: "viewer",
  kind: "guest",
  joinedAt: at(joined),
  leftAt: at(left),
  ...more,
})

const event = async (startedAt: string | null = null): Promise<string> => {
  const { eventId } = await seedEvent(sql, [{ modality: "meeting" }])
  await sql`update events set started_at = ${startedAt} where id = ${eventId}`
  return eventId
}

const write = (eventId: string, ...stays: ReadonlyArray<object>) =>
  sql`select write_presence(${eventId}, ${sql.json({ present: [], absent: [], stays } as never)})`

const attended = async (eventId: string) => {
  const rows = await sql<{ participantId: string; seconds: number; stays: number; name: string; role: string }[]>`
    select participant_id, (attended_ms / 1000)::integer as seconds, stays, name, role
      from attendances where event_id = ${eventId} order by participant_id`
  return rows.map(({ participantId, seconds, stays, name, role }) => [participantId, seconds, stays, name, role])
}

test("stays add up, with the last name and role", async () => {
  const eventId = await event()
  await write(eventId, stay(0, 10))
  await write(
    eventId,
    stay(20, 25),
    stay(30, 31, { name: "Ada L.", role: "host" }),
    stay(0, 7, { participantId: "bob" }),
  )
  expect(await attended(eventId)).toEqual([
    ["ada", 16, 3, "Ada L.", "host"],
    ["bob", 7, 1, "Ada", "viewer"],
  ])
})

/** By hand: the stays of one commit, and the number of stays after it. */
const WITHIN = { sameWithinMs: 30_000 }
test("there are as many stays as there were absences, in one commit or several", async () => {
  for (const [name, stays, count] of [
    ["a return at once", [stay(0, 10, WITHIN), stay(11, 20, WITHIN)], 1],
    ["a return at the last moment", [stay(0, 10, WITHIN), stay(40, 50, WITHIN)], 1],
    ["a return after it", [stay(0, 10, WITHIN), stay(41, 50, WITHIN)], 2],
    [
      "two returns at once and one after it",
      [stay(0, 5, WITHIN), stay(6, 7, WITHIN), stay(8, 9, WITHIN), stay(50, 51, WITHIN)],
      2,
    ],
  ] as const) {
    const [together, apart] = [await event(), await event()]
    await write(together, ...stays)
    for (const one of stays) await write(apart, one)
    for (const eventId of [together, apart]) expect((await attended(eventId))[0]?.[2], name).toBe(count)
  }
})

test("a stay that is reported again is not counted again, also together with new ones", async () => {
  const eventId = await event()
  await write(eventId, stay(0, 10))
  await write(eventId, stay(0, 10))
  await write(eventId, stay(0, 10), stay(20, 25))
  await write(eventId, stay(20, 25))
  expect(await attended(eventId)).toEqual([["ada", 15, 2, "Ada", "viewer"]])
})

test("time before the start is not counted", async () => {
  const eventId = await event(at(100))
  await write(eventId, stay(0, 110), stay(0, 50, { participantId: "early" }))
  expect(await attended(eventId)).toEqual([
    ["ada", 10, 1, "Ada", "viewer"],
    ["early", 0, 1, "Ada", "viewer"],
  ])
})

test("a user who was deleted meanwhile is not named by id, and the change of an older release is taken", async () => {
  const eventId = await event()
  await write(eventId, stay(0, 10, { userId: randomUUID() }))
  const [row] = await sql<{ userId: string | null }[]>`select user_id from attendances where event_id = ${eventId}`
  expect(row?.userId).toBe(null)
  await sql`select write_presence(${eventId}, ${sql.json({ present: [], absent: ["ada"] })})`
  expect(await attended(eventId)).toHaveLength(1)
})
