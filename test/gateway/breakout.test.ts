import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import type { Client, Frame } from "./client.ts"
import { crowd, presentAt, readyOf, received, untilGone, untilPresent } from "./crowd.ts"
import { type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

const BREAKOUT = [{ modality: "breakout" }] as const

const names = (count: number, prefix = "p") => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

interface Opened {
  readonly stage: Stage
  readonly host: Client
  readonly clients: readonly [Client, ...Client[]]
  readonly breakout: Frame
  readonly rooms: ReadonlyArray<Frame>
}

/** People in rooms, as planned. */
const opened = async (people: number, plan: object, more: object = {}): Promise<Opened> => {
  const stage = await house.stage(BREAKOUT)
  const host = await house.join(stage, "host", "host")
  const clients = await crowd(house, stage, names(people))
  const planned = await host.command("breakout.plan", { strategy: "balanced", ...plan })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id, ...more })
  return { stage, host, clients, breakout: d.breakout, rooms: d.rooms }
}

const countsIn = (ready: Frame) => ready.rooms.map(({ count }: Frame) => count)

const roomOf = async (stage: Stage, who: string): Promise<string | null> =>
  (await readyOf(house, stage, who)).assignment?.roomId ?? null

/** Of a newcomer: in `ready`, or dispatched after it. */
const placeOf = async (client: Client): Promise<Frame> => {
  const { assignment } = client.received.find(({ t }) => t === "ready").d
  return assignment ?? (await client.dispatch("assignment.updated")).d
}

test("rooms open as planned: everyone gets their assignment and the room's stream, and newcomers see all of it", async () => {
  const stage = await house.stage(BREAKOUT)
  const host = await house.join(stage, "host", "host")
  const viewer = await house.join(stage, "viewer", "viewer")
  const clients = await crowd(house, stage, names(7))
  const plan = { strategy: "balanced", size: 2, seed: 7 }
  const first = await host.command("breakout.plan", plan)
  const again = await host.command("breakout.plan", plan)
  expect(again.d.plan.rooms).toEqual(first.d.plan.rooms)
  expect(first.d.plan.rooms.map(({ people }: Frame) => people.length)).toEqual([3, 2, 2])
  expect(first.d.plan.notes).toEqual([
    { code: "fewer_rooms", text: "There are fewer rooms than the size asks for, so that nobody sits alone." },
  ])
  const { d } = await host.command("breakout.open", { planId: again.d.plan.id })
  expect(d.rooms.map(({ name, count }: Frame) => [name, count])).toEqual([
    ["Room 1", 3],
    ["Room 2", 2],
    ["Room 3", 2],
  ])
  for (const [index, client] of clients.entries()) {
    const place = first.d.plan.rooms.findIndex(({ people }: Frame) => people.includes(`p${index}`))
    const roomId = d.rooms[place].id
    const told = await client.dispatch("assignment.updated")
    expect(told).toMatchObject({ st: "me", d: { roomId, name: `Room ${place + 1}`, endsAt: null } })
    expect(client.received.find(({ t }) => t === "subscribed").d).toEqual({
      cursors: { [`room:${roomId}`]: 0 },
      dropped: [],
    })
    const ready = await readyOf(house, stage, `p${index}`)
    expect(ready).toMatchObject({ breakout: d.breakout, rooms: d.rooms, me: { roomId } })
    expect(ready.assignment).toEqual(told.d)
    expect(ready.cursors[`room:${roomId}`]).toBe(0)
  }
  expect((await viewer.dispatch("breakout.opened")).d.rooms).toEqual(d.rooms)
  for (const [who, role] of [
    ["viewer", "viewer"],
    ["host", "host"],
  ] as const) {
    expect(await readyOf(house, stage, who, role)).toMatchObject({ assignment: null, me: { roomId: null } })
  }
})

test("the next phase brings everyone back", async () => {
  const stage = await house.stage([{ modality: "breakout", config: { roomSize: 2 } }, { modality: "meeting" }])
  const host = await house.join(stage, "host", "host")
  const [client] = await crowd(house, stage, names(2))
  const { roomId } = await placeOf(client)
  await host.command("phase.next")
  await received(client, "assignment.ended")
  const { d: moved } = await received(client, "subscribed", ({ dropped }) => dropped.length > 0)
  expect(moved).toEqual({ cursors: {}, dropped: [`room:${roomId}`] })
  expect(await readyOf(house, stage, "p0")).toMatchObject({ assignment: null, breakout: null, rooms: [] })
})

test("late joiners go where fewest are, ask, or stay, as the host has it", async () => {
  for (const [late, seated] of [
    ["leastLoaded", true],
    ["ask", false],
    ["main", false],
  ] as const) {
    const { stage, rooms } = await opened(5, { size: 3 }, { late })
    expect(rooms.map(({ count }) => count)).toEqual([3, 2])
    const [joiner] = await crowd(house, stage, ["late"])
    if (seated) expect((await placeOf(joiner)).roomId).toBe(rooms[1].id)
    else expect(await roomOf(stage, "late")).toBeNull()
    const choice = await joiner.command("room.choose", { roomId: rooms[1].id })
    if (late === "ask") expect(choice.d).toMatchObject({ participantId: "late", roomId: rooms[1].id })
    if (late === "main") expect(choice.e.code).toBe("forbidden")
  }
})

test("late joiners fill the emptiest of the rooms that were asked for", async () => {
  const { stage, host } = await opened(2, { rooms: 3 })
  expect(countsIn(await readyOf(house, stage, "host", "host"))).toEqual([1, 1, 0])
  for (const [who, filled] of [
    ["l0", 1],
    ["l1", 2],
    ["l2", 2],
    ["l3", 2],
  ] as const) {
    await crowd(house, stage, [who])
    await host.next(({ t, d }) => t === "room.updated" && d.room.count === filled, `${who} in a room`)
  }
  expect(countsIn(await readyOf(house, stage, "host", "host"))).toEqual([2, 2, 2])
})

test("people who shared a room are not put together again while there are others", async () => {
  const { stage, host } = await opened(8, { size: 2 })
  const pairs = (rooms: ReadonlyArray<Frame>): string[] => rooms.map(({ people }) => [...people].sort().join(" "))
  const rows = await house.actors.sql<{ body: Frame }[]>`
    select body from live_records where event_id = ${stage.eventId} and kind = 'plan'`
  await host.command("breakout.close", { graceMs: 0 })
  const met = new Set(rows.flatMap(({ body }) => pairs(body.rooms)))
  expect(met.size).toBe(4)
  for (let seed = 0; seed < 20; seed++) {
    const { plan } = (await host.command("breakout.plan", { size: 2, strategy: "balanced", seed })).d
    expect(pairs(plan.rooms).filter((pair) => met.has(pair))).toEqual([])
  }
})

test("pairs stay pairs when people come together after the phase began, and who is left alone is joined first", async () => {
  const stage = await house.stage([{ modality: "breakout", config: { roomSize: 2 } }])
  const host = await house.join(stage, "host", "host")
  const clients: Client[] = []
  for (const pair of [
    ["p0", "p1"],
    ["p2", "p3"],
    ["p4", "p5"],
  ]) {
    const two = await crowd(house, stage, pair)
    for (const client of two) await placeOf(client)
    clients.push(...two)
  }
  expect(countsIn(await readyOf(house, stage, "host", "host"))).toEqual([2, 2, 2])
  expect(host.received.some(({ t, d }) => t === "room.updated" && d.room.count > 2)).toBe(false)
  await clients[0]?.command("leave")
  await untilGone(house, stage, "p0")
  const [late] = await crowd(house, stage, ["late"])
  expect((await placeOf(late)).roomId).toBe(await roomOf(stage, "p1"))
})

test("a participant of the plan gets the place when they come; one to be placed by hand is not seated by a reload", async () => {
  const { stage, host, rooms } = await opened(2, { strategy: "manual", rooms: ["Red", "Blue"], pinned: { later: 1 } })
  expect(rooms.map(({ name, count }) => [name, count])).toEqual([
    ["Red", 0],
    ["Blue", 0],
  ])
  const [later] = await crowd(house, stage, ["later"])
  expect(await placeOf(later)).toMatchObject({ roomId: rooms[1].id, name: "Blue" })
  const [again] = await crowd(house, stage, ["p0", "marker"])
  // The marker came in the same flush or a later one, and is a late joiner.
  await host.next(({ t, d }) => t === "room.updated" && d.room.id === rooms[0].id && d.room.count === 1)
  expect(again.received.some(({ t }) => t === "assignment.updated")).toBe(false)
  expect(await roomOf(stage, "p0")).toBeNull()
})

test("a participant who comes back has their room, after a reload and after a while", async () => {
  const { stage, host, clients } = await opened(4, { size: 2 })
  const { d } = (await clients[0].dispatch("assignment.updated")) ?? {}
  await clients[0].cut()
  expect((await readyOf(house, stage, "p0")).assignment).toEqual(d)
  await untilGone(house, stage, "p0")
  const [late] = await crowd(house, stage, ["late"])
  await placeOf(late)
  const back = await house.join(stage, "p0")
  expect(back.received.find(({ t }) => t === "ready").d.assignment).toEqual(d)
  await host.command("announce", { text: "Welcome back.", targets: [d.roomId] })
  expect((await back.dispatch("announcement")).st).toBe(`room:${d.roomId}`)
})

test("hosts move people, also absent ones, and bring them back; nobody else, and nobody who only watches", async () => {
  const { stage, host, clients, rooms } = await opened(4, { size: 2 })
  const [red, blue] = rooms.map(({ id }) => id)
  const { d } = (await clients[0].dispatch("assignment.updated")) ?? {}
  const other = d.roomId === red ? blue : red
  const moved = await host.command("breakout.move", { id: "p0", roomId: other }, { id: "move" })
  expect(moved.d).toMatchObject({ participantId: "p0", roomId: other, room: { count: 3 } })
  expect(await host.command("breakout.move", { id: "p0", roomId: other }, { id: "move" })).toMatchObject({ dup: true })
  expect((await clients[0].dispatch("assignment.updated")).d.roomId).toBe(other)
  await clients[0].cut()
  await untilGone(house, stage, "p0")
  await host.command("breakout.move", { id: "p0", roomId: d.roomId })
  expect(await roomOf(stage, "p0")).toBe(d.roomId)
  await host.command("breakout.move", { id: "p0", roomId: null })
  const back = await house.join(stage, "p0")
  await untilPresent(house, stage, ["p0"])
  await crowd(house, stage, ["marker"])
  await host.next((frame) => frame.t === "presence.diff" && JSON.stringify(frame.d).includes("marker"))
  expect(await roomOf(stage, "p0")).toBeNull()
  expect((await back.command("room.choose", { roomId: other })).e.code).toBe("forbidden")
  expect((await back.command("room.choose", { roomId: d.roomId })).ok).toBe(true)
  await house.join(stage, "watcher", "viewer")
  await untilPresent(house, stage, ["watcher"])
  expect((await host.command("breakout.move", { id: "watcher", roomId: red })).e.code).toBe("conflict")
  expect((await host.command("breakout.move", { id: "nobody", roomId: red })).e.code).toBe("not_found")
  expect((await host.command("breakout.move", { id: "p1", roomId: newId() })).e.code).toBe("not_found")
  expect((await back.command("breakout.move", { id: "p1", roomId: red })).e.code).toBe("forbidden")
})

test("rooms are chosen where people choose; one leaves for the main room and finds the way back, and calls for help", async () => {
  const { stage, host, clients, rooms } = await opened(2, { strategy: "self", rooms: ["Red", "Blue"] })
  const [client] = clients
  const [red, blue] = rooms.map(({ id }) => id)
  expect(await presentAt(house, stage)).toContain("p0")
  expect((await client.command("room.help", { text: "Hello?" })).e.code).toBe("conflict")
  expect((await client.command("room.choose", { roomId: red })).d).toMatchObject({ room: { name: "Red", count: 1 } })
  await client.command("room.help", { text: "We are lost." })
  expect(await host.dispatch("room.help")).toMatchObject({
    st: "staff",
    d: { roomId: red, by: { participantId: "p0", name: "Name of p0" }, text: "We are lost." },
  })
  expect((await client.command("room.choose", { roomId: blue })).ok).toBe(true)
  expect((await client.command("room.return")).d).toEqual({ roomId: null })
  expect((await client.command("room.return")).e.code).toBe("conflict")
  expect((await client.dispatch("assignment.ended")).d.roomId).toBe(blue)
  expect((await readyOf(house, stage, "p0")).rooms.map(({ count }: Frame) => count)).toEqual([0, 0])
  expect((await client.command("room.choose", { roomId: newId() })).e.code).toBe("not_found")
})

test("a room that others entered meanwhile is not chosen by a participant who saw it empty", async () => {
  const { clients, rooms } = await opened(2, { rooms: ["Red"], strategy: "self" })
  const [first, second] = clients
  const { id: roomId, rev } = rooms[0]
  const { room } = (await first.command("room.choose", { roomId }, { rev })).d
  const late = await (second as Client).command("room.choose", { roomId }, { rev })
  expect(late).toMatchObject({ ok: false, e: { code: "conflict", current: { room } } })
  expect((await (second as Client).command("room.choose", { roomId }, { rev: room.rev })).d.room.count).toBe(2)
})

test("a muted participant calls for help without text", async () => {
  const { host, clients } = await opened(2, { rooms: 1 })
  await host.command("participant.mute", { id: "p0" })
  expect((await clients[0].command("room.help", { text: "Hear me" })).e.code).toBe("muted")
  expect((await clients[0].command("room.help")).ok).toBe(true)
  expect((await host.dispatch("room.help")).d).toMatchObject({ by: { participantId: "p0" }, text: null })
})

test("a host visits rooms, receives their streams, and leaves no record", async () => {
  const { stage, host, rooms } = await opened(4, { size: 2 })
  expect((await host.command("room.choose", { roomId: rooms[0].id })).d.room.count).toBe(3)
  await host.command("announce", { text: "Two minutes.", targets: [rooms[0].id] })
  expect((await host.dispatch("announcement")).st).toBe(`room:${rooms[0].id}`)
  await host.command("room.choose", { roomId: rooms[1].id })
  expect(countsIn(await readyOf(house, stage, "host", "host"))).toEqual([2, 3])
  await host.command("room.return")
  expect(await readyOf(house, stage, "host", "host")).toMatchObject({ assignment: null, me: { roomId: null } })
})

test("as many rooms open as were asked for, with one person each, and the plan has notes about it", async () => {
  const { stage, host, rooms } = await opened(3, { rooms: 4, pinned: { p0: 3 } })
  expect(rooms.map(({ count }) => count)).toEqual([1, 1, 0, 1])
  await house.join(stage, "viewer", "viewer")
  await untilPresent(house, stage, ["viewer"])
  const pinned = { rooms: 1, strategy: "balanced", pinned: { viewer: 0 } }
  const { plan } = (await host.command("breakout.plan", pinned)).d
  expect(plan.rooms.flatMap(({ people }: Frame) => people)).not.toContain("viewer")
  expect(plan.notes.map(({ code }: Frame) => code)).toEqual(["pin_ignored"])
  const codes = async (plan: object) =>
    (await host.command("breakout.plan", plan)).d.plan.notes.map(({ code }: Frame) => code)
  expect(await codes({ strategy: "balanced", rooms: 4 })).toEqual(["room_of_one", "empty_rooms"])
  expect(await codes({ strategy: "balanced", rooms: 1 })).toEqual([])
  expect(await codes({ strategy: "self", rooms: ["Red", "Blue"] })).toEqual(["self_unplaced"])
  expect(await codes({ strategy: "manual", rooms: 2, pinned: { p0: 7 } })).toEqual(["pin_ignored", "manual_unplaced"])
})
