/** Calls of pages beside a real LiveKit: they follow people from room to room, and come back with a LiveKit that was killed. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { GatewayClient } from "../packages/client/src/entry.ts"
import { eventually } from "../test/support/wait.ts"
import { connectClient, idOf } from "../test-browser/web/people.ts"
import {
  type Caller,
  callerAt,
  type House,
  hasOverlapped,
  join,
  mainRoomOf,
  mark,
  occasionIn,
  openHouse,
  untilTogether,
  visitorAt,
} from "./house.ts"

let house: House

beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house?.stop())

const RETURN_MS = 5000
/** By its own rule LiveKit's client tries every seven seconds only, after so long. */
const AWAY_MS = 10_000

/** Everybody is in exactly one room, with those that the server put there. */
const untilGrouped = async (groups: ReadonlyArray<ReadonlyArray<Caller>>): Promise<void> => {
  const wanted = groups
    .map((group) =>
      group
        .map(({ name }) => name)
        .toSorted()
        .join(" "),
    )
    .toSorted()
  await eventually(
    async () => {
      const found = (await house.livekit.people()).map(({ names }) => names.join(" ")).toSorted()
      return JSON.stringify(found) === JSON.stringify(wanted)
    },
    `the rooms ${wanted.join(", ")}`,
  )
  for (const group of groups) await untilTogether(group)
}

/** Of a round, by the partners that the pages name. */
const groupsOf = async (callers: ReadonlyArray<Caller>): Promise<ReadonlyArray<ReadonlyArray<Caller>>> => {
  const pair: Caller[] = []
  await eventually(async () => {
    pair.length = 0
    for (const caller of callers) if (await caller.page.getByText(/^You meet /).isVisible()) pair.push(caller)
    return pair.length === 2
  }, "a pair")
  return [pair, callers.filter((one) => !pair.includes(one))]
}

const nextPhase = (host: GatewayClient) =>
  host.command("phase.next", { phaseId: host.state?.phases.find(({ status }) => status === "active")?.id ?? "" })

test("a call follows three people through breakouts and two rounds of a rotation and back, without a press, and overlaps", async () => {
  const occasion = await occasionIn(
    house,
    ["meeting", "breakout", "rotation", "meeting"].map((modality) => ({ modality, featureSet: [] })),
  )
  const host = await connectClient(occasion, "Hedy")
  const callers: Caller[] = []
  for (const name of ["Ann", "Ben", "Cat"]) callers.push(await callerAt(occasion, name))
  await untilGrouped([callers])
  const moved = async (groups: () => Promise<ReadonlyArray<ReadonlyArray<Caller>>>): Promise<void> => {
    await untilGrouped(await groups())
    for (const caller of callers) expect([caller.name, await hasOverlapped(caller)]).toEqual([caller.name, true])
    await mark(callers)
  }
  const together = async () => [callers]
  await mark(callers)
  await nextPhase(host)
  await moved(together)
  const { d } = await host.command("breakout.plan", { rooms: 1, strategy: "balanced", seed: 1 })
  await host.command("breakout.open", { planId: d.plan.id })
  await callers[0]?.page.getByText("You are in Room 1.").waitFor()
  await moved(together)
  await nextPhase(host)
  await moved(together)
  await host.command("rotation.start", { roundSeconds: 600, breakSeconds: 0, rounds: 2, groupSize: 2 })
  const first = await groupsOf(callers)
  await untilGrouped(first)
  await mark(callers)
  await host.command("rotation.skip", {})
  let second = first
  await eventually(async () => {
    second = await groupsOf(callers)
    return second[1]?.[0] !== first[1]?.[0]
  }, "another pair")
  await moved(async () => second)
  await nextPhase(host)
  await moved(together)
})

test("a LiveKit that is killed is said on the page, and everybody is in again within seconds of its return", async () => {
  const occasion = await occasionIn(house, [{ modality: "meeting", featureSet: [] }])
  const callers = [await callerAt(occasion, "Ann"), await callerAt(occasion, "Ben")]
  await untilTogether(callers)
  await house.livekit.kill()
  for (const { page } of callers) await page.getByRole("status").getByText("Reconnecting").waitFor()
  // timed: the outage.
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
  await house.livekit.start(house.relay.url)
  const back = performance.now()
  await eventually(
    async () => (await house.livekit.people()).some(({ names }) => names.join(" ") === "Ann Ben"),
    "everybody in again",
  )
  // timed: the promise is five seconds.
  expect(performance.now() - back).toBeLessThan(RETURN_MS)
  for (const { page } of callers) await page.getByText("Reconnecting").waitFor({ state: "detached" })
  await untilTogether(callers)
})

test("a person whom LiveKit disconnects, and who has a seat, is in again, also muted as before", async () => {
  const occasion = await occasionIn(house, [{ modality: "meeting", featureSet: [] }])
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await callerAt(occasion, "Ann"), await callerAt(occasion, "Ben")]
  await untilTogether([ann, ben])
  await ann.page.getByRole("button", { name: "Microphone" }).click()
  const muted = ben.page.getByRole("listitem").filter({ hasText: "Ann (without a microphone)" })
  await muted.waitFor()
  const room = mainRoomOf(occasion)
  await mark([ann])
  await house.livekit.remove(room, await idOf(host, "Ann"))
  await eventually(
    () => ann.page.evaluate(() => window.marked.every(({ endedAt }) => endedAt < Number.POSITIVE_INFINITY)),
    "the end of the connection",
  )
  await untilTogether([ann, ben])
  await muted.waitFor()
})

test("a person who joins with a seat that they have had for long gets a fresh one first", async () => {
  const occasion = await occasionIn(house, [{ modality: "meeting", featureSet: [] }])
  const ben = await callerAt(occasion, "Ben")
  const sent: string[] = []
  const ann = await visitorAt(occasion, "Ann", (page) => {
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))))
  })
  const asked = (): number => sent.filter((frame) => frame.includes('"t":"sync"')).length
  await ann.evaluate(() => {
    const now = Date.now
    Date.now = () => now() + 120_000
  })
  const before = asked()
  await join(ann)
  await untilTogether([ben, { page: ann, name: "Ann" }])
  expect(asked()).toBe(before + 1)
})
