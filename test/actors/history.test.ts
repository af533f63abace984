/** The state an event goes on from once its past is not in memory, or not kept at all. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { COMMAND_MEMORY_MS } from "../../src/actors/commit/command-log.ts"
import { newId } from "../../src/model/ids.ts"
import { CHAT_REMEMBERED } from "../../src/model/live/live-records.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { recoverLiveEvent } from "../../src/store/live/live-events.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type ActorHouse, envelope, seedEvent, startActors } from "../support/live-events.ts"
import { runScript } from "../support/store.ts"

let database: TestDatabase
let house: ActorHouse

beforeAll(async () => {
  database = await createTestDatabase()
  house = await startActors(database.url)
})
afterAll(async () => {
  await house.stop()
  await database.drop()
})

const THREE = [{ modality: "broadcast" }, { modality: "meeting" }, { modality: "meeting" }] as const
const LIMIT = 1_000

const mute = (eventId: string, id: string, until: number, at: ActorHouse = house) =>
  at.execute(eventId, { type: "participant.mute", d: { id, until: toTimestamp(Date.now() + until * 3_600_000) } })

/** Another activation takes the event over, so that the next command finds its resident fenced out. */
const overtake = (eventId: string) => house.sql`update live_events set epoch = epoch + 1 where event_id = ${eventId}`

/** As the sweep does once nobody can be replayed any more. */
const forgetAll = () => forgetPublications(house.sql, toTimestamp(Date.now() + 60_000), LIMIT)

const numbersOf = (seen: ReadonlyArray<{ publications: ReadonlyArray<{ stream: string; s: number }> }>, of: string) =>
  seen.flatMap(({ publications }) => publications.filter(({ stream }) => stream === of).map(({ s }) => s))

test("numbers go on after the publications were forgotten, in every stream and over every recovery", async () => {
  const { eventId } = await seedEvent(house.sql, THREE)
  await house.execute(eventId, { type: "event.start", d: {} })
  const seen = await house.watch(eventId)
  const people = [newId(), newId(), newId()]
  const [first = ""] = people
  for (let round = 1; round <= 4; round++) {
    for (const person of people) await mute(eventId, person, round)
    await house.execute(eventId, { type: "announce", d: { text: `${round}` } })
    await overtake(eventId)
    expect(await forgetAll()).toBeGreaterThan(0)
    expect(await house.sql`select s from publications where event_id = ${eventId}`).toHaveLength(0)
  }
  for (const person of people) expect(numbersOf(seen, `me:${person}`)).toEqual([1, 2, 3, 4])
  const told = numbersOf(seen, "event")
  expect(told).toEqual(told.map((_, n) => (told[0] ?? 0) + n))
  const { snapshot, personal } = await house.read(eventId, [first, "nobody"])
  expect(snapshot.heads).toEqual({ event: told.at(-1) })
  expect([personal[first]?.head, personal["nobody"]?.head]).toEqual([4, 0])
})

test("an event that has ended keeps its numbers when nothing else is kept of them", async () => {
  const { eventId } = await seedEvent(house.sql, THREE)
  await house.execute(eventId, { type: "event.start", d: {} })
  await house.execute(eventId, { type: "event.end", d: {} })
  const before = (await house.read(eventId)).snapshot.heads["event"] ?? 0
  await overtake(eventId)
  await forgetAll()
  const seen = await house.watch(eventId)
  await house.execute(eventId, { type: "event.patch", d: { title: "What remains" } })
  expect(before).toBeGreaterThan(0)
  expect(numbersOf(seen, "event")).toEqual([before + 1])
})

test("the chat of an event comes back by its places, and that of rooms that have closed stays in the store", async () => {
  const { eventId } = await seedEvent(house.sql, THREE)
  await house.execute(eventId, { type: "event.start", d: {} })
  const [open, closed] = [newId(), newId()]
  await house.sql`
    insert into live_records (event_id, kind, id, body)
    values (${eventId}, 'seat', 'p', ${house.sql.json({ roomId: open, away: false })})`
  for (const target of ["event", "staff", `room:${open}`, `room:${closed}`]) {
    await house.sql`
      insert into chat_messages (id, event_id, target, participant_id, name, role, text, at)
      select gen_random_uuid(), ${eventId}, ${target}, 'p', 'P', 'participant', ${target} || ' ' || n,
             now() + n * interval '1 s' from generate_series(1, ${CHAT_REMEMBERED + 10}::integer) as g(n)`
  }
  const recovering = recoverLiveEvent(
    { liveSql: house.sql, liveReads: house.sql },
    {
      eventId,
      node: "test",
      epoch: newId(),
      commandsSince: toTimestamp(Date.now() - COMMAND_MEMORY_MS),
    },
  )
  const recovered = await Effect.runPromise(recovering)
  const texts = (recovered?.records ?? []).flatMap((one) => (one.kind === "chat" ? one.record.text : []))
  const newest = (target: string) => Array.from({ length: CHAT_REMEMBERED }, (_, n) => `${target} ${n + 11}`)
  expect(texts.toSorted()).toEqual(["event", "staff", `room:${open}`].flatMap(newest).toSorted())
  const at = (recovered?.records ?? []).flatMap((one) => (one.kind === "chat" ? one.record.at : []))
  expect(at).toEqual(at.toSorted())
})

test("a command without effect stays answered after the event was fenced out and recovered", async () => {
  const { eventId, phaseIds } = await seedEvent(house.sql, THREE)
  await house.execute(eventId, { type: "event.start", d: {} })
  const early = envelope({ type: "phase.next", d: { phaseId: phaseIds[1] ?? "" } })
  const first = await house.execute(eventId, early.command, early)
  expect([first.duplicate, first.event.activePhaseId]).toEqual([false, phaseIds[0]])
  await overtake(eventId)
  const moved = await house.execute(eventId, { type: "phase.next", d: { phaseId: phaseIds[0] ?? "" } })
  expect(moved.event.activePhaseId).toBe(phaseIds[1])
  const again = await house.execute(eventId, early.command, early)
  expect([again.duplicate, again.event.activePhaseId]).toEqual([true, phaseIds[1]])
})

test("a command whose effect was missing only because of an uncommitted command is done when it is sent again", async () => {
  const { eventId, phaseIds } = await seedEvent(house.sql, THREE)
  await house.execute(eventId, { type: "event.start", d: {} })
  await runScript(
    house.url,
    `
    create function refuse_phases() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse_phases before update on phases for each row when (old.event_id = '${eventId}')
      execute function refuse_phases()`,
  )
  const next = () => envelope({ type: "phase.next", d: { phaseId: phaseIds[0] ?? "" } })
  const [doubled, kept] = [next(), next()]
  // The announcement goes at once; the others wait for it and are one batch: the second finds the phase ended by the first.
  const outcomes = await Promise.allSettled([
    house.execute(eventId, { type: "announce", d: { text: "one moment" } }),
    house.execute(eventId, kept.command, kept),
    house.execute(eventId, doubled.command, doubled),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"])
  await runScript(house.url, "drop trigger refuse_phases on phases")
  const done = await house.execute(eventId, doubled.command, doubled)
  expect([done.duplicate, done.event.activePhaseId]).toEqual([false, phaseIds[1]])
})
