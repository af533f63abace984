/** How breakouts end: closed with grace, by their own timer or their phase's, given more time, and over a kill. */
import { expect, test } from "vitest"
import type { PhaseConfig } from "../../src/model/phase.ts"
import { toMillis } from "../../src/model/timestamp.ts"
import type { Frame } from "./client.ts"
import { crowd, readyOf, received } from "./crowd.ts"
import { type House, openHouse, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

const NAMES = ["p0", "p1", "p2", "p3"]

const staged = async (of: House, config: PhaseConfig = {}) => {
  const stage = await of.stage([{ modality: "breakout", config }, { modality: "meeting" }])
  const host = await of.join(stage, "host", "host")
  const clients = await crowd(of, stage, NAMES)
  return { stage, host, client: clients[0] }
}

/** Opens rooms; `ago`: milliseconds that pass then, so that a timer falls due sooner. */
const openRooms = async (of: House, stage: Stage, durationMs?: number, ago = 0): Promise<Frame> => {
  const { result } = await of.actors.execute(stage.eventId, {
    type: "breakout.plan",
    d: { strategy: "balanced", size: 2 },
  })
  const { id: planId } = (result as Frame).plan
  const d = durationMs === undefined ? { planId } : { planId, durationMs }
  const opened = await of.actors.execute(stage.eventId, { type: "breakout.open", d })
  of.actors.clock.jump(ago)
  return opened.result
}

const plus = (time: string, ms: number) => new Date(toMillis(time) + ms).toISOString()

test("closing warns, takes nobody in meanwhile, can be brought forward, and then all are back", async () => {
  const { stage, host, client } = await staged(house)
  const { breakout } = await openRooms(house, stage)
  const told = await client.dispatch("assignment.updated")
  const { d } = await host.command("breakout.close", { graceMs: 600_000 })
  expect((await client.dispatch("breakout.closing")).d.breakout).toEqual(d.breakout)
  expect((await readyOf(house, stage, "p0")).breakout.closesAt).toBe(d.breakout.closesAt)
  const [late] = await crowd(house, stage, ["late"])
  await host.next(({ t, d: diff }) => t === "presence.diff" && JSON.stringify(diff).includes("late"))
  expect((await host.command("breakout.close", { graceMs: 600_000 })).d).toEqual(d)
  const sooner = await host.command("breakout.close", { graceMs: 200 })
  expect(toMillis(sooner.d.breakout.closesAt)).toBeLessThan(toMillis(d.breakout.closesAt))
  expect((await received(client, "assignment.ended")).d).toMatchObject({ roomId: told.d.roomId })
  expect((await received(client, "breakout.closed")).d).toEqual({ id: breakout.id })
  expect(late.received.some(({ t }) => t === "assignment.updated")).toBe(false)
  expect(await readyOf(house, stage, "p0")).toMatchObject({ breakout: null, rooms: [], assignment: null })
})

test("a breakout's own timer is drawn, warns, elapses into the grace, and more time keeps the rooms open", async () => {
  const { stage, host, client } = await staged(house)
  const { breakout } = await openRooms(house, stage, 61_000, 1000)
  const { timer } = (await client.dispatch("timer.updated")).d
  expect(timer).toMatchObject({ id: breakout.id, scope: "room", state: "running", endsAt: breakout.endsAt })
  expect((await readyOf(house, stage, "p0")).timers).toEqual([timer])
  expect((await client.dispatch("timer.warning")).d).toEqual({ timerId: breakout.id, remainingMs: 60_000 })
  await host.command("breakout.close", { graceMs: 0 })
  expect((await client.dispatch("timer.updated")).d.timer.state).toBe("cancelled")

  const short = (await openRooms(house, stage, 10_000, 10_000)).breakout
  expect((await client.dispatch("timer.elapsed")).d).toMatchObject({ timerId: short.id, timer: { state: "elapsed" } })
  const longer = await host.command("timer.extend", { timerId: short.id, seconds: 60 })
  expect(longer.d.timer).toMatchObject({ state: "running", extendedMs: 60_000 })
  const updated = await client.dispatch("breakout.updated")
  expect(updated.d.breakout).toMatchObject({ closesAt: null, endsAt: longer.d.timer.endsAt })
  expect((await readyOf(house, stage, "p0")).assignment.endsAt).toBe(longer.d.timer.endsAt)
})

test("without a timer of its own a breakout ends with its phase's, also after that was extended", async () => {
  const { stage, client, host } = await staged(house, { durationSeconds: 600 })
  const { breakout } = await openRooms(house, stage)
  const told = await client.dispatch("assignment.updated")
  expect(told.d.endsAt).toBe(breakout.endsAt)
  await host.command("timer.extend", { timerId: stage.phaseIds[0] ?? "", seconds: 60 })
  const later = plus(breakout.endsAt, 60_000)
  expect((await client.dispatch("breakout.updated")).d.breakout.endsAt).toBe(later)
  expect(await readyOf(house, stage, "p0")).toMatchObject({
    assignment: { endsAt: later },
    breakout: { endsAt: later },
  })
})

test("after a kill rooms, places, timer and grace go on", async () => {
  let isOwner = true
  const first = await openHouse({}, { holds: () => isOwner })
  const { stage, host, client } = await staged(first)
  const { breakout, rooms } = await openRooms(first, stage, 600_000)
  const told = await client.dispatch("assignment.updated")
  await host.command("breakout.move", { id: "p1", roomId: rooms[0].id })
  const before = await readyOf(first, stage, "p0")
  isOwner = false
  const second = await openHouse({}, { node: "second" }, first.databaseUrl)
  try {
    const after = await readyOf(second, stage, "p0")
    for (const part of ["breakout", "rooms", "assignment", "timers", "epoch"]) expect(after[part]).toEqual(before[part])
    const again = await second.join(stage, "p0")
    const steering = await second.join(stage, "host", "host")
    const word = { text: "We are back.", targets: [told.d.roomId] }
    expect(await steering.command("announce", word, { id: "word" })).toMatchObject({ ok: true })
    expect((await again.dispatch("announcement")).st).toBe(`room:${told.d.roomId}`)
    await steering.command("breakout.close", { graceMs: 60_000 }, { id: "close" })
    const third = await openHouse({}, { node: "third" }, first.databaseUrl)
    try {
      const last = await third.join(stage, "p0")
      third.actors.clock.jump(60_000)
      await received(last, "assignment.ended")
      expect((await received(last, "breakout.closed")).d).toEqual({ id: breakout.id })
    } finally {
      await third.stop()
    }
  } finally {
    await second.stop()
    await first.stop()
  }
})
