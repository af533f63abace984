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

const check = async (holding: Holding, back: Back, taken: Frame, expected: Outcome): Promise<void> => {
  if (expected === "kept") expect(await holding.isKept(back, taken)).toBe(true)
  else await eventually(async () => !(await holding.isKept(back, taken)), "the end of it")
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

const cell = (column: Column) =>
  ROWS.map(({ name, cells }) => [name, cells[COLUMNS.indexOf(column)] as Outcome] as const)

let house: House
/** It awaits the absent for longer than any test takes. */
let patient: House
beforeAll(async () => {
  house = await openHouse()
  patient = await openHouse({}, { returnWithinMs: 3_600_000 })
})
afterAll(() => Promise.all([house.stop(), patient.stop()]))

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
  expect(told([at.ann, client, at.bob, at.host])).toEqual([])
  await check(holding, back, taken, expected)
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
  expect(told([client, bob, host])).toEqual([])
  await check(holding, back, taken, expected)
})

// One server alone has no other node to move to.
test.each(NODES > 1 ? cell("move") : [])("%s, after a move to another node: %s", async (name, expected) => {
  const holding = holdingOf(name)
  const cluster = await openHouse()
  onTestFinished(() => cluster.stop())
  const { stage, owner } = await ownedByAnother(cluster, holding.phase)
  const at = await open(cluster, stage, holding, owner.url)
  const taken = await holding.take(at)
  await owner.stop()
  const [host, bob] = await Promise.all([
    cluster.join(stage, "host", "host", { kind: "user" }),
    cluster.join(stage, "bob", holding.role, { kind: "user" }),
  ])
  if (holding.waits === true) await enter(cluster, stage, "cat")
  const { client, first } = await enter(cluster, stage, "ann", holding.role)
  const back = { house: cluster, stage, host, bob, ann: client, first }
  await settled(back, holding.role)
  expect(told([at.ann, at.bob, at.host, client, bob, host])).toEqual([])
  await check(holding, back, taken, expected)
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

test.each(cell("left"))("%s, after the command leave: %s", async (name, expected) => {
  const holding = holdingOf(name)
  const at = await open(patient, await patient.stage(holding.phase), holding)
  const taken = await holding.take(at)
  if (expected === "refused") {
    expect(await send(at.ann, "leave")).toMatchObject({ ok: false, e: { code: "forbidden" } })
    return
  }
  await ok(send(at.ann, "leave"))
  expect(await at.ann.closeCode()).toBe(1000)
  await untilGone(patient, at.stage, "ann")
  await settled(at, holding.role)
  const { client, first } = await enter(patient, at.stage, "ann", holding.role)
  await check(holding, { ...at, ann: client, first }, taken, expected)
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
