/** Questions over real sockets: asked, moderated, voted for, answered; and REST and gateway as two ways to the same code. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createPerson, type Json } from "../support/api.ts"
import { type Audience, openAudience, QA } from "../support/audience.ts"
import { Client, type Frame } from "./client.ts"
import { lastReady, refused } from "./crowd.ts"
import { type House, NO_LIMITS, openMortalHouse, type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse({ budgets: NO_LIMITS })

const AGENDA = [
  { modality: "broadcast", featureSet: ["qa"] },
  { modality: "broadcast", featureSet: [] },
] as const
const MODERATED = [{ modality: "broadcast", featureSet: ["qa"], config: { moderated: true } }] as const

const newcomer = async (stage: Stage, who: string, role: Parameters<House["join"]>[2] = "viewer") =>
  lastReady(await house.join(stage, who, role))
const assemble = async (phases: Parameters<House["stage"]>[0] = AGENDA, at: House = house) => {
  const stage = await at.stage(phases)
  const [host, ann, bob] = [
    await at.join(stage, "host", "host"),
    await at.join(stage, "ann", "viewer"),
    await at.join(stage, "bob", "viewer"),
  ]
  return { stage, host, ann, bob }
}
const ask = async (client: Client, text = "Why?", more: object = {}): Promise<Frame> =>
  (await client.command("question.ask", { text, ...more })).d.question
const vote = (client: Client, id: string, on = true) => client.command("question.vote", { id, on })
const texts = (questions: ReadonlyArray<Frame>) => questions.map(({ text }) => text)

describe("a question", () => {
  test("is voted for in all tabs, and known to no one else", async () => {
    const { stage, ann, bob } = await assemble()
    const tab = await house.join(stage, "bob", "viewer")
    const { id: questionId } = await ask(ann)
    await vote(bob, questionId)
    expect((await tab.dispatch("me.voted")).d).toEqual({ questionId, on: true })
    await vote(bob, questionId, false)
    expect((await tab.dispatch("me.voted")).d).toEqual({ questionId, on: false })
    await ann.next(({ t, d }) => t === "question.votes" && d.votes[0][1] === 0, "no votes")
    expect(ann.received.some(({ t }) => t === "me.voted")).toBe(false)
  })

  test("that was answered comes back answered when it was hidden, also after a kill of memory", async () => {
    const { stage, host, ann } = await assemble()
    const { id } = await ask(ann)
    const { question } = (await host.command("question.answer", { id, mode: "live" })).d
    await host.command("question.hide", { id })
    const restored = (await host.command("question.restore", { id })).d.question
    expect(restored).toEqual({ ...question, rev: question.rev + 2 })
    expect(restored).toMatchObject({ status: "answered", answerMode: "live" })
    expect((await host.command("question.restore", { id })).d.question).toEqual(restored)
    await host.command("question.hide", { id })
    const [row] = await house.actors.sql`select status, answer_mode, answered_at from questions where id = ${id}`
    expect(row).toMatchObject({ status: "hidden", answerMode: "live" })
    expect(new Date(String(row?.["answeredAt"])).toISOString()).toBe(question.answeredAt)
    expect((await newcomer(stage, "cleo")).questions.top).toEqual([])
    expect((await host.command("question.approve", { id })).d.question).toMatchObject({
      status: "approved",
      answerMode: null,
      answeredAt: null,
    })
  })

  test("that was never shown is shown when it is restored, and one that waits is not", async () => {
    const { host, ann } = await assemble(MODERATED)
    const { id } = await ask(ann)
    expect((await host.command("question.restore", { id })).d.question).toMatchObject({ status: "pending", rev: 1 })
    await host.command("question.hide", { id })
    expect((await host.command("question.restore", { id })).d.question).toMatchObject({ status: "approved" })
  })

  test("that waits for a moderator is answered by staff alone, and so not shown by its author", async () => {
    const { stage, host, ann } = await assemble(MODERATED)
    const speaker = await house.join(stage, "speaker", "speaker")
    const [own, other] = [await ask(speaker), await ask(ann)]
    const answer = (id: string) => speaker.command("question.answer", { id, mode: "text", text: "So." })
    expect(await answer(own.id)).toMatchObject({ ok: false, e: { code: "conflict", current: { question: own } } })
    const unseen = await answer(other.id)
    expect(unseen.e).toMatchObject({ code: "not_found" })
    expect(unseen.e.current).toBeUndefined()
    await host.command("question.approve", { id: own.id })
    expect((await answer(own.id)).d.question).toMatchObject({ status: "answered", answer: "So." })
    await host.command("participant.mute", { id: "speaker" })
    await host.command("question.approve", { id: other.id })
    expect(await answer(other.id)).toMatchObject(refused("muted"))
    const live = await speaker.command("question.answer", { id: other.id, mode: "live" })
    expect(live.d.question).toMatchObject({ status: "answered", answerMode: "live" })
  })

  test("that was changed meanwhile is neither voted for nor taken back on a view of before", async () => {
    const { host, ann, bob } = await assemble()
    const { id, rev } = await ask(ann)
    const { question } = (await host.command("question.pin", { id }, { rev })).d
    const stale = { ok: false, e: { code: "conflict", current: { question } } }
    expect(await bob.command("question.vote", { id, on: true }, { rev })).toMatchObject(stale)
    expect(await ann.command("question.withdraw", { id }, { rev })).toMatchObject(stale)
    expect(await bob.command("question.vote", { id, on: true }, { rev: question.rev })).toMatchObject({ ok: true })
    expect(await ann.command("question.withdraw", { id }, { rev: question.rev })).toMatchObject({ ok: true })
  })

  test("reaches everyone, under a name or under none", async () => {
    const { stage, ann, bob } = await assemble()
    const open = await ask(ann, " Why? ")
    expect(open).toMatchObject({ text: "Why?", status: "approved", authorId: "ann", authorName: "Name of ann", rev: 1 })
    expect((await bob.dispatch("question.created")).d.question).toEqual(open)
    const hidden = await ask(ann, "Who?", { anonymous: true })
    expect(hidden).toMatchObject({ anonymous: true, authorId: null, authorName: null })
    const ready = await newcomer(stage, "ann")
    expect(texts(ready.questions.top)).toEqual(["Why?", "Who?"])
    expect(texts(ready.mine.questions)).toEqual(["Why?", "Who?"])
    const [row] = await house.actors.sql`select asker_id, author_name from questions where id = ${hidden.id}`
    expect(row).toEqual({ askerId: null, authorName: null })
  })

  test("is taken while it is open to them", async () => {
    const { stage, host, ann } = await assemble()
    expect(await ann.command("question.ask", { text: " " })).toMatchObject(refused("bad_request"))
    await host.command("qa.settings", { open: false })
    expect((await ann.dispatch("qa.settings")).d).toEqual({ moderated: null, open: false })
    expect(await ann.command("question.ask", { text: "Still?" })).toMatchObject(refused("conflict"))
    expect((await newcomer(stage, "cleo")).questions).toMatchObject({ open: false, top: [] })
    await host.command("qa.settings", { open: true })
    expect(await ann.command("question.ask", { text: "Now?" })).toMatchObject({ ok: true })
  })

  test("is withdrawn by its author, also an anonymous one, and by nobody else", async () => {
    const { stage, ann, bob } = await assemble()
    const question = await ask(ann, "Who?", { anonymous: true })
    await vote(bob, question.id)
    expect(await bob.command("question.withdraw", { id: question.id })).toMatchObject(refused("forbidden"))
    expect(await ann.command("question.withdraw", { id: question.id })).toMatchObject({ ok: true })
    expect((await bob.dispatch("question.removed")).d).toMatchObject({ id: question.id, hidden: false })
    expect(await ann.command("question.withdraw", { id: question.id })).toMatchObject(refused("not_found"))
    expect(await newcomer(stage, "bob")).toMatchObject({ questions: { top: [] }, mine: { votes: [] } })
    expect(await house.actors.sql`select 1 from question_votes where question_id = ${question.id}`).toHaveLength(0)
  })
})

describe("moderation", () => {
  test("keeps a question between its asker and staff until they approve it", async () => {
    const { stage, host, ann, bob } = await assemble(MODERATED)
    const question = await ask(ann)
    expect(question.status).toBe("pending")
    expect(await host.dispatch("question.created")).toMatchObject({ st: "staff" })
    expect(await ann.dispatch("question.created")).toMatchObject({ st: "me" })
    expect(await vote(bob, question.id)).toMatchObject(refused("not_found"))
    expect((await newcomer(stage, "other", "host")).moderation).toEqual({ pendingCount: 1, pending: [question] })
    expect((await newcomer(stage, "cleo")).questions.top).toEqual([])
    const approved = (await host.command("question.approve", { id: question.id })).d.question
    expect((await bob.dispatch("question.updated")).d.question).toEqual(approved)
    expect(approved).toMatchObject({ status: "approved", rev: 2 })
    expect(bob.received.some(({ t }) => t === "question.created")).toBe(false)
  })

  test("hides, restores, pins and answers; a hidden question goes from the audience alone", async () => {
    const { stage, host, ann, bob } = await assemble()
    const { id } = await ask(ann)
    await host.command("question.hide", { id })
    expect((await bob.dispatch("question.removed")).d).toEqual({ id, rev: 2, hidden: true })
    expect(await host.dispatch("question.updated")).toMatchObject({
      st: "staff",
      d: { question: { status: "hidden" } },
    })
    expect((await newcomer(stage, "cleo")).questions.top).toEqual([])
    await host.command("question.restore", { id })
    const other = await ask(bob, "What else?")
    await host.command("question.pin", { id: other.id })
    expect(texts((await newcomer(stage, "dora")).questions.top)).toEqual(["What else?", "Why?"])
    expect(await host.command("question.answer", { id, mode: "text" })).toMatchObject(refused("bad_request"))
    const answered = (await host.command("question.answer", { id, mode: "text", text: "Because." })).d.question
    expect(answered).toMatchObject({ status: "answered", answer: "Because.", answerMode: "text" })
    const live = (await host.command("question.answer", { id: other.id, mode: "live" })).d.question
    expect(live).toMatchObject({ status: "answered", answer: null, answerMode: "live" })
  })

  test("of a stale revision changes nothing, and gets the current question", async () => {
    const { host, ann } = await assemble()
    const { id } = await ask(ann)
    const hidden = (await host.command("question.hide", { id }, { rev: 1 })).d.question
    const late = await host.command("question.pin", { id }, { rev: 1 })
    expect(late).toMatchObject({ ok: false, e: { code: "conflict", current: { question: hidden } } })
  })
})

test("a vote is set and taken back, never twice, and the tally is sent", async () => {
  const { stage, host, ann, bob } = await assemble()
  const { id } = await ask(ann)
  const told = (client: Client, n: number) =>
    client.next(({ t, d }) => t === "question.votes" && d.votes.some(([of, votes]: Frame) => of === id && votes === n))
  for (const _ of [1, 2]) expect((await vote(bob, id)).d).toEqual({ questionId: id, votes: 1, voted: true })
  await told(ann, 1)
  expect((await vote(host, id)).d.votes).toBe(2)
  await told(ann, 2)
  expect(await newcomer(stage, "bob")).toMatchObject({ mine: { votes: [id] }, questions: { top: [{ votes: 2 }] } })
  for (const _ of [1, 2]) expect((await vote(bob, id, false)).d).toEqual({ questionId: id, votes: 1, voted: false })
  await told(ann, 1)
})

describe("REST and gateway", () => {
  let audience: Audience
  const clients: Client[] = []
  beforeAll(async () => {
    audience = await openAudience()
  })
  afterAll(async () => {
    for (const client of clients) client.socket.terminate()
    await audience.stop()
  })

  const enter = async (eventId: string, bearer?: string): Promise<Client> => {
    const { body } = await audience.api("POST", "/v1/auth/gateway-token", { body: { eventId }, bearer })
    const client = new Client(body.url)
    clients.push(client)
    await client.identify(body.token)
    return client
  }
  const person = (eventId: string, role: string) => createPerson(audience.server.url, audience.acme.key, eventId, role)

  test("a question asked over REST is dispatched, and one asked at the event is listed", async () => {
    const event = await audience.event({ phases: [QA] }, "publish", "start")
    const [guest, asker] = [await enter(event.id), await person(event.id, "viewer")]
    const overRest = (await audience.ask(event.id, { bearer: asker.session }, "From the page?")).body
    expect((await guest.dispatch("question.created")).d.question).toMatchObject({
      id: overRest.id,
      text: "From the page?",
      authorId: asker.userId,
    })
    const client = await enter(event.id, asker.session)
    const atEvent = await ask(client, "From the hall?")
    const listed: ReadonlyArray<Json> = (await audience.list(event.id)).body.questions
    expect(listed.find(({ id }) => id === atEvent.id)).toMatchObject({
      text: "From the hall?",
      authorUserId: asker.userId,
    })
    expect(texts(lastReady(await enter(event.id)).questions.top)).toEqual(["From the page?", "From the hall?"])
    // REST and the gateway both know the author.
    expect(texts(lastReady(client).mine.questions)).toEqual(["From the page?"])
    expect(await client.command("question.withdraw", { id: overRest.id })).toMatchObject({ ok: true })
    expect((await audience.list(event.id)).body.questions).toHaveLength(1)
  })

  test("votes by REST and the gateway are one tally, and a person's are one vote", async () => {
    const event = await audience.event({ phases: [QA] }, "publish", "start")
    const voter = await person(event.id, "viewer")
    const [client, guest] = [await enter(event.id, voter.session), await enter(event.id)]
    const id = await audience.question(event.id)
    await client.dispatch("question.created")
    expect((await audience.vote(id, { bearer: voter.session })).body.votes).toBe(1)
    expect((await vote(client, id)).d).toMatchObject({ votes: 1, voted: true })
    expect((await audience.vote(id)).body.votes).toBe(2)
    expect((await vote(guest, id)).d.votes).toBe(3)
    expect((await vote(client, id, false)).d.votes).toBe(2)
    expect(await audience.voters(id)).toHaveLength(2)
    await guest.next(({ t, d }) => t === "question.votes" && d.votes[0][1] === 2)
  })

  test("a moderator's patch over REST is sent to the event's sockets, and the other way round", async () => {
    const event = await audience.event({ phases: [QA] }, "publish", "start")
    const host = await enter(event.id, (await person(event.id, "host")).session)
    const guest = await enter(event.id)
    const id = await audience.question(event.id)
    await guest.dispatch("question.created")
    const body = { status: "answered", answer: "Because." }
    await audience.api("PATCH", `/v1/questions/${id}`, { key: audience.acme.key, body })
    expect((await guest.dispatch("question.updated")).d.question).toMatchObject({ id, ...body, rev: 2 })
    await host.command("question.hide", { id }, { rev: 2 })
    expect((await guest.dispatch("question.removed")).d).toEqual({ id, rev: 3, hidden: true })
    const hidden = (await audience.list(event.id, "?status=hidden")).body.questions
    expect(hidden).toMatchObject([{ id, status: "hidden", answer: "Because." }])
  })
})

test("questions and votes survive a kill; only anonymous authors are forgotten", async () => {
  const { house, kill } = await openMortalHouse({ budgets: NO_LIMITS })
  const { stage, host, ann, bob } = await assemble(AGENDA, house)
  const [open, hidden] = [await ask(ann), await ask(ann, "Who?", { anonymous: true })]
  await vote(bob, hidden.id)
  await vote(ann, hidden.id)
  await vote(ann, hidden.id, false)
  await host.command("question.pin", { id: open.id })
  await host.command("qa.settings", { moderated: true })
  const survivor = await kill()
  const { snapshot, personal } = await survivor.read(stage.eventId, ["ann", "bob"])
  expect(snapshot.everyone["questions"]).toEqual({
    top: [
      { ...open, pinned: true, rev: 2 },
      { ...hidden, votes: 1 },
    ],
    moderated: true,
    open: true,
  })
  expect(personal["ann"]?.state).toMatchObject({ mine: { questions: [{ id: open.id }], votes: [] } })
  expect(personal["bob"]?.state).toMatchObject({ mine: { questions: [], votes: [hidden.id] } })
})
