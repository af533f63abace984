/** Staff learn how many voters without a name stand behind how many addresses; nobody learns the addresses. */
import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { applyDispatch, stateOf } from "../../packages/client/src/state/event-state.ts"
import { MAX_SIGNED_OUT } from "../../src/actors/domain/activities/questions/signed-out-votes.ts"
import { call, createLiveEvent, createPerson } from "../support/api.ts"
import { startTestServer } from "../support/server.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { Client, type Frame } from "./client.ts"
import { type House, openHouse } from "./house.ts"

const server = sharedServer(() => startTestServer({ TRUSTED_PROXIES: "127.0.0.1" }))
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const HALL = "198.51.100.7"
const HOME = "203.0.113.9"

const stageOf = async () => {
  const event = await createLiveEvent(server.url, acme.key, {
    visibility: "public",
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
    phases: [{ modality: "broadcast", featureSet: ["qa", "polls"] }],
  })
  const { session } = await createPerson(server.url, acme.key, event.id, "host")
  return { eventId: event.id as string, host: await connect(event.id, HOME, session) }
}

const connect = async (eventId: string, from: string, bearer?: string): Promise<Client> => {
  const minted = await call(server.url, "POST", "/v1/auth/gateway-token", {
    body: { eventId },
    ...(bearer === undefined ? {} : { bearer }),
  })
  const client = new Client(minted.body.url, [], { "x-forwarded-for": from })
  await client.identify(minted.body.token)
  return client
}

const told = (host: Client, of: string, voters: number, addresses: number): Promise<Frame> =>
  host.next(
    ({ t, d }) => t === "votes.signedOut" && d.of === of && d.voters === voters && d.addresses === addresses,
    `${voters} voters from ${addresses} addresses`,
  )

const voteByRest = (questionId: string, from: string) =>
  call(server.url, "PUT", `/v1/public/questions/${questionId}/vote`, { headers: { "x-forwarded-for": from } })

test("of a poll: as votes come, change and are taken back, and in ready", async () => {
  const { eventId, host } = await stageOf()
  const made = await host.command("poll.create", { question: "Lunch?", kind: "single", options: ["Soup", "Salad"] })
  const { id } = made.d.poll
  await host.command("poll.open", { id })
  const [one, two, three] = await Promise.all([HALL, HALL, HOME].map((from) => connect(eventId, from)))
  for (const viewer of [one, two, three]) {
    expect((await viewer?.command("poll.vote", { id, optionIds: ["1"] }))?.ok).toBe(true)
  }
  await told(host, id, 3, 2)
  await one?.command("poll.vote", { id, optionIds: ["2"] })
  await three?.command("poll.vote", { id, optionIds: [] })
  await told(host, id, 2, 1)
  const { session } = await createPerson(server.url, acme.key, eventId, "viewer")
  const named = await connect(eventId, HALL, session)
  await named.command("poll.vote", { id, optionIds: ["1"] })
  const { session: second } = await createPerson(server.url, acme.key, eventId, "host")
  const late = await connect(eventId, HOME, second)
  const ready = late.received.find(({ t }) => t === "ready")
  expect(ready.d.signedOutVotes).toEqual([{ of: id, voters: 2, addresses: 1 }])
  const state = host.received
    .slice(host.received.findIndex(({ t }) => t === "ready") + 1)
    .filter(({ op }) => op === 0)
    .reduce(
      (before, dispatch) => applyDispatch(before, dispatch),
      stateOf(host.received.find(({ t }) => t === "ready").d),
    )
  expect(state.signedOutVotes[id]).toMatchObject({ voters: 2, addresses: 1 })
  for (const viewer of [one, named]) {
    expect(JSON.stringify(viewer?.received)).not.toContain("signedOut")
  }
  await host.command("poll.delete", { id })
  const left = await rows.run(
    "select kind from live_records where event_id = $1 and kind in ('originVotes', 'signedOutVotes')",
    [eventId],
  )
  expect(left).toEqual([])
})

test("of a question: by REST and the gateway together; a browser is one voter wherever it goes", async () => {
  const { eventId, host } = await stageOf()
  const asked = await host.command("question.ask", { text: "When?" })
  const { id } = asked.d.question
  const first = await voteByRest(id, HALL)
  await voteByRest(id, HALL)
  await voteByRest(id, HOME)
  await told(host, id, 3, 2)
  const viewer = await connect(eventId, "192.0.2.77")
  await viewer.command("question.vote", { id, on: true })
  await told(host, id, 4, 3)
  // The same browser from another address: its vote is taken back where it came from.
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? ""
  const back = await call(server.url, "DELETE", `/v1/public/questions/${id}/vote`, {
    headers: { cookie, "x-forwarded-for": HOME },
  })
  expect([back.status, back.body.votes]).toEqual([200, 3])
  await told(host, id, 3, 3)
})

test("a poll and a question with as many anonymous voters as they take refuse one more, and nobody else", async () => {
  const first = await openHouse()
  onTestFinished(() => first.stop())
  const { sql } = first.actors
  const stage = await first.stage([{ modality: "broadcast", featureSet: ["qa", "polls"] }], "scheduled")
  await sql`update events set allow_anonymous_voting = true where id = ${stage.eventId}`
  await first.actors.execute(stage.eventId, { type: "event.start", d: {} })
  const viewer = (house: House, who: string) => house.join(stage, who, "viewer", { kind: "anonymous" })
  const host = await first.join(stage, "host", "host", { kind: "user" })
  const made = await host.command("poll.create", { question: "Lunch?", kind: "single", options: ["Soup", "Salad"] })
  const { id: pollId } = made.d.poll
  await host.command("poll.open", { id: pollId })
  const { id: questionId } = (await host.command("question.ask", { text: "When?" })).d.question
  const inPoll = (client: Client, ...optionIds: ReadonlyArray<string>): Promise<Frame> =>
    client.command("poll.vote", { id: pollId, optionIds })
  const forQuestion = (client: Client, on = true): Promise<Frame> =>
    client.command("question.vote", { id: questionId, on })
  const one = await viewer(first, "one")
  for (const vote of [inPoll(one, "1"), forQuestion(one)]) expect(await vote).toMatchObject({ ok: true })
  await sql`update live_records set body = jsonb_set(body, '{voters}', to_jsonb(${MAX_SIGNED_OUT - 1}::int))
             where event_id = ${stage.eventId} and kind = 'signedOutVotes'`

  const house = await openHouse({}, {}, first.databaseUrl)
  onTestFinished(() => house.stop())
  const [last, late] = [await viewer(house, "last"), await viewer(house, "late")]
  const named = await house.join(stage, "named", "viewer")
  const full = { ok: false, e: { code: "conflict" } }
  for (const vote of [(client: Client) => inPoll(client, "1"), forQuestion]) {
    expect(await vote(last)).toMatchObject({ ok: true })
    expect(await vote(late)).toMatchObject(full)
    expect(await vote(named)).toMatchObject({ ok: true })
  }
  expect(await inPoll(last, "2")).toMatchObject({ ok: true })
  expect([await inPoll(last), await forQuestion(last, false)]).toMatchObject([{ ok: true }, { ok: true }])
  expect([await inPoll(late, "1"), await forQuestion(late)]).toMatchObject([{ ok: true }, { ok: true }])
})

test("no address is stored, and the same one has another name at another event", async () => {
  const origins = async (eventId: string): Promise<ReadonlyArray<string>> => {
    const found = await rows.run(
      "select body->>'address' as origin from live_records where event_id = $1 and kind = 'origin'",
      [eventId],
    )
    return found.map(({ origin }) => String(origin))
  }
  const seen: string[] = []
  for (const _event of [1, 2]) {
    const { eventId, host } = await stageOf()
    const { id } = (await host.command("question.ask", { text: `When? ${randomUUID()}` })).d.question
    await voteByRest(id, HALL)
    await told(host, id, 1, 1)
    seen.push(...(await origins(eventId)))
  }
  expect(seen).toHaveLength(2)
  expect(new Set(seen).size).toBe(2)
  const all = await rows.run("select count(*) as n from live_records where body::text like '%198.51.%'", [])
  expect(Number(all[0]?.["n"])).toBe(0)
})
