import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Feed } from "../../src/actors/feed.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import type { Client } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House

beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.stop())

const roster = async (client: Client): Promise<string[]> => {
  const { d } = await client.command("roster.list", { limit: 200 })
  return d.participants.map(({ participantId }: { participantId: string }) => participantId)
}

const joined = (client: Client, who: string) =>
  client.next(
    ({ t, d }) => t === "presence.diff" && d.join.some((p: { participantId: string }) => p.participantId === who),
    `${who} joining`,
  )

const left = (client: Client, who: string) =>
  client.next(({ t, d }) => t === "presence.diff" && d.left.includes(who), `${who} leaving`)

const notices = async ({ eventId }: Stage) => {
  const rows = await house.actors.sql<{ type: string; body: string }[]>`
    select type, body from outbox_messages where event_id = ${eventId} and type like 'participant.%' order by occurred_at, id`
  return rows.map(({ type, body }) => `${type} ${(JSON.parse(body) as { participantId: string }).participantId}`)
}

test("others see who comes and who goes", async () => {
  const stage = await house.stage()
  const watcher = await house.join(stage, "watcher", "host")
  const guest = await house.join(stage, "guest")
  await joined(watcher, "guest")
  expect((await roster(watcher)).sort()).toEqual(["guest", "watcher"])
  await guest.cut()
  await left(watcher, "guest")
  expect(await roster(watcher)).toEqual(["watcher"])
  expect(await notices(stage)).toEqual([
    "participant.joined watcher",
    "participant.joined guest",
    "participant.left guest",
  ])
})

test("two tabs are one participant, who leaves with the last of them", async () => {
  const stage = await house.stage()
  const watcher = await house.join(stage, "watcher")
  const [one, two] = await Promise.all([house.join(stage, "guest"), house.join(stage, "guest")])
  await joined(watcher, "guest")
  await one.cut()
  const other = await house.join(stage, "other")
  await joined(watcher, "other")
  expect((await roster(watcher)).sort()).toEqual(["guest", "other", "watcher"])
  await two.cut()
  await left(watcher, "guest")
  await other.cut()
  await left(watcher, "other")
  expect((await notices(stage)).filter((notice) => notice.endsWith(" guest"))).toEqual([
    "participant.joined guest",
    "participant.left guest",
  ])
})

test("a participant's sixth socket closes the oldest 4305", async () => {
  const stage = await house.stage()
  const tabs: Client[] = []
  for (let n = 0; n < 6; n++) tabs.push(await house.join(stage, "guest"))
  expect(await tabs[0]?.closeCode()).toBe(4305)
  const newest = tabs[5] as Client
  await joined(newest, "guest")
  expect(await roster(newest)).toEqual(["guest"])
})

test("above 250 people the list gives way to counts, and everyone is told", async () => {
  const stage = await house.stage()
  const watcher = await house.join(stage, "watcher", "host")
  const crowd = await Promise.all(Array.from({ length: 260 }, (_, n) => house.join(stage, `g${n}`)))
  expect((await watcher.dispatch("presence.mode")).d.mode).toBe("summary")
  const counted = await watcher.next(({ t, d }) => t === "presence.count" && d.total === 261, "the count of all")
  expect(counted).not.toHaveProperty("s")
  const late = house.connect()
  const { d } = await late.identify(await house.token(stage, "late"))
  expect(d.presence).toMatchObject({ mode: "summary", staff: [{ participantId: "watcher" }] })
  await Promise.all(crowd.map((client) => client.cut()))
  await watcher.next(({ t, d: mode }) => t === "presence.mode" && mode.mode === "list", "the way back")
  expect((await watcher.dispatch("presence.diff")).d).toMatchObject({ reset: true })
})

test("an actor that came back into memory is told again who is here", async () => {
  const stage = await house.stage()
  const watcher = await house.join(stage, "watcher")
  await joined(watcher, "watcher")
  const standing = await house.actors.run(
    Effect.gen(function* () {
      const live = yield* LiveEvents
      const { snapshot } = yield* live.read(stage.eventId, [], true)
      // What a new activation does not know: forgotten behind the gateway's back, then the word every activation says.
      yield* live.reportPresence(stage.eventId, {
        node: "test",
        changes: [{ type: "leave", participantId: "watcher" }],
      })
      return snapshot
    }),
  )
  await left(watcher, "watcher")
  const { snapshot } = await house.actors.run(Effect.flatMap(LiveEvents, (live) => live.read(stage.eventId, [], true)))
  const { version } = snapshot
  const feed = await house.actors.run(Feed)
  feed.publish({
    kind: "note",
    eventId: stage.eventId,
    history: standing.history,
    from: version,
    version,
    status: "live",
    phase: standing.phase,
    lobby: "open",
    standings: [],
    publications: [],
    ephemeral: [],
    ejections: [],
  })
  await joined(watcher, "watcher")
})
