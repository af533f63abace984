import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { Feed } from "../../src/actors/feed.ts"
import { LiveEvents } from "../../src/actors/live-events.ts"
import type { Client, Frame } from "./client.ts"
import { untilAnnounced } from "./crowd.ts"
import { openHouse, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

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

test("others see arrivals and departures", async () => {
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

test("the sockets of a participant are counted over all nodes, and the node of the oldest one closes it", async () => {
  const stage = await house.stage()
  const elsewhere = await house.anotherNode("elsewhere")
  const token = await house.token(stage, "guest")
  const tabs: Client[] = []
  for (const url of [elsewhere, undefined, elsewhere, undefined, elsewhere]) {
    const tab = house.connect(url === undefined ? {} : { url })
    await tab.identify(token)
    tabs.push(tab)
  }
  // The oldest of the four others is the second one.
  await tabs[0]?.cut()
  for (let n = 0; n < 2; n++) tabs.push(await house.join(stage, "guest"))
  expect(await tabs[1]?.closeCode()).toBe(4305)
  const open = [2, 3, 4, 5, 6].map((n) => tabs[n] as Client)
  for (const tab of open) expect(await tab.command("roster.list", { limit: 10 })).toMatchObject({ ok: true })
  await expect.poll(() => notices(stage)).toEqual(["participant.joined guest"])
})

test("above 250 people the list gives way to counts and to those on stage, who are sent one by one, and comes back", async () => {
  const stage = await house.stage([{ modality: "broadcast" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const audience = await Promise.all(Array.from({ length: 255 }, (_, n) => house.join(stage, `g${n}`, "viewer")))
  expect((await host.dispatch("presence.mode")).d.mode).toBe("summary")
  const reset = await host.next(({ t, d }) => t === "presence.diff" && d.reset, "those on stage")
  expect(reset.d.join).toMatchObject([{ participantId: "host" }])
  const counted = () => host.received.find(({ t, d }) => t === "presence.count" && d.total === 256)
  await expect.poll(counted).toBeDefined()
  expect(counted()).not.toHaveProperty("s")
  const speaker = await house.join(stage, "speaker", "speaker", { kind: "user" })
  expect((await joined(host, "speaker")).d).toMatchObject({ join: [{ role: "speaker" }], left: [], update: [] })
  await host.command("stage.invite", { id: "g7" })
  const tab = await house.join(stage, "g7", "viewer")
  await tab.command("stage.accept")
  const onStage = ({ t, d }: Frame) => t === "presence.diff" && d.update.some((p: Frame) => p.participantId === "g7")
  expect((await host.next(onStage, "g7 on stage")).d.update).toMatchObject([{ participantId: "g7", role: "speaker" }])
  await tab.command("stage.leave")
  await left(host, "g7")
  await speaker.cut()
  await left(host, "speaker")
  const late = await house.connect().identify(await house.token(stage, "late", "viewer"))
  // The newcomer is counted: the event knows them when it says so.
  expect(late.d.presence).toMatchObject({ mode: "summary", total: 257, staff: [{ participantId: "host" }] })
  await Promise.all([tab, ...audience].map((client) => client.cut()))
  await host.next(({ t, d: mode }) => t === "presence.mode" && mode.mode === "list", "the way back")
  expect((await host.dispatch("presence.diff")).d).toMatchObject({ reset: true })
})

test("arrivals of a crowd are sent to receivers when there are any, and nothing is written when there are none", async () => {
  const [wanted, unwanted] = [await house.stage(), await house.stage()]
  await house.actors.sql`delete from webhook_endpoints where workspace_id = ${unwanted.workspaceId}`
  for (const stage of [wanted, unwanted]) {
    const host = await house.join(stage, "host", "host")
    const changes = Array.from({ length: 100 }, (_, n) => ({
      type: "join" as const,
      participant: { participantId: `c${n}`, name: "C", role: "participant", kind: "guest", userId: null } as const,
      connections: [n] as const,
    }))
    await house.report(stage, changes)
    await joined(host, "c99")
  }
  expect((await notices(wanted)).filter((notice) => notice.includes("joined c"))).toHaveLength(100)
  expect((await notices(unwanted)).filter((notice) => notice.includes("joined c"))).toEqual([])
})

test("an actor that came back into memory receives the present participants again", async () => {
  const own = await openHouse({}, { node: "test" })
  onTestFinished(() => own.stop())
  const stage = await own.stage()
  const watcher = await own.join(stage, "watcher")
  await untilAnnounced(own, stage, ["watcher"])
  const standing = await own.actors.run(
    Effect.gen(function* () {
      const live = yield* LiveEvents
      const { snapshot } = yield* live.read(stage.eventId, [], true)
      // A new activation without presence: it is cleared unknown to the gateway, then the message of every activation is published.
      yield* live.reportPresence(stage.eventId, {
        node: "test",
        changes: [{ type: "leave", participantId: "watcher" }],
      })
      return snapshot
    }),
  )
  await left(watcher, "watcher")
  const { snapshot } = await own.actors.run(Effect.flatMap(LiveEvents, (live) => live.read(stage.eventId, [], true)))
  const { version } = snapshot
  const feed = await own.actors.run(Feed)
  feed.publish({
    kind: "note",
    eventId: stage.eventId,
    epoch: standing.epoch,
    fencingToken: 2,
    from: version,
    version,
    status: "live",
    visibility: "unlisted",
    phase: standing.phase,
    lobby: "open",
    participantChanges: [],
    publications: [],
    ephemeral: [],
    ejections: [],
  })
  await joined(watcher, "watcher")
})
