/** People leave the rooms of the media server when they lose their seat there. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { mediaRoomOf } from "../../src/media/seats.ts"
import type { Json } from "../support/api.ts"
import { type LiveKitServer, startLiveKit } from "../support/livekit-server.ts"
import { eventually } from "../support/wait.ts"
import type { Frame } from "./client.ts"
import { crowd } from "./crowd.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let livekit: LiveKitServer
let house: House

beforeAll(async () => {
  livekit = await startLiveKit()
  house = await openHouse({ media: livekit.server, guardsRooms: true, roomSweepMs: 60_000, moveMs: 100 })
})
afterAll(async () => {
  await house?.stop()
  await livekit?.stop()
})

const mainRoom = (stage: Stage, phase = 0): string =>
  mediaRoomOf({ eventId: stage.eventId, phaseId: stage.phaseIds[phase] ?? "", roomId: null })
const roomNamed = ({ eventId }: Stage, roomId: string): string => mediaRoomOf({ eventId, phaseId: "", roomId })

/** In the call, as a client that was given its seat is. */
const inCall = async (stage: Stage, who: string, role: Parameters<House["join"]>[2] = "participant") => {
  const client = await house.join(stage, who, role)
  livekit.enter(mainRoom(stage), who)
  return client
}

const gone = (room: string, who: string) => eventually(() => !livekit.isIn(room, who), `${who} is out of ${room}`)

test("a removed participant is disconnected, and nobody else", async () => {
  const stage = await house.stage()
  const host = await inCall(stage, "host", "host")
  await inCall(stage, "p0")
  await inCall(stage, "p1")
  await host.command("participant.remove", { id: "p0" })
  await gone(mainRoom(stage), "p0")
  expect(livekit.isIn(mainRoom(stage), "p1")).toBe(true)
  expect(livekit.isIn(mainRoom(stage), "host")).toBe(true)
})

test("a media server that knows how is told to refuse the tokens of before", async () => {
  const stage = await house.stage()
  const host = await inCall(stage, "host", "host")
  await inCall(stage, "p0")
  const asked: Json[] = []
  livekit.refuse = (method, body) => {
    if (method === "RemoveParticipant" && body.room === mainRoom(stage)) asked.push(body)
    return undefined
  }
  const seconds = () => Math.floor(Date.now() / 1000)
  const since = seconds()
  await host.command("participant.remove", { id: "p0" })
  await gone(mainRoom(stage), "p0")
  livekit.refuse = undefined
  expect(asked).toEqual([expect.objectContaining({ identity: "p0", revokeTokenTs: expect.any(String) })])
  expect(Number(asked[0].revokeTokenTs)).toBeGreaterThanOrEqual(since)
  expect(Number(asked[0].revokeTokenTs)).toBeLessThanOrEqual(seconds())
})

test("a participant who is removed while away from the gateway is disconnected too", async () => {
  const stage = await house.stage()
  const host = await inCall(stage, "host", "host")
  const client = await inCall(stage, "p0")
  client.socket.terminate()
  await host.command("participant.remove", { id: "p0" })
  await gone(mainRoom(stage), "p0")
})

test("a participant who is moved leaves the room they were in, and stays in the main room", async () => {
  const stage = await house.stage([{ modality: "breakout" }])
  const host = await inCall(stage, "host", "host")
  await crowd(house, stage, ["p0", "p1", "p2", "p3"])
  const planned = await host.command("breakout.plan", { strategy: "balanced", size: 2 })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  const [red, blue] = d.rooms.map(({ id }: Frame) => id) as [string, string]
  await host.command("breakout.move", { id: "p0", roomId: red })
  for (const room of [mainRoom(stage), roomNamed(stage, red)]) livekit.enter(room, "p0")
  await host.command("breakout.move", { id: "p0", roomId: blue })
  await gone(roomNamed(stage, red), "p0")
  expect(livekit.isIn(mainRoom(stage), "p0")).toBe(true)
  livekit.enter(roomNamed(stage, blue), "p0")
  await host.command("breakout.close", { graceMs: 0 })
  await eventually(() => !livekit.rooms.has(roomNamed(stage, blue)), "the room is closed")
  expect(livekit.isIn(mainRoom(stage), "p0")).toBe(true)
})

test("a phase that ends closes its main room, and the end of the event closes all", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "meeting" }])
  const host = await inCall(stage, "host", "host")
  await host.command("phase.next", {})
  await eventually(() => !livekit.rooms.has(mainRoom(stage)), "the first room is closed")
  livekit.enter(mainRoom(stage, 1), "host")
  await host.command("event.end", {})
  await eventually(() => !livekit.rooms.has(mainRoom(stage, 1)), "the second room is closed")
})

test("a participant whose grant is revoked is disconnected", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "u0", "participant", { sessionExpires: Math.floor(Date.now() / 1000) + 2 })
  livekit.enter(mainRoom(stage), "u0")
  expect((await client.closed).code).toBe(4201)
  await gone(mainRoom(stage), "u0")
})

test("an expulsion that fails is tried again", async () => {
  const stage = await house.stage()
  const host = await inCall(stage, "host", "host")
  await inCall(stage, "p0")
  livekit.failures = 2
  await host.command("participant.remove", { id: "p0" })
  await gone(mainRoom(stage), "p0")
  expect(livekit.failures).toBe(0)
})
