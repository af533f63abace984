/** Presence is the set of people with an open connection, under any order of openings and closings on any nodes. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { Presence } from "../../src/actors/presence/presence.ts"

const AT = "2027-01-01T00:00:00.000Z"
const person = (participantId: string, role: "speaker" | "viewer" = "viewer") =>
  ({ participantId, name: participantId, role, kind: "user", userId: null }) as const

const act = fc.record({
  kind: fc.constantFrom("join", "leave", "expire", "forget"),
  node: fc.constantFrom("a", "b"),
  who: fc.constantFrom("p1", "p2", "p3"),
})

const on = (node: string) => ({ node, connections: [1] }) as const

type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

/** Does the same to presence and to the set of each participant's nodes. */
const perform = (presence: Presence, connected: Map<string, Set<string>>, { kind, node, who }: Act, now: number) => {
  const nodes = connected.get(who) ?? new Set()
  connected.set(who, nodes)
  switch (kind) {
    case "join":
      nodes.add(node)
      return presence.join(on(node), person(who), AT)
    case "leave":
      nodes.delete(node)
      return presence.leave(node, who, now, AT)
    case "forget":
      for (const others of connected.values()) others.delete(node)
      return presence.forgetNode(node, now + 50)
    case "expire":
      return void presence.expire(now, AT)
  }
}

test("every joined has one left, alternately, and presence equals the connected participants", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), fc.constantFrom(0, 50), (acts, graceMs) => {
      const presence = new Presence(true, graceMs, 0)
      const connected = new Map<string, Set<string>>()
      for (const [index, one] of acts.entries()) perform(presence, connected, one, (index + 1) * 10)
      const now = acts.length * 10
      presence.expire(now + 1000, AT)
      const here = [...connected].filter(([, nodes]) => nodes.size > 0).map(([who]) => who)
      expect(Array.from(presence.all(), ({ participantId }) => participantId).toSorted()).toEqual(here.toSorted())
      const history = presence.peek(Number.MAX_SAFE_INTEGER)
      for (const who of connected.keys()) {
        const own = history.filter(({ participant }) => participant.participantId === who).map(({ type }) => type)
        expect(own).toEqual(own.map((_, index) => (index % 2 === 0 ? "joined" : "left")))
        expect(own.length % 2 === 1).toBe(here.includes(who))
      }
    }),
    { numRuns: 500 },
  )
})

test("a return within the grace is no absence", () => {
  const presence = new Presence(true, 100, 0)
  presence.join(on("a"), person("p"), AT)
  presence.leave("a", "p", 0, AT)
  expect(presence.expire(50, AT)).toBe(100)
  presence.join(on("a"), person("p"), AT)
  presence.expire(500, AT)
  expect(presence.peek(10).map(({ type }) => type)).toEqual(["joined"])
})

test("people in the waiting room wait until the last node that they are connected to is gone", () => {
  const presence = new Presence(true, 0, 0)
  presence.joinWaitingRoom(on("a"), person("p1"), 0, AT)
  presence.joinWaitingRoom(on("a"), person("p2"), 0, AT)
  presence.joinWaitingRoom(on("b"), person("p2"), 0, AT)
  presence.forgetNode("a", 50)
  expect(Array.from(presence.waiting(), ({ participantId }) => participantId)).toEqual(["p2"])
  presence.forgetNode("b", 50)
  expect([...presence.waiting()]).toEqual([])
})

test("those who wait before the start join when it comes, and nobody is present before", () => {
  const presence = new Presence(false, 0, 0)
  presence.join(on("a"), person("p1"), AT)
  presence.join(on("a"), person("p2"), AT)
  presence.leave("a", "p2", 0, AT)
  expect([presence.size, presence.connected, presence.hasChanges]).toEqual([0, 1, false])
  presence.open(AT)
  expect(presence.peek(10).map(({ type, participant }) => [type, participant.participantId])).toEqual([
    ["joined", "p1"],
  ])
})

test("connections in the waiting room are counted also during the grace of those that were inside", () => {
  const presence = new Presence(true, 100, 0)
  presence.join(on("a"), person("p"), AT)
  presence.joinWaitingRoom({ node: "a", connections: [1, 2] }, person("p"), 0, AT)
  expect(presence.connectionsOf("p")).toEqual([
    { node: "a", connection: 1 },
    { node: "a", connection: 2 },
  ])
})

test("people who are moved to the waiting room of one node keep waiting on another one", () => {
  const presence = new Presence(true, 0, 0)
  presence.joinWaitingRoom(on("b"), person("p"), 0, AT)
  presence.join(on("a"), person("p"), AT)
  presence.moveToWaitingRoom(() => "waits", 0, AT)
  expect(presence.connectionsOf("p").map(({ node }) => node)).toEqual(["b", "a"])
  presence.leave("a", "p", 0, AT)
  expect(Array.from(presence.waiting(), ({ participantId }) => participantId)).toEqual(["p"])
})

test("speakers are found by their stored role, whatever became of it and of them", () => {
  const step = fc.record({
    kind: fc.constantFrom("join", "leave", "wait", "restore"),
    who: fc.constantFrom("p1", "p2", "p3", "p4"),
    role: fc.constantFrom("speaker", "viewer"),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, open) => {
      const presence = new Presence(open, 0, 0)
      for (const { kind, who, role } of steps) {
        if (kind === "join") presence.join(on("a"), person(who, role), AT)
        else if (kind === "leave") presence.leave("a", who, 0, AT)
        else if (kind === "wait") presence.joinWaitingRoom(on("a"), person(who, role), 0, AT)
        else presence.restore([{ ...person(who, role), joinedAt: AT }], [], 0)
      }
      const connected = [...presence.connectedPeople.all()]
      const speakers = connected.filter(({ role }) => role === "speaker").map(({ participantId }) => participantId)
      expect([...presence.connectedPeople.storedAs("speaker")].toSorted()).toEqual(speakers.toSorted())
      expect([...presence.storedAs("speaker")].length).toBe(open ? speakers.length : 0)
      const { total, byRole } = presence.counts((role) => role)
      expect([total, byRole["speaker"] ?? 0]).toEqual(open ? [connected.length, speakers.length] : [0, 0])
    }),
    { numRuns: 500 },
  )
})
