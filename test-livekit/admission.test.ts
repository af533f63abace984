/** Whoever has no seat in a room of the real LiveKit is out of it within a second, with any token that they were ever given. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { GatewayClient } from "../packages/client/src/entry.ts"
import { presentSeat } from "../packages/client/src/media-entry.ts"
import { mediaRoomOf } from "../src/media/seats.ts"
import { eventually } from "../test/support/wait.ts"
import { connectClient, idOf, type Occasion } from "../test-browser/web/people.ts"
import { openBareClient } from "./bare-client.ts"
import { callerAt, type House, occasionIn, openHouse, untilTogether } from "./house.ts"

const SECOND_MS = 1000

let house: House

beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house?.stop())

const mainRoom = ({ event }: Occasion): string =>
  mediaRoomOf({ eventId: event.id, phaseId: event.phases[0].id, roomId: null })

const tokenOf = (client: GatewayClient): string => {
  const seat = client.state === undefined ? null : presentSeat(client.state)
  if (seat?.provider !== "livekit") throw new Error("no seat on the media server")
  return seat.token
}

const expectOut = async (room: string, name: string, since: number): Promise<void> => {
  await eventually(async () => !(await house.livekit.isIn(room, name)), `${name} being out`)
  // timed: the promise is a second.
  expect(performance.now() - since).toBeLessThan(SECOND_MS)
}

test("a person who was removed and blocked is out, comes back with no token, and the others stay", async () => {
  const occasion = await occasionIn(house, [{ modality: "meeting", featureSet: [] }])
  const room = mainRoom(occasion)
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await callerAt(occasion, "Ann"), await callerAt(occasion, "Ben")]
  await untilTogether([ann, ben])
  const cat = await connectClient(occasion, "Cat", "participant")
  const [bare, first] = [await openBareClient(house), tokenOf(cat)]
  const renewed = await bare.enter(first)
  for (const name of ["Ann", "Cat"]) {
    await host.command("participant.remove", { id: await idOf(host, name), block: true })
    await expectOut(room, name, performance.now())
  }
  await bare.out()
  for (const token of [first, renewed]) expect(await bare.stay(token)).toBeLessThan(SECOND_MS)
  expect(await house.livekit.people()).toEqual([{ room, names: ["Ben"] }])
  await untilTogether([ben])
  expect(new Set(house.relay.answered.map(({ status }) => status))).toEqual(new Set([200]))
  expect(house.relay.answered.map(({ event }) => event)).toContain("participant_joined")
})

test("a person who was moved is out of the room before, also with the token for it, and may be in the next one", async () => {
  const occasion = await occasionIn(house, [{ modality: "breakout", featureSet: [] }])
  const host = await connectClient(occasion, "Hedy")
  const cat = await connectClient(occasion, "Cat", "participant")
  const { d: planned } = await host.command("breakout.plan", { rooms: ["Red", "Blue"], strategy: "self" })
  const { d: opened } = await host.command("breakout.open", { planId: planned.plan.id })
  const [red, blue] = opened.rooms.map(({ id }) => id)
  const bare = await openBareClient(house)
  const seatIn = async (roomId = "") => {
    await host.command("breakout.move", { id: await idOf(host, "Cat"), roomId })
    await eventually(() => cat.state !== undefined && cat.state.me.roomId === roomId, "Cat in the room")
    await eventually(() => cat.state !== undefined && presentSeat(cat.state) !== null, "Cat's seat in the room")
    return tokenOf(cat)
  }
  const inRed = await seatIn(red)
  const renewed = await bare.enter(inRed)
  const inBlue = await seatIn(blue)
  await bare.out()
  for (const token of [inRed, renewed]) expect(await bare.stay(token)).toBeLessThan(SECOND_MS)
  await bare.enter(inBlue)
  await host.command("roster.list", {})
  const [blueRoom] = (await house.livekit.people()).filter(({ names }) => names.includes("Cat"))
  expect(blueRoom?.room).toBe(mediaRoomOf({ eventId: occasion.event.id, phaseId: "", roomId: blue ?? "" }))
})
