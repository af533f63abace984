/** The laws of an event's calls, for any requests of several nodes, also such as a node with an old memory would send. */
import fc from "fast-check"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Call } from "../../../src/actors/calls/call.ts"
import type { CallReply, CallRequest, CallStep, RememberedRoom } from "../../../src/actors/calls/call-request.ts"
import { Calls } from "../../../src/actors/calls/calls.ts"
import { MAX_AUDIO_PEERS } from "../../../src/actors/calls/limits.ts"
import type { NodeMessage } from "../../../src/actors/calls/node-messages.ts"
import { systemTimers } from "../../../src/clock/timers.ts"
import { RETURN_WITHIN_MS } from "../../../src/model/live/holdings.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const NODES = ["one", "two", "three"] as const
const ROOMS = ["red", "blue"] as const
const MAX_PEERS = 3
const SOCKETS = 3

const node = fc.constantFrom(...NODES)
const room = fc.constantFrom(...ROOMS)
const socket = fc.integer({ min: 1, max: SOCKETS })
const person = fc.integer({ min: 0, max: 4 })
const have = fc.record({ audio: fc.boolean(), video: fc.boolean() })
/** Of the ids that were given out so far. */
const nth = fc.nat({ max: 30 })

interface Claim {
  readonly nth: number
  readonly person: number
  readonly have: { readonly audio: boolean; readonly video: boolean }
  readonly own: { readonly socket: number; readonly graceMs: number | null } | undefined
}

type Act =
  | {
      readonly type: "join"
      readonly node: string
      readonly socket: number
      readonly room: string
      readonly person: number
      readonly have: { readonly audio: boolean; readonly video: boolean }
      readonly resume: number | undefined
    }
  | { readonly type: "leave" | "lose"; readonly node: string; readonly socket: number }
  | { readonly type: "signal"; readonly node: string; readonly socket: number; readonly to: number }
  | {
      readonly type: "remember"
      readonly node: string
      readonly rooms: ReadonlyArray<{ readonly room: string; readonly claims: ReadonlyArray<Claim> }>
    }
  | { readonly type: "forget"; readonly node: string }
  | { readonly type: "pass"; readonly ms: number }
  | { readonly type: "activate" }

const claim: fc.Arbitrary<Claim> = fc.record({
  nth,
  person,
  have,
  own: fc.option(fc.record({ socket, graceMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: null }) }), {
    nil: undefined,
  }),
})

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("join" as const),
      node,
      socket,
      room,
      person,
      have,
      resume: fc.option(nth, { nil: undefined }),
    }),
  },
  fc.record({ type: fc.constantFrom("leave" as const, "lose" as const), node, socket }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant("signal" as const), node, socket, to: nth }) },
  fc.record({
    type: fc.constant("remember" as const),
    node,
    rooms: fc.array(fc.record({ room, claims: fc.array(claim, { maxLength: 5 }) }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant("forget" as const), node }),
  fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  fc.record({ type: fc.constant("activate" as const) }),
)

class World {
  readonly told: Array<{ readonly node: string; readonly message: NodeMessage }> = []
  /** Ids that were given out, and one that never was. */
  readonly ids: string[] = ["00000000-0000-7000-8000-000000000000"]
  calls: Calls
  #requests = 0
  #activations = 0
  readonly #sequences = new Map<string, string>()

  constructor() {
    this.calls = this.#activate()
  }

  #activate(): Calls {
    const isFirst = this.#activations++ === 0
    this.#sequences.clear()
    return new Calls({
      eventId: "event",
      timers: systemTimers,
      since: systemTimers.elapsed(),
      tell: (to, message) => void this.told.push({ node: to, message }),
      server: null,
      mayBeRemembered: () => !isFirst,
    })
  }

  idAt(n: number): string {
    return this.ids[n % this.ids.length] ?? ""
  }

  ask(from: string, given: Pick<CallRequest, "steps" | "remembered">): CallReply {
    const known = this.#sequences.get(from)
    const begins = known === undefined || given.remembered !== undefined
    const sequence = begins ? `${from} ${this.#requests}` : known
    this.#sequences.set(from, sequence)
    return this.calls.answer({
      id: String(this.#requests++),
      node: from,
      sequence,
      ...(begins && { remembered: given.remembered ?? { maxPeers: MAX_PEERS, rooms: [] } }),
      steps: given.steps,
    })
  }

  #step(given: Extract<Act, { readonly type: "join" | "leave" | "lose" | "signal" }>): CallStep {
    switch (given.type) {
      case "join":
        return {
          type: "join",
          socket: given.socket,
          roomId: given.room,
          participantId: `p${given.person}`,
          name: `P${given.person}`,
          have: given.have,
          maxPeers: MAX_PEERS,
          ...(given.resume !== undefined && { resume: this.idAt(given.resume) }),
        }
      case "signal":
        return {
          type: "signal",
          socket: given.socket,
          signal: { to: this.idAt(given.to), kind: "offer", data: "v=0", gen: 0 },
        }
      default:
        return { type: given.type, socket: given.socket }
    }
  }

  #rooms(given: Extract<Act, { readonly type: "remember" }>): ReadonlyArray<RememberedRoom> {
    return given.rooms.map(({ room: roomId, claims }) => ({
      roomId,
      peers: claims.map(({ nth: n, person: who, have: tracks, own }) => ({
        connectionId: this.idAt(n),
        participantId: `p${who}`,
        name: `P${who}`,
        have: tracks,
        ...(own !== undefined && { own }),
      })),
    }))
  }

  do(given: Act): CallReply | undefined {
    switch (given.type) {
      case "pass":
        vi.advanceTimersByTime(given.ms)
        return undefined
      case "forget":
        this.#sequences.delete(given.node)
        this.calls.forgetNode(given.node)
        return undefined
      case "activate":
        this.calls.stop()
        this.calls = this.#activate()
        return undefined
      case "remember":
        return this.ask(given.node, { remembered: { maxPeers: MAX_PEERS, rooms: this.#rooms(given) }, steps: [] })
      default: {
        const reply = this.ask(given.node, { steps: [this.#step(given)] })
        const id = reply.answers[0]?.joined?.connectionId
        if (id !== undefined) this.ids.push(id)
        return reply
      }
    }
  }
}

const property = (check: (world: World, given: Act, done: () => CallReply | undefined) => void): void =>
  fc.assert(
    fc.property(fc.array(act, { maxLength: 50, size: "max" }), (acts) => {
      const world = new World()
      for (const given of acts) check(world, given, () => world.do(given))
      world.calls.stop()
    }),
    { numRuns: 150 },
  )

const expectWithinLimit = (peers: Call): void => {
  const most = peers.some(({ have: tracks }) => tracks.video) ? MAX_PEERS : MAX_AUDIO_PEERS
  expect(peers.length).toBeLessThanOrEqual(most)
}

test("no room has more people than its limit, and nobody has two peers, in whatever rooms", () => {
  property(({ calls }, _given, done) => {
    done()
    const rooms = [...calls.rooms.values()]
    for (const peers of rooms) expectWithinLimit(peers)
    const all = rooms.flat()
    expect(new Set(all.map(({ participantId }) => participantId)).size).toBe(all.length)
    expect(new Set(all.map(({ connectionId }) => connectionId)).size).toBe(all.length)
  })
})

test("a signal goes to a peer of the sender's room and to nobody else", () => {
  property((world, given, done) => {
    const before = world.told.length
    const reply = done()
    const passed = world.told
      .slice(before)
      .flatMap(({ message }) => (message.news.type === "signal" ? message.news : []))
    if (given.type !== "signal") {
      expect(passed).toEqual([])
      return
    }
    const isTaken = reply?.answers[0]?.refusal === undefined
    expect(passed).toHaveLength(isTaken ? 1 : 0)
    for (const { from, to } of passed) {
      const rooms = [...world.calls.rooms.values()].filter((peers) =>
        [from, to.connectionId].every((id) => peers.some(({ connectionId }) => connectionId === id)),
      )
      expect(rooms).toHaveLength(1)
      expect(from).not.toBe(to.connectionId)
    }
  })
})

test("the messages to a node are numbered without a gap, and a reply has the number of the last", () => {
  const numbers = new WeakMap<World, Map<string, number>>()
  let told = 0
  property((world, given, done) => {
    const last = numbers.get(world) ?? new Map<string, number>()
    numbers.set(world, last)
    const before = world.told.length
    const reply = done()
    for (const { node: to, message } of world.told.slice(before)) {
      const key = `${to} ${message.sequence}`
      expect(message.n).toBe((last.get(key) ?? 0) + 1)
      last.set(key, message.n)
      told++
    }
    if (reply === undefined || !("node" in given)) return
    const own = world.told.filter(({ node: to }) => to === given.node)
    const sequence = own.at(-1)?.message.sequence
    if (reply.sent > 0) expect(last.get(`${given.node} ${sequence}`)).toBe(reply.sent)
  })
  expect(told).toBeGreaterThan(300)
})

test("a peer that no node claims, or whose node is gone, has left after its time", () => {
  property((world, _given, done) => {
    done()
    const open = [...world.calls.rooms.values()].flat().filter(({ awayUntil }) => awayUntil === null)
    for (const { isClaimed } of open) expect(isClaimed).toBe(true)
  })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 50, size: "max" }), (acts) => {
      const world = new World()
      for (const given of acts) world.do(given)
      for (const name of NODES) world.calls.forgetNode(name)
      vi.advanceTimersByTime(RETURN_WITHIN_MS + 1)
      expect([world.calls.isEmpty, vi.getTimerCount()]).toEqual([true, 0])
    }),
    { numRuns: 120 },
  )
})

test("a request that comes twice is done once, and one of a sequence of before is not done", () => {
  const world = new World()
  const join: CallStep = {
    type: "join",
    socket: 1,
    roomId: "red",
    participantId: "ann",
    name: "Ann",
    have: { audio: true, video: true },
    maxPeers: MAX_PEERS,
  }
  const request: CallRequest = {
    id: "first",
    node: "one",
    sequence: "a",
    remembered: { maxPeers: MAX_PEERS, rooms: [] },
    steps: [join],
  }
  const reply = world.calls.answer(request)
  expect(reply).toMatchObject({ isKnown: true, sent: 1, answers: [{ joined: { resumed: false } }] })
  expect(world.calls.answer(request)).toEqual(reply)
  expect(world.told).toHaveLength(1)
  const leave: CallStep = { type: "leave", socket: 1 }
  expect(world.calls.answer({ id: "second", node: "one", sequence: "b", steps: [leave] })).toMatchObject({
    isKnown: false,
  })
  expect(world.calls.isEmpty).toBe(false)
  expect(world.calls.answer({ id: "third", node: "one", sequence: "a", steps: [leave] })).toMatchObject({
    isKnown: true,
  })
  expect(world.calls.isEmpty).toBe(true)
})
