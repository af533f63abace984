/** Answers of old command ids while the database fails, and what their repeats cost. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Caller, Command } from "../../src/actors/commands.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"

let database: TestDatabase
let proxy: PostgresProxy
let house: ActorHouse
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startPostgresProxy(database.url)
  house = await startActors(proxy.url)
})
afterAll(async () => {
  await house.stop()
  await proxy.close()
  await database.drop()
})

const restart = async (): Promise<void> => {
  await house.stop()
  house = await startActors(proxy.url)
}
const caller = (participantId: string): Caller => ({
  participantId,
  name: participantId,
  userId: null,
  kind: "guest",
  role: "participant",
  walkIn: false,
})
const say = (text: string): Command => ({ type: "chat.send", d: { to: "event", text } })
const by = (participantId: string, commandId: string) => ({
  scope: participantId,
  commandId,
  by: caller(participantId),
})
const live = async (): Promise<string> => {
  const { eventId } = await seedEvent(house.sql, [
    { modality: "meeting", featureSet: ["chat"] },
    { modality: "meeting" },
  ])
  await house.execute(eventId, { type: "event.start", d: {} })
  return eventId
}
const epochOf = async (eventId: string): Promise<number> => {
  const [row] = await house.sql`select epoch from live_events where event_id = ${eventId}`
  return Number(row?.["epoch"])
}
const textsOf = async (eventId: string): Promise<ReadonlyArray<string>> => {
  const rows = await house.sql`select text from chat_messages where event_id = ${eventId} order by at, id`
  return rows.map((row) => row["text"] as string)
}

test("a batch whose old answers cannot be read does nothing, and its commands are done once when they come again", async () => {
  const eventId = await live()
  proxy.onStatement({
    match: /join live_commands c on/,
    action: { kind: "fail", code: "57P03", message: "the database system is starting up" },
    times: 1,
  })
  const key = { scope: "key:host", commandId: "start again", bodyHash: "x" }
  // The first is under way alone; the others wait for it and share a batch, in which the key asks for an old answer.
  const batch = await Promise.allSettled([
    house.execute(eventId, say("first"), by("ann", "1")),
    house.execute(eventId, say("precious"), by("bob", "2")),
    house.execute(eventId, { type: "phase.next", d: {} }, { scope: "host", commandId: "3" }),
    house.execute(eventId, { type: "event.start", d: {} }, key),
  ])
  expect(batch.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"])
  const again = await house.execute(eventId, say("precious"), by("bob", "2"))
  const next = await house.execute(eventId, { type: "phase.next", d: {} }, { scope: "host", commandId: "3" })
  expect([again.duplicate, next.duplicate]).toEqual([false, false])
  await restart()
  expect(await textsOf(eventId)).toEqual(["first", "precious"])
  const phases = await house.sql`select status from phases where event_id = ${eventId} order by position`
  expect(phases.map((row) => row["status"])).toEqual(["ended", "active"])
})

test("repeats of ids that memory has evicted, by number or by age, are answered without a new activation", async () => {
  const eventId = await live()
  for (let portion = 0; portion < 11; portion++) {
    const ids = Array.from({ length: 100 }, (_, n) => `${portion * 100 + n}`)
    await Promise.all(ids.map((id) => house.execute(eventId, say(id), by(`p${Number(id) % 50}`, id))))
  }
  const before = await epochOf(eventId)
  const repeats = ["0", "1", "2", "0", "1"].map((id) => house.execute(eventId, say(id), by(`p${Number(id) % 50}`, id)))
  expect((await Promise.all(repeats)).map(({ duplicate }) => duplicate)).toEqual([true, true, true, true, true])
  expect(await epochOf(eventId)).toBe(before)
  // Older than the promise, and not swept yet.
  await house.sql`update live_commands set at = at - interval '10 minutes 30 seconds' where event_id = ${eventId}`
  await restart()
  await house.execute(eventId, say("new"), by("ann", "new"))
  const after = await epochOf(eventId)
  const aged = await house.execute(eventId, say("1050"), by("p0", "1050"))
  expect([aged.duplicate, await epochOf(eventId)]).toEqual([true, after])
})

test("a key that is used again after its day waits for the sweep of its old answer, and nobody else does", async () => {
  const eventId = await live()
  const key = { scope: "key:a", commandId: "k", by: caller("ann"), bodyHash: "b" }
  await house.execute(eventId, say("yesterday"), key)
  await house.sql`update live_commands set at = now() - interval '25 hours 30 seconds' where event_id = ${eventId}`
  await restart()
  const batch = await Promise.allSettled([
    house.execute(eventId, say("first"), by("bob", "1")),
    house.execute(eventId, say("innocent"), by("cleo", "2")),
    house.execute(eventId, say("today"), key),
  ])
  expect(batch.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"])
  expect(batch[2]).toMatchObject({ reason: { _tag: "Unavailable" } })
  await house.sql`delete from live_commands where event_id = ${eventId} and scope = 'key:a'`
  expect((await house.execute(eventId, say("today"), key)).duplicate).toBe(false)
  expect(await textsOf(eventId)).toEqual(["yesterday", "first", "innocent", "today"])
})
