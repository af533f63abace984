/** The calls of an event for any sequence of joins, moves, losses and returns, as their peers see them. */
import fc from "fast-check"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { NO_PHASE } from "../../../src/actors/domain/state.ts"
import { systemTimers } from "../../../src/clock/timers.ts"
import type { Connection } from "../../../src/gateway/connection/connection.ts"
import { beginLife } from "../../../src/gateway/connection/lifecycle.ts"
import { ParticipantStates } from "../../../src/gateway/event/participant-states.ts"
import { GATEWAY_DEFAULTS } from "../../../src/gateway/options.ts"
import { GRACE_MS, MeshRooms } from "../../../src/gateway/rtc/mesh-rooms.ts"
import type { Frame } from "../client.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ROOMS = ["red", "blue"] as const
const MAX_PEERS = 3

type Act =
  | {
      readonly type: "join"
      readonly who: number
      readonly tab: number
      readonly video: boolean
      readonly resume: boolean
    }
  | { readonly type: "leave" | "lose" | "kick"; readonly who: number; readonly tab: number }
  | { readonly type: "move"; readonly who: number; readonly room: number }
  | { readonly type: "pass"; readonly ms: number }

const who = fc.integer({ min: 0, max: 4 })
const tab = fc.integer({ min: 0, max: 1 })

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("join" as const), who, tab, video: fc.boolean(), resume: fc.boolean() }),
  },
  fc.record({ type: fc.constantFrom("leave" as const, "lose" as const, "kick" as const), who, tab }),
  fc.record({ type: fc.constant("move" as const), who, room: fc.integer({ min: 0, max: 1 }) }),
  fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
)

/** A socket of a participant, with the list of its call as its browser has it; null: it is in no call. */
interface Socket {
  readonly connection: Connection & { state: string; roomId: string | null }
  list: Frame | null
}

const openEvent = () => {
  const participants = new ParticipantStates()
  const facts = {
    phase: { ...NO_PHASE, id: "phase", modality: "breakout" } as const,
    participants,
    removed: new Set<string>(),
  }
  const options = { ...GATEWAY_DEFAULTS, mesh: { ...GATEWAY_DEFAULTS.mesh, maxPeers: MAX_PEERS } }
  const media = { hasServer: false, tokenFor: () => expect.fail("no seat is minted") }
  const calls = new MeshRooms({ options, timers: systemTimers, media }, facts)
  const sockets = new Map<string, Socket>()
  /** The latest id of each participant in a call. */
  const ids = new Map<string, string>()

  const roomOf = (name: string): string => participants.roomOf(name) ?? ROOMS[0]
  const socketOf = (name: string, tabNo: number): Socket => {
    const known = sockets.get(`${name} ${tabNo}`)
    if (known !== undefined) return known
    const connection = {
      identity: { ...beginLife(0).identity, participantId: name, name, role: "participant" },
      state: "open",
      roomId: roomOf(name),
      buffered: 0,
      send: (text: string) => {
        const { t, d } = JSON.parse(text)
        if (t === "rtc.peers") socket.list = d.closed === undefined ? d : null
      },
    }
    const socket: Socket = { connection: connection as unknown as Socket["connection"], list: null }
    sockets.set(`${name} ${tabNo}`, socket)
    return socket
  }
  const close = (name: string, tabNo: number): void => {
    const socket = sockets.get(`${name} ${tabNo}`)
    if (socket === undefined) return
    socket.connection.state = "closed"
    sockets.delete(`${name} ${tabNo}`)
    calls.closed(socket.connection, { from: "open", why: undefined })
  }
  const move = (name: string, roomId: string): void => {
    participants.apply({ participantId: name, roomId } as never)
    for (const n of [0, 1]) {
      const socket = sockets.get(`${name} ${n}`)
      if (socket !== undefined) socket.connection.roomId = roomId
    }
    calls.review(name)
  }
  const join = (given: Extract<Act, { readonly type: "join" }>, name: string): void => {
    const { connection } = socketOf(name, given.tab)
    const resume = given.resume ? ids.get(name) : undefined
    const answer = calls.join(connection, {
      roomId: roomOf(name),
      have: { audio: true, video: given.video },
      ...(resume === undefined ? {} : { resume }),
    })
    if ("d" in answer) ids.set(name, answer.d.connectionId)
  }
  const leave = (name: string, tabNo: number): void => {
    const socket = sockets.get(`${name} ${tabNo}`)
    if (socket === undefined) return
    calls.leave(socket.connection)
    // The client knows without a list.
    socket.list = null
  }
  const perform = (given: Act): void => {
    const name = given.type === "pass" ? "" : `p${given.who}`
    switch (given.type) {
      case "pass":
        vi.advanceTimersByTime(given.ms)
        break
      case "join":
        join(given, name)
        break
      case "leave":
        leave(name, given.tab)
        break
      case "lose":
        close(name, given.tab)
        break
      case "kick":
        calls.remove(name)
        break
      case "move":
        move(name, ROOMS[given.room] ?? ROOMS[0])
        break
    }
  }
  return { calls, sockets, perform, close, roomOf }
}

const idsIn = ({ peers }: Frame): ReadonlyArray<string> => peers.map(({ connectionId }: Frame) => connectionId)

const participantsIn = ({ peers }: Frame): ReadonlyArray<string> =>
  peers.map(({ participantId }: Frame) => participantId)

const isUnique = (all: ReadonlyArray<string>): boolean => new Set(all).size === all.length

const expectSound = (list: Frame): void => {
  const most = list.peers.some(({ have }: Frame) => have.video) ? MAX_PEERS : 8
  expect(list.peers.length).toBeLessThanOrEqual(most)
  expect(idsIn(list)).toContain(list.connectionId)
  expect(isUnique(participantsIn(list))).toBe(true)
}

test("all who are in a call see the same list, of their own room, within its limit, and with themselves", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60, size: "max" }), (acts) => {
      const { sockets, perform, roomOf } = openEvent()
      for (const given of acts) {
        perform(given)
        const open = [...sockets.values()].filter(({ list }) => list !== null)
        const lists = new Map<string, Frame>()
        for (const { connection, list } of open) {
          expectSound(list)
          expect(list.roomId).toBe(roomOf(connection.identity.participantId))
          expect(list.peers).toEqual(lists.get(list.roomId) ?? list.peers)
          lists.set(list.roomId, list.peers)
        }
        // One tab of each participant at most is in a call.
        expect(isUnique(open.map(({ connection }) => connection.identity.participantId))).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test("when all sockets are lost and the grace is over, nothing is left", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40, size: "max" }), (acts) => {
      const { calls, perform, close } = openEvent()
      for (const given of acts) perform(given)
      for (let n = 0; n < 5; n++) for (const tabNo of [0, 1]) close(`p${n}`, tabNo)
      vi.advanceTimersByTime(GRACE_MS + 1)
      expect([calls.isEmpty, vi.getTimerCount()]).toEqual([true, 0])
    }),
    { numRuns: 200 },
  )
})
