/** What webhooks are told of phases, polls and answers, over the gateway and over REST's commands. */
import { describe, expect, onTestFinished, test } from "vitest"
import { createTestDatabase } from "../support/database.ts"
import { deliveryBreach } from "../support/description.ts"
import { openJumpingClock } from "../support/jumping-clock.ts"
import { type ActorHouse, startActors } from "../support/live-events.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage, sharedHouse } from "./house.ts"

const clock = openJumpingClock()
const house = sharedHouse({}, { clock })

const MEETINGS = [
  { modality: "meeting", featureSet: ["polls", "qa"], config: { durationSeconds: 60 } },
  { modality: "broadcast", featureSet: ["polls", "qa"] },
  { modality: "meeting" },
] as const

/** A scheduled event whose webhook takes every type but presence. */
const open = async (phases: Parameters<House["stage"]>[0] = MEETINGS, at: House = house): Promise<Stage> => {
  const stage = await at.stage(phases, "scheduled")
  const types = ["event", "phase"].flatMap((what) => [`${what}.started`, `${what}.ended`])
  const all = [...types, "poll.opened", "poll.closed", "question.answered"]
  await at.actors.sql`update webhook_endpoints set event_types = ${all} where workspace_id = ${stage.workspaceId}`
  return stage
}

/** In the order in which they are sent; each held against its schema. */
const told = async (stage: Stage, actors: ActorHouse = house.actors): Promise<ReadonlyArray<Frame>> => {
  const rows = await actors.sql`
    select m.body from outbox_messages m join webhook_deliveries d on d.message_id = m.id
     where m.event_id = ${stage.eventId} order by d.seq`
  const bodies = rows.map(({ ["body"]: body }) => JSON.parse(String(body)))
  for (const body of bodies) expect(deliveryBreach(body.type, body)).toBeUndefined()
  return bodies
}
const typesTold = async (stage: Stage) => (await told(stage)).map(({ type }) => type)
const only = async (stage: Stage, prefix: string) => (await told(stage)).filter(({ type }) => type.startsWith(prefix))

describe("phases", () => {
  test("are told when they start and end, in the order of the agenda, and skipped ones are not", async () => {
    const stage = await open()
    const { execute } = house.actors
    await execute(stage.eventId, { type: "event.start", d: {} })
    await execute(stage.eventId, { type: "phase.next", d: {} })
    await execute(stage.eventId, { type: "event.end", d: {} })
    expect(await typesTold(stage)).toEqual([
      "event.started",
      "phase.started",
      "phase.ended",
      "phase.started",
      "phase.ended",
      "event.ended",
    ])
    const [first, second] = stage.phaseIds
    const [started, ended, next, last] = await only(stage, "phase.")
    const base = { workspaceId: stage.workspaceId, eventId: stage.eventId }
    expect(started).toMatchObject({ ...base, phaseId: first, position: 0, modality: "meeting" })
    expect(Date.parse(started?.timerEndsAt) - Date.parse(started?.startedAt)).toBe(60_000)
    expect(ended).toMatchObject({ ...base, phaseId: first, startedAt: started?.startedAt, reason: "advance" })
    expect(ended?.endedAt).toBe(next?.startedAt)
    expect(next).toMatchObject({ phaseId: second, position: 1, modality: "broadcast", timerEndsAt: null })
    expect(last).toMatchObject({ phaseId: second, reason: "end" })
  })

  test("of a deleted event end before it does", async () => {
    const stage = await open()
    await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
    await house.actors.execute(stage.eventId, { type: "event.delete", d: {} })
    expect(await typesTold(stage)).toEqual(["event.started", "phase.started", "phase.ended", "event.ended"])
  })

  test("are told once, also when the reply to the commit is lost and the command comes again", async () => {
    const database = await createTestDatabase()
    const proxy = await startPostgresProxy(database.url)
    const actors = await startActors(proxy.url)
    const direct = await openHouse({}, {}, database.url)
    onTestFinished(async () => {
      await actors.stop()
      await direct.stop()
      await proxy.close()
      await database.drop()
    })
    const stage = await open(MEETINGS, direct)
    await actors.execute(stage.eventId, { type: "event.start", d: {} })
    const lost = proxy.onStatement({ match: /commit_live_event/, action: { kind: "cutReply" }, times: 1 })
    const next = () => actors.execute(stage.eventId, { type: "phase.next", d: {} }, { commandId: "the same" })
    await eventually(() =>
      next().then(
        () => true,
        () => false,
      ),
    )
    expect(lost.acted()).toBe(1)
    await next()
    const bodies = await told(stage, actors)
    expect(bodies.map(({ type }) => type)).toEqual(["event.started", "phase.started", "phase.ended", "phase.started"])
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(4)
  })
})

const LUNCH = { question: "Lunch?", kind: "single", options: ["Pizza", "Soup"], anonymous: false, results: "onPublish" }

const draft = async (host: Client): Promise<string> => (await host.command("poll.create", LUNCH)).d.poll.id

const assemble = async () => {
  const stage = await open()
  await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  const [host, ann, bob] = [
    await house.join(stage, "host", "host"),
    await house.join(stage, "ann"),
    await house.join(stage, "bob"),
  ]
  return { stage, host, ann, bob }
}

describe("polls", () => {
  test("are told when they open, and when they close with the results that hosts see and no voter", async () => {
    const { stage, host, ann, bob } = await assemble()
    const id = await draft(host)
    expect(await only(stage, "poll.")).toEqual([])
    await host.command("poll.open", { id })
    await host.command("poll.open", { id })
    await ann.command("poll.vote", { id, optionIds: ["2"] })
    await bob.command("poll.vote", { id, optionIds: ["2"] })
    await host.command("poll.close", { id })
    await host.command("poll.close", { id })
    const [opened, closed, ...more] = await only(stage, "poll.")
    expect(more).toEqual([])
    expect(opened).toMatchObject({
      ...{ type: "poll.opened", pollId: id, question: "Lunch?", kind: "single", anonymous: false, endsAt: null },
      options: [
        { id: "1", text: "Pizza" },
        { id: "2", text: "Soup" },
      ],
    })
    expect(closed).toMatchObject({
      ...{ type: "poll.closed", pollId: id, voters: 2, openedAt: opened?.openedAt },
      options: [
        { id: "1", text: "Pizza", votes: 0 },
        { id: "2", text: "Soup", votes: 2 },
      ],
    })
    expect(JSON.stringify(closed)).not.toMatch(/ann|bob/)
    await host.command("poll.open", { id, durationMs: 60_000 })
    const again = (await only(stage, "poll."))[2]
    expect(Date.parse(again?.endsAt) - Date.parse(again?.openedAt)).toBe(60_000)
  })

  test("that close by their timer or with their event are told once, and one that is deleted is not", async () => {
    const { stage, host } = await assemble()
    const [timed, running, deleted] = [await draft(host), await draft(host), await draft(host)]
    for (const id of [running, deleted]) await host.command("poll.open", { id })
    await host.command("poll.open", { id: timed, durationMs: 5000 })
    clock.jump(5000)
    const closed = async () => (await only(stage, "poll.closed")).map(({ pollId }) => pollId)
    await eventually(async () => (await closed()).length === 1, "the poll that its timer closes")
    await host.command("poll.delete", { id: deleted })
    await house.actors.execute(stage.eventId, { type: "event.end", d: {} })
    expect(await closed()).toEqual([timed, running])
  })
})

describe("answers", () => {
  test("are told with the question, once for each answer, and not again when the question is shown again", async () => {
    const { stage, host, ann } = await assemble()
    const { id } = (await ann.command("question.ask", { text: "When?" })).d.question
    const change = (patch: object) =>
      house.actors.execute(stage.eventId, { type: "question.moderate", d: { id, patch } })
    await host.command("question.answer", { id, mode: "text", text: "In spring." })
    await change({ answer: "In spring." })
    await change({ pinned: true })
    await change({ status: "hidden" })
    await host.command("question.restore", { id })
    await change({ answer: "In June." })
    await change({ status: "approved" })
    expect(await only(stage, "question.")).toMatchObject([
      { questionId: id, text: "When?", anonymous: false, answerMode: "text", answer: "In spring." },
      { questionId: id, text: "When?", anonymous: false, answerMode: "text", answer: "In June." },
    ])
  })

  test("given live have no text, and say nothing of who asked without a name", async () => {
    const { stage, host } = await assemble()
    const user = await house.join(stage, "6f0f6a3e-0000-7000-8000-000000000001", "participant", {
      kind: "user",
      userId: "6f0f6a3e-0000-7000-8000-000000000001",
    })
    const ask = async (anonymous: boolean) =>
      (await user.command("question.ask", { text: "Who?", anonymous })).d.question.id
    const [named, hidden] = [await ask(false), await ask(true)]
    for (const id of [named, hidden]) await host.command("question.answer", { id, mode: "live" })
    const [first, second] = await only(stage, "question.")
    expect(first).toMatchObject({ questionId: named, answerMode: "live", answer: null, anonymous: false })
    expect(first?.authorUserId).toBe("6f0f6a3e-0000-7000-8000-000000000001")
    expect(second).toMatchObject({ questionId: hidden, answerMode: "live", answer: null, anonymous: true })
    expect(JSON.stringify(second)).not.toContain("6f0f6a3e")
  })
})
