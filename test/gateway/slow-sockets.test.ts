/** The topics of ephemeral dispatches, the ones that a slow socket is not sent, and the order in which many sockets are closed. */
import { expect, test } from "vitest"
import { Topics } from "../../src/gateway/broadcast/topics.ts"
import { Connection } from "../../src/gateway/connection/connection.ts"
import { beginLife, MUTES_NOTHING } from "../../src/gateway/connection/lifecycle.ts"
import { resumeEphemeral } from "../../src/gateway/transport/backpressure.ts"
import { closeStaggered } from "../../src/gateway/transport/staggered-close.ts"
import { roomStream, SHARED_STREAMS } from "../../src/model/live/streams.ts"
import { CLOSE } from "../../src/protocol/close-codes.ts"
import { DISPATCHES } from "../../src/protocol/contract.ts"
import type { AnyDispatch } from "../../src/protocol/dispatch.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const socketInto = (heard: Set<string>) => ({
  send: () => {},
  end: () => {},
  terminate: () => {},
  subscribe: (topic: string) => void heard.add(topic),
  unsubscribe: (topic: string) => void heard.delete(topic),
  buffered: () => 0,
})

test("a connection that waits for its ready receives no ephemeral message, although its socket has drained", () => {
  const heard = new Set<string>()
  const connection = new Connection(socketInto(heard), "192.0.2.1", 0, () => {})
  const identity = { ...beginLife(0).identity, participantId: "ann", role: "participant", kind: "guest" } as const
  connection.apply({ type: "identified", mutes: MUTES_NOTHING })
  connection.apply({ type: "granted", eventId: "event", identity, basis: undefined, sessionExpiresAt: 9_000 })
  for (const type of ["entered", "opened", "paused"] as const) connection.apply({ type })
  const topics = new Topics("event")
  const limits = { orderedLimitBytes: 1000, ephemeralLimitBytes: 100 }
  resumeEphemeral(connection, topics, limits)
  expect([[...heard], connection.getsEphemeral]).toEqual([[], false])
  connection.apply({ type: "resumed" })
  resumeEphemeral(connection, topics, limits)
  expect(heard).toContain(topics.ephemeralTopic("event"))
})

test("a socket is subscribed to the topic of each ephemeral dispatch on each shared stream of its contract", () => {
  const heard = new Set<string>()
  const connection = new Connection(socketInto(heard), "192.0.2.1", 0, () => {})
  const topics = new Topics("event")
  topics.setEphemeral(connection, [...SHARED_STREAMS, roomStream("red")], true)
  const told = Object.values(DISPATCHES).flatMap((dispatch: AnyDispatch) =>
    dispatch.kind === "ephemeral" ? dispatch.streams.map((kind) => [kind, dispatch.optOut] as const) : [],
  )
  for (const [kind, optOut] of told.filter(([kind]) => kind !== "me" && kind !== "poll")) {
    expect(heard).toContain(topics.ephemeralTopic(kind === "room" ? roomStream("red") : kind, optOut))
  }
})

test("of many connections those that wait for an answer are closed last, all within the time", async () => {
  const time = await openVirtualTime()
  const closed: number[] = []
  const connections = Array.from({ length: 40 }, (_, n) => ({ inFlight: n % 2, close: () => void closed.push(n % 2) }))
  closeStaggered(time.timers, connections as unknown as ReadonlyArray<Connection>, CLOSE.drain, 1500)
  await time.pass(100)
  expect(closed.length).toBeLessThan(10)
  await time.pass(1400)
  expect(closed).toEqual([...Array(20).fill(0), ...Array(20).fill(1)])
})
