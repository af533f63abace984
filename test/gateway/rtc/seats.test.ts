/** Seats in calls between browsers, where there is no media server, and the refusal of such calls where there is one. */
import { Redacted } from "effect"
import { expect, test } from "vitest"
import { eventually } from "../../support/wait.ts"
import { crowd, held, received } from "../crowd.ts"
import { openHouse, sharedHouse } from "../house.ts"
import { breakoutOf, joinCall } from "./call.ts"

const house = sharedHouse()

const mesh = (roomId: unknown) => ({ provider: "mesh", roomId })

test("participants and staff of a meeting have the seat of its main room, viewers have none", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  for (const role of ["participant", "host"] as const) {
    const client = await house.join(stage, role, role)
    expect((await received(client, "ready")).d.media).toEqual(mesh(stage.phaseIds[0]))
  }
  const viewer = await house.join(stage, "viewer", "viewer")
  expect((await received(viewer, "ready")).d.media).toBeUndefined()
})

test("each phase brings its own seat, or none, to everybody", async () => {
  const stage = await house.stage(
    [{ modality: "meeting" }, { modality: "breakout" }, { modality: "rotation" }, { modality: "broadcast" }],
    "scheduled",
  )
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const ann = await house.join(stage, "ann")
  await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  for (const seat of [mesh(stage.phaseIds[0]), mesh(stage.phaseIds[1]), null, null]) {
    expect((await ann.dispatch("me.updated")).d.media).toEqual(seat)
    await host.command("phase.next")
  }
})

test("an assignment carries the seat in its room: live, in a new ready and in a replay", async () => {
  const { stage, host, clients, rooms } = await breakoutOf(house, ["a", "b"])
  const [client] = clients
  if (client === undefined) throw new Error("nobody came")
  expect((await received(client, "assignment.updated")).d.media).toEqual(mesh(rooms[0]))
  const tab = await house.join(stage, "a")
  const { d } = await received(tab, "ready")
  expect([d.media, d.assignment.media]).toEqual([mesh(stage.phaseIds[0]), mesh(rooms[0])])
  const { epoch, cursors } = held(client)
  await client.cut()
  await host.command("breakout.move", { id: "a", roomId: null })
  await host.command("breakout.move", { id: "a", roomId: rooms[0] })
  const back = house.connect()
  const ready = await back.identify(await house.token(stage, "a"), { epoch, cursors: { ...cursors, me: 0 } })
  await back.dispatch("caughtUp")
  expect(ready.d).toMatchObject({ resumed: true, media: mesh(stage.phaseIds[0]) })
  const assignments = () => back.ordered("me").filter(({ t }) => t === "assignment.updated")
  await eventually(() => assignments().length === 2, "both assignments, replayed or live")
  expect(assignments().map(({ d }) => d.media)).toEqual([mesh(rooms[0]), mesh(rooms[0])])
})

test("a round carries the seat in its room", async () => {
  const stage = await house.stage([{ modality: "rotation" }])
  const host = await house.join(stage, "host", "host")
  const [client] = await crowd(house, stage, ["p0", "p1"])
  expect((await received(client, "ready")).d.media).toBeUndefined()
  await host.command("rotation.start", { roundSeconds: 600, rounds: 1 })
  const { d } = await received(client, "rotation.round")
  expect(d.media).toEqual(mesh(d.roomId))
})

test("where there is a media server, its seats are given and calls between browsers are refused", async () => {
  const media = {
    url: "wss://media.example.com",
    apiKey: "key",
    apiSecret: Redacted.make("a secret, long enough, really"),
  }
  const other = await openHouse({ media })
  try {
    const stage = await other.stage([{ modality: "meeting" }])
    const client = await other.join(stage, "ann")
    expect((await received(client, "ready")).d.media).toMatchObject({ provider: "livekit" })
    expect(await joinCall(client, stage.phaseIds[0] ?? "")).toMatchObject({ ok: false, e: { code: "conflict" } })
  } finally {
    await other.stop()
  }
})
