/** Calls between browsers over real sockets: who may join which room, where signals go, and what ends a call. */
import { isDeepStrictEqual } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { newId } from "../../../src/model/ids.ts"
import { eventually } from "../../support/wait.ts"
import type { Client, Frame } from "../client.ts"
import { crowd, held, received, refused } from "../crowd.ts"
import { openHouse, sharedHouse } from "../house.ts"
import { breakoutOf, callOf, joinCall, lists, PICTURE, SOUND, untilListed } from "./call.ts"

const house = sharedHouse()

const at = <A>(list: ReadonlyArray<A>, index: number): A => list[index] ?? expect.fail(`nothing at ${index}`)

const offer = (to: string, gen = 0, data = "v=0") => ({ to, kind: "offer", data, gen })

test("the peers of a room are listed to each of them, with the limits for their number", async () => {
  const { clients, ids, roomId } = await callOf(house, ["ann", "ben", "cat"])
  for (const [index, client] of clients.entries()) {
    const list = at(lists(client), -1 + lists(client).length)
    expect(list).toMatchObject({ roomId, connectionId: ids[index], policy: "all", iceServers: [] })
    expect(list.peers.map(({ connectionId }: { connectionId: string }) => connectionId)).toEqual(ids)
    expect(list.peers[0]).toEqual({ connectionId: ids[0], participantId: "ann", name: "Name of ann", have: PICTURE })
    expect(list.limits.video).toEqual({ width: 640, height: 360, frameRate: 24, maxKbps: 500 })
  }
  const [ann] = clients
  expect(lists(ann as Client).map(({ limits }) => limits.video.maxKbps)).toEqual([1200, 1200, 500])
})

test("a signal reaches the one connection that it names, as it was sent", async () => {
  const { clients, ids } = await callOf(house, ["ann", "ben", "cat"])
  const [ann, ben, cat] = [at(clients, 0), at(clients, 1), at(clients, 2)]
  const sdp = `v=0\r\n${"a=x\r\n".repeat(2000)}`
  expect(await ann.command("rtc.signal", offer(at(ids, 1), 3, sdp))).toMatchObject({ ok: true, d: {} })
  expect((await ben.dispatch("rtc.signal")).d).toEqual({ from: ids[0], kind: "offer", data: sdp, gen: 3 })
  const candidates = Array.from({ length: 16 }, (_, n) => `{"candidate":"${n}"}`)
  await ben.command("rtc.signal", { to: ids[0], kind: "candidates", data: candidates, gen: 3 })
  expect((await ann.dispatch("rtc.signal")).d).toEqual({ from: ids[1], kind: "candidates", data: candidates, gen: 3 })
  expect(cat.received.some(({ t }) => t === "rtc.signal")).toBe(false)
})

test("descriptions that are sent at once come in a frame each, because three of them are larger than a frame may be", async () => {
  const { clients, ids } = await callOf(house, ["ann", "ben"])
  const [ann, ben] = [at(clients, 0), at(clients, 1)]
  const before = ben.frameSizes.length
  await Promise.all([0, 1, 2].map((gen) => ann.command("rtc.signal", offer(at(ids, 1), gen, "x".repeat(6000)))))
  for (let n = 0; n < 3; n++) await ben.dispatch("rtc.signal")
  expect(ben.frameSizes.slice(before)).toEqual([1, 1, 1])
})

test("a call outlives the moment in which everybody has lost their socket", async () => {
  const { stage, roomId, clients, ids } = await callOf(house, ["ann", "ben"])
  for (const client of clients) await client.cut()
  // Longer than an event without connections stays in memory otherwise (`lingerMs` of the test's gateway, and a sweep).
  // timed: an event that leaves memory gives no signal; a slow machine waits for longer.
  await new Promise((resolve) => setTimeout(resolve, 600))
  for (const [n, name] of ["ann", "ben"].entries()) {
    const back = await house.join(stage, name)
    expect((await joinCall(back, roomId, PICTURE, ids[n])).d).toEqual({ connectionId: ids[n], resumed: true })
  }
})

test("the metrics have the number of people in calls", async () => {
  // Each node counts its own.
  const own = await openHouse({}, { node: "test" })
  onTestFinished(() => own.stop())
  await callOf(own, ["ann", "ben", "cat"])
  expect(own.metrics()).toContain("gathercue_call_peers 3\n")
})

test("a signal that is too large is refused, and the socket stays open", async () => {
  const { clients, ids } = await callOf(house, ["ann", "ben"])
  const [ann, to] = [at(clients, 0), at(ids, 1)]
  for (const signal of [
    offer(to, 0, "x".repeat(12_289)),
    offer(to, 0, ""),
    offer(to, -1),
    { to, kind: "candidates", data: Array.from({ length: 17 }, () => "c"), gen: 0 },
    { to, kind: "candidates", data: ["c".repeat(513)], gen: 0 },
    { to, kind: "candidates", data: "v=0", gen: 0 },
    { to, kind: "offer", data: ["v=0"], gen: 0 },
    { to, kind: "bye", data: "v=0", gen: 0 },
    { to: "ben", kind: "offer", data: "v=0", gen: 0 },
  ]) {
    expect(await ann.command("rtc.signal", signal)).toMatchObject(refused("bad_request"))
  }
  expect(await ann.command("rtc.signal", offer(to))).toMatchObject({ ok: true })
})

test("only the room that one is in now can be joined", async () => {
  const { stage, host, clients, rooms } = await breakoutOf(house, ["a", "b", "c", "d"])
  const first = at(clients, 0)
  const other = rooms.find((id) => id !== rooms[0]) ?? ""
  for (const roomId of [other, stage.phaseIds[0] ?? "", newId()]) {
    expect(await joinCall(first, roomId)).toMatchObject(refused("not_found"))
  }
  expect(await joinCall(host, other)).toMatchObject(refused("not_found"))
  expect(await joinCall(host, stage.phaseIds[0] ?? "")).toMatchObject({ ok: true })
  expect(await joinCall(first, at(rooms, 0))).toMatchObject({ ok: true })
})

test("six people send pictures, and the seventh is refused with the number; with sound alone there may be eight", async () => {
  const { stage, roomId, clients } = await callOf(house, ["a", "b", "c", "d", "e", "f"])
  const seventh = await house.join(stage, "g")
  for (const have of [PICTURE, SOUND]) {
    const { e } = await joinCall(seventh, roomId, have)
    expect(e).toMatchObject({ code: "conflict", message: expect.stringContaining("at most 6 people") })
  }
  for (const client of clients) await joinCall(client, roomId, SOUND)
  expect(await joinCall(seventh, roomId, PICTURE)).toMatchObject(refused("conflict"))
  expect(await joinCall(seventh, roomId, SOUND)).toMatchObject({ ok: true })
  expect((await untilListed(seventh, ["a", "b", "c", "d", "e", "f", "g"])).d.limits).toMatchObject({
    maxPeers: 6,
    maxAudioPeers: 8,
    video: null,
  })
  expect(await joinCall(at(clients, 0), roomId, PICTURE)).toMatchObject(refused("conflict"))
  expect(await joinCall(await house.join(stage, "h"), roomId, SOUND)).toMatchObject({ ok: true })
  const ninth = await house.join(stage, "i")
  expect((await joinCall(ninth, roomId, SOUND)).e.message).toContain("8 with sound alone")
  await at(clients, 5).command("rtc.leave")
  expect(await joinCall(ninth, roomId, SOUND)).toMatchObject({ ok: true })
})

test("a camera that goes on or off is listed to everybody, under the same id; without a change only the sender is answered", async () => {
  const { roomId, clients, ids } = await callOf(house, ["ann", "ben"])
  const [ann, ben] = [at(clients, 0), at(clients, 1)]
  expect((await joinCall(ann, roomId, SOUND)).d).toEqual({ connectionId: ids[0], resumed: true })
  expect((await untilListed(ben, ["ann", "ben"])).d.peers[0].have).toEqual(SOUND)
  const seen = lists(ben).length
  const own = lists(ann).length
  await joinCall(ann, roomId, SOUND)
  await eventually(() => lists(ann).length === own + 1)
  await ben.command("rtc.leave")
  expect(lists(ben)).toHaveLength(seen)
})

const mutedIn = (list: Frame): ReadonlyArray<unknown> =>
  list.peers.map(({ participantId, muted }: Frame) => [participantId, ...(muted ?? [])])

const untilMuted = (client: Client, muted: ReadonlyArray<unknown>): Promise<Frame> =>
  client.next(({ t, d }) => t === "rtc.peers" && isDeepStrictEqual(mutedIn(d), muted), "a list with these mutes")

test("a host mutes one person or all others; a mute outlives its peer, and ends with a request to the person", async () => {
  const { stage, roomId, clients } = await callOf(house, ["ann", "ben"])
  const [ann, ben] = [at(clients, 0), at(clients, 1)]
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const mute = (d: object) => host.command("rtc.mute", d)
  expect(await mute({ participantId: "nobody", source: "camera" })).toMatchObject(refused("not_found"))
  expect(await ann.command("rtc.mute", { participantId: "ben", source: "camera" })).toMatchObject(refused("forbidden"))
  expect(await mute({ participantId: "ann", source: "microphone" })).toMatchObject({ ok: true, d: {} })
  await untilMuted(ben, [["ann", "microphone"], ["ben"]])
  await untilMuted(ann, [["ann", "microphone"], ["ben"]])

  // Neither a new peer of the person nor another tab ends it.
  await ann.command("rtc.leave", {})
  await untilListed(ben, ["ben"])
  await joinCall(ann, roomId)
  await untilMuted(ben, [["ben"], ["ann", "microphone"]])
  const second = await house.join(stage, "ann")
  await joinCall(second, roomId)
  await untilMuted(second, [["ben"], ["ann", "microphone"]])
  await joinCall(ann, roomId)

  await joinCall(host, roomId, SOUND)
  await mute({ source: "microphone" })
  await untilMuted(host, [["ben", "microphone"], ["ann", "microphone"], ["host"]])
  await mute({ participantId: "ben", source: "microphone", on: false })
  expect((await ben.dispatch("rtc.asked")).d).toEqual({ roomId, source: "microphone" })
  await untilMuted(ann, [["ben"], ["ann", "microphone"], ["host"]])
  // Somebody who was never muted may be asked as well.
  await mute({ participantId: "ben", source: "camera", on: false })
  expect((await ben.dispatch("rtc.asked")).d).toEqual({ roomId, source: "camera" })
  expect(ann.received.filter(({ t }) => t === "rtc.asked")).toEqual([])
})

test("another tab takes the call over, and the first one gets a list that ends it", async () => {
  const { stage, roomId, clients, ids } = await callOf(house, ["ann", "ben"])
  const tab = await house.join(stage, "ann")
  const { d } = await joinCall(tab, roomId)
  expect(d).toMatchObject({ resumed: false })
  const closed = await at(clients, 0).next(({ t, d }) => t === "rtc.peers" && d.closed !== undefined, "the end")
  expect(closed.d).toMatchObject({ closed: "replaced", connectionId: ids[0], peers: [] })
  const { peers } = (await untilListed(at(clients, 1), ["ann", "ben"])).d
  expect(peers.map(({ connectionId }: { connectionId: string }) => connectionId)).not.toContain(ids[0])
  expect(await at(clients, 0).command("rtc.signal", offer(at(ids, 1)))).toMatchObject(refused("not_found"))
  await at(clients, 0).command("rtc.leave")
  await tab.command("rtc.signal", offer(at(ids, 1)))
  await at(clients, 1).dispatch("rtc.signal")
})

test("a host in the main room mutes people of breakout rooms by name alone", async () => {
  const { host, clients, rooms } = await breakoutOf(house, ["ann", "ben", "cat", "dan"])
  for (const [index, client] of clients.entries()) await joinCall(client, at(rooms, index))
  expect(await host.command("rtc.mute", { source: "microphone" })).toMatchObject(refused("not_found"))
  expect(await host.command("rtc.mute", { participantId: "cat", source: "camera" })).toMatchObject({ ok: true })
  const room = at(rooms, 2)
  for (const [index, client] of clients.entries()) {
    if (at(rooms, index) !== room) continue
    await client.next(
      ({ t, d }) => t === "rtc.peers" && mutedIn(d).some((one) => isDeepStrictEqual(one, ["cat", "camera"])),
      "a list with the mute",
    )
  }
  const [other] = clients.filter((_, index) => at(rooms, index) !== room)
  expect(JSON.stringify(lists(other ?? expect.fail("nobody is in the other room")))).not.toContain("muted")
  expect(JSON.stringify(clients.map(lists))).not.toContain("microphone")
})

test("a participant who is moved is out of the room's call at once, connected or not", async () => {
  const { host, clients, rooms } = await breakoutOf(house, ["a", "b", "c", "d"])
  const room = at(rooms, 0)
  const mates = clients.filter((_, n) => rooms[n] === room)
  const names = ["a", "b", "c", "d"].filter((_, n) => rooms[n] === room)
  for (const mate of mates) await joinCall(mate, room)
  const [first, second] = [at(mates, 0), at(mates, 1)]
  await untilListed(second, names)
  await first.cut()
  await host.command("breakout.move", { id: names[0], roomId: null })
  await untilListed(second, [at(names, 1)])
  await host.command("breakout.move", { id: names[1], roomId: null })
  const closed = await second.next(({ t, d }) => t === "rtc.peers" && d.closed !== undefined, "the end")
  expect(closed.d).toMatchObject({ closed: "moved", roomId: room, peers: [] })
  expect(await joinCall(second, room)).toMatchObject(refused("not_found"))
})

test("a host removes participants from the call with the event, connected or not", async () => {
  const { stage, clients } = await callOf(house, ["ann", "ben", "cat"])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const ann = at(clients, 0)
  await host.command("participant.remove", { id: "ben", block: true })
  await untilListed(ann, ["ann", "cat"])
  await at(clients, 2).cut()
  await host.command("participant.remove", { id: "cat" })
  await untilListed(ann, ["ann"])
})

test("a participant who becomes a viewer, or is sent to the lobby, is out of the call, connected or not", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "broadcast" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const names = ["ann", "ben", "cat", "dan", "eve"]
  const clients: ReadonlyArray<Client> = await crowd(house, stage, names)
  for (const client of clients) await joinCall(client, stage.phaseIds[0] ?? "")
  const ann = at(clients, 0)
  await host.command("role.set", { id: "ben", role: "viewer" })
  await untilListed(ann, ["ann", "cat", "dan", "eve"])
  expect(await at(clients, 1).command("rtc.leave")).toMatchObject(refused("forbidden"))
  await host.command("participant.toLobby", { id: "cat" })
  await untilListed(ann, ["ann", "dan", "eve"])
  await at(clients, 3).cut()
  await host.command("role.set", { id: "dan", role: "viewer" })
  await untilListed(ann, ["ann", "eve"])
})

test("the next phase ends the call, and the main room of that phase is another call", async () => {
  const stage = await house.stage([{ modality: "meeting" }, { modality: "meeting" }, { modality: "broadcast" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const [ann] = await crowd(house, stage, ["ann"])
  const ended = () => ann.next(({ t, d }) => t === "rtc.peers" && d.closed === "moved", "the end of the call")
  await joinCall(ann, stage.phaseIds[0] ?? "")
  await host.command("phase.next")
  await ended()
  expect(await joinCall(ann, stage.phaseIds[0] ?? "")).toMatchObject(refused("not_found"))
  expect(await joinCall(ann, stage.phaseIds[1] ?? "")).toMatchObject({ ok: true })
  await host.command("phase.next")
  await ended()
  expect(await joinCall(ann, stage.phaseIds[2] ?? "")).toMatchObject(refused("wrong_phase"))
})

test("the end of the event ends its calls", async () => {
  const { stage, clients } = await callOf(house, ["ann", "ben"])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  await host.command("event.end")
  for (const client of clients) {
    await client.next(({ t, d }) => t === "rtc.peers" && d.closed === "moved", "the end of the call")
  }
})

test("each round of a rotation has a call of its own, and between rounds there is none", async () => {
  const stage = await house.stage([{ modality: "rotation" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const clients = await crowd(house, stage, ["p0", "p1", "p2", "p3"])
  expect(await joinCall(clients[0], stage.phaseIds[0] ?? "")).toMatchObject(refused("not_found"))
  await host.command("rotation.start", { roundSeconds: 600, rounds: 3 })
  for (const n of [1, 2]) {
    for (const client of clients) {
      const { d } = await received(client, "rotation.round", (round) => round.n === n)
      await eventually(async () => (await joinCall(client, d.roomId)).ok === true, "the call of the round")
      const { length } = lists(client)
      expect(at(lists(client), length - 1)).toMatchObject({ roomId: d.roomId })
    }
    for (const client of clients) {
      await eventually(() => at(lists(client), lists(client).length - 1).peers.length === 2, "both of the pair")
    }
    await host.command("rotation.skip")
  }
})

test("too many signals are refused for a while, the socket stays open, and other commands are not affected", async () => {
  const { clients, ids } = await callOf(house, ["ann", "ben"])
  const ann = at(clients, 0)
  // Fourteen signals of this size are more bytes than a connection may send at once. A slow machine takes seconds for all of them, and each
  // second three more are taken.
  const large = await Promise.all(
    Array.from({ length: 80 }, () => ann.command("rtc.signal", offer(at(ids, 1), 0, "x".repeat(12_000)))),
  )
  expect(large.filter(({ ok }) => !ok).length).toBeGreaterThanOrEqual(5)
  const answers = await Promise.all(Array.from({ length: 240 }, () => ann.command("rtc.signal", offer(at(ids, 1)))))
  const late = answers.filter(({ ok }) => !ok)
  expect(late.length).toBeGreaterThan(20)
  for (const { e } of late) expect(e).toMatchObject({ code: "rate_limited", temporary: true })
  expect(at(late, 0).e.retryAfterMs).toBeLessThanOrEqual(50)
  expect(await ann.command("hand.raise")).toMatchObject({ ok: true })
})

test("nothing of a call is replayed or stored", async () => {
  const { stage, clients, ids } = await callOf(house, ["ann", "ben"])
  const [ann, ben] = [at(clients, 0), at(clients, 1)]
  await ann.command("rtc.signal", offer(at(ids, 1), 0, "v=0 203.0.113.7"))
  await ben.dispatch("rtc.signal")
  const resume = held(ben)
  await ben.cut()
  const back = house.connect()
  const { d } = await back.identify(await house.token(stage, "ben"), {
    ...resume,
    cursors: { ...resume.cursors, me: 0 },
  })
  expect(d.resumed).toBe(true)
  await back.dispatch("caughtUp")
  expect(back.received.some(({ t }) => t === "rtc.signal" || t === "rtc.peers")).toBe(false)
  const { sql } = house.actors
  const stored = await Promise.all([
    sql`select 1 from publications t where t::text like '%203.0.113.7%'`,
    sql`select 1 from live_records t where t::text like '%203.0.113.7%'`,
    sql`select 1 from outbox_messages t where t::text like '%203.0.113.7%'`,
    sql`select 1 from audit_entries t where t::text like '%203.0.113.7%'`,
  ])
  expect(stored.flat()).toEqual([])
})
