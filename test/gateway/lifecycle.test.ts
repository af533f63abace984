/**
 * The core of a connection, without a socket: the next state and the effects of each event in each state, by a table that is
 * written by hand; and the laws that hold after any sequence of events.
 */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  beginLife,
  type ConnectionState,
  type Identity,
  type Life,
  type LifeEvent,
} from "../../src/gateway/connection/lifecycle.ts"
import { type ConnectionEffect, step } from "../../src/gateway/connection/step.ts"
import { topicsOf } from "../../src/gateway/connection/subscriptions.ts"
import { CLOSE } from "../../src/protocol/wire/close-codes.ts"

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
const HOST: Identity = { ...ANN, role: "host" }
const BASIS = { userId: "ann", workspaceId: "w", sessionVersion: 0, login: null, keyId: null }
const RESUME = { epoch: "x", cursors: { event: 1 } }

const lifeAfter = (life: Life, event: LifeEvent): Life => step(life, event).life
const after = (events: ReadonlyArray<LifeEvent>, life: Life = beginLife(BEGIN)): Life => events.reduce(lifeAfter, life)

/** One of each event. */
const EVENTS = {
  identified: { type: "identified", mutes: new Set(["reactions"]) },
  granted: { type: "granted", eventId: "e", identity: ANN, basis: BASIS, sessionExpiresAt: 9_000 },
  entered: { type: "entered", eventId: "e", resume: RESUME },
  heldBack: { type: "heldBack" },
  admitted: { type: "admitted", at: 5_000 },
  opened: { type: "opened" },
  resumed: { type: "resumed", polls: ["p"] },
  restarted: { type: "restarted", reason: "gap" },
  became: { type: "became", identity: HOST },
  moved: { type: "moved", roomId: "red" },
  pollSubscribed: { type: "pollSubscribed", pollId: "q", on: true },
  slowed: { type: "slowed" },
  drained: { type: "drained" },
  renewed: { type: "renewed", basis: undefined, sessionExpiresAt: 12_000 },
  warned: { type: "warned" },
  denied: { type: "denied" },
  closed: { type: "closed", why: CLOSE.abuse },
  cut: { type: "cut", why: CLOSE.slowConsumer },
  lost: { type: "lost" },
} as const satisfies { readonly [type in LifeEvent["type"]]: Extract<LifeEvent, { type: type }> }

/** A way to each state. `paused` and `slow` are open ones. */
const { identified, granted, entered, heldBack, admitted, opened, resumed, restarted, slowed, drained, warned } = EVENTS
const WAYS = {
  new: [],
  identifying: [identified, granted],
  waiting: [identified, granted, entered],
  lobby: [identified, granted, entered, heldBack],
  open: [identified, granted, entered, opened, resumed],
  paused: [identified, granted, entered, opened, resumed, restarted],
  slow: [identified, granted, entered, opened, resumed, slowed],
  closed: [EVENTS.closed],
} satisfies { readonly [from: string]: ReadonlyArray<LifeEvent> }
type From = keyof typeof WAYS

/**
 * The state after each event, and its effects in their order. An event without a line is a defect in that state; a closed
 * connection takes every event and stays as it is. `+` and `-`: subscribed to and unsubscribed from topics.
 */
const TABLE = `
  new          identified      identifying
  identifying  granted         identifying
  identifying  entered         waiting      ready new from x
  waiting      heldBack        lobby        lobby.status waiting
  waiting      opened          open         +role
  waiting      became          waiting
  waiting      moved           waiting
  waiting      renewed         waiting
  lobby        admitted        waiting      lobby.status admitted, ready new
  lobby        became          lobby
  lobby        renewed         lobby
  lobby        warned          lobby        tokenExpiring
  open         heldBack        lobby        -event -people -ephemeral -poll -role, lobby.status waiting
  open         resumed         open
  open         restarted       open         -event -people -ephemeral, ready gap
  open         became          open         -event -people -ephemeral -role +host, ready roleChanged
  open         moved           open         +room
  open         pollSubscribed  open         +poll
  open         slowed          open         -ephemeral
  open         drained         open
  open         renewed         open
  open         warned          open         tokenExpiring
  paused       heldBack        lobby        -poll -role, lobby.status waiting
  paused       resumed         open         +event +people +ephemeral
  paused       restarted       open         ready gap
  paused       became          open         -role +host, ready roleChanged
  paused       moved           open
  paused       pollSubscribed  open         +poll
  paused       slowed          open
  paused       drained         open
  paused       renewed         open
  paused       warned          open         tokenExpiring
  slow         heldBack        lobby        -event -people -poll -role, lobby.status waiting
  slow         resumed         open         +ephemeral
  slow         restarted       open         -event -people, ready gap
  slow         became          open         -event -people -role +host, ready roleChanged
  slow         moved           open         +room
  slow         pollSubscribed  open         +poll
  slow         slowed          open
  slow         drained         open         +ephemeral
  slow         renewed         open
  slow         warned          open         tokenExpiring
  waiting      denied          closed       lobby.status denied, end 4306, leave waiting 4306
  lobby        denied          closed       lobby.status denied, end 4306, leave lobby 4306
  open         denied          closed       lobby.status denied, end 4306, leave open 4306
  paused       denied          closed       lobby.status denied, end 4306, leave open 4306
  slow         denied          closed       lobby.status denied, end 4306, leave open 4306
  new          closed          closed       end 4101, leave new 4101
  identifying  closed          closed       end 4101, leave identifying 4101
  waiting      closed          closed       end 4101, leave waiting 4101
  lobby        closed          closed       end 4101, leave lobby 4101
  open         closed          closed       end 4101, leave open 4101
  paused       closed          closed       end 4101, leave open 4101
  slow         closed          closed       end 4101, leave open 4101
  new          cut             closed       terminate, leave new 4002
  identifying  cut             closed       terminate, leave identifying 4002
  waiting      cut             closed       terminate, leave waiting 4002
  lobby        cut             closed       terminate, leave lobby 4002
  open         cut             closed       terminate, leave open 4002
  paused       cut             closed       terminate, leave open 4002
  slow         cut             closed       terminate, leave open 4002
  new          lost            closed       leave new
  identifying  lost            closed       leave identifying
  waiting      lost            closed       leave waiting
  lobby        lost            closed       leave lobby
  open         lost            closed       leave open
  paused       lost            closed       leave open
  slow         lost            closed       leave open
`

const TOPICS: { readonly [topic: string]: string } = {
  "e/event": "event",
  "e/people": "people",
  "e/room:red": "room",
  "e/poll:p~": "poll",
  "e/poll:q~": "poll",
  "e/role/participant": "role",
  "e/role/host": "host",
}
const ORDER = ["event", "people", "room", "ephemeral", "poll", "role", "host"]

const changesIn = (
  effects: ReadonlyArray<ConnectionEffect>,
  type: "subscribe" | "unsubscribe",
): ReadonlyArray<string> => {
  const names = effects.flatMap((effect) =>
    effect.type === type ? [TOPICS[effect.topic] ?? (effect.topic.includes("~") ? "ephemeral" : effect.topic)] : [],
  )
  // The ephemeral topics of a room come and go with it.
  const isOfRoom = names.includes("room")
  return [...new Set(names)]
    .filter((name) => !(isOfRoom && name === "ephemeral"))
    .toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
}

const wordsOf = (effect: ConnectionEffect): string | undefined => {
  switch (effect.type) {
    case "subscribe":
    case "unsubscribe":
      return undefined
    case "send": {
      const { t, d } = JSON.parse(effect.frame)
      return t === "lobby.status" ? `${t} ${d.state}` : t
    }
    case "leave":
      return ["leave", effect.from, effect.why?.code].filter((word) => word !== undefined).join(" ")
    case "end":
      return `end ${effect.why.code}`
    case "terminate":
      return "terminate"
    case "requestReady":
      return ["ready", effect.reason, ...(effect.resume === undefined ? [] : ["from", effect.resume.epoch])].join(" ")
  }
}

/** In the words of the table. */
const inWords = (effects: ReadonlyArray<ConnectionEffect>): string => {
  const topics = [
    ...changesIn(effects, "unsubscribe").map((name) => `-${name}`),
    ...changesIn(effects, "subscribe").map((name) => `+${name}`),
  ].join(" ")
  return [topics, ...effects.flatMap((effect) => wordsOf(effect) ?? [])].filter((words) => words !== "").join(", ")
}

const lines = new Map(
  TABLE.trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/))
    .map(([from = "", type = "", to = "", effects = ""]) => [`${from} ${type}`, { to, effects }]),
)
const CELLS = (Object.keys(WAYS) as From[]).flatMap((from) => Object.keys(EVENTS).map((type) => `${from} ${type}`))

test("the ways lead to the states that they name, and the table has no line for another state or event", () => {
  for (const state of ["new", "identifying", "waiting", "lobby", "open", "closed"] as const) {
    expect(after(WAYS[state]).state).toBe(state satisfies ConnectionState)
  }
  expect([after(WAYS.paused), after(WAYS.slow)]).toMatchObject([
    { state: "open", isPaused: true },
    { state: "open", isPaused: false, isSlow: true },
  ])
  expect([...lines.keys()].filter((cell) => !CELLS.includes(cell))).toEqual([])
})

test.each(Object.keys(WAYS) as From[])("each event does to a connection that is %s what the table says", (from) => {
  const life = after(WAYS[from])
  for (const event of Object.values(EVENTS)) {
    const { type } = event
    const line = lines.get(`${from} ${type}`)
    if (from === "closed") expect(step(life, event), type).toEqual({ life, effects: [] })
    else if (line === undefined)
      expect(() => step(life, event)).toThrow(`a connection that is ${life.state} was ${type}`)
    else {
      const { life: next, effects } = step(life, event)
      expect({ type, to: next.state, effects: inWords(effects) }).toEqual({ type, ...line })
    }
  }
})

test("an event changes its own fields alone", () => {
  const life = (state: From): Life => after(WAYS[state])
  const { moved, renewed } = EVENTS
  expect(after([identified])).toEqual({ ...beginLife(BEGIN), state: "identifying", mutes: new Set(["reactions"]) })
  const { type: _granted, ...grant } = granted
  expect(after([granted], life("identifying"))).toEqual({ ...life("identifying"), ...grant })
  expect(after([entered], life("identifying"))).toEqual({ ...life("identifying"), state: "waiting", eventId: "e" })
  expect(after([heldBack], life("open"))).toEqual({ ...life("open"), state: "lobby", polls: new Set() })
  expect(after([admitted], life("lobby"))).toEqual({ ...life("lobby"), state: "waiting", waitingSince: 5_000 })
  expect(after([opened], life("waiting"))).toEqual({ ...life("waiting"), state: "open", isPaused: true })
  expect(after([restarted, slowed, resumed], life("open"))).toEqual(life("open"))
  expect(after([moved], life("open"))).toEqual({ ...life("open"), roomId: "red" })
  const renewal = { basis: undefined, sessionExpiresAt: 12_000 }
  expect(after([warned], life("open"))).toEqual({ ...life("open"), isWarned: true })
  expect(after([warned, renewed], life("open"))).toEqual({ ...life("open"), ...renewal })
})

test("a role with the same streams changes the topic of the role, and asks for no ready; who needs one still does", () => {
  for (const [from, isPaused] of [
    ["open", false],
    ["paused", true],
  ] as const) {
    const { effects, life } = step(after(WAYS[from]), { type: "became", identity: { ...ANN, role: "speaker" } })
    expect(life.isPaused).toBe(isPaused)
    expect(effects).toEqual([
      { type: "unsubscribe", topic: "e/role/participant" },
      { type: "subscribe", topic: "e/role/speaker" },
    ])
  }
})

test("an anonymous viewer has a topic of the role, of its own streams, and of its polls", () => {
  const anonymous: Life = { ...after(WAYS.open), identity: { ...ANN, kind: "anonymous", role: "viewer" } }
  const topics = topicsOf(anonymous).filter((topic) => !topic.includes("~"))
  expect(topics.toSorted()).toEqual(["e/event", "e/role/anonymous", "e/stage"])
})

test("a ready adds the polls that it names, and takes none away", () => {
  const polls = (events: ReadonlyArray<LifeEvent>): ReadonlyArray<string> => [...after(events, after(WAYS.open)).polls]
  expect(polls([EVENTS.pollSubscribed, { type: "resumed", polls: ["r", "p"] }]).toSorted()).toEqual(["p", "q", "r"])
})

test("the topics that a client opted out of are not subscribed to", () => {
  const of = (mutes: ReadonlyArray<"reactions">): ReadonlyArray<string> =>
    topicsOf({ ...after(WAYS.open), mutes: new Set(mutes) })
  expect(of([])).toContain("e/event~reactions")
  expect(of(["reactions"])).toEqual(of([]).filter((topic) => !topic.endsWith("~reactions")))
})

const eventOf: fc.Arbitrary<LifeEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<LifeEvent>(identified, granted, entered, opened, restarted) },
  { weight: 3, arbitrary: fc.constantFrom<LifeEvent>(heldBack, admitted, slowed, drained, warned) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("resumed" as const), polls: fc.subarray(["a", "b", "c"]) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("moved" as const), roomId: fc.constantFrom(null, "red", "blue") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("pollSubscribed" as const),
      pollId: fc.constantFrom("a", "b", "c"),
      on: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom<Pick<Identity, "kind" | "role">>(
        { kind: "user", role: "participant" },
        { kind: "user", role: "speaker" },
        { kind: "user", role: "host" },
        { kind: "anonymous", role: "viewer" },
      )
      .map((identity) => ({ type: "became" as const, identity: { ...ANN, ...identity } })),
  },
  { weight: 1, arbitrary: fc.constantFrom<LifeEvent>(EVENTS.denied, EVENTS.closed, EVENTS.cut, EVENTS.lost) },
)

/** What a socket and an owner see of the effects. */
interface Seen {
  readonly topics: Set<string>
  readonly ends: number
  readonly leaves: number
}

/** Performs effects as a socket would: a topic is entered once, left only when entered, and none of it after the end. */
const perform = (seen: Seen, effects: ReadonlyArray<ConnectionEffect>): Seen => {
  let { ends, leaves } = seen
  const topics = new Set(seen.topics)
  for (const [n, effect] of effects.entries()) {
    if (effect.type !== "leave") expect(ends).toBe(0)
    if (effect.type === "subscribe") {
      expect(topics.has(effect.topic)).toBe(false)
      topics.add(effect.topic)
    }
    if (effect.type === "unsubscribe") expect(topics.delete(effect.topic)).toBe(true)
    if (effect.type === "requestReady") expect(n).toBe(effects.length - 1)
    if (effect.type === "end" || effect.type === "terminate") ends++
    if (effect.type === "leave") leaves++
  }
  return { topics, ends, leaves }
}

/** Events that the state does not allow do not happen. */
const allowed = (life: Life, event: LifeEvent): ReturnType<typeof step> | undefined => {
  try {
    return step(life, event)
  } catch {
    return undefined
  }
}

/** Walks that begin identified, so that most of their events are allowed. */
const walk = fc
  .tuple(fc.constantFrom<From>("new", "waiting", "lobby", "open", "slow"), fc.array(eventOf, { maxLength: 40 }))
  .map(([from, events]) => [...WAYS[from], ...events])

const expectedTopics = (life: Life): ReadonlyArray<string> => {
  const topics = topicsOf(life)
  if (life.state !== "open") expect(topics).toEqual([])
  else if (life.isPaused) expect(topics.filter((topic) => !/^e\/(?:role|poll:)/.test(topic))).toEqual([])
  else expect(topics).toContain("e/event")
  return topics
}

test("after any sequence of events a connection is subscribed to the topics of its life alone: none outside, in the waiting room or closed, and no stream where it needs ready", () => {
  fc.assert(
    fc.property(walk, (events) => {
      let life = beginLife(BEGIN)
      let seen: Seen = { topics: new Set(), ends: 0, leaves: 0 }
      for (const event of events) {
        const next = allowed(life, event)
        if (next === undefined) continue
        if (life.state === "closed") expect(next).toEqual({ life, effects: [] })
        life = next.life
        seen = perform(seen, next.effects)
        if (life.state !== "closed")
          expect([...seen.topics].toSorted()).toEqual([...new Set(expectedTopics(life))].toSorted())
      }
      expectedTopics(life)
      const isClosed = life.state === "closed"
      expect(seen.leaves).toBe(isClosed ? 1 : 0)
      expect(seen.ends).toBeLessThanOrEqual(isClosed ? 1 : 0)
    }),
    { numRuns: 500 },
  )
})

test("the polls of a connection are those whose last word was on", () => {
  const word = fc.record({ pollId: fc.constantFrom("a", "b", "c"), on: fc.boolean() })
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const open = after([opened, { type: "resumed", polls: [] }], after(WAYS.waiting))
      const subscribed = words.map((one) => ({ type: "pollSubscribed" as const, ...one }))
      const { polls } = after(subscribed, open)
      const last = new Map(words.map(({ pollId, on }) => [pollId, on]))
      expect([...polls].toSorted()).toEqual([...last.keys()].filter((id) => last.get(id)).toSorted())
    }),
  )
})
