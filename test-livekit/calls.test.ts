/** Calls of pages beside a real LiveKit: they follow people from room to room, and come back with a LiveKit that was killed. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { OP } from "../packages/client/src/contract/op.ts"
import type { GatewayClient } from "../packages/client/src/entry.ts"
import { eventually } from "../test/support/wait.ts"
import { connectClient, idOf, type Occasion } from "../test-browser/web/people.ts"
import {
  anotherWindowOf,
  type Caller,
  callerAt,
  callersAt,
  type House,
  hasOverlapped,
  join,
  mainRoomOf,
  mark,
  occasionIn,
  openHouse,
  untilSeen,
  untilTogether,
  visitorAt,
} from "./house.ts"

const MEETING = { modality: "meeting", featureSet: [] }
/** A seat's token is good for less. */
const SEAT_MS = 120_000

let house: House

beforeAll(async () => {
  house = await openHouse({ gateway: { moveMs: PAGES_ALONE_MS } })
})
afterAll(() => house?.stop())

/** A page on a busy machine may take longer than the server waits. Here nobody but the pages ends a connection that they move from. */
const PAGES_ALONE_MS = 3_600_000
const RETURN_MS = 5000
/** By its own rule LiveKit's client tries every seven seconds only, after so long. */
const AWAY_MS = 10_000

/** Everybody is in exactly one room, with those that the server put there. */
const untilGrouped = async (occasion: Occasion, groups: ReadonlyArray<ReadonlyArray<Caller>>): Promise<void> => {
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
      const found = (await house.livekit.people(occasion.event.id)).map(({ names }) => names.join(" ")).toSorted()
      return JSON.stringify(found) === JSON.stringify(wanted)
    },
    `the rooms ${wanted.join(", ")}`,
  )
  await Promise.all(groups.map(untilTogether))
}

/** Of a round, by the partners that the pages name. */
const groupsOf = async (callers: ReadonlyArray<Caller>): Promise<ReadonlyArray<ReadonlyArray<Caller>>> => {
  const pair: Caller[] = []
  await eventually(async () => {
    pair.length = 0
    for (const caller of callers) if (await caller.page.getByText(/^You are meeting /).isVisible()) pair.push(caller)
    return pair.length === 2
  }, "a pair")
  return [pair, callers.filter((one) => !pair.includes(one))]
}

/** Presses both buttons of a person who has microphone and camera on, or both off. */
const toggleBoth = async ({ page }: Caller, isOn: boolean): Promise<void> => {
  for (const name of ["Microphone", "Camera"]) {
    await page.getByRole("button", { name }).click()
    await page.getByRole("button", { name, pressed: isOn }).waitFor()
  }
}

const BOTH = ["CAMERA", "MICROPHONE"]
const MUTED = ["MICROPHONE (muted)"]

const untilSent = (occasion: Occasion, wanted: { readonly [name: string]: ReadonlyArray<string> }): Promise<unknown> =>
  expect.poll(() => house.livekit.sent(mainRoomOf(occasion))).toEqual(wanted)

const expectReplaced = async ({ page }: Caller): Promise<void> => {
  await page.getByRole("button", { name: "Try again" }).waitFor()
  expect(await page.getByText("You are in this call in another window.").isVisible()).toBe(true)
}

const connectionsOf = ({ page }: Caller): Promise<number> => page.evaluate(() => window.seen.length)

const nextPhase = (host: GatewayClient) =>
  host.command("phase.next", { phaseId: host.state?.phases.find(({ status }) => status === "active")?.id ?? "" })

test("a call follows three people through breakouts and two rounds of a rotation and back, without a press, and overlaps", async () => {
  const occasion = await occasionIn(
    house,
    ["meeting", "breakout", "rotation", "meeting"].map((modality) => ({ modality, featureSet: [] })),
  )
  const host = await connectClient(occasion, "Hedy")
  const callers = await callersAt(occasion, ["Ann", "Ben", "Cat"])
  await untilGrouped(occasion, [callers])
  const moved = async (groups: () => Promise<ReadonlyArray<ReadonlyArray<Caller>>>): Promise<void> => {
    await untilGrouped(occasion, await groups())
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
  await untilGrouped(occasion, first)
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

test("a LiveKit that is killed is said on the page, and everybody is in again within seconds of its return, as they chose meanwhile", async () => {
  const occasion = await occasionIn(house, [MEETING])
  const callers = await callersAt(occasion, ["Ann", "Ben"])
  const [ann, ben] = callers as [Caller, Caller]
  await untilTogether(callers)
  await toggleBoth(ben, false)
  await untilSent(occasion, { Ann: BOTH, Ben: MUTED })
  await house.livekit.kill()
  for (const { page } of callers) await page.getByRole("status").getByText("Reconnecting").waitFor()
  await toggleBoth(ann, false)
  await toggleBoth(ben, true)
  // timed: the outage.
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
  await house.livekit.start(house.relay.url)
  const back = performance.now()
  await eventually(
    async () => (await house.livekit.people(occasion.event.id)).some(({ names }) => names.join(" ") === "Ann Ben"),
    "everybody in again",
  )
  // timed: the promise is five seconds.
  expect(performance.now() - back).toBeLessThan(RETURN_MS)
  for (const { page } of callers) await page.getByText("Reconnecting").waitFor({ state: "detached" })
  await untilSeen(ann, "Ben")
  await untilSent(occasion, { Ann: MUTED, Ben: BOTH })
  await ben.page.getByRole("listitem").filter({ hasText: "Ann (without a microphone)" }).waitFor()
  expect(await ben.page.locator('video[aria-label="Ann"]').count()).toBe(0)
})

test("a person whom LiveKit disconnects, and who has a seat, is in again, also muted as before", async () => {
  const occasion = await occasionIn(house, [MEETING])
  const host = await connectClient(occasion, "Hedy")
  const callers = await callersAt(occasion, ["Ann", "Ben"])
  const [ann, ben] = callers as [Caller, Caller]
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

test("a person who joins with a seat that they have had for too long gets a fresh one first", async () => {
  const occasion = await occasionIn(house, [MEETING])
  const ben = await callerAt(occasion, "Ben")
  const [given, used]: [string[], string[]] = [[], []]
  let beats = 0
  const page = await visitorAt(occasion, "Ann", {
    prepare: async (page) => {
      page.on("websocket", (socket) => used.push(...new URL(socket.url()).searchParams.getAll("access_token")))
      // By the server's clock, as this page gets to know it, each seat is two minutes old.
      await page.routeWebSocket(/\/v1\/gateway/, (socket) => {
        socket.connectToServer().onMessage((message) => {
          const frame = JSON.parse(String(message))
          for (const [, token = ""] of String(message).matchAll(/"token":"([^"]+)"/g)) given.push(token)
          if (frame.op !== OP.heartbeatAck) {
            socket.send(message)
            return
          }
          const { t1, t2, ...more } = frame.d
          socket.send(JSON.stringify({ ...frame, d: { ...more, t1: t1 + SEAT_MS, t2: t2 + SEAT_MS } }))
          beats++
        })
      })
    },
  })
  await eventually(() => beats > 0, "the page knowing the server's clock")
  const old = [...given]
  expect(old).not.toEqual([])
  await join(page)
  await untilTogether([ben, { page, name: "Ann" }])
  expect(used).not.toEqual([])
  expect(old.filter((token) => used.includes(token))).toEqual([])
})

test("a window that another one of the same person replaces says so, and comes back by a press alone", async () => {
  const occasion = await occasionIn(house, [MEETING, MEETING, MEETING])
  const host = await connectClient(occasion, "Hedy")
  const [first, ben] = (await callersAt(occasion, ["Ann", "Ben"])) as [Caller, Caller]
  await untilTogether([first, ben])
  const second = await anotherWindowOf(occasion, first)
  await expectReplaced(first)
  await untilTogether([second, ben])
  const before = await connectionsOf(first)
  await nextPhase(host)
  await host.command("announce", { text: "Another room" })
  // What came to it before this has been dealt with, and its seat in the other room too.
  await first.page.getByText("Another room").waitFor()
  await untilTogether([second, ben])
  await expectReplaced(first)
  expect(await connectionsOf(first)).toBe(before)
  await first.page.getByRole("button", { name: "Try again" }).click()
  await expectReplaced(second)
  await untilTogether([first, ben])
  await nextPhase(host)
  await untilGrouped(occasion, [[first, ben]])
  await second.page.getByRole("button", { name: "Leave the call" }).click()
  await join(second.page)
  await expectReplaced(first)
  await untilTogether([second, ben])
})
