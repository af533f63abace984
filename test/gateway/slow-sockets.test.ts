/** The topics of ephemeral dispatches, the ones that a slow socket is not sent, and the order in which many sockets are closed. */
import { expect, test } from "vitest"
import { Connection } from "../../src/gateway/connection/connection.ts"
import { beginLife, MUTES_NOTHING } from "../../src/gateway/connection/lifecycle.ts"
import { topicsOf } from "../../src/gateway/connection/subscriptions.ts"
import { ephemeralTopic } from "../../src/gateway/streams/topics.ts"
import { resumeEphemeral } from "../../src/gateway/transport/send.ts"
import { closeStaggered } from "../../src/gateway/transport/staggered-close.ts"
import { roomStream, SHARED_STREAMS } from "../../src/model/live/streams.ts"
import { DISPATCHES } from "../../src/protocol/contract.ts"
import type { AnyDispatch } from "../../src/protocol/dispatch.ts"
import { CLOSE } from "../../src/protocol/wire/close-codes.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const NOBODY = { left: () => {}, makeReady: () => {}, personal: (_: Connection, text: string) => text }

test("a connection that waits for its ready receives no ephemeral message, although its socket has drained", () => {
  const topics = new Set<string>()
  const socket = {
    send: () => {},
    end: () => {},
    terminate: () => {},
    subscribe: (topic: string) => void topics.add(topic),
    unsubscribe: (topic: string) => void topics.delete(topic),
    buffered: () => 0,
  }
  const connection = new Connection(socket, { number: 1, address: "192.0.2.1", openedAt: 0 }, NOBODY)
  const identity = { ...beginLife(0).identity, participantId: "ann", role: "participant", kind: "guest" } as const
  connection.apply({ type: "identified", mutes: MUTES_NOTHING })
  connection.apply({ type: "granted", eventId: "event", identity, basis: undefined, sessionExpiresAt: 9_000 })
  connection.apply({ type: "entered", eventId: "event", resume: undefined })
  connection.apply({ type: "opened" })
  const limits = { orderedLimitBytes: 1000, ephemeralLimitBytes: 100 }
  resumeEphemeral(connection, limits)
  expect([topics.has(ephemeralTopic("event", "event")), connection.getsEphemeral]).toEqual([false, false])
  connection.apply({ type: "resumed", polls: [] })
  connection.apply({ type: "slowed" })
  expect([topics.has(ephemeralTopic("event", "event")), connection.getsEphemeral]).toEqual([false, false])
  resumeEphemeral(connection, limits)
  expect([topics.has(ephemeralTopic("event", "event")), connection.getsEphemeral]).toEqual([true, true])
})

test("a socket is subscribed to the topic of each ephemeral dispatch on each shared stream of its contract", () => {
  const identities = [
    { ...beginLife(0).identity, role: "host", kind: "user" },
    { ...beginLife(0).identity, role: "viewer", kind: "anonymous" },
  ] as const
  const topics = identities.flatMap((identity) =>
    topicsOf({ ...beginLife(0), state: "open", eventId: "event", identity, roomId: "red" }),
  )
  const shared: ReadonlyArray<string> = SHARED_STREAMS
  const ephemeral = Object.values(DISPATCHES).flatMap((dispatch: AnyDispatch) =>
    dispatch.kind === "ephemeral" ? dispatch.streams.map((kind) => [kind, dispatch.optOut] as const) : [],
  )
  for (const [kind, optOut] of ephemeral.filter(([kind]) => shared.includes(kind) || kind === "room")) {
    expect(topics).toContain(ephemeralTopic("event", kind === "room" ? roomStream("red") : kind, optOut))
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
