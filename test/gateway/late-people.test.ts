/** People who come when rooms of a size are full: they wait for each other, over real sockets, a crash and a move of the event. */
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { eventually } from "../support/wait.ts"
import type { Frame } from "./client.ts"
import { crowd, readyOf, received, untilAnnounced } from "./crowd.ts"
import { type House, openHouse, openMortalHouse, type Stage } from "./house.ts"

/** So long that nobody's wait ends by the machine's time. */
const WAIT_MS = 600_000
const PATIENT = { roomWaitMs: WAIT_MS }

const PAIRS = [{ modality: "breakout", config: { roomSize: 2 } }] as const

/** A pair in its room, and the host. */
const withPair = async (of: House) => {
  const stage = await of.stage(PAIRS)
  const host = await of.join(stage, "host", "host")
  const clients = await crowd(of, stage, ["p0", "p1"])
  for (const who of ["p0", "p1"]) await eventually(async () => (await roomOf(of, stage, who)) !== null, `${who} seated`)
  return { stage, host, clients }
}

const roomOf = async (of: House, stage: Stage, who: string): Promise<string | null> =>
  (await readyOf(of, stage, who)).assignment?.roomId ?? null

const countsOf = async (of: House, stage: Stage): Promise<ReadonlyArray<number>> =>
  (await readyOf(of, stage, "host", "host")).rooms.map(({ count }: Frame) => count)

/** As `gathercue inspect` shows it. */
const waits = async (of: House, { eventId }: Stage): Promise<ReadonlyArray<{ readonly about: string | null }>> => {
  const { deadlines } = await of.actors.run(Effect.flatMap(LiveEvents, (live) => live.inspect(eventId)))
  return deadlines.filter(({ name }) => name === "room.wait")
}
const untilWaiting = (of: House, stage: Stage): Promise<void> =>
  eventually(async () => (await waits(of, stage)).length === 1, "somebody waiting")

test("who finds no place is in the main room, sits down with those who are there after the wait, and the next room opens for others", async () => {
  const own = await openHouse({}, PATIENT)
  onTestFinished(() => own.stop())
  const { stage } = await withPair(own)
  const [late] = await crowd(own, stage, ["late"])
  await untilWaiting(own, stage)
  const ready = await readyOf(own, stage, "late")
  expect(ready).toMatchObject({ assignment: null, me: { roomId: null } })
  expect(await waits(own, stage)).toMatchObject([{ about: ready.breakout.id }])
  own.actors.clock.jump(WAIT_MS)
  const told = await received(late, "assignment.updated")
  expect(told.d.roomId).toBe(await roomOf(own, stage, "p0"))
  expect(await countsOf(own, stage)).toEqual([3])
  // The room has one person more than its size: the next one to come alone opens another.
  const [later] = await crowd(own, stage, ["later"])
  await untilWaiting(own, stage)
  own.actors.clock.jump(WAIT_MS)
  expect((await received(later, "assignment.updated")).d.name).toBe("Room 2")
  expect(await countsOf(own, stage)).toEqual([3, 1])
  expect(await waits(own, stage)).toEqual([])
})

test("the wait goes on after a crash in the middle of it", async () => {
  const { house: mortal, kill } = await openMortalHouse({}, PATIENT)
  const { stage } = await withPair(mortal)
  const before = await readyOf(mortal, stage, "p0")
  await crowd(mortal, stage, ["late"])
  // Commits after the crash are refused, so the event must have stored that they wait and that they are there.
  await untilAnnounced(mortal, stage, ["late"])
  await untilWaiting(mortal, stage)
  await kill()
  const after = await openHouse({}, PATIENT, mortal.databaseUrl)
  onTestFinished(() => after.stop())
  const late = await after.join(stage, "late")
  after.actors.clock.jump(WAIT_MS)
  await eventually(async () => (await roomOf(after, stage, "late")) === before.assignment.roomId, "late being seated")
  expect(await waits(after, stage)).toEqual([])
  expect(late.received.find(({ t }) => t === "ready").d.breakout.id).toBe(before.breakout.id)
})
