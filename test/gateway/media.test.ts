/** Seats in the media server as they reach participants: read with the verifier of its own library. */
import { Redacted } from "effect"
import { TokenVerifier } from "livekit-server-sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/media.ts"
import type { Client, Frame } from "./client.ts"
import { crowd, heard, held } from "./crowd.ts"
import { type House, openHouse, type Stage } from "./house.ts"

const SECRET = "a secret of the media server's, long enough"
const URL = "wss://media.example.com"
const verifier = new TokenVerifier("key", SECRET)

let house: House

beforeAll(async () => {
  house = await openHouse({ media: { url: URL, apiKey: "key", apiSecret: Redacted.make(SECRET) } })
})
afterAll(() => house.stop())

/** The seat must be this participant's, in that room. */
const expectSeat = async (media: Frame, stage: Stage, who: string, roomId: string | null, isHost = false) => {
  expect(media).toMatchObject({ provider: "livekit", url: URL })
  const { sub, name, video } = await verifier.verify(media.token)
  expect([sub, name]).toEqual([who, `Name of ${who}`])
  expect(video).toEqual({
    room: mediaRoomOf({ eventId: stage.eventId, roomId }),
    roomJoin: true,
    canPublish: true,
    canSubscribe: true,
    canPublishData: false,
    ...(isHost ? { roomAdmin: true } : {}),
  })
}

const readyOf = (client: Client) => client.received.find(({ t }) => t === "ready").d

const breakout = async () => {
  const stage = await house.stage([{ modality: "breakout" }])
  const host = await house.join(stage, "host", "host")
  const clients = await crowd(house, stage, ["p0", "p1", "p2", "p3"])
  const planned = await host.command("breakout.plan", { strategy: "balanced", size: 2 })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  return { stage, host, client: clients[0], rooms: d.rooms.map(({ id }: Frame) => id) as ReadonlyArray<string> }
}

test("who is in the call has a seat in the main room, a host one that runs it; who only watches has none", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  await expectSeat(readyOf(await house.join(stage, "p0")).media, stage, "p0", null)
  await expectSeat(readyOf(await house.join(stage, "h", "host")).media, stage, "h", null, true)
  expect(readyOf(await house.join(stage, "v", "viewer")).media).toBeUndefined()
  const show = await house.stage([{ modality: "broadcast" }])
  await expectSeat(readyOf(await house.join(show, "s", "speaker")).media, show, "s", null)
  expect(readyOf(await house.join(show, "p0")).media).toBeUndefined()
  const later = await house.stage([{ modality: "meeting" }], "scheduled")
  expect(readyOf(await house.join(later, "p0")).media).toBeUndefined()
})

test("an assignment carries the seat in its room, live and in ready, and its stream stays in order", async () => {
  const { stage, host, client, rooms } = await breakout()
  const told = await heard(client, "assignment.updated")
  await expectSeat(told.d.media, stage, "p0", told.d.roomId)
  for (const roomId of [...rooms, null, ...rooms, null, ...rooms]) {
    await host.command("breakout.move", { id: "p0", roomId })
  }
  const last = rooms.at(-1) ?? ""
  await heard(client, "assignment.updated", ({ roomId, media }) => roomId === last && media !== undefined)
  const { ready } = await (async () => {
    const tab = await house.join(stage, "p0")
    return { ready: readyOf(tab) }
  })()
  await expectSeat(ready.media, stage, "p0", null)
  await expectSeat(ready.assignment.media, stage, "p0", ready.assignment.roomId)
  const places = client.ordered("me").map(({ s }) => s)
  expect(places).toEqual(places.map((_, index) => index + 1))
})

test("a replay carries a fresh seat in the room one is in, and none in another; nothing of it is stored", async () => {
  const { stage, host, client, rooms } = await breakout()
  const told = await heard(client, "assignment.updated")
  const other = rooms.find((id) => id !== told.d.roomId) ?? ""
  const { epoch, cursors } = held(client)
  await client.cut()
  await host.command("breakout.move", { id: "p0", roomId: other })
  await host.command("breakout.move", { id: "p0", roomId: null })
  await host.command("breakout.move", { id: "p0", roomId: told.d.roomId })
  const back = house.connect()
  const ready = await back.identify(await house.token(stage, "p0"), { epoch, cursors: { ...cursors, me: 0 } })
  expect(ready.d.resumed).toBe(true)
  await back.dispatch("caughtUp")
  const assignments = back.ordered("me").filter(({ t }) => t === "assignment.updated")
  expect(assignments.map(({ d }) => d.roomId)).toEqual([told.d.roomId, other, told.d.roomId])
  for (const { d } of assignments) {
    if (d.roomId === other) expect(d.media).toBeUndefined()
    else await expectSeat(d.media, stage, "p0", d.roomId)
  }
  const stored = await house.actors.sql`
    select 1 from publications where event_id = ${stage.eventId} and (frame like '%"media"%' or frame like '%"token"%')`
  expect(stored).toHaveLength(0)
})

test("a round carries the seat in its room, for each of the pair; a full ready gives new ones to who asks", async () => {
  const stage = await house.stage([{ modality: "rotation" }])
  const host = await house.join(stage, "host", "host")
  const clients = await crowd(house, stage, ["p0", "p1", "p2"])
  await host.command("rotation.start", { roundSeconds: 600, rounds: 2 })
  for (const [index, client] of clients.entries()) {
    const { d } = await heard(client, "rotation.round")
    if (d.bye) expect([d.roomId, d.media]).toEqual([null, undefined])
    else await expectSeat(d.media, stage, `p${index}`, d.roomId)
    expect((await client.command("sync", { cursors: {} })).d).toEqual({ resumed: false })
    const again = await client.next((frame) => frame.t === "ready" && frame.d.round !== null)
    await expectSeat(again.d.media, stage, `p${index}`, null)
    if (!d.bye) await expectSeat(again.d.round.media, stage, `p${index}`, d.roomId)
  }
})
