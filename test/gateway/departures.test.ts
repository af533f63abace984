import { expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { openJumpingClock } from "../support/jumping-clock.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { untilAnnounced } from "./crowd.ts"
import { type House, type Stage, sharedHouse } from "./house.ts"

/** Who has not come yet. */
const NOBODY = `reg:${newId()}`

const house = sharedHouse({ orderedLimitBytes: 262_144, endSpreadMs: 400 })

test("a removed participant loses every tab, 4304, and may come back unless blocked", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host")
  const tabs = await Promise.all([house.join(stage, "guest"), house.join(stage, "guest")])
  await host.command("participant.remove", { id: "guest" })
  expect(await Promise.all(tabs.map((tab) => tab.closeCode()))).toEqual([4304, 4304])
  const back = await house.join(stage, "guest")
  await host.command("participant.remove", { id: "guest", block: true })
  expect(await back.closeCode()).toBe(4304)
  for (const url of [undefined, await house.anotherNode("fresh")]) {
    const refused = house.connect(url === undefined ? {} : { url })
    await refused.hello()
    refused.send({ op: 2, d: { token: await house.token(stage, "guest") } })
    expect(await refused.closeCode()).toBe(4304)
  }
})

test("nobody is removed from a draft; from a scheduled event they are, once for all who ask at once", async () => {
  const draft = await house.stage([{ modality: "meeting" }], "draft")
  const early = await house.join(draft, "host", "host")
  expect(await early.command("participant.remove", { id: "other" })).toMatchObject({
    ok: false,
    e: { code: "conflict" },
  })
  const stage = await house.stage([{ modality: "meeting" }], "scheduled")
  const host = await house.join(stage, "host", "host")
  const guest = await house.join(stage, "guest")
  const removals = await Promise.all(
    [1, 2, 3].map(() => host.command("participant.remove", { id: "guest", block: true })),
  )
  expect(removals.every(({ ok }) => ok)).toBe(true)
  expect(await guest.closeCode()).toBe(4304)
  expect(await house.actors.sql`select participant_id from live_removals where event_id = ${stage.eventId}`).toEqual([
    { participantId: "guest" },
  ])
})

test("the end is sent to everyone before their connections are closed 4307", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host")
  const guests = await Promise.all(Array.from({ length: 20 }, (_, n) => house.join(stage, `g${n}`)))
  expect(await host.command("event.end")).toMatchObject({ ok: true, d: { event: { status: "ended" } } })
  const codes = await Promise.all([host, ...guests].map((client) => client.closeCode()))
  expect(new Set(codes)).toEqual(new Set([4307]))
  for (const guest of guests) {
    expect(guest.received.filter(({ op }) => op === 0).some(({ t }) => t === "event.ended")).toBe(true)
  }
})

const { clock, timers, jump } = openJumpingClock()
/** Its gateway has the clock that tests put forward, and no heartbeat is due while they do. */
const clocked = sharedHouse({ clock, heartbeatMs: 86_400_000 })

/** Somebody on their way in whose session ends in an hour. */
const openHour = async (phases?: Parameters<House["stage"]>[0]) => {
  const stage = await clocked.stage(phases)
  const sessionExpires = Math.floor(timers.now() / 1000) + 3600
  const client = clocked.connect()
  await client.hello()
  client.send({ op: 2, d: { token: await clocked.token(stage, "guest", "participant", { sessionExpires }) } })
  return { stage, client, sessionExpires, endsAt: new Date(sessionExpires * 1000).toISOString() }
}

test("a session that is about to end is announced a minute before, and closes 4201 when it does unless a new token came", async () => {
  const { stage, client, sessionExpires, endsAt } = await openHour()
  await client.dispatch("ready")
  const other = await clocked.join(stage, "other", "participant", { sessionExpires })
  jump(3_541_000)
  for (const one of [client, other]) expect((await one.dispatch("tokenExpiring")).d).toEqual({ at: endsAt })
  const later = { sessionExpires: sessionExpires + 3600 }
  client.send({ op: 12, id: "renewal", d: { token: await clocked.token(stage, "guest", "participant", later) } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({
    id: "renewal",
    ok: true,
    d: { role: "participant", tokenExpiresAt: new Date(later.sessionExpires * 1000).toISOString() },
  })
  jump(60_000)
  expect(await other.closeCode()).toBe(4201)
  expect(await client.command("roster.list", { limit: 1 })).toMatchObject({ ok: true })
})

test("a participant in the lobby is warned of the end of their session too, and keeps their place with a new token", async () => {
  const { stage, client, sessionExpires } = await openHour([{ modality: "meeting", config: { lobby: "ask" } }])
  await client.dispatch("lobby.status")
  jump(3_541_000)
  await client.dispatch("tokenExpiring")
  const later = { sessionExpires: sessionExpires + 3600 }
  client.send({ op: 12, id: "renewal", d: { token: await clocked.token(stage, "guest", "participant", later) } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({ id: "renewal", ok: true })
  // By now they may be on the event's list, which has nobody wait.
  const listed = await clocked.token(stage, "guest", "participant", { kind: "user", ...later })
  client.send({ op: 12, id: "listed", d: { token: listed } })
  expect((await client.dispatch("ready")).d.me.participantId).toBe("guest")
})

test("a token for someone else, for another event, or none at all is refused and the socket stays", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "guest")
  const wrong = [
    [await house.token(stage, "somebody else"), "forbidden"],
    [await house.token(await house.stage(), "guest"), "forbidden"],
    ["nonsense", "unauthorized"],
  ]
  for (const [token, code] of wrong) {
    client.send({ op: 12, d: { token } })
    expect((await client.next(({ op }) => op === 13)).d.code).toBe(code)
    client.send({ op: 12, id: `with id ${code}`, d: { token } })
    expect(await client.next(({ id }) => id === `with id ${code}`)).toMatchObject({ op: 4, ok: false, e: { code } })
  }
  client.send({ op: 12, d: {} })
  expect((await client.next(({ op }) => op === 13)).d.code).toBe("bad_request")
  expect(await client.command("roster.list")).toMatchObject({ ok: true })
})

test("a new token with another role is seen by the others, without an arrival or a departure", async () => {
  const stage = await house.stage()
  const viewer = await house.join(stage, "viewer")
  const host = await house.join(stage, "rising", "speaker")
  await viewer.next(({ t, d }) => t === "presence.diff" && d.join.some((p: Frame) => p.participantId === "rising"))
  host.send({ op: 12, d: { token: await house.token(stage, "rising", "host") } })
  const { d } = await viewer.next(({ t, d }) => t === "presence.diff" && d.update.length > 0)
  expect(d).toMatchObject({ join: [], left: [], update: [{ participantId: "rising", role: "host" }] })
  const late = await house.join(stage, "late")
  // A snapshot may be of just before; then the change follows it.
  const isHost = (people: ReadonlyArray<Frame>) => people.some((p) => p.participantId === "rising" && p.role === "host")
  const { presence } = late.received.find(({ t }) => t === "ready").d
  if (!isHost(presence.list)) await late.next(({ t, d }) => t === "presence.diff" && isHost([...d.update, ...d.join]))
})

test("a new token with another role changes the commands and streams of the connection", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "guest", "speaker")
  client.send({ op: 12, d: { token: await house.token(stage, "guest", "viewer") } })
  expect((await client.dispatch("me.updated")).d).toMatchObject({ role: "viewer", reason: "token" })
  client.send({ op: 12, d: { token: await house.token(stage, "guest", "host") } })
  const { d } = await client.dispatch("ready")
  expect(d).toMatchObject({ reason: "roleChanged", me: { role: "host" } })
  await client.command("participant.remove", { id: NOBODY, block: true })
  expect(await client.dispatch("participant.removed")).toMatchObject({ s: d.cursors.staff + 1 })
  client.send({ op: 12, d: { token: await house.token(stage, "guest", "viewer") } })
  expect((await client.dispatch("ready")).d.cursors.staff).toBeUndefined()
  const other = await house.join(stage, "other", "host")
  await other.command("participant.remove", { id: NOBODY, block: true })
  await other.dispatch("participant.removed")
  await other.command("announce", { text: "done" })
  await client.dispatch("announcement")
  expect(client.ordered("staff")).toHaveLength(1)
})

/** The reader follows: one tick that held several megabytes would take a slow socket past the engine's own limit, which has no code. */
const fill = async ({ eventId, phaseIds }: Stage, reader: Client, isDone: () => boolean) => {
  const padding = "x".repeat(14_000)
  while (!isDone()) {
    const before = reader.ordered().length
    for (let n = 0; n < 10; n++) {
      await house.actors.execute(eventId, {
        type: "phase.update",
        d: { phaseId: phaseIds[0] ?? "", config: { padding } },
      })
    }
    await eventually(() => reader.ordered().length >= before + 10, "the updates to be read")
  }
}

test("a socket that does not read is closed 4002, and the others receive everything", async () => {
  const stage = await house.stage()
  const slow = await house.join(stage, "slow")
  const quick = await house.join(stage, "quick")
  await untilAnnounced(house, stage, ["slow", "quick"])
  slow.socket.pause()
  // Not longer: the engine gives up a closed socket that reads nothing for some seconds, and the code with it.
  await fill(stage, quick, () => quick.received.some(({ t, d }) => t === "presence.diff" && d.left.includes("slow")))
  slow.socket.resume()
  expect(await slow.closeCode()).toBe(4002)
  await house.actors.execute(stage.eventId, {
    type: "announce",
    d: { text: "last" },
  })
  await quick.dispatch("announcement")
  const received = quick.ordered().map(({ s }) => s)
  expect(received).toEqual(Array.from({ length: received.length }, (_, n) => (received[0] ?? 0) + n))
  // The dispatches before the close are complete, and it resumes from there.
  const ready = slow.received.find(({ t }) => t === "ready")
  const last = (stream: string): number => slow.ordered(stream).at(-1)?.s ?? ready.d.cursors[stream]
  const cursors = { event: last("event"), people: last("people") }
  const back = house.connect()
  const again = await back.identify(await house.token(stage, "slow"), { epoch: ready.d.epoch, cursors })
  expect(["expired", undefined]).toContain(again.d.reason)
})

test("nobody is removed who is not here, and only what may be a participant is blocked; a block of before is repeated", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host")
  const remove = async (id: string, block: boolean) => {
    const { ok, e } = await host.command("participant.remove", { id, block })
    return ok ? "ok" : e.code
  }
  const made = newId()
  expect(await host.command("participant.mute", { id: "nobody" })).toMatchObject({ e: { code: "not_found" } })
  expect(await remove("nobody", false)).toBe("not_found")
  expect(await remove("nobody", true)).toBe("not_found")
  expect(await remove(made, false)).toBe("not_found")
  for (const id of [made, `reg:${made}`, `guest:${made}`, `anon:${made}`, made])
    expect(await remove(id, true), id).toBe("ok")
  expect(await remove(made, false)).toBe("ok")
  const guest = await house.join(stage, "guest")
  await guest.cut()
  expect(await remove("guest", false)).toBe("ok")
})
