import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { Feed, type FeedMessage } from "../../src/actors/feed.ts"
import { NO_PHASE } from "../../src/actors/state/state.ts"
import { newId } from "../../src/model/ids.ts"
import type { Client } from "./client.ts"
import { untilAnnounced } from "./crowd.ts"
import { type House, openHouse, type Stage } from "./house.ts"

const HISTORY = 20
let house: House
/** While set, publications are lost on their way to the gateway. */
let isDeaf = false
let publish: (message: FeedMessage) => void

beforeAll(async () => {
  // Nothing but the feed tells of a commit: a comparison with the store in the middle of a loss would make the gap a shorter one.
  house = await openHouse({
    historyEntries: HISTORY,
    tickMs: () => 1,
    orderedLimitBytes: 8_388_608,
    auditMs: 86_400_000,
  })
  const feed = (await house.actors.run(Feed)) as { publish: (message: FeedMessage) => void }
  const deliver = feed.publish
  publish = deliver
  feed.publish = (message) => {
    if (!isDeaf) deliver(message)
  }
})
beforeEach(() => {
  isDeaf = false
})
afterAll(() => house.stop())

const announce = (stage: Stage, text: string) =>
  house.actors.execute(stage.eventId, {
    type: "announce",
    d: { text },
  })

const received = (client: Client, text: string) =>
  client.next((frame) => frame.t === "announcement" && frame.d.text === text, text)

const lose = async (body: () => Promise<unknown>): Promise<void> => {
  isDeaf = true
  await body()
  isDeaf = false
}

test("dispatches that the feed lost are read from the store and sent in their place", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  await untilAnnounced(house, stage, ["a"])
  await announce(stage, "one")
  await lose(async () => {
    await announce(stage, "two")
    await announce(stage, "three")
  })
  await announce(stage, "four")
  await received(client, "four")
  const texts = client.ordered().filter(({ t }) => t === "announcement")
  expect(texts.map(({ d }) => d.text)).toEqual(["one", "two", "three", "four"])
  const positions = client.ordered().map(({ s }) => s)
  expect(positions).toEqual(positions.map((_, n) => (positions[0] ?? 0) + n))
})

test("a removal the feed lost still closes 4304", async () => {
  const stage = await house.stage()
  const [stays, goes] = await Promise.all([house.join(stage, "stays"), house.join(stage, "goes")])
  await lose(() => house.actors.execute(stage.eventId, { type: "participant.remove", d: { id: "goes" } }))
  await announce(stage, "on")
  expect(await goes.closeCode()).toBe(4304)
  await received(stays, "on")
})

test("a decision that the feed lost closes the connection of somebody with the same address", async () => {
  const stage = await house.stage()
  const [ann, again, ben] = [newId(), newId(), newId()]
  for (const id of [ann, again, ben]) {
    const email = id === ben ? "ben@example.com" : "ann@example.com"
    await house.actors
      .sql`insert into users (id, workspace_id, external_sub, email) values (${id}, ${stage.workspaceId}, ${id}, ${email})`
  }
  const join = (id: string) => house.join(stage, id, "participant", { kind: "user", userId: id })
  const [other, stays] = await Promise.all([join(again), join(ben)])
  await lose(() => house.actors.execute(stage.eventId, { type: "participant.mute", d: { id: ann } }))
  await announce(stage, "on")
  expect(await other.closeCode()).toBe(4304)
  await announce(stage, "after")
  await received(stays, "after")
})

test("a removal that arrives after more was lost than the store keeps closes 4304", async () => {
  const stage = await house.stage()
  const [stays, goes] = await Promise.all([house.join(stage, "stays"), house.join(stage, "goes")])
  await untilAnnounced(house, stage, ["stays", "goes"])
  await lose(async () => {
    for (let n = 0; n < HISTORY + 5; n++) await announce(stage, `lost ${n}`)
  })
  await house.actors.execute(stage.eventId, { type: "participant.remove", d: { id: "goes" } })
  expect(await goes.closeCode()).toBe(4304)
  await announce(stage, "on")
  await received(stays, "on")
})

test("more than the store remembers is a fresh snapshot for everyone", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  await untilAnnounced(house, stage, ["a"])
  await lose(async () => {
    for (let n = 0; n < HISTORY + 5; n++) await announce(stage, `lost ${n}`)
  })
  await announce(stage, "on")
  const { d } = await client.dispatch("ready")
  expect(d).toMatchObject({ resumed: false, reason: "gap" })
  await announce(stage, "after")
  const after = await received(client, "after")
  expect(after.s).toBeGreaterThan(d.cursors.event)
})

test("a socket that falls behind is sent no ephemeral message until it has caught up", async () => {
  const stage = await house.stage()
  const [slow, quick] = await Promise.all([house.join(stage, "slow"), house.join(stage, "quick")])
  const standing = async () => {
    const [row] = await house.actors.sql<{ version: number; history: string }[]>`
      select version, history from live_events where event_id = ${stage.eventId}`
    return row ?? { version: 0, history: "" }
  }
  await untilAnnounced(house, stage, ["slow", "quick"])
  const isCount = (t: string): boolean => t === "presence.count"
  const padding = "x".repeat(65_536)
  const tell = async (n: number) => {
    const { version, history } = await standing()
    const frame = JSON.stringify({
      op: 0,
      t: "presence.count",
      d: { total: n, byRole: { [padding]: n }, byRoom: {}, lobby: 0 },
    })
    publish({
      kind: "note",
      eventId: stage.eventId,
      epoch: history,
      fencingToken: 1,
      from: version,
      version,
      status: "live",
      visibility: "unlisted",
      phase: { ...NO_PHASE, modality: "meeting" },
      lobby: "open",
      participantChanges: [],
      publications: [],
      ephemeral: [{ stream: "event", key: "presence.count", frame }],
      ejections: [],
    })
    await quick.next(({ t, d }) => isCount(t) && d.total === n, `count ${n}`)
  }
  slow.socket.pause()
  const SENT = 300
  for (let n = 0; n < SENT; n++) await tell(n)
  slow.socket.resume()
  await announce(stage, "after")
  await received(slow, "after")
  expect(slow.received.filter(({ t }) => isCount(t)).length).toBeLessThan(SENT)
  // It receives them again, and was never closed for messages that may be lost.
  await tell(SENT)
  await slow.next(({ t, d }) => isCount(t) && d.total === SENT, "the newest count")
})
