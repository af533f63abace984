/** Entering an event: after one that could not be opened, and of several tabs out of the waiting room. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { Connection, type ConnectionOwner } from "../../src/gateway/connection/connection.ts"
import { beginLife } from "../../src/gateway/connection/lifecycle.ts"
import { Hub } from "../../src/gateway/event/hub.ts"
import type { PresenceReports } from "../../src/gateway/event/presence-reports.ts"
import { WaitingRoom } from "../../src/gateway/event/waiting-room.ts"
import { AbsentParticipants } from "../../src/gateway/memory/absent-participants.ts"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { Unavailable } from "../../src/model/errors.ts"
import { eventually } from "../support/wait.ts"

const nothing = (): void => undefined
const SOCKET = { send: nothing, end: nothing, terminate: nothing, subscribe: nothing, unsubscribe: nothing }

const identified = (owner: ConnectionOwner): Connection => {
  const connection = new Connection(
    { ...SOCKET, buffered: () => 0 },
    { number: 1, address: "192.0.2.1", openedAt: 0 },
    owner,
  )
  const identity = { ...beginLife(0).identity, participantId: "ann" }
  connection.apply({ type: "identified", mutes: new Set() })
  connection.apply({ type: "granted", eventId: "event", identity, basis: undefined, sessionExpiresAt: 9e15 })
  return connection
}

test("an event that could not be opened is opened anew for the next connection, without waiting for a sweep", async () => {
  let readings = 0
  const read = () => {
    readings++
    return readings === 1 ? Effect.fail(new Unavailable({ detail: "away", retryAfterSeconds: 1 })) : Effect.never
  }
  const metrics = { sockets: { add: nothing }, disconnects: { add: nothing } }
  const hub = new Hub({
    options: GATEWAY_DEFAULTS,
    telemetry: { metrics },
    timers: systemTimers,
    absent: new AbsentParticipants(systemTimers, 1),
    feed: { subscribe: () => nothing, listen: () => nothing, onReset: () => nothing },
    live: { read, onForgotten: () => nothing },
    fork: (effect: Effect.Effect<void>) => Effect.runFork(effect),
  } as never)
  const [first, second] = [identified(hub), identified(hub)]
  for (const connection of [first, second]) hub.add(connection)
  hub.enter(first, undefined)
  await eventually(() => first.state === "closed")
  hub.enter(second, undefined)
  await eventually(() => readings === 2)
  expect([second.state, hub.size]).toEqual(["waiting", 1])
  hub.stop()
})

test("of several tabs that are admitted at once each is admitted once, though the first one's ready admits the others", () => {
  const presence = { joinedWaitingRoom: nothing, leftWaitingRoom: nothing } as unknown as PresenceReports
  const room = new WaitingRoom(systemTimers, 5, presence)
  const ready: Connection[] = []
  const owner: ConnectionOwner = {
    left: nothing,
    personal: (_, text) => text,
    makeReady: (connection, { resume }) => {
      if (resume !== undefined) return
      ready.push(connection)
      room.admit(connection.identity.participantId)
    },
  }
  const tabs = [identified(owner), identified(owner), identified(owner)]
  for (const tab of tabs) {
    tab.apply({ type: "entered", eventId: "event", resume: { epoch: "", cursors: {} } })
    room.hold(tab)
  }
  room.admit("ann")
  expect([ready, room.size]).toEqual([tabs, 0])
})
