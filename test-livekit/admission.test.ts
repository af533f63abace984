/** Whoever has no seat in a room of the real LiveKit is out of it within a second, with any token that they were ever given. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { GatewayClient } from "../packages/client/src/entry.ts"
import { presentSeat } from "../packages/client/src/media-entry.ts"
import { mediaRoomOf } from "../src/media/seats.ts"
import { eventually } from "../test/support/wait.ts"
import { connectClient, idOf, type Occasion } from "../test-browser/web/people.ts"
import { type BareClient, openBareClient } from "./bare-client.ts"
import { callerAt, type House, mainRoomOf, occasionIn, openHouse, untilTogether } from "./house.ts"

const SECOND_MS = 1000

let house: House

beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house?.stop())

const roomNamed = ({ event }: Occasion, roomId = ""): string => mediaRoomOf({ eventId: event.id, phaseId: "", roomId })

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

const untilLeft = (room: string): Promise<void> =>
  eventually(
    () =>
      house.relay.answered.some((one) => one.event === "participant_left" && one.room === room && one.name === "Cat"),
    "LiveKit's word that Cat has left",
  )

/** Cat comes with the token, and LiveKit says how long she was there. */
const expectShortStay = async (bare: BareClient, room: string, token: string): Promise<void> => {
  const told = (event: string) =>
    house.relay.answered.filter((one) => one.event === event && one.room === room && one.name === "Cat")
  const [joined, left] = ["participant_joined", "participant_left"] as const
  const before = [told(joined).length, told(left).length]
  bare.knock(token)
  await eventually(() => told(joined).length > (before[0] ?? 0) && told(left).length > (before[1] ?? 0), "Cat's stay")
  // timed: the promise is a second.
  expect((told(left).at(-1)?.at ?? Number.NaN) - (told(joined).at(-1)?.at ?? 0)).toBeLessThan(SECOND_MS)
}

test("a person who was removed and blocked is out, comes back with no token, and the others stay; LiveKit logs no token of them", async () => {
  const occasion = await occasionIn(house, [{ modality: "meeting", featureSet: [] }])
  const room = mainRoomOf(occasion)
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
  await untilLeft(room)
  for (const token of [first, renewed]) await expectShortStay(bare, room, token)
  expect(await house.livekit.people(occasion.event.id)).toEqual([{ room, names: ["Ben"] }])
  await untilTogether([ben])
  expect(new Set(house.relay.answered.map(({ status }) => status))).toEqual(new Set([200]))
  expect(house.relay.answered.map(({ event }) => event)).toContain("participant_joined")
  const log = house.livekit.log()
  expect(log).toContain("starting RTC session")
  for (const credential of [first, renewed, house.livekit.environment["MEDIA_API_SECRET"] ?? ""]) {
    expect(log).not.toContain(credential)
  }
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
  await untilLeft(roomNamed(occasion, red))
  for (const token of [inRed, renewed]) await expectShortStay(bare, roomNamed(occasion, red), token)
  await bare.enter(inBlue)
  await host.command("roster.list", {})
  const [blueRoom] = (await house.livekit.people(occasion.event.id)).filter(({ names }) => names.includes("Cat"))
  expect(blueRoom?.room).toBe(roomNamed(occasion, blue))
})
