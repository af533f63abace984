/** The life of a connection, step by step: which steps each state allows, written by hand, and what the changes do. */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  beginLife,
  type ConnectionState,
  type Identity,
  type Life,
  type LifeEvent,
  lifeAfter,
} from "../../src/gateway/connection/lifecycle.ts"

const BEGIN = 1_000
const ANN: Identity = {
  participantId: "ann",
  name: "Ann",
  kind: "user",
  userId: "ann",
  role: "participant",
  walkIn: false,
  manages: false,
}

/** A way to each state. */
const WAYS: { readonly [state in ConnectionState]: ReadonlyArray<LifeEvent> } = {
  new: [],
  identifying: [{ type: "identified", mutes: new Set() }],
  waiting: [{ type: "identified", mutes: new Set() }, { type: "entered" }],
  lobby: [{ type: "identified", mutes: new Set() }, { type: "entered" }, { type: "heldBack" }],
  open: [{ type: "identified", mutes: new Set() }, { type: "entered" }, { type: "opened" }],
  closed: [{ type: "closed" }],
}
const after = (events: ReadonlyArray<LifeEvent>, life: Life = beginLife(BEGIN)): Life => events.reduce(lifeAfter, life)
const STATES = ["new", "identifying", "waiting", "lobby", "open", "closed"] as const

/** The state after each step, from each state; a dash: the step is a defect there. A closed connection stays closed. */
const TABLE = `
               new         identifying waiting lobby   open    closed
  identified   identifying -           -       -       -       closed
  entered      -           waiting     waiting -       -       closed
  heldBack     -           -           lobby   -       lobby   closed
  admitted     -           -           -       waiting -       closed
  opened       -           -           open    -       -       closed
  closed       closed      closed      closed  closed  closed  closed
`

const cells = TABLE.trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/))
  .slice(1)
  .flatMap(([type = "", ...results]) => STATES.map((from, n) => ({ type, from, to: results[n] ?? "" })))

const stepOf = (type: string): LifeEvent => {
  if (type === "identified") return { type, mutes: new Set(["reactions"]) }
  return type === "admitted" ? { type, at: 5_000 } : ({ type } as LifeEvent)
}

test("the ways lead to the states that they name", () => {
  for (const state of STATES) expect(after(WAYS[state]).state).toBe(state)
})

test.each(cells)("$from, $type: $to", ({ from, type, to }) => {
  const life = after(WAYS[from])
  const next = (): Life => lifeAfter(life, stepOf(type))
  if (to === "-") expect(next).toThrow(`a connection that is ${from} was ${type}`)
  else expect(next().state).toBe(to)
})

test("a step changes nothing but the state, the client's mutes, and the beginning of its identify", () => {
  const identified = lifeAfter(beginLife(BEGIN), stepOf("identified"))
  expect(identified).toEqual({ ...beginLife(BEGIN), state: "identifying", mutes: new Set(["reactions"]) })
  const admitted = lifeAfter(after(WAYS.lobby), stepOf("admitted"))
  expect(admitted).toEqual({ ...after(WAYS.lobby), state: "waiting", waitingSince: 5_000 })
})

test("changes touch their own fields alone", () => {
  const open = after(WAYS.open)
  const basis = { userId: "ann", workspaceId: "w", sessionVersion: 0, login: null, keyId: null }
  const granted = { eventId: "e", identity: ANN, basis, sessionExpiresAt: 9_000 }
  expect(after([{ type: "granted", ...granted }], open)).toEqual({ ...open, ...granted })
  expect(after([{ type: "became", identity: ANN }], open)).toEqual({ ...open, identity: ANN })
  expect(after([{ type: "moved", roomId: "r" }], open)).toEqual({ ...open, roomId: "r" })
  expect(after([{ type: "eventFound", eventId: "e" }], open)).toEqual({ ...open, eventId: "e" })
  const renewed = { basis: undefined, sessionExpiresAt: 12_000 }
  expect(after([{ type: "warned" }], open)).toEqual({ ...open, isWarned: true })
  expect(after([{ type: "warned" }, { type: "renewed", ...renewed }], open)).toEqual({ ...open, ...renewed })
  expect(after([{ type: "ephemeralSet", on: true }], open)).toEqual({ ...open, getsEphemeral: true })
  expect(after([{ type: "ephemeralSet", on: true }, { type: "paused" }], open)).toEqual({ ...open, isPaused: true })
  expect(after([{ type: "paused" }, { type: "resumed" }], open)).toEqual(open)
})

test("the polls of a connection are those whose last word was on", () => {
  const word = fc.record({ pollId: fc.constantFrom("a", "b", "c"), on: fc.boolean() })
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const { polls } = after(words.map((one) => ({ type: "pollSubscribed" as const, ...one })))
      const last = new Map(words.map(({ pollId, on }) => [pollId, on]))
      expect([...polls].toSorted()).toEqual([...last.keys()].filter((id) => last.get(id)).toSorted())
    }),
  )
})

test("a closed connection does not change under any input", () => {
  const closed = after(WAYS.closed)
  const events: ReadonlyArray<LifeEvent> = [
    { type: "opened" },
    { type: "became", identity: ANN },
    { type: "moved", roomId: "r" },
    { type: "warned" },
    { type: "closed" },
  ]
  for (const event of events) expect(lifeAfter(closed, event)).toBe(closed)
})
