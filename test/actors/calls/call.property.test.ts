/** The laws of a call, for any sequence of events. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { type Call, type CallEffect, type CallEvent, stepCall } from "../../../src/actors/calls/call.ts"
import { MAX_AUDIO_PEERS } from "../../../src/actors/calls/limits.ts"

const tracks = fc.record({ audio: fc.boolean(), video: fc.boolean() })
/** Participants and sockets are few, so that events meet. */
const who = fc.integer({ min: 0, max: 9 })

type Act =
  | {
      readonly type: "join"
      readonly who: number
      readonly have: { audio: boolean; video: boolean }
      readonly resume: number
    }
  | { readonly type: "leave" | "lose"; readonly who: number }
  | { readonly type: "signal"; readonly who: number; readonly to: number }
  | { readonly type: "pass"; readonly ms: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("join" as const), who, have: tracks, resume: who }) },
  fc.record({ type: fc.constantFrom("leave" as const, "lose" as const), who }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant("signal" as const), who, to: who }) },
  fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
)

/** The latest peer of each participant, as the participant knows it. */
class World {
  call: Call = []
  now = 0
  #ids = 0
  readonly peers = new Map<number, string>()
  readonly maxPeers: number

  constructor(maxPeers: number) {
    this.maxPeers = maxPeers
  }

  idOf(who: number): string {
    return this.peers.get(who) ?? "none"
  }

  #event(given: Act): CallEvent {
    switch (given.type) {
      case "join":
        return {
          type: "join",
          own: undefined,
          resume: this.idOf(given.resume),
          freshId: `peer${this.#ids++}`,
          participantId: `p${given.who}`,
          name: `P${given.who}`,
          have: given.have,
          maxPeers: this.maxPeers,
        }
      case "leave":
        return { type: "leave", connectionId: this.idOf(given.who), why: "left" }
      case "lose":
        return { type: "lose", connectionId: this.idOf(given.who), until: this.now + 15_000 }
      case "signal": {
        const signal = { to: this.idOf(given.to), kind: "offer", data: "v=0", gen: 0 } as const
        return { type: "signal", from: this.idOf(given.who), signal }
      }
      case "pass":
        this.now += given.ms
        return { type: "expire", now: this.now }
    }
  }

  do(given: Act): { readonly before: Call; readonly effects: ReadonlyArray<CallEffect> } {
    const before = this.call
    const { call, effects } = stepCall(before, this.#event(given))
    this.call = call
    for (const effect of effects) {
      if (effect.type === "attach" && given.type === "join") this.peers.set(given.who, effect.peer.connectionId)
    }
    return { before, effects }
  }
}

const idsIn = (call: Call): ReadonlyArray<string> => call.map(({ connectionId }) => connectionId)

const property = (check: (world: World, given: Act, done: ReturnType<World["do"]>) => void): void =>
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), fc.array(act, { maxLength: 60, size: "max" }), (maxPeers, acts) => {
      const world = new World(maxPeers)
      for (const given of acts) check(world, given, world.do(given))
    }),
    { numRuns: 120 },
  )

test("a room never has more people than its limit, and nobody twice", () => {
  property(({ call, maxPeers }) => {
    const most = call.some(({ have }) => have.video) ? maxPeers : MAX_AUDIO_PEERS
    expect(call.length).toBeLessThanOrEqual(most)
    expect(new Set(idsIn(call)).size).toBe(call.length)
    expect(new Set(call.map(({ participantId }) => participantId)).size).toBe(call.length)
  })
})

test("every change of the list is sent to everybody in it, so that both ends of each pair know each other", () => {
  property(({ call }, _given, { before, effects }) => {
    const view = (peers: Call) => JSON.stringify(peers.map(({ connectionId, have }) => [connectionId, have]))
    if (view(before) !== view(call)) expect(effects).toContainEqual({ type: "list", to: "all" })
  })
})

test("a peer that left or whose time ran out is gone, and never comes back under its id", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60, size: "max" }), (acts) => {
      const world = new World(4)
      const gone = new Set<string>()
      for (const given of acts) {
        const { effects } = world.do(given)
        for (const effect of effects) if (effect.type === "detach") gone.add(effect.peer.connectionId)
        expect(idsIn(world.call).filter((id) => gone.has(id))).toEqual([])
        const isOverdue = world.call.some(({ awayUntil }) => awayUntil !== null && awayUntil <= world.now)
        if (given.type === "pass") expect(isOverdue).toBe(false)
      }
    }),
    { numRuns: 120 },
  )
})

test("a signal goes from one peer of the room to another that has a socket, or is refused", () => {
  property((world, given, { before, effects }) => {
    if (given.type !== "signal") return
    const [effect] = effects
    const isPossible =
      given.who !== given.to &&
      [given.who, given.to].every((one) => idsIn(before).includes(world.idOf(one))) &&
      world.idOf(given.who) !== world.idOf(given.to)
    const isAway = before.some(
      ({ connectionId, awayUntil }) => connectionId === world.idOf(given.to) && awayUntil !== null,
    )
    const expected = isAway ? "unavailable" : "signal"
    const found = effect?.type === "refuse" ? effect.refusal.code : effect?.type
    expect(found).toBe(isPossible ? expected : "not_found")
  })
})

test("only the participant of a peer resumes it", () => {
  property((_world, given, { before, effects }) => {
    if (given.type !== "join") return
    for (const effect of effects) {
      if (effect.type !== "attach") continue
      expect(effect.peer.participantId).toBe(`p${given.who}`)
      const earlier = before.find(({ connectionId }) => connectionId === effect.peer.connectionId)
      expect(effect.resumed).toBe(earlier !== undefined)
      if (earlier !== undefined) expect(earlier.participantId).toBe(`p${given.who}`)
    }
  })
})
