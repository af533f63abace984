/** The calls of an event for any sequence of joins, moves, losses and returns on several nodes, as their peers see them. */
import fc from "fast-check"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { systemTimers } from "../../../src/clock/timers.ts"
import { RETURN_WITHIN_MS } from "../../../src/model/live/holdings.ts"
import type { Frame } from "../client.ts"
import { openCallNodes, type TestSocket } from "./call-nodes.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ROOMS = ["red", "blue"] as const
const MAX_PEERS = 3
const PEOPLE = 5
/** A tab of each participant on each. */
const NODES = ["one", "two", "three"] as const

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
  | { readonly type: "mute"; readonly who: number; readonly tab: number; readonly on: boolean }
  | { readonly type: "pass"; readonly ms: number }
  /** Another owner, which the gateways notice, or find out when they ask. */
  | { readonly type: "moveOwner"; readonly isTold: boolean }
  | { readonly type: "killNode"; readonly tab: number }

const who = fc.integer({ min: 0, max: PEOPLE - 1 })
const tab = fc.integer({ min: 0, max: NODES.length - 1 })

const local: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("join" as const), who, tab, video: fc.boolean(), resume: fc.boolean() }),
  },
  fc.record({ type: fc.constantFrom("leave" as const, "lose" as const, "kick" as const), who, tab }),
  fc.record({ type: fc.constant("mute" as const), who, tab, on: fc.boolean() }),
  fc.record({ type: fc.constant("move" as const), who, room: fc.integer({ min: 0, max: 1 }) }),
  fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
)

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: local },
  fc.record({ type: fc.constant("moveOwner" as const), isTold: fc.boolean() }),
  fc.record({ type: fc.constant("killNode" as const), tab }),
)

/** The list of its call as the browser of a socket has it; null: it is in no call. */
const listOf = ({ frames }: TestSocket, leftAt: number): Frame | null => {
  const list = frames.slice(leftAt).findLast(({ t }) => t === "rtc.peers")
  return list === undefined || list.d.closed !== undefined ? null : list.d
}

const openEvent = () => {
  const nodes = openCallNodes(systemTimers, NODES, {
    modality: "breakout",
    phaseId: "phase",
    mesh: { maxPeers: MAX_PEERS },
  })
  const { participants } = nodes.facts
  const sockets = new Map<string, TestSocket & { leftAt: number }>()
  /** The latest id of each participant in a call. */
  const ids = new Map<string, string>()

  const roomOf = (name: string): string => participants.roomOf(name) ?? ROOMS[0]
  const nodeAt = (tabNo: number): string => NODES[tabNo] ?? NODES[0]
  const socketOf = (name: string, tabNo: number) => {
    const key = `${name} ${tabNo}`
    const known = sockets.get(key)
    if (known !== undefined) return known
    const socket = { ...nodes.connect(nodeAt(tabNo), name, roomOf(name)), leftAt: 0 }
    sockets.set(key, socket)
    return socket
  }
  const close = (name: string, tabNo: number): void => {
    const socket = sockets.get(`${name} ${tabNo}`)
    if (socket === undefined) return
    socket.connection.state = "closed"
    sockets.delete(`${name} ${tabNo}`)
    nodes.nodeOf(nodeAt(tabNo)).closed(socket.connection, { from: "open", why: undefined })
  }
  const forEachNode = (call: (node: ReturnType<typeof nodes.nodeOf>) => void): void => {
    for (const node of NODES) call(nodes.nodeOf(node))
  }
  const move = (name: string, roomId: string): void => {
    participants.apply({ participantId: name, roomId } as never)
    for (const n of NODES.keys()) {
      const socket = sockets.get(`${name} ${n}`)
      if (socket !== undefined) socket.connection.roomId = roomId
    }
    forEachNode((node) => node.review(name))
  }
  const kill = (tabNo: number): void => {
    for (const [key, { connection }] of sockets) {
      if (!key.endsWith(` ${tabNo}`)) continue
      connection.state = "closed"
      sockets.delete(key)
    }
    nodes.killNode(nodeAt(tabNo))
  }
  const join = (given: Extract<Act, { readonly type: "join" }>, name: string): void => {
    const socket = socketOf(name, given.tab)
    const have = { audio: true, video: given.video }
    const answer = socket.join(roomOf(name), given.resume ? ids.get(name) : undefined, have)
    // Without the messages before it an answer waits.
    if (answer?.d !== undefined) ids.set(name, answer.d.connectionId)
  }
  const leave = (name: string, tabNo: number): void => {
    const socket = sockets.get(`${name} ${tabNo}`)
    if (socket === undefined) return
    // The client knows without a list.
    socket.leave(() => {
      socket.leftAt = socket.frames.length
    })
  }
  const hosts = NODES.map((node) => nodes.connect(node, "host").connection)
  const mute = ({ tab: tabNo, on }: Extract<Act, { readonly type: "mute" }>, participantId: string): void => {
    const host = hosts[tabNo] ?? expect.fail("no host")
    nodes.nodeOf(nodeAt(tabNo)).mute(host, { participantId, source: "microphone", on }, () => {})
  }
  const perform = (given: Act): void => {
    const name = "who" in given ? `p${given.who}` : ""
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
        forEachNode((node) => node.remove(name))
        break
      case "move":
        move(name, ROOMS[given.room] ?? ROOMS[0])
        break
      case "mute":
        mute(given, name)
        break
      case "moveOwner":
        nodes.moveOwner(given.isTold)
        break
      case "killNode":
        kill(given.tab)
        break
    }
  }
  /** Gateways that have not noticed another owner do so. */
  const settle = (): void => forEachNode((node) => node.sayAgain())
  const inCalls = () =>
    [...sockets.values()].flatMap((socket) => {
      const list = listOf(socket, socket.leftAt)
      return list === null ? [] : { socket, list }
    })
  const closeAll = (): void => {
    for (let n = 0; n < PEOPLE; n++) for (const tabNo of NODES.keys()) close(`p${n}`, tabNo)
  }
  return { nodes, perform, settle, inCalls, closeAll, roomOf }
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

/** Of one room, in no particular order: after another owner the order may be another one. */
const sorted = ({ peers }: Frame): string => JSON.stringify(peers.map((peer: Frame) => JSON.stringify(peer)).toSorted())

const expectOneView = ({ inCalls, roomOf }: ReturnType<typeof openEvent>): void => {
  const lists = new Map<string, string>()
  for (const { socket, list } of inCalls()) {
    expectSound(list)
    expect(list.roomId).toBe(roomOf(socket.connection.identity.participantId))
    expect(sorted(list)).toBe(lists.get(list.roomId) ?? sorted(list))
    lists.set(list.roomId, sorted(list))
  }
  // One tab of each participant at most is in a call, whatever node it is on.
  expect(isUnique(inCalls().map(({ socket }) => socket.connection.identity.participantId))).toBe(true)
}

test("all who are in a call see the same list, of their own room, within its limit, and with themselves", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60, size: "max" }), (acts) => {
      const event = openEvent()
      for (const given of acts) {
        event.perform(given)
        event.settle()
        expectOneView(event)
      }
    }),
    { numRuns: 50 },
  )
})

/** The answers to a signal from each socket to each peer of its list. */
const signalAll = (inCalls: ReturnType<ReturnType<typeof openEvent>["inCalls"]>) =>
  inCalls.flatMap(({ socket, list }) =>
    idsIn(list)
      .filter((id) => id !== list.connectionId)
      .map((id) => ({
        isOpen: inCalls.some((one) => one.list.connectionId === id),
        code: socket.signal(id).refusal?.code ?? "taken",
      })),
  )

const listsSent = ({ socket }: { readonly socket: TestSocket }): number =>
  socket.frames.filter(({ t }) => t === "rtc.peers").length

test("another owner changes no list of those who have their sockets, and signals pass between all of them", () => {
  fc.assert(
    fc.property(fc.array(local, { maxLength: 40, size: "max" }), fc.boolean(), (acts, isTold) => {
      const event = openEvent()
      for (const given of acts) event.perform(given)
      const before = event.inCalls()
      const lists = before.map(listsSent)
      event.nodes.moveOwner(isTold)
      // A node that has not asked the new owner yet has not named its peers.
      const early = isTold ? ["taken"] : ["taken", "unavailable"]
      for (const { isOpen, code } of signalAll(before)) expect(isOpen ? early : ["unavailable"]).toContain(code)
      event.settle()
      for (const { isOpen, code } of signalAll(before)) expect(code).toBe(isOpen ? "taken" : "unavailable")
      expect(before.map(listsSent)).toEqual(lists)
    }),
    { numRuns: 50 },
  )
})

test("messages that were lost are made good when the link is back", () => {
  fc.assert(
    fc.property(
      fc.array(local, { maxLength: 30, size: "max" }),
      fc.array(local, { maxLength: 10 }),
      (acts, unheard) => {
        const event = openEvent()
        for (const given of acts) event.perform(given)
        event.nodes.cut()
        for (const given of unheard) event.perform(given)
        event.nodes.restore()
        // The answers that waited for their messages, and the reset of each node.
        vi.advanceTimersByTime(3000)
        expectOneView(event)
      },
    ),
    { numRuns: 50 },
  )
})

test("when all sockets are lost and the grace is over, nothing is left", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40, size: "max" }), (acts) => {
      const event = openEvent()
      for (const given of acts) event.perform(given)
      event.closeAll()
      vi.advanceTimersByTime(RETURN_WITHIN_MS + 1)
      const { nodes } = event
      const isEmpty = NODES.map((node) => nodes.nodeOf(node).isEmpty)
      expect([nodes.owner.isEmpty, isEmpty, vi.getTimerCount()]).toEqual([true, [true, true, true], 0])
    }),
    { numRuns: 70 },
  )
})
