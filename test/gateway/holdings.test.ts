/**
 * What participants hold survives a short loss (`src/model/live/holdings.ts`): every holding, after a lost connection, after a crash of the
 * server, after a move of the event to another node, when its owner came back too late, and when the owner had left by the command `leave`.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import type { EventRole } from "../../src/model/roles.ts"
import { NODES } from "../support/nodes.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { received, untilGone, untilPresent } from "./crowd.ts"
import { ASK, type At, type Back, enter, HOLDINGS, type Holding, MEETING, ok, ready, send } from "./held.ts"
import { type House, openHouse, type Stage } from "./house.ts"

/** By hand. `kept`: as if its owner had not been away; `ends`: gone, and told where others see it; `refused`: who waits has no commands. */
const TABLE = `
  | holding                          | back | crash | move | late | left |
  | a hand and its place             | kept | kept  | kept | ends | ends |
  | a place in the waiting room      | kept | kept  | kept | ends | refused |
  | a place in a call                | kept | ends  | kept | ends | ends |
  | a partner in a round             | kept | kept  | kept | ends | ends |
  | a stay                           | kept | kept  | kept | ends | ends |
  | a seat in a round                | kept | kept  | kept | kept | kept |
  | a seat in a breakout room        | kept | kept  | kept | kept | kept |
  | an invitation onto the stage     | kept | kept  | kept | kept | kept |
  | a place on the stage             | kept | kept  | kept | kept | kept |
  | an admission                     | kept | kept  | kept | kept | kept |
  | the wait of slow mode            | kept | kept  | kept | kept | kept |
  | a mute                           | kept | kept  | kept | kept | kept |
  | a vote in a poll                 | kept | kept  | kept | kept | kept |
  | a vote for a question            | kept | kept  | kept | kept | kept |
  | sitting out of rounds            | kept | kept  | kept | kept | kept |
`
type Outcome = "kept" | "ends" | "refused"

/** What one person can hold at one event; a mute and an admission keep the person from other things. */
const TOGETHER: ReadonlyArray<readonly [string, ...string[]]> = [
  [
    "a hand and its place",
    "a stay",
    "the wait of slow mode",
    "a vote in a poll",
    "a vote for a question",
    "a place in a call",
  ],
  ["a mute"],
  ["a place in the waiting room"],
  ["an admission"],
  ["a partner in a round", "a seat in a round"],
  ["sitting out of rounds"],
  ["a seat in a breakout room"],
  ["an invitation onto the stage"],
  ["a place on the stage"],
]

const COLUMNS = ["back", "crash", "move", "late", "left"] as const
type Column = (typeof COLUMNS)[number]

const ROWS = TABLE.trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("|").slice(1, -1))
  .map(([name = "", ...cells]) => ({ name: name.trim(), cells: cells.map((cell) => cell.trim() as Outcome) }))

const TOLD = new Set(["hand.lowered", "rotation.partnerLeft", "assignment.ended", "me.stage"])
/** Dispatches that tell somebody of an end of what Ann holds; looked at before `check`, which uses what she holds. */
const told = (clients: ReadonlyArray<Client>): ReadonlyArray<string> =>
  clients
    .flatMap(({ received: frames }) => frames)
    .filter(
      ({ t, d }) =>
        (TOLD.has(t) && !(t === "me.stage" && d.stage !== null)) || (t === "hand.queue" && d.remove.includes("ann")),
    )
    .map(({ t }) => t)

/** `url`: of Ann's node, which is not the first one; the others are there then. */
const open = async (house: House, stage: Stage, { role, waits = false }: Holding, url?: string): Promise<At> => {
  const join = async (who: string, as?: EventRole): Promise<Client> => {
    const client = house.connect(url === undefined ? {} : { url: house.url })
    await client.identify(await house.token(stage, who, as, { kind: "user" }))
    return client
  }
  const [host, bob] = [await join("host", "host"), await join("bob", role)]
  const { client: ann } = await enter(house, stage, "ann", role, url)
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

const holdingOf = (name: string): Holding => {
  const holding = HOLDINGS[name]
  if (holding === undefined) throw new Error(`nothing is known of ${name}`)
  return holding
}

/** An event that is not the first node's, whose actors and database the house uses. */
const ownedByAnother = async (cluster: House, phases: Holding["phase"]) => {
  while (true) {
    const stage = await cluster.stage(phases)
    const owner = await cluster.ownerOf(stage)
    if (owner.url !== cluster.url) return { stage, owner }
  }
}

/** What Ann holds at one event, each taken after the one before. */
interface Held {
  readonly names: ReadonlyArray<string>
  /** Of the event and of Ann: those of the first of them. */
  readonly like: Holding
  readonly at: At
  readonly taken: ReadonlyArray<Frame>
}

const take = async (names: ReadonlyArray<string>, like: Holding, at: At): Promise<Held> => {
  const taken: Frame[] = []
  for (const name of names) taken.push(await holdingOf(name).take(at))
  return { names, like, at, taken }
}

const takeAll = (of: House): Promise<ReadonlyArray<Held>> =>
  Promise.all(
    TOGETHER.map(async (names) => {
      const like = holdingOf(names[0])
      return take(names, like, await open(of, await of.stage(like.phase), like))
    }),
  )

/** What became of each, in the words of the table; `ends` is waited for. */
const outcomesOf = async ({ names, taken }: Held, back: Back, column: Column) => {
  const outcomes: Array<readonly [string, string]> = []
  for (const [n, name] of names.entries()) {
    const holding = holdingOf(name)
    const isKept = async (): Promise<boolean> => holding.isKept(back, taken[n])
    if (cellOf(name, column) === "ends") await eventually(async () => !(await isKept()), `the end of ${name}`)
    outcomes.push([name, (await isKept()) ? "kept" : "ends"])
  }
  return outcomes
}

const cellOf = (name: string, column: Column): Outcome | undefined =>
  ROWS.find((row) => row.name === name)?.cells[COLUMNS.indexOf(column)]

const expectColumn = async (
  column: Column,
  outcomes: ReadonlyArray<Promise<ReadonlyArray<readonly [string, string]>>>,
): Promise<void> => {
  const found = new Map((await Promise.all(outcomes)).flat())
  expect(ROWS.map(({ name }) => [name, found.get(name)])).toEqual(ROWS.map(({ name }) => [name, cellOf(name, column)]))
}

let house: House
/** It awaits the absent for longer than any test takes. */
let patient: House
beforeAll(async () => {
  house = await openHouse()
  patient = await openHouse({}, { returnWithinMs: 3_600_000 })
})
afterAll(() => Promise.all([house.stop(), patient.stop()]))

test("every holding of the table can be taken, and every one is in the table", () => {
  const names = ROWS.map(({ name }) => name).toSorted()
  expect(names).toEqual(Object.keys(HOLDINGS).toSorted())
  expect(TOGETHER.flat().toSorted()).toEqual(names)
  expect(ROWS.every(({ cells }) => cells.length === COLUMNS.length)).toBe(true)
})

test("after a short loss of the connection", async () => {
  const outcomes = (await takeAll(house)).map(async (held) => {
    const { at, like } = held
    await lose(at)
    const { client, first } = await enter(house, at.stage, "ann", like.role)
    await settled(at, like.role)
    expect([held.names, told([at.ann, client, at.bob, at.host])]).toEqual([held.names, []])
    return outcomesOf(held, { ...at, ann: client, first }, "back")
  })
  await expectColumn("back", outcomes)
})

/** Ann and the others are back at a server or node that did not know them. */
const backAt = async (next: House, held: Held, before: ReadonlyArray<Client>, column: Column) => {
  const { stage } = held.at
  const { role, waits } = held.like
  const host = await next.join(stage, "host", "host", { kind: "user" })
  const bob = await next.join(stage, "bob", role, { kind: "user" })
  if (waits === true) await enter(next, stage, "cat")
  const { client, first } = await enter(next, stage, "ann", role)
  const back = { house: next, stage, host, bob, ann: client, first }
  await settled(back, role)
  expect([held.names, told([...before, client, bob, host])]).toEqual([held.names, []])
  return outcomesOf(held, back, column)
}

test("after a crash", async () => {
  let isOwner = true
  const crashed = await openHouse({}, { holds: () => isOwner })
  onTestFinished(() => crashed.stop())
  const taken = await takeAll(crashed)
  isOwner = false
  const next = await openHouse({}, { node: "next" }, crashed.databaseUrl)
  onTestFinished(() => next.stop())
  await expectColumn(
    "crash",
    taken.map((held) => backAt(next, held, [], "crash")),
  )
})

// One server alone has no other node to move to.
test.each(NODES > 1 ? ["another"] : [])("after a move to %s node", async () => {
  const outcomes: Array<readonly [string, string]> = []
  for (const names of TOGETHER) {
    const like = holdingOf(names[0])
    const cluster = await openHouse()
    onTestFinished(() => cluster.stop())
    const { stage, owner } = await ownedByAnother(cluster, like.phase)
    const held = await take(names, like, await open(cluster, stage, like, owner.url))
    await owner.stop()
    outcomes.push(...(await backAt(cluster, held, [held.at.ann, held.at.bob, held.at.host], "move")))
  }
  await expectColumn("move", [Promise.resolve(outcomes)])
})

test("after too long an absence", async () => {
  const taken = await takeAll(house)
  for (const { at } of taken) await lose(at)
  house.actors.clock.jump(RETURN_WITHIN_MS)
  const outcomes = taken.map(async (held) => {
    const { at, like } = held
    await settled(at, like.role)
    const { client, first } = await enter(house, at.stage, "ann", like.role)
    return outcomesOf(held, { ...at, ann: client, first }, "late")
  })
  await expectColumn("late", outcomes)
})

test("after the command leave", async () => {
  const outcomes = (await takeAll(patient)).map(async (held) => {
    const { at, like, names } = held
    if (names.some((name) => cellOf(name, "left") === "refused")) {
      expect(await send(at.ann, "leave")).toMatchObject({ ok: false, e: { code: "forbidden" } })
      return names.map((name) => [name, "refused"] as const)
    }
    await ok(send(at.ann, "leave"))
    expect(await at.ann.closeCode()).toBe(1000)
    await untilGone(patient, at.stage, "ann")
    await settled(at, like.role)
    const { client, first } = await enter(patient, at.stage, "ann", like.role)
    return outcomesOf(held, { ...at, ann: client, first }, "left")
  })
  await expectColumn("left", outcomes)
})

test("the command leave in one of two tabs ends nothing", async () => {
  const at = await open(house, await house.stage(MEETING), holdingOf("a hand and its place"))
  const { client: tab } = await enter(house, at.stage, "ann")
  await ok(send(at.ann, "hand.raise"))
  await ok(send(tab, "leave"))
  expect(await tab.closeCode()).toBe(1000)
  await settled(at, undefined)
  expect((await ready({ ...at, first: null }, "another host", "host")).handQueue.items).toHaveLength(1)
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
