/** Seats in the media server as they reach participants: read with the verifier of its own library. */
import { Deferred, Effect, Redacted } from "effect"
import { TokenVerifier } from "livekit-server-sdk"
import { expect, test } from "vitest"
import { NO_PHASE } from "../../src/actors/state/state.ts"
import type { Connection } from "../../src/gateway/connection/connection.ts"
import { ParticipantStates } from "../../src/gateway/connection/participant-states.ts"
import { MediaSeats } from "../../src/gateway/rtc/media-seats.ts"
import type { GatewayServices } from "../../src/gateway/services.ts"
import { mediaRoomOf } from "../../src/media/seats.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { crowd, held, received } from "./crowd.ts"
import { type Stage, sharedHouse } from "./house.ts"

const SECRET = "a secret of the media server's, long enough"
const URL = "wss://media.example.com"
const verifier = new TokenVerifier("key", SECRET)

const house = sharedHouse({ media: { url: URL, apiKey: "key", apiSecret: Redacted.make(SECRET) } })

/** The seat must be this participant's, in that room. */
const expectSeat = async (media: Frame, stage: Stage, who: string, roomId: string | null, phase = 0) => {
  expect(media).toMatchObject({ provider: "livekit", url: URL })
  const { sub, name, video } = await verifier.verify(media.token)
  expect([sub, name]).toEqual([who, `Name of ${who}`])
  expect(video).toEqual({
    room: mediaRoomOf({ eventId: stage.eventId, phaseId: stage.phaseIds[phase] ?? "", roomId }),
    roomJoin: true,
    canPublish: true,
    canSubscribe: true,
    canPublishData: false,
  })
}

const readyOf = (client: Client) => client.received.find(({ t }) => t === "ready").d

const breakout = async () => {
  const stage = await house.stage([{ modality: "breakout" }])
  const host = await house.join(stage, "host", "host")
  const clients = await crowd(house, stage, ["p0", "p1", "p2", "p3"])
  const planned = await host.command("breakout.plan", { strategy: "balanced", size: 2 })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  return { stage, host, client: clients[0], rooms: d.rooms.map(({ id }: Frame) => id) as ReadonlyArray<string> }
}

test("participants of the call have a seat in the main room, a host one that runs it; viewers have none", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  await expectSeat(readyOf(await house.join(stage, "p0")).media, stage, "p0", null)
  await expectSeat(readyOf(await house.join(stage, "h", "host")).media, stage, "h", null)
  expect(readyOf(await house.join(stage, "v", "viewer")).media).toBeUndefined()
  const show = await house.stage([{ modality: "broadcast" }])
  await expectSeat(readyOf(await house.join(show, "s", "speaker")).media, show, "s", null)
  expect(readyOf(await house.join(show, "p0")).media).toBeUndefined()
  const later = await house.stage([{ modality: "meeting" }], "scheduled")
  expect(readyOf(await house.join(later, "p0")).media).toBeUndefined()
})

test("an assignment carries the seat in its room, live and in ready, and its stream stays in order", async () => {
  const { stage, host, client, rooms } = await breakout()
  const told = await received(client, "assignment.updated")
  await expectSeat(told.d.media, stage, "p0", told.d.roomId)
  for (const roomId of [...rooms, null, ...rooms, null, ...rooms]) {
    await host.command("breakout.move", { id: "p0", roomId })
  }
  const last = rooms.at(-1) ?? ""
  await received(client, "assignment.updated", ({ roomId, media }) => roomId === last && media !== undefined)
  const { ready } = await (async () => {
    const tab = await house.join(stage, "p0")
    return { ready: readyOf(tab) }
  })()
  await expectSeat(ready.media, stage, "p0", null)
  await expectSeat(ready.assignment.media, stage, "p0", ready.assignment.roomId)
  const positions = client.ordered("me").map(({ s }) => s)
  expect(positions).toEqual(positions.map((_, index) => index + 1))
})

test("a replay carries a fresh seat in the room one is in, and none in another; nothing of it is stored", async () => {
  const { stage, host, client, rooms } = await breakout()
  const told = await received(client, "assignment.updated")
  const other = rooms.find((id) => id !== told.d.roomId) ?? ""
  const { epoch, cursors } = held(client)
  await client.cut()
  await host.command("breakout.move", { id: "p0", roomId: other })
  await host.command("breakout.move", { id: "p0", roomId: null })
  await host.command("breakout.move", { id: "p0", roomId: told.d.roomId })
  const back = house.connect()
  const ready = await back.identify(await house.token(stage, "p0"), { epoch, cursors: { ...cursors, me: 0 } })
  expect(ready.d.resumed).toBe(true)
  await back.dispatch("caughtUp")
  const assignments = back.ordered("me").filter(({ t }) => t === "assignment.updated")
  expect(assignments.map(({ d }) => d.roomId)).toEqual([told.d.roomId, other, told.d.roomId])
  for (const { d } of assignments) {
    if (d.roomId === other) expect(d.media).toBeUndefined()
    else await expectSeat(d.media, stage, "p0", d.roomId)
  }
  const stored = await house.actors.sql`
    select 1 from publications where event_id = ${stage.eventId} and (frame like '%"media"%' or frame like '%"token"%')`
  expect(stored).toHaveLength(0)
})

test("a round carries the seat in its room, for each of the pair; a full ready gives new ones on request", async () => {
  const stage = await house.stage([{ modality: "rotation" }])
  const host = await house.join(stage, "host", "host")
  const clients = await crowd(house, stage, ["p0", "p1", "p2"])
  await host.command("rotation.start", { roundSeconds: 600, rounds: 2 })
  for (const [index, client] of clients.entries()) {
    const { d } = await received(client, "rotation.round")
    if (d.bye) expect([d.roomId, d.media]).toEqual([null, undefined])
    else await expectSeat(d.media, stage, `p${index}`, d.roomId)
    expect((await client.command("sync", { cursors: {} })).d).toEqual({ resumed: false })
    const again = await client.next((frame) => frame.t === "ready" && frame.d.round !== null)
    await expectSeat(again.d.media, stage, `p${index}`, null)
    if (!d.bye) await expectSeat(again.d.round.media, stage, `p${index}`, d.roomId)
  }
})

const updated = (client: Client, reason: string): Promise<Frame> =>
  client.next(({ t, d }) => t === "me.updated" && d.reason === reason, `me.updated because of ${reason}`)

test("a participant present at the start receives their seat; in each phase it is one in another room", async () => {
  const stage = await house.stage(
    [{ modality: "meeting" }, { modality: "meeting" }, { modality: "broadcast" }],
    "scheduled",
  )
  const host = await house.join(stage, "h", "host", { kind: "user" })
  const [client, viewer] = [await house.join(stage, "p0"), await house.join(stage, "v", "viewer")]
  await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  await expectSeat((await updated(client, "phase")).d.media, stage, "p0", null)
  await expectSeat((await updated(host, "phase")).d.media, stage, "h", null)
  expect((await updated(viewer, "phase")).d).not.toHaveProperty("media")
  await host.command("phase.next")
  await expectSeat((await updated(client, "phase")).d.media, stage, "p0", null, 1)
  await host.command("phase.next")
  expect((await updated(client, "phase")).d).toMatchObject({ role: "viewer", media: null })
  const index = (t: string): number => client.received.findLastIndex((frame) => frame.t === t)
  expect(index("me.updated")).toBeGreaterThan(index("phase.started"))
})

test("a participant who enters the stage receives a seat, and loses it when they leave", async () => {
  const stage = await house.stage([{ modality: "broadcast" }])
  const host = await house.join(stage, "h", "host", { kind: "user" })
  const client = await house.join(stage, "p0", "viewer")
  await eventually(async () => (await host.command("roster.list")).d.participants.length === 2)
  await host.command("stage.invite", { id: "p0" })
  await client.dispatch("stage.invited")
  await client.command("stage.accept")
  await expectSeat((await updated(client, "stage")).d.media, stage, "p0", null)
  await client.command("stage.leave")
  expect((await updated(client, "stage")).d).toMatchObject({ role: "viewer", media: null })
  await host.command("role.set", { id: "p0", role: "speaker" })
  await expectSeat((await updated(client, "role")).d.media, stage, "p0", null)
})

test("a participant who resumes in another phase receives the seat of that phase", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "meeting" }, { modality: "broadcast" }])
  const host = await house.join(stage, "h", "host", { kind: "user" })
  let client = await house.join(stage, "p0")
  for (const phase of [1, 2]) {
    const { epoch, cursors } = held(client)
    await client.cut()
    await host.command("phase.next", { phaseId: stage.phaseIds[phase - 1] })
    client = house.connect()
    const { d } = await client.identify(await house.token(stage, "p0"), { epoch, cursors })
    expect(d.resumed).toBe(true)
    if (phase === 2) expect(d.media).toBeNull()
    else await expectSeat(d.media, stage, "p0", null, phase)
  }
})

test("a crowd receives its seats a few at a time, and nobody is left out", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "meeting" }])
  const host = await house.join(stage, "h", "host", { kind: "user" })
  const names = Array.from({ length: 230 }, (_, n) => `p${n}`)
  const clients = await Promise.all(names.map((who) => house.join(stage, who)))
  await host.command("phase.next")
  for (const [n, client] of clients.entries()) {
    await expectSeat((await updated(client, "phase")).d.media, stage, `p${n}`, null, 1)
  }
})

/** A connection in the room `red`, whose seats are minted when `given` is done. */
const openMinting = () => {
  const given = Deferred.makeUnsafe<void>()
  const seat = { provider: "livekit", url: URL, token: "token" } as const
  const services = {
    media: { hasServer: true, tokenFor: () => Effect.as(Deferred.await(given), seat) },
    fork: (effect: Effect.Effect<unknown>) => void Effect.runFork(effect),
    options: { orderedLimitBytes: 1_000_000 },
  } as unknown as GatewayServices
  const sent: string[] = []
  const connection = {
    identity: { participantId: "p", name: "P", role: "participant" },
    roomId: "red",
    state: "open",
    buffered: 0,
    send: (text: string) => void sent.push(text),
  } as unknown as Connection
  const phase = { ...NO_PHASE, id: "phase", modality: "breakout" } as const
  const seats = new MediaSeats(services, "event", { phase, participants: new ParticipantStates() })
  const dispatch = (n: number) => ({ frame: `${n}`, seatable: { roomId: "red", withSeat: () => `${n} with a seat` } })
  return { given, sent, connection, seats, dispatch }
}

test("a dispatch whose seat is still being given does not follow the ready that came meanwhile", async () => {
  const { given, sent, connection, seats, dispatch } = openMinting()
  seats.send(connection, [dispatch(1)])
  seats.forget(connection)
  seats.send(connection, [dispatch(2)])
  await Effect.runPromise(Deferred.succeed(given, undefined))
  await eventually(() => sent.length > 0)
  seats.send(connection, [{ frame: "3" }])
  expect(sent).toEqual(["2 with a seat", "3"])
})

test("a participant that moves on while a seat is minted has none in the room that they left", async () => {
  const { given, sent, connection, seats, dispatch } = openMinting()
  seats.send(connection, [dispatch(1)])
  Object.assign(connection, { roomId: "blue" })
  await Effect.runPromise(Deferred.succeed(given, undefined))
  await eventually(() => sent.length > 0)
  expect(sent).toEqual(["1"])
})
