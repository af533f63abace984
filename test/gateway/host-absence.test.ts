/** What an event does by itself when its last host has departed, and its end when a host is back. */
import { expect, onTestFinished, test } from "vitest"
import type { HostAbsence } from "../../src/model/host-absence.ts"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import { NODES } from "../support/nodes.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { depart, readyOf, received, untilGone, untilPresent } from "./crowd.ts"
import { ok, send } from "./held.ts"
import { type House, openHouse, openMortalHouse, type Stage, sharedHouse } from "./house.ts"

// One process: the time of a departure is that of its clock.
const house = sharedHouse({}, { node: "one" })

const MEETING = [{ modality: "meeting", featureSet: ["chat", "qa"] }] as const
const AFTER_SECONDS = 60

const set = (of: House, { eventId }: Stage, measure: HostAbsence["measure"]) =>
  of.actors.execute(eventId, {
    type: "event.patch",
    d: { hostAbsence: { measure, afterSeconds: AFTER_SECONDS } },
  })

const isKnown = ({ eventId }: Stage, of: House): Promise<boolean> =>
  of.actors.sql`select 1 from live_records where event_id = ${eventId} and kind = 'hostAway'`.then(
    (rows) => rows.length === 1,
  )

const open = async (measure: HostAbsence["measure"], of = house) => {
  const stage = await of.stage(MEETING)
  await of.actors.sql`
    update webhook_endpoints set event_types = array['host.absent', 'host.returned'] where workspace_id = ${stage.workspaceId}`
  await set(of, stage, measure)
  const host = await of.join(stage, "host", "host", { kind: "user" })
  const ann = await of.join(stage, "ann")
  await untilPresent(of, stage, ["host", "ann"])
  // The event was set before anybody came: the host's arrival has ended that absence.
  await eventually(async () => !(await isKnown(stage, of)), "the host being here")
  return { stage, host, ann }
}

const absence = (client: Client): Promise<Frame | null> =>
  client.next(({ t }) => t === "host.absence", "host.absence").then(({ d }) => d.absence)

/** For a host who comes: by `ready` already, or by a dispatch after it. */
const untilOver = (client: Client): Promise<void> =>
  eventually(() => {
    const { t, d } = client.received.findLast((frame) => frame.t === "ready" || frame.t === "host.absence")
    return (t === "ready" ? d.hostAbsence : d.absence) === null
  }, "the end of the measure")

/** The host is gone for good, and the time of the event's setting is over. */
const leave = async (stage: Stage, host: Client, who = "host", of = house): Promise<void> => {
  await depart(of, stage, who, host)
  await eventually(() => isKnown(stage, of), "the departure being known")
  of.actors.clock.jump(AFTER_SECONDS * 1000)
}

/** The same where nothing is to follow: the host's hand goes down when they have departed. */
const leaveUnwatched = async (stage: Stage, host: Client, ann: Client): Promise<void> => {
  await ok(send(host, "hand.raise"))
  await received(ann, "hand.count", ({ n }) => n === 1)
  await depart(house, stage, "host", host)
  await received(ann, "hand.count", ({ n }) => n === 0)
  expect(await isKnown(stage, house)).toBe(false)
  house.actors.clock.jump(AFTER_SECONDS * 1000)
}

const webhooks = async ({ eventId }: Stage): Promise<ReadonlyArray<string>> => {
  const rows = await house.actors.sql`
    select body from outbox_messages where event_id = ${eventId} order by occurred_at, id`
  return rows
    .map(({ ["body"]: body }) => JSON.parse(String(body)))
    .filter(({ type }) => type.startsWith("host."))
    .map(({ type, measure }) => `${type} ${measure}`)
}

test("a host who sends leave is gone at once", async () => {
  const patient = await openHouse({}, { node: "one", returnWithinMs: 3_600_000 })
  onTestFinished(() => patient.stop())
  const { stage, host, ann } = await open("slowChat", patient)
  await ok(send(host, "leave"))
  await eventually(() => isKnown(stage, patient), "the departure being known")
  patient.actors.clock.jump(AFTER_SECONDS * 1000)
  expect(await absence(ann)).toMatchObject({ measure: "slowChat" })
})

test("slow chat: thirty seconds between two messages, until a host is back", async () => {
  const { stage, host, ann } = await open("slowChat")
  await leave(stage, host)
  expect(await absence(ann)).toEqual({ since: expect.any(String), measure: "slowChat" })
  expect(await received(ann, "chat.settings")).toMatchObject({ d: { slowMs: 30_000 } })
  await ok(send(ann, "chat.send", { to: "event", text: "Anybody here?" }))
  expect(await send(ann, "chat.send", { to: "event", text: "Hello?" })).toMatchObject({ e: { code: "rate_limited" } })
  const seen = await readyOf(house, stage, "ben")
  expect([seen.chat.slowMs, seen.hostAbsence.measure]).toEqual([30_000, "slowChat"])

  await house.join(stage, "host", "host", { kind: "user" })
  expect(await absence(ann)).toBeNull()
  await received(ann, "chat.settings", ({ slowMs }) => slowMs === 0)
  await ok(send(ann, "chat.send", { to: "event", text: "There you are" }))
  expect((await readyOf(house, stage, "ben")).hostAbsence).toBeNull()
  expect(await webhooks(stage)).toEqual(["host.absent slowChat", "host.returned slowChat"])
})

test("slow chat keeps a slower mode that a host had set", async () => {
  const { stage, host, ann } = await open("slowChat")
  await ok(send(host, "chat.slow", { perMs: 45_000 }))
  await leave(stage, host)
  await absence(ann)
  expect((await readyOf(house, stage, "ben")).chat.slowMs).toBe(45_000)
})

test("locked: nobody but staff writes or asks, until a host is back", async () => {
  const { stage, host, ann } = await open("locked")
  await leave(stage, host)
  expect((await absence(ann))?.["measure"]).toBe("locked")
  const refused = { e: { code: "conflict", message: "The event is locked until a host is here again." } }
  expect(await send(ann, "chat.send", { to: "event", text: "Hello?" })).toMatchObject(refused)
  expect(await send(ann, "question.ask", { text: "Hello?" })).toMatchObject(refused)
  await house.join(stage, "host", "host", { kind: "user" })
  expect(await absence(ann)).toBeNull()
  await ok(send(ann, "question.ask", { text: "Hello?" }))
})

test("a closed lobby: those inside stay, also over a lost connection, and nobody new is let in", async () => {
  const { stage, host, ann } = await open("lobbyClosed")
  await leave(stage, host)
  expect((await absence(ann))?.["measure"]).toBe("lobbyClosed")
  const late = house.connect()
  await late.hello()
  late.send({ op: 2, d: { token: await house.token(stage, "late") } })
  expect(await late.closed).toMatchObject({ code: 4306 })
  await ann.cut()
  expect((await house.join(stage, "ann")).received.some(({ t }) => t === "ready")).toBe(true)

  const back = await house.join(stage, "host", "host", { kind: "user" })
  await untilOver(back)
  await house.join(stage, "late")
  await untilPresent(house, stage, ["late"])
})

test("another host keeps the event from its measure", async () => {
  const { stage, host, ann } = await open("locked")
  await house.join(stage, "second", "host", { kind: "user" })
  await untilPresent(house, stage, ["second"])
  await leaveUnwatched(stage, host, ann)
  await ok(send(ann, "chat.send", { to: "event", text: "Still open" }))
  expect(await webhooks(stage)).toEqual([])
})

test("the last host who becomes a participant counts as gone", async () => {
  const { stage, host, ann } = await open("locked")
  await ok(send(host, "role.set", { id: "host", role: "participant" }))
  await eventually(() => isKnown(stage, house), "the change being known")
  house.actors.clock.jump(AFTER_SECONDS * 1000)
  expect((await absence(ann))?.["measure"]).toBe("locked")
})

test("a guest whom a host made host comes back through the closed lobby", async () => {
  const { stage, host, ann } = await open("lobbyClosed")
  const guest = await house.join(stage, "guest")
  await untilPresent(house, stage, ["guest"])
  await ok(send(host, "role.set", { id: "guest", role: "host" }))
  await depart(house, stage, "host", host)
  await leave(stage, guest, "guest")
  expect((await absence(ann))?.["measure"]).toBe("lobbyClosed")
  await house.join(stage, "guest")
  expect(await absence(ann)).toBeNull()
})

test("the end of the event ends its measure in the same commit, also where nobody is left", async () => {
  const { stage, host, ann } = await open("locked")
  await ann.cut()
  await leave(stage, host)
  await eventually(async () => (await webhooks(stage)).length === 1, "the measure")
  await house.actors.execute(stage.eventId, { type: "event.end", d: {} })
  expect(await webhooks(stage)).toEqual(["host.absent locked", "host.returned locked"])
  expect(await isKnown(stage, house)).toBe(false)
})

test("a host who returns within thirty seconds has not been away", async () => {
  const { stage, host, ann } = await open("locked")
  await host.cut()
  await untilGone(house, stage, "host")
  house.actors.clock.jump(RETURN_WITHIN_MS - 5000)
  await house.join(stage, "host", "host", { kind: "user" })
  await untilPresent(house, stage, ["host"])
  house.actors.clock.jump(AFTER_SECONDS * 1000)
  await ok(send(ann, "chat.send", { to: "event", text: "Still open" }))
  expect([await webhooks(stage), await isKnown(stage, house)]).toEqual([[], false])
})

/** How an event with the measure receives somebody who comes, and what it makes of two messages of somebody inside. */
const isInForce: {
  readonly [M in Exclude<HostAbsence["measure"], "nothing">]: (of: House, stage: Stage) => Promise<void>
} = {
  slowChat: async (of, stage) => {
    const ann = await of.join(stage, "ann")
    await ok(send(ann, "chat.send", { to: "event", text: "Anybody here?" }))
    expect(await send(ann, "chat.send", { to: "event", text: "Hello?" })).toMatchObject({ e: { code: "rate_limited" } })
  },
  locked: async (of, stage) => {
    const ann = await of.join(stage, "ann")
    expect(await send(ann, "chat.send", { to: "event", text: "Hello?" })).toMatchObject({ e: { code: "conflict" } })
  },
  lobbyClosed: async (of, stage) => {
    await of.join(stage, "ann")
    const late = of.connect()
    await late.hello()
    late.send({ op: 2, d: { token: await of.token(stage, "late") } })
    expect(await late.closed).toMatchObject({ code: 4306 })
  },
}
const MEASURES = ["slowChat", "locked", "lobbyClosed"] as const

test("each measure holds after a crash of the server, until a host is back; an event that started without one takes its measure then", async () => {
  const { house: mortal, kill } = await openMortalHouse()
  const stages: Array<readonly [(typeof MEASURES)[number], Stage]> = []
  for (const measure of MEASURES) {
    const { stage, host, ann } = await open(measure, mortal)
    await leave(stage, host, "host", mortal)
    await absence(ann)
    stages.push([measure, stage])
  }
  const hostless = await mortal.stage(MEETING, "scheduled")
  await set(mortal, hostless, "locked")
  await mortal.actors.execute(hostless.eventId, { type: "event.start", d: {} })
  expect(await isKnown(hostless, mortal)).toBe(true)
  await kill()
  const after = await openHouse({}, {}, mortal.databaseUrl)
  onTestFinished(() => after.stop())
  for (const [measure, stage] of stages) {
    await isInForce[measure](after, stage)
    const back = await after.join(stage, "host", "host", { kind: "user" })
    await untilOver(back)
  }
  const ann = await after.join(hostless, "ann")
  // The clock of the server before was ahead of this one's.
  after.actors.clock.jump(mortal.actors.clock.now() - after.actors.clock.now() + AFTER_SECONDS * 1000)
  expect((await absence(ann))?.["measure"]).toBe("locked")
})

// One server alone has no other node to move to.
test.each(NODES > 1 ? MEASURES : [])("%s holds over a move to another node, until a host is back", async (measure) => {
  const cluster = await openHouse()
  onTestFinished(() => cluster.stop())
  const { stage, host, ann } = await open(measure, cluster)
  await leave(stage, host, "host", cluster)
  await absence(ann)
  await (await cluster.ownerOf(stage)).stop()
  await isInForce[measure](cluster, stage)
  const back = await cluster.join(stage, "host", "host", { kind: "user" })
  await untilOver(back)
})

test("`nothing`, the default, tells nobody", async () => {
  const stage = await house.stage(MEETING)
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const ann = await house.join(stage, "ann")
  await untilPresent(house, stage, ["host", "ann"])
  await leaveUnwatched(stage, host, ann)
  await ok(send(ann, "chat.send", { to: "event", text: "Open" }))
  expect(ann.received.some(({ t }) => t === "host.absence")).toBe(false)
  expect(await webhooks(stage)).toEqual([])
})
