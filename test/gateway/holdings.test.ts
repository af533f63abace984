/**
 * What participants hold survives a short loss (`src/model/live/holdings.ts`): every holding, after a lost connection, after a crash of the
 * server, and when its owner came back too late. `test-nodes/holdings.test.ts` has the move between nodes.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import type { EventRole } from "../../src/model/roles.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { pageAttendees } from "../../src/store/events/reports.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { received, untilGone, untilPresent } from "./crowd.ts"
import { type House, openHouse, type Stage } from "./house.ts"
import { joinCall } from "./rtc/call.ts"

/** By hand. `kept`: as if its owner had not been away; `ends`: gone, and told where others see it. */
const TABLE = `
  | holding                          | back | crash | late |
  | a hand and its place             | kept | kept  | ends |
  | a place in the waiting room      | kept | kept  | ends |
  | a place in a call                | kept | ends  | ends |
  | a partner in a round             | kept | kept  | ends |
  | a stay                           | kept | kept  | ends |
  | a seat in a round                | kept | kept  | kept |
  | a seat in a breakout room        | kept | kept  | kept |
  | an invitation onto the stage     | kept | kept  | kept |
  | a place on the stage             | kept | kept  | kept |
  | an admission                     | kept | kept  | kept |
  | the wait of slow mode            | kept | kept  | kept |
  | a mute                           | kept | kept  | kept |
  | a vote in a poll                 | kept | kept  | kept |
  | a vote for a question            | kept | kept  | kept |
  | sitting out of rounds            | kept | kept  | kept |
`
type Outcome = "kept" | "ends"
const COLUMNS = ["back", "crash", "late"] as const
type Column = (typeof COLUMNS)[number]

const ROWS = TABLE.trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("|").slice(1, -1))
  .map(([name = "", ...cells]) => ({ name: name.trim(), cells: cells.map((cell) => cell.trim() as Outcome) }))

/** Who holds something, and others at the event. */
interface At {
  readonly house: House
  readonly stage: Stage
  readonly host: Client
  readonly ann: Client
  readonly bob: Client
}
/** Ann is back. `first`: the first dispatch that she got. */
interface Back extends Pick<At, "house" | "stage" | "host" | "ann" | "bob"> {
  readonly first: Frame
}

interface Holding {
  readonly phase: Parameters<House["stage"]>[0]
  readonly role?: EventRole
  /** Ann waits in the waiting room. */
  readonly waits?: boolean
  /** What `isKept` needs of it. */
  readonly take: (at: At) => Promise<unknown>
  readonly isKept: (back: Back, taken: Frame) => Promise<boolean> | boolean
}

const MEETING = [{ modality: "meeting", featureSet: ["chat", "polls", "qa"] }] as const
const ASK = [{ modality: "meeting", config: { lobby: "ask" } }] as const
const ROTATION = [{ modality: "rotation" }] as const
const BROADCAST = [{ modality: "broadcast" }] as const

/** Ids of commands are remembered across sockets. */
const send = (client: Client, t: string, d: object = {}): Promise<Frame> => client.command(t, d, { id: newId() })

const ok = async (reply: Promise<Frame>): Promise<Frame> => {
  const { ok: isOk, d, e } = await reply
  if (!isOk) throw new Error(`refused: ${e.code} ${e.message}`)
  return d
}
const ready = async ({ house, stage }: Back, who: string, role?: EventRole): Promise<Frame> => {
  const client = house.connect()
  const { d } = await client.identify(await house.token(stage, who, role, { kind: "user" }))
  await client.cut()
  return d
}
const inRound = async ({ ann, bob, host }: At): Promise<void> => {
  await ok(send(host, "rotation.start", { roundSeconds: 600, rounds: 1 }))
  await Promise.all([received(ann, "rotation.round"), received(bob, "rotation.round")])
}
const invite = async ({ host, ann }: At): Promise<void> => {
  await ok(send(host, "stage.invite", { id: "ann" }))
  await received(ann, "stage.invited")
}

const HOLDINGS: Readonly<Record<string, Holding>> = {
  "a hand and its place": {
    phase: MEETING,
    take: async ({ ann, bob }) => {
      await ok(send(ann, "hand.raise", { note: "First" }))
      await ok(send(bob, "hand.raise"))
    },
    isKept: async (back) => {
      const { handQueue } = await ready(back, "another host", "host")
      return back.first.d.hand?.note === "First" && handQueue.items[0]?.participantId === "ann"
    },
  },
  "a place in the waiting room": {
    phase: ASK,
    waits: true,
    take: async ({ house, stage, host }) => {
      await enter(house, stage, "cat")
      await received(host, "lobby.waiting", ({ add }) => add.some((p: Frame) => p.participantId === "cat"))
    },
    isKept: async (back) => {
      const waiting = async (): Promise<ReadonlyArray<Frame>> => (await ready(back, "host", "host")).lobby.waiting
      await eventually(async () => (await waiting()).length === 2, "both waiting")
      return (await waiting())[0]?.participantId === "ann"
    },
  },
  "a place in a call": {
    phase: MEETING,
    take: async ({ ann, stage }) => (await ok(joinCall(ann, stage.phaseIds[0] ?? ""))).connectionId,
    isKept: async ({ ann, stage }, id) =>
      (await ok(joinCall(ann, stage.phaseIds[0] ?? "", undefined, id))).connectionId === id,
  },
  "a partner in a round": {
    phase: ROTATION,
    take: inRound,
    isKept: ({ bob }) => bob.received.every(({ t }) => t !== "rotation.partnerLeft"),
  },
  "a seat in a round": { phase: ROTATION, take: inRound, isKept: ({ first }) => first.d.round?.n === 1 },
  "sitting out of rounds": {
    phase: ROTATION,
    take: ({ ann }) => ok(send(ann, "rotation.opt", { in: false })),
    isKept: ({ first }) => first.d.optedOut,
  },
  "a seat in a breakout room": {
    phase: [{ modality: "breakout" }],
    take: async ({ host, ann }) => {
      const { plan } = await ok(send(host, "breakout.plan", { strategy: "balanced", rooms: 1 }))
      await ok(send(host, "breakout.open", { planId: plan.id }))
      return (await received(ann, "assignment.updated")).d.roomId
    },
    isKept: ({ first }, roomId) => first.d.assignment?.roomId === roomId && first.d.me.roomId === roomId,
  },
  "an invitation onto the stage": {
    phase: BROADCAST,
    role: "viewer",
    take: invite,
    isKept: async ({ first, ann }) =>
      first.d.stage?.state === "invited" && (await ok(send(ann, "stage.accept"))).stage.state === "on",
  },
  "a place on the stage": {
    phase: BROADCAST,
    role: "viewer",
    take: async (at) => {
      await invite(at)
      await ok(send(at.ann, "stage.accept"))
    },
    isKept: ({ first }) => first.d.stage?.state === "on" && first.d.me.role === "speaker",
  },
  "an admission": {
    phase: ASK,
    waits: true,
    take: async ({ host, ann }) => {
      await ok(send(host, "lobby.admit", { ids: ["ann"] }))
      await received(ann, "lobby.status", ({ state }) => state === "admitted")
    },
    isKept: ({ first }) => first.t === "ready",
  },
  "the wait of slow mode": {
    phase: MEETING,
    take: async ({ host, ann }) => {
      await ok(send(host, "chat.slow", { perMs: 3_600_000 }))
      await ok(send(ann, "chat.send", { to: "event", text: "Once" }))
    },
    isKept: async ({ ann }) =>
      (await send(ann, "chat.send", { to: "event", text: "Twice" })).e?.code === "rate_limited",
  },
  "a mute": {
    phase: MEETING,
    take: ({ host }) => ok(send(host, "participant.mute", { id: "ann" })),
    isKept: async ({ ann }) => (await send(ann, "chat.send", { to: "event", text: "Hear" })).e?.code === "muted",
  },
  "a vote in a poll": {
    phase: MEETING,
    take: async ({ host, ann }) => {
      const { id } = (await ok(send(host, "poll.create", { question: "?", kind: "single", options: ["a", "b"] }))).poll
      await ok(send(host, "poll.open", { id }))
      await ok(send(ann, "poll.vote", { id, optionIds: ["1"] }))
      return id
    },
    isKept: ({ first }, id) => first.d.pollVotes[id]?.join() === "1",
  },
  "a vote for a question": {
    phase: MEETING,
    take: async ({ bob, ann }) => {
      const { id } = (await ok(send(bob, "question.ask", { text: "Why?" }))).question
      await ok(send(ann, "question.vote", { id, on: true }))
      return id
    },
    isKept: ({ first }, id) => first.d.mine.votes.includes(id),
  },
  "a stay": {
    phase: MEETING,
    take: ({ house, stage }) => untilStored(house, stage),
    isKept: async ({ house, stage }) => {
      await untilStored(house, stage)
      return (await attended(house, stage))?.stays === 1
    },
  },
}

const attended = async ({ actors }: House, { eventId }: Stage) => {
  const { rows } = await pageAttendees(actors.sql, eventId, toTimestamp(actors.clock.now()), {
    after: null,
    limit: 100,
  })
  return rows.find(({ participantId }) => participantId === "ann")
}
const untilStored = (house: House, stage: Stage): Promise<void> =>
  eventually(async () => (await attended(house, stage))?.present === true, "ann in the attendance")

/** Resolves when the participant is inside, or waits. */
const enter = async (house: House, stage: Stage, who: string, role?: EventRole) => {
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token: await house.token(stage, who, role) } })
  const isIn = ({ t, d }: Frame): boolean => t === "ready" || (t === "lobby.status" && d.state === "waiting")
  return { client, first: await client.next(isIn, "ready, or the waiting room") }
}

const TOLD = new Set(["hand.lowered", "rotation.partnerLeft", "assignment.ended", "me.stage"])
/** Dispatches that tell somebody of an end of what Ann holds. */
const told = (clients: ReadonlyArray<Client>): ReadonlyArray<string> =>
  clients
    .flatMap(({ received: frames }) => frames)
    .filter(({ t, d }) => TOLD.has(t) || (t === "hand.queue" && d.remove.includes("ann")))
    .map(({ t }) => t)

const open = async (house: House, stage: Stage, { role, waits = false }: Holding): Promise<At> => {
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const bob = await house.join(stage, "bob", role, { kind: "user" })
  const { client: ann } = await enter(house, stage, "ann", role)
  if (waits) await received(host, "lobby.waiting", ({ add }) => add.some((p: Frame) => p.participantId === "ann"))
  await untilPresent(house, stage, waits ? ["host", "bob"] : ["host", "bob", "ann"])
  return { house, stage, host, ann, bob }
}

/** The live event has handled everything that was due: it has announced a newcomer, and then answered a command. */
const settled = async ({ house, stage, host }: At, role: EventRole | undefined): Promise<void> => {
  await house.join(stage, "zed", role, { kind: "user" })
  await received(host, "presence.diff", ({ join }) => join.some((p: Frame) => p.participantId === "zed"))
  await ok(send(host, "participant.mute", { id: "zed" }))
}

const lose = async ({ house, stage, host, ann }: At): Promise<void> => {
  const isWaiting = !ann.received.some(({ t }) => t === "ready")
  await ann.cut()
  if (isWaiting) await received(host, "lobby.waiting", ({ remove }) => remove.includes("ann"))
  else await untilGone(house, stage, "ann")
}

const check = async (holding: Holding, back: Back, taken: Frame, expected: Outcome): Promise<void> => {
  if (expected === "kept") expect(await holding.isKept(back, taken)).toBe(true)
  else await eventually(async () => !(await holding.isKept(back, taken)), "the end of it")
}

const holdingOf = (name: string): Holding => {
  const holding = HOLDINGS[name]
  if (holding === undefined) throw new Error(`nothing is known of ${name}`)
  return holding
}

const cell = (column: Column) =>
  ROWS.map(({ name, cells }) => [name, cells[COLUMNS.indexOf(column)] as Outcome] as const)

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.stop())

test("every holding of the table can be taken, and every one is in the table", () => {
  expect(ROWS.map(({ name }) => name).toSorted()).toEqual(Object.keys(HOLDINGS).toSorted())
  expect(ROWS.every(({ cells }) => cells.length === COLUMNS.length)).toBe(true)
})

test.each(cell("back"))("%s, after a short loss of the connection: %s", async (name, expected) => {
  const holding = holdingOf(name)
  const at = await open(house, await house.stage(holding.phase), holding)
  const taken = await holding.take(at)
  await lose(at)
  const { client, first } = await enter(house, at.stage, "ann", holding.role)
  await settled(at, holding.role)
  const back = { ...at, ann: client, first }
  await check(holding, back, taken, expected)
  expect(told([at.ann, client, at.bob, at.host])).toEqual([])
})

test.each(cell("crash"))("%s, after a crash: %s", async (name, expected) => {
  const holding = holdingOf(name)
  let isOwner = true
  const crashed = await openHouse({}, { holds: () => isOwner })
  onTestFinished(() => crashed.stop())
  const at = await open(crashed, await crashed.stage(holding.phase), holding)
  const taken = await holding.take(at)
  isOwner = false
  const next = await openHouse({}, { node: "next" }, crashed.databaseUrl)
  onTestFinished(() => next.stop())
  const { stage } = at
  const host = await next.join(stage, "host", "host", { kind: "user" })
  const bob = await next.join(stage, "bob", holding.role, { kind: "user" })
  if (holding.waits === true) await enter(next, stage, "cat")
  const { client, first } = await enter(next, stage, "ann", holding.role)
  const back = { house: next, stage, host, bob, ann: client, first }
  await settled(back, holding.role)
  await check(holding, back, taken, expected)
  expect(told([client, bob, host])).toEqual([])
})

test.each(cell("late"))("%s, after too long an absence: %s", async (name, expected) => {
  const holding = holdingOf(name)
  const at = await open(house, await house.stage(holding.phase), holding)
  const taken = await holding.take(at)
  await lose(at)
  house.actors.clock.jump(RETURN_WITHIN_MS)
  await settled(at, holding.role)
  const { client, first } = await enter(house, at.stage, "ann", holding.role)
  await check(holding, { ...at, ann: client, first }, taken, expected)
})

test("a hand whose owner does not come back is lowered then, and not before; its owner is told", async () => {
  const at = await open(house, await house.stage(MEETING), holdingOf("a hand and its place"))
  await ok(send(at.ann, "hand.raise"))
  await lose(at)
  house.actors.clock.jump(RETURN_WITHIN_MS - 5000)
  await settled(at, undefined)
  expect((await ready({ ...at, first: null }, "another host", "host")).handQueue.items).toHaveLength(1)
  house.actors.clock.jump(5000)
  await received(at.host, "hand.queue", ({ remove }) => remove.includes("ann"))
  const { client } = await enter(house, at.stage, "ann")
  expect(client.received.find(({ t }) => t === "ready").d.hand).toBeNull()
  const frames = await house.actors.sql<{ frame: string }[]>`
    select frame from publications where event_id = ${at.stage.eventId} and frame like '%hand.lowered%'`
  expect(frames).toHaveLength(1)
})

test("a removed participant's hand, and that of one who has to wait again, are lowered at once", async () => {
  const at = await open(house, await house.stage(MEETING), holdingOf("a hand and its place"))
  for (const [who, command] of [
    ["ann", ["participant.toLobby", { id: "ann" }]],
    ["bob", ["participant.remove", { id: "bob" }]],
  ] as const) {
    await ok(send(who === "ann" ? at.ann : at.bob, "hand.raise"))
    await ok(send(at.host, command[0], command[1]))
    await received(at.host, "hand.queue", ({ remove }) => remove.includes(who))
  }
})

test("who lost the connection while a host closed the call is let in again", async () => {
  const at = await open(house, await house.stage(MEETING), holdingOf("a hand and its place"))
  await lose(at)
  await ok(send(at.host, "lobby.policy", { mode: "ask" }))
  expect((await enter(house, at.stage, "ann")).first.t).toBe("ready")
  expect((await enter(house, at.stage, "newcomer")).first.t).toBe("lobby.status")
})

test("a participant who waits is admitted also while their connection is lost", async () => {
  const holding = holdingOf("an admission")
  const at = await open(house, await house.stage(ASK), holding)
  await lose(at)
  expect(await ok(send(at.host, "lobby.admit", { ids: ["ann"] }))).toEqual({ admitted: ["ann"], missing: [] })
  expect((await enter(house, at.stage, "ann")).first.t).toBe("ready")
})
