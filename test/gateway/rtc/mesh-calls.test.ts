/** The calls of an event on one node in virtual time: how long a lost peer keeps its place, and that nothing is left. */
import { Redacted } from "effect"
import { expect, test } from "vitest"
import { RETURN_WITHIN_MS } from "../../../src/model/live/holdings.ts"
import { CLOSE } from "../../../src/protocol/wire/close-codes.ts"
import { openVirtualTime } from "../../support/virtual-time.ts"
import type { Frame } from "../client.ts"
import { PICTURE } from "./call.ts"
import { openCallNodes } from "./call-nodes.ts"

const ROOM = "01990000-0000-7000-8000-000000000001"
const LOST = { from: "open", why: undefined } as const

/** A call in the main room of a meeting. */
const open = async () => {
  const time = await openVirtualTime()
  const mesh = {
    ice: {
      urls: ["stun:ice.example:3478", "turn:ice.example:3478?transport=udp"],
      turnSecret: Redacted.make("shared"),
    },
    policy: "relay",
    maxPeers: 2,
  } as const
  const nodes = openCallNodes(time.timers, ["one", "two"], { modality: "meeting", phaseId: ROOM, mesh })
  const connect = (participantId: string, node = "one") => {
    const socket = nodes.connect(node, participantId)
    const names = () => socket.frames.at(-1)?.d.peers.map((peer: Frame) => peer.participantId)
    return { ...socket, join: (resume?: string) => socket.join(ROOM, resume), names }
  }
  return { ...time, nodes, rooms: nodes.nodeOf("one"), facts: nodes.facts, connect }
}

test("a peer whose socket is lost keeps its place for the whole grace and not longer; then its place is free", async () => {
  const { rooms, connect, pass } = await open()
  const [ann, ben, cat] = [connect("ann"), connect("ben"), connect("cat")]
  ann.join()
  ben.join()
  rooms.closed(ann.connection, LOST)
  await pass(RETURN_WITHIN_MS - 1)
  expect(cat.join().refusal).toMatchObject({ code: "conflict" })
  expect(ben.names()).toEqual(["ann", "ben"])
  await pass(2)
  expect(ben.names()).toEqual(["ben"])
  expect(cat.join().d).toMatchObject({ resumed: false })
  expect(ben.names()).toEqual(["ben", "cat"])
})

test("of several lost peers each has its own time", async () => {
  const { rooms, connect, pass } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  ann.join()
  ben.join()
  rooms.closed(ann.connection, LOST)
  await pass(20_000)
  rooms.closed(ben.connection, LOST)
  await pass(10_001)
  const back = connect("ben")
  back.join()
  expect(back.names()).toEqual(["ben"])
  rooms.closed(back.connection, LOST)
  await pass(RETURN_WITHIN_MS + 1)
  expect(rooms.isEmpty).toBe(true)
})

test("a peer that comes back in time keeps its id, also many times; after the grace it gets another", async () => {
  const { rooms, connect, pass } = await open()
  const ben = connect("ben")
  ben.join()
  let socket = connect("ann")
  const id = socket.join().d.connectionId
  for (let n = 0; n < 5; n++) {
    rooms.closed(socket.connection, LOST)
    await pass(RETURN_WITHIN_MS - 1)
    socket = connect("ann")
    expect(socket.join(id).d).toEqual({ connectionId: id, resumed: true })
  }
  await pass(RETURN_WITHIN_MS * 2)
  expect(ben.names()).toEqual(["ben", "ann"])
  rooms.closed(socket.connection, LOST)
  await pass(RETURN_WITHIN_MS + 1)
  expect(connect("ann").join(id).d.connectionId).not.toBe(id)
})

test("a signal to a peer without a socket may be sent again, until its time is over", async () => {
  const { rooms, connect, pass } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  const id = ann.join().d.connectionId
  ben.join()
  const signal = () => ben.signal(id)
  expect(signal()).toEqual({ d: {} })
  rooms.closed(ann.connection, LOST)
  expect(signal().refusal).toMatchObject({ code: "unavailable", temporary: true, retryAfterMs: 1000 })
  await pass(RETURN_WITHIN_MS + 1)
  expect(signal().refusal).toMatchObject({ code: "not_found" })
})

test("a resumed peer whose first socket is still open belongs to the new one, and the end of the first changes nothing", async () => {
  const { rooms, connect, pass } = await open()
  const [first, second, ben] = [connect("ann"), connect("ann"), connect("ben")]
  const id = first.join().d.connectionId
  ben.join()
  second.join(id)
  expect(first.frames.at(-1)).toMatchObject({ t: "rtc.peers", d: { closed: "replaced", peers: [] } })
  rooms.closed(first.connection, LOST)
  await pass(RETURN_WITHIN_MS + 1)
  expect(ben.names()).toEqual(["ann", "ben"])
  const { d } = second.frames.at(-1)
  expect(second.signal(d.peers[1].connectionId)).toEqual({ d: {} })
})

test.each([
  [CLOSE.left, false],
  [CLOSE.removed, false],
  [CLOSE.revoked, false],
  [CLOSE.lobbyDenied, false],
  [CLOSE.heartbeatTimeout, true],
  [CLOSE.tokenExpired, true],
  [CLOSE.drain, true],
])("after a close with $code the peer keeps its place: %o, %s", async (why, keeps) => {
  const { rooms, connect } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  ann.join()
  ben.join()
  rooms.closed(ann.connection, { from: "open", why })
  expect(ben.names()).toEqual(keeps ? ["ann", "ben"] : ["ben"])
})

test("an absent peer that may not come back is removed at once", async () => {
  const { rooms, connect, facts } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  const joinBoth = () => {
    ann.join()
    ben.join()
    rooms.closed(ann.connection, LOST)
  }
  joinBoth()
  facts.participants.apply({ participantId: "ann", roomId: "blue" } as never)
  rooms.review("ann")
  expect(ben.names()).toEqual(["ben"])
  facts.participants.apply({ participantId: "ann", roomId: null } as never)
  joinBoth()
  facts.removed.add("ann")
  rooms.reviewAll()
  expect(ben.names()).toEqual(["ben"])
})

test("each list has credentials of its own receiver for the TURN server, for an hour, and the policy", async () => {
  const { connect, timers } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  ann.join()
  ben.join()
  const expiry = Math.floor(timers.now() / 1000) + 3600
  for (const [client, name] of [
    [ann, "ann"],
    [ben, "ben"],
  ] as const) {
    const { iceServers, policy } = client.frames.at(-1).d
    expect(policy).toBe("relay")
    expect(iceServers[0]).toEqual({ urls: ["stun:ice.example:3478"] })
    expect(iceServers[1]).toMatchObject({
      urls: ["turn:ice.example:3478?transport=udp"],
      username: `${expiry}:${name}`,
      credential: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/),
    })
  }
  expect(ann.frames.at(-1).d.iceServers[1].credential).not.toBe(ben.frames.at(-1).d.iceServers[1].credential)
})

test("nothing is left when everybody is gone, or when the event's end forgets the calls", async () => {
  const { rooms, connect, pass } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  ann.join()
  ben.join()
  ann.leave()
  ben.leave()
  expect(rooms.isEmpty).toBe(true)
  ann.join()
  ben.join()
  rooms.closed(ben.connection, LOST)
  rooms.end()
  expect(rooms.isEmpty).toBe(true)
  expect(ann.frames.at(-1).d).toMatchObject({ closed: "moved", peers: [] })
  ann.join()
  rooms.closed(ann.connection, LOST)
  const sent = ann.frames.length
  rooms.stop()
  await pass(RETURN_WITHIN_MS * 2)
  expect([rooms.isEmpty, ann.frames.length]).toEqual([true, sent])
})

test("without an owner a join and a signal may be sent again, and what was said meanwhile counts when there is one", async () => {
  const { nodes, rooms, connect, pass } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  const id = ann.join().d.connectionId
  ben.join()
  nodes.own("no")
  expect(connect("cat").join().refusal).toMatchObject({ code: "unavailable", temporary: true })
  expect(ben.signal(id).refusal).toMatchObject({ code: "unavailable", temporary: true })
  ann.leave()
  rooms.closed(ben.connection, LOST)
  expect(nodes.owner.rooms.get(ROOM)).toHaveLength(2)
  nodes.own("yes")
  await pass(1000)
  expect(nodes.owner.rooms.get(ROOM)).toMatchObject([{ participantId: "ben", awayUntil: expect.any(Number) }])
  await pass(RETURN_WITHIN_MS)
  expect([nodes.owner.isEmpty, rooms.isEmpty]).toEqual([true, true])
})

test("what waits for an owner that does not answer has a bound", async () => {
  const { nodes, connect } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  const id = ann.join().d.connectionId
  ben.join()
  nodes.own("silent")
  const signals = Array.from({ length: 1000 }, () => ben.signal(id, "x".repeat(12_000)))
  const refused = signals.filter((answer) => answer !== undefined)
  expect(refused.length).toBeGreaterThan(250)
  expect(signals.length - refused.length).toBeGreaterThan(500)
  for (const { refusal } of refused) expect(refusal).toMatchObject({ code: "unavailable", temporary: true })
})

test("a participant who is moved, or goes, while the join is on its way is not in the call", async () => {
  const { nodes, rooms, facts, connect, pass } = await open()
  const [ann, ben] = [connect("ann"), connect("ben")]
  const answers: Frame[] = []
  const joinLate = ({ connection }: typeof ann): void =>
    rooms.join(connection, { roomId: ROOM, have: PICTURE }, (answer) => answers.push(answer))
  nodes.cut()
  joinLate(ann)
  joinLate(ben)
  facts.participants.apply({ participantId: "ann", roomId: "blue" } as never)
  ann.connection.roomId = "blue"
  rooms.review("ann")
  ben.connection.state = "closed"
  rooms.closed(ben.connection, { from: "open", why: CLOSE.left })
  expect(answers).toEqual([])
  nodes.restore()
  await pass(3000)
  expect(answers).toMatchObject([{ refusal: { code: "not_found" } }, { refusal: { code: "not_found" } }])
  expect([nodes.owner.isEmpty, rooms.isEmpty]).toEqual([true, true])
  expect([...ann.frames, ...ben.frames]).toEqual([])
})

test("a peer whose leave was lost with the link is off the list when it is back, and old lists do not bring it back", async () => {
  const { nodes, connect, pass } = await open()
  const [ann, ben] = [connect("ann", "one"), connect("ben", "two")]
  ann.join()
  ben.join()
  nodes.cut()
  ben.leave()
  expect(ann.names()).toEqual(["ann", "ben"])
  nodes.restore(false)
  await pass(3000)
  expect(ann.names()).toEqual(["ann"])
  expect(nodes.owner.rooms.get(ROOM)).toHaveLength(1)
})
