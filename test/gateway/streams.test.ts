import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import type { Client } from "./client.ts"
import { untilAnnounced } from "./crowd.ts"
import { type Stage, sharedHouse } from "./house.ts"

const HISTORY = 40
const house = sharedHouse({ historyEntries: HISTORY })

const announce = (stage: Stage, text: string) =>
  house.actors.execute(stage.eventId, {
    type: "announce",
    d: { text },
  })

const announceMany = (stage: Stage, from: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => announce(stage, `n${from + n}`)))

const received = (client: Client, text: string) =>
  client.next((frame) => frame.t === "announcement" && frame.d.text === text, text)

const positions = (client: Client, stream = "event") => client.ordered(stream).map(({ s }) => s)

const contiguousFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

/** The epoch and cursors with which a client would resume. */
const held = (client: Client) => {
  const ready = client.received.findLast(({ t }) => t === "ready")
  const cursors: Record<string, number> = { ...ready.d.cursors }
  for (const { st, s } of client.received) if (st !== undefined) cursors[st] = Math.max(cursors[st] ?? 0, s)
  return { epoch: ready.d.epoch as string, cursors }
}

test("a burst reaches a client in few frames", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  await untilAnnounced(house, stage, ["a"])
  const framesBefore = client.frameSizes.length
  await announceMany(stage, 0, 30)
  await received(client, "n29")
  const sizes = client.frameSizes.slice(framesBefore)
  expect(sizes.length).toBeLessThan(15)
  expect(Math.max(...sizes)).toBeGreaterThan(1)
})

test("a client that comes back gets exactly what it missed, then caughtUp", async () => {
  const stage = await house.stage()
  const stays = await house.join(stage, "stays")
  const leaves = await house.join(stage, "leaves")
  await announce(stage, "before")
  await received(leaves, "before")
  const resume = held(leaves)
  await leaves.cut()
  await announceMany(stage, 0, 10)
  await received(stays, "n9")
  const back = house.connect()
  const ready = await back.identify(await house.token(stage, "leaves"), resume)
  expect(ready.d).toMatchObject({ resumed: true, epoch: resume.epoch, cursors: resume.cursors })
  expect(ready.d.phases).toBeUndefined()
  const { d } = await back.dispatch("caughtUp")
  expect(d.v).toBe(ready.d.v)
  const replayed = positions(back)
  expect(replayed).toEqual(contiguousFrom((resume.cursors["event"] ?? 0) + 1, replayed.length))
  await announce(stage, "after")
  const after = await received(back, "after")
  expect(positions(back)).toEqual(contiguousFrom((resume.cursors["event"] ?? 0) + 1, positions(back).length))
  expect(after.s).toBe(positions(back).at(-1))
})

test("a replay is exact on a node that did not watch the event before, from the store", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  await announce(stage, "first")
  await received(client, "first")
  const resume = held(client)
  await client.cut()
  await announceMany(stage, 0, 5)
  const back = house.connect({ url: await house.anotherNode("other") })
  expect((await back.identify(await house.token(stage, "a"), resume)).d.resumed).toBe(true)
  await back.dispatch("caughtUp")
  expect(positions(back)).toEqual(contiguousFrom((resume.cursors["event"] ?? 0) + 1, positions(back).length))
  expect(back.ordered().filter(({ t }) => t === "announcement")).toHaveLength(5)
})

test("a hole longer than the history is a snapshot, never a partial replay", async () => {
  const stage = await house.stage()
  const stays = await house.join(stage, "stays")
  const leaves = await house.join(stage, "leaves")
  const resume = held(leaves)
  await leaves.cut()
  await announceMany(stage, 0, HISTORY + 5)
  await received(stays, `n${HISTORY + 4}`)
  const back = house.connect()
  const { d } = await back.identify(await house.token(stage, "leaves"), resume)
  expect(d).toMatchObject({ resumed: false, reason: "expired" })
  await announce(stage, "after")
  const after = await received(back, "after")
  expect(positions(back)).toEqual(contiguousFrom(d.cursors.event + 1, after.s - d.cursors.event))
})

test("a participant who became host resumes with a snapshot and both streams", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  const resume = held(client)
  await client.cut()
  const back = house.connect()
  const { d } = await back.identify(await house.token(stage, "a", "host"), resume)
  expect(d).toMatchObject({ resumed: false, reason: "roleChanged", me: { role: "host" } })
  expect(Object.keys(d.cursors).sort()).toEqual(["event", "me", "people", "staff"])
})

test("sync replays from the given cursors, or sends a snapshot", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  await announceMany(stage, 0, 3)
  const last = await received(client, "n2")
  const read = client.received.length
  const people = client.ordered("people").at(-1)?.s ?? 0
  const cursors = { event: last.s - 2, people, me: 0 }
  expect((await client.command("sync", { cursors })).d).toEqual({ resumed: true })
  await client.dispatch("caughtUp")
  expect(
    client.received
      .slice(read)
      .filter(({ st }) => st === "event")
      .map(({ s }) => s),
  ).toEqual([last.s - 1, last.s])
  expect((await client.command("sync", { cursors: { event: 5000 } })).d).toEqual({ resumed: false })
  expect((await client.dispatch("ready")).d).toMatchObject({ resumed: false, reason: "gap" })
  await announce(stage, "still here")
  expect((await received(client, "still here")).s).toBeGreaterThan(last.s)
})

test("a heartbeat is acknowledged with the heads of the client's streams", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "a")
  await announce(stage, "one")
  const { s } = await received(client, "one")
  client.send({ op: 1, d: { t0: 12.5 } })
  const { d } = await client.next(({ op }) => op === 11)
  expect(d).toMatchObject({ t0: 12.5, heads: { event: s } })
  expect(d.t2).toBeGreaterThanOrEqual(d.t1)
  client.send({ op: 1, d: {} })
  expect((await client.next(({ op }) => op === 13)).d.code).toBe("bad_request")
})

test("a phase change sends each role its present rights", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "broadcast" }])
  const participant = await house.join(stage, "a")
  await house.actors.execute(stage.eventId, { type: "phase.next", d: {} })
  await participant.dispatch("phase.started")
  expect((await participant.dispatch("me.updated")).d).toMatchObject({ role: "viewer", reason: "phase" })
})

test("when the history was lost everyone gets a fresh snapshot and goes on in the new one", async () => {
  const stage = await house.stage()
  const clients = await Promise.all(["a", "b"].map((who) => house.join(stage, who)))
  const history = newId()
  await house.actors.sql`
    update live_events set history = ${history}, epoch = epoch + 1 where event_id = ${stage.eventId}`
  await announce(stage, "new times").catch(() => undefined)
  for (const client of clients) {
    const { d } = await client.dispatch("ready")
    expect(d).toMatchObject({ resumed: false, reason: "epoch", epoch: history })
    await announce(stage, "on we go")
    await received(client, "on we go")
    const after = client.received.slice(client.received.findLastIndex(({ t }) => t === "ready"))
    const seen = after.filter(({ st }) => st === "event").map(({ s }) => s)
    expect(seen).toEqual(contiguousFrom(d.cursors.event + 1, seen.length))
  }
})
