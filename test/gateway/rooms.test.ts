/** The streams of rooms: their receivers, their beginning and end, and resuming from one. */
import { expect, test } from "vitest"
import type { Client, Frame } from "./client.ts"
import { crowd, held, received } from "./crowd.ts"
import { type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

/** Two rooms, which participants choose. */
const rooms = async () => {
  const stage = await house.stage([{ modality: "breakout" }])
  const host = await house.join(stage, "host", "host")
  const [a, b] = await crowd(house, stage, ["a", "b"])
  const planned = await host.command("breakout.plan", { strategy: "self", rooms: ["Red", "Blue"] })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  const [red, blue] = d.rooms.map(({ id }: Frame) => id) as [string, string]
  return { stage, host, a, b: b as Client, red, blue }
}

const say = (host: Client, text: string, ...targets: ReadonlyArray<string>) =>
  host.command("announce", targets.length === 0 ? { text } : { text, targets })

const isText = (text: string) => (d: Frame) => d.text === text

const textsIn = (client: Client, room: string) => client.ordered(`room:${room}`).map(({ d }) => d.text)

const back = async (stage: Stage, resume: object) => {
  const client = house.connect()
  const ready = await client.identify(await house.token(stage, "a"), resume)
  return { client, ready }
}

test("a room's stream reaches those in it alone, in all their tabs, from their arrival on", async () => {
  const { stage, host, a, b, red, blue } = await rooms()
  const tab = await house.join(stage, "a")
  await say(host, "before", red)
  await a.command("room.choose", { roomId: red })
  await b.command("room.choose", { roomId: blue })
  await say(host, "within", red)
  for (const client of [a, tab]) {
    await received(client, "announcement", isText("within"))
    expect((await received(client, "subscribed")).d).toEqual({ cursors: { [`room:${red}`]: 1 }, dropped: [] })
    expect(textsIn(client, red)).toEqual(["within"])
  }
  await say(host, "everyone")
  await received(b, "announcement", isText("everyone"))
  await received(host, "announcement", isText("everyone"))
  for (const client of [b, host]) expect(textsIn(client, red)).toEqual([])
})

test("a participant who moves receives the new room and no longer the old one, but all of their time in it", async () => {
  const { host, a, red, blue } = await rooms()
  await a.command("room.choose", { roomId: red })
  await say(host, "last words", red)
  await host.command("breakout.move", { id: "a", roomId: blue })
  const moved = await received(a, "subscribed", ({ dropped }) => dropped.length > 0)
  expect(moved.d).toEqual({ cursors: { [`room:${blue}`]: 0 }, dropped: [`room:${red}`] })
  await say(host, "old room", red)
  await say(host, "new room", blue)
  await received(a, "announcement", isText("new room"))
  await a.command("room.return")
  await received(a, "subscribed", ({ cursors }) => Object.keys(cursors).length === 0)
  await say(host, "nobody here", blue)
  await say(host, "everyone")
  await received(a, "announcement", isText("everyone"))
  expect([textsIn(a, red), textsIn(a, blue)]).toEqual([["last words"], ["new room"]])
})

test("the room's cursor is resumed from exactly; another room's is not", async () => {
  const { stage, host, a, red, blue } = await rooms()
  await a.command("room.choose", { roomId: red })
  await say(host, "received", red)
  await received(a, "announcement", isText("received"))
  await received(a, "assignment.updated")
  const resume = held(a)
  expect(resume.cursors[`room:${red}`]).toBe(1)
  await a.cut()
  await say(host, "missed", red)
  const { client, ready } = await back(stage, resume)
  expect(ready.d).toMatchObject({ resumed: true, me: { roomId: red } })
  await received(client, "announcement", isText("missed"))
  expect(textsIn(client, red)).toEqual(["missed"])
  await client.cut()
  await host.command("breakout.move", { id: "a", roomId: blue })
  const other = await back(stage, resume)
  expect(other.ready.d).toMatchObject({ resumed: false, reason: "gap", me: { roomId: blue } })
  expect(Object.keys(other.ready.d.cursors).toSorted()).toEqual(["event", "me", "people", `room:${blue}`].toSorted())
  await say(host, "welcome", blue)
  await received(other.client, "announcement", isText("welcome"))
})

test("a heartbeat names the head of the room one is in", async () => {
  const { host, a, red } = await rooms()
  await a.command("room.choose", { roomId: red })
  await say(host, "one", red)
  await received(a, "announcement", isText("one"))
  a.send({ op: 1, d: { t0: 0 } })
  expect((await a.next(({ op }) => op === 11)).d.heads[`room:${red}`]).toBe(1)
})

test("reactions reach the sender's room; a participant without a room cannot react, and staff react everywhere", async () => {
  const stage = await house.stage([{ modality: "breakout", featureSet: ["reactions"] }])
  const host = await house.join(stage, "host", "host")
  const [a, b] = await crowd(house, stage, ["a", "b"])
  const react = (client: Client, kind: string) => client.command("reaction.send", { kind })
  const isKind = (kind: string) => (d: Frame) => d.counts[kind] !== undefined
  expect((await react(a, "sad")).e.code).toBe("conflict")
  const { plan } = (await host.command("breakout.plan", { strategy: "self", rooms: ["Red", "Blue"] })).d
  const { d } = await host.command("breakout.open", { planId: plan.id })
  await a.command("room.choose", { roomId: d.rooms[0].id })
  // The reply may come before the gateway of another node knows of the room.
  await received(a, "assignment.updated")
  expect((await react(a, "clap")).ok).toBe(true)
  await received(a, "reaction.tally", isKind("clap"))
  expect((await react(b as Client, "sad")).e.code).toBe("conflict")
  expect((await react(host, "fire")).ok).toBe(true)
  for (const client of [a, b as Client]) await received(client, "reaction.tally", isKind("fire"))
  for (const client of [b as Client, host]) {
    expect(client.received.some(({ t, d: said }) => t === "reaction.tally" && said.counts.clap !== undefined)).toBe(
      false,
    )
  }
})
