/** Asking: by whom, where and when; and what becomes of a question in the hands of a moderator. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { verifySignature } from "../../src/webhooks/signature.ts"
import {
  type CallOptions,
  createPerson,
  createWorkspace,
  type Json,
  problemOf,
  signup,
  tokenIn,
} from "../support/api.ts"
import { type Audience, openAudience, QA } from "../support/audience.ts"
import { startReceiver } from "../support/http-receiver.ts"

let house: Audience
beforeAll(async () => {
  house = await openAudience()
})
afterAll(() => house.stop())

const person = (eventId: string, role = "viewer", name = "Ada") =>
  createPerson(house.server.url, house.acme.key, eventId, role, name)
const moderate = (id: string, body: unknown, options: CallOptions = { key: house.acme.key }) =>
  house.api("PATCH", `/v1/questions/${id}`, { body, ...options })
const stored = async (id: string) => (await house.rows.run("select * from questions where id = $1", [id]))[0]

describe("asking", () => {
  test("signed in, gives a question with its author and the active phase", async () => {
    const event = await house.event({}, "publish", "start")
    const { userId, session } = await person(event.id)
    const answer = await house.ask(event.id, { bearer: session }, " Où, 🎤?\n")
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      eventId: event.id,
      phaseId: expect.any(String),
      text: "Où, 🎤?",
      status: "approved",
      authorUserId: userId,
      authorName: "Ada",
      anonymous: false,
      pinned: false,
      votes: 0,
      createdAt: expect.stringMatching(/Z$/),
      answer: null,
      answeredAt: null,
    })
    expect(answer.headers.get("location")).toBeNull()
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const { phases } = (await house.api("GET", `/v1/events/${event.id}`, { key: house.acme.key })).body
    expect(answer.body.phaseId).toBe(phases[0].id)
    expect((await house.list(event.id)).body).toEqual({ questions: [answer.body], nextCursor: null })
  })

  test("is for every role, for members of the workspace, and for registrants", async () => {
    const event = await house.event({
      visibility: "unlisted",
      phases: [QA, { modality: "meeting", featureSet: ["qa"] }],
    })
    for (const role of ["host", "speaker", "participant", "viewer", "workspace_admin"]) {
      expect((await house.ask(event.id, { bearer: (await person(event.id, role)).session })).status, role).toBe(201)
    }
    const path = `/v1/workspaces/${house.acme.id}/session`
    const member = await house.api("POST", path, { cookie: house.acme.owner.cookie })
    expect((await house.ask(event.id, { bearer: member.body.sessionToken })).status).toBe(201)
    const registrant = await house.ask(event.id, { bearer: await house.registrant(event.id, "Rita") })
    expect(registrant.body).toMatchObject({ authorUserId: null, authorName: "Rita", anonymous: false })
  })

  test("anonymously keeps neither name nor id, whether signed in or out", async () => {
    const event = await house.event()
    const { session } = await person(event.id)
    const hidden = await house.ask(event.id, { bearer: session, body: { text: "Who?", anonymous: true } })
    const nobody = await house.ask(event.id, { body: { text: "Who?", anonymous: false } })
    for (const answer of [hidden, nobody]) {
      expect(answer.status).toBe(201)
      expect(answer.body).toMatchObject({ authorUserId: null, authorName: null, anonymous: true })
      const row = await stored(answer.body.id)
      expect([row?.["author_user_id"], row?.["author_name"]]).toEqual([null, null])
    }
    expect(nobody.headers.get("set-cookie")).toBeNull()
  })

  test("with fields of the question's own has no effect on them", async () => {
    const event = await house.event()
    const body = { text: "Why?", id: randomUUID(), status: "answered", votes: 9, pinned: true, authorName: "Mallory" }
    const answer = await house.ask(event.id, { body })
    expect(answer.body).toMatchObject({ status: "approved", votes: 0, pinned: false, authorName: null })
    expect(answer.body.id).not.toBe(body.id)
  })

  test("needs a text that shows something, of 1000 characters at most", async () => {
    const event = await house.event()
    expect(problemOf(await house.ask(event.id, {}, " \n"))).toEqual([400, "bad_request"])
    for (const text of ['"\\u0000"', '"a\\ud800"']) {
      expect(problemOf(await house.ask(event.id, { raw: `{"text":${text}}` }))).toEqual([400, "bad_request"])
    }
    expect((await house.ask(event.id, {}, "x".repeat(1000))).status).toBe(201)
    expect((await house.list(event.id)).body.questions).toHaveLength(1)
  })

  test("with an Idempotency-Key is done once for a session; signed-out callers share no keys", async () => {
    const event = await house.event()
    const { session } = await person(event.id)
    const headers = { "idempotency-key": "the same" }
    const first = await house.ask(event.id, { bearer: session, headers })
    const again = await house.ask(event.id, { bearer: session, headers })
    expect([again.body.id, again.headers.get("idempotency-replayed")]).toEqual([first.body.id, "true"])
    const others = [await house.ask(event.id, { headers }, "One?"), await house.ask(event.id, { headers }, "Two?")]
    expect(others.map(({ status, body }) => [status, body.text])).toEqual([
      [201, "One?"],
      [201, "Two?"],
    ])
  })
})

describe("refusals to ask", () => {
  test("the signed-out, unless a public event allows it: they have to sign in", async () => {
    const closed = await house.event({ allowAnonymousQuestions: false })
    const unlisted = await house.event({ visibility: "unlisted" })
    for (const { id } of [closed, unlisted]) {
      expect(problemOf(await house.ask(id))).toEqual([401, "sign_in_required"])
      expect(problemOf(await house.ask(id, { cookie: house.acme.owner.cookie }))).toEqual([401, "sign_in_required"])
    }
    await house.api("PATCH", `/v1/events/${closed.id}`, {
      key: house.acme.key,
      body: { allowAnonymousQuestions: true },
    })
    expect((await house.ask(closed.id)).status).toBe(201)
  })

  test("people of another workspace or another event: their session is for nobody here", async () => {
    const event = await house.event()
    const elsewhere = await house.event()
    const foreign = await createWorkspace(house.server.url)
    const stranger = await house.api("POST", "/v1/users", { key: foreign.key, body: { externalSub: "s" } })
    const session = await house.api("POST", `/v1/users/${stranger.body.id}/session`, { key: foreign.key })
    for (const bearer of [session.body.sessionToken, await house.registrant(elsewhere.id)]) {
      expect(problemOf(await house.ask(event.id, { bearer }))).toEqual([404, "not_found"])
    }
  })

  test("outsiders of a private event, for whom it is not there", async () => {
    const event = await house.event({ visibility: "private" })
    const inside = await person(event.id)
    expect((await house.ask(event.id, { bearer: inside.session })).status).toBe(201)
    for (const options of [{}, { cookie: house.acme.owner.cookie }]) {
      expect(problemOf(await house.ask(event.id, options))).toEqual([404, "not_found"])
    }
    // Invited to one event, an account gets a session of the workspace; it opens no other private event.
    const account = await signup(house.server.url)
    const other = await house.event()
    const invite = await house.api("POST", `/v1/workspaces/${house.acme.id}/invites`, {
      key: house.acme.key,
      body: { eventId: other.id, role: "viewer" },
    })
    const token = tokenIn(invite.body.inviteUrl)
    expect((await house.api("POST", `/v1/invites/${token}/accept`, { cookie: account.cookie })).status).toBe(200)
    const path = `/v1/workspaces/${house.acme.id}/session`
    const bearer = (await house.api("POST", path, { cookie: account.cookie })).body.sessionToken
    expect((await house.ask(other.id, { bearer })).status).toBe(201)
    expect(problemOf(await house.ask(event.id, { bearer }))).toEqual([404, "not_found"])
  })

  test("whom a host removed for good", async () => {
    const event = await house.event()
    const { userId, session } = await person(event.id)
    const questionId = await house.question(event.id)
    await house.rows.run("insert into live_removals values ($1, $2, now())", [event.id, userId])
    expect(problemOf(await house.ask(event.id, { bearer: session }))).toEqual([403, "forbidden"])
    expect(problemOf(await house.vote(questionId, { bearer: session }))).toEqual([403, "forbidden"])
  })

  test("not managers of the workspace, even where they were removed before they became one", async () => {
    const event = await house.event()
    const { id, owner } = house.acme
    const { body } = await house.api("POST", `/v1/workspaces/${id}/session`, { cookie: owner.cookie })
    const removal = "insert into live_removals select $1, id::text, now() from users where account_id = $2"
    expect((await house.rows.run(removal, [event.id, owner.id])).count).toBe(1)
    expect((await house.ask(event.id, { bearer: body.sessionToken })).status).toBe(201)
  })

  test("anybody, on a draft or where there is no event", async () => {
    const draft = await house.api("POST", "/v1/events", { key: house.acme.key, body: { type: "t", title: "Draft" } })
    const { session } = await person(draft.body.id)
    for (const id of [draft.body.id, randomUUID()]) {
      for (const options of [{}, { bearer: session }]) {
        expect(problemOf(await house.ask(id, options)), id).toEqual([404, "not_found"])
      }
    }
  })

  test("anybody, after the end or while the phase has no Q&A; a bad body is refused first", async () => {
    const event = await house.event({ phases: [QA, { modality: "meeting" }] }, "publish", "start")
    expect((await house.ask(event.id)).status).toBe(201)
    await house.drive(event.id, "advance")
    expect(problemOf(await house.ask(event.id))).toEqual([409, "conflict"])
    await house.drive(event.id, "end")
    expect(problemOf(await house.ask(event.id))).toEqual([409, "conflict"])
    expect(problemOf(await house.ask(event.id, {}, ""))).toEqual([400, "bad_request"])
    const without = await house.event({ phases: [{ modality: "broadcast", featureSet: ["chat"] }] })
    expect(problemOf(await house.ask(without.id))).toEqual([409, "conflict"])
  })
})

/** The texts of all pages, two questions on each. */
const overPages = async (eventId: string): Promise<ReadonlyArray<string>> => {
  const read: string[] = []
  let query: string | undefined = "?limit=2"
  while (query !== undefined) {
    const answer = await house.list(eventId, query)
    read.push(...answer.body.questions.map(({ text }: Json) => text))
    const next: string | undefined = /\?[^>]+/.exec(answer.headers.get("link") ?? "")?.[0]
    expect(next === undefined).toBe(answer.body.nextCursor === null)
    query = next
  }
  return read
}

describe("the list of questions", () => {
  test("has most votes first, then the oldest, in pages that go on where the last one ended", async () => {
    const event = await house.event()
    const ids: string[] = []
    for (const text of ["a", "b", "c", "d", "e"]) ids.push(await house.question(event.id, text))
    for (const [index, votes] of [0, 2, 1, 2, 0].entries()) {
      for (let vote = 0; vote < votes; vote++) await house.vote(ids[index] ?? "")
    }
    const order = ["b", "d", "c", "a", "e"]
    const whole = (await house.list(event.id)).body
    expect(whole.questions.map(({ text, votes }: Json) => text + votes)).toEqual(["b2", "d2", "c1", "a0", "e0"])
    expect(await overPages(event.id)).toEqual(order)
  })

  test("shows each of several questions that were asked in the same moment once, over all pages", async () => {
    const event = await house.event()
    for (const text of ["a", "b", "c", "d", "e"]) await house.question(event.id, text)
    await house.rows.run("update questions set created_at = now() where event_id = $1", [event.id])
    expect((await overPages(event.id)).toSorted()).toEqual(["a", "b", "c", "d", "e"])
  })

  test("may be asked for one status, also over pages", async () => {
    const event = await house.event()
    const ids = [
      await house.question(event.id, "a"),
      await house.question(event.id, "b"),
      await house.question(event.id),
    ]
    for (const id of ids.slice(0, 2)) await moderate(id, { status: "hidden" })
    const first = await house.list(event.id, "?status=hidden&limit=1")
    const next = /<[^?]+(\?[^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? ""
    expect(new URLSearchParams(next).get("status")).toBe("hidden")
    const second = await house.list(event.id, next)
    expect([...first.body.questions, ...second.body.questions].map(({ id }: Json) => id)).toEqual(ids.slice(0, 2))
    expect(second.body.nextCursor).toBeNull()
    expect((await house.list(event.id, "?status=answered")).body.questions).toEqual([])
  })

  test("by the time they were asked has each once, whatever becomes of their votes between two pages", async () => {
    const event = await house.event()
    const ids: string[] = []
    for (const text of ["a", "b", "c", "d", "e"]) ids.push(await house.question(event.id, text))
    const read: string[] = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const page: Json = (
        await house.list(event.id, `?sort=createdAt&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
      ).body
      read.push(...page.questions.map(({ text }: Json) => text))
      cursor = page.nextCursor
      // The last question rises above those that were read, and in the order of votes it would be missed.
      await house.vote(ids.at(-1) ?? "")
    }
    expect(read).toEqual(["a", "b", "c", "d", "e"])
    expect((await house.list(event.id, "?sort=createdAt&status=hidden")).body.questions).toEqual([])
  })

  test("refuses a sort that there is not, and a cursor of the other sort", async () => {
    const event = await house.event()
    for (const text of ["a", "b"]) await house.question(event.id, text)
    const { nextCursor: byVotes } = (await house.list(event.id, "?limit=1")).body
    const { nextCursor: byTime } = (await house.list(event.id, "?limit=1&sort=createdAt")).body
    for (const query of ["?sort=name", `?sort=createdAt&cursor=${byVotes}`, `?cursor=${byTime}`]) {
      const answer = await house.list(event.id, query)
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, "bad_request"])
    }
  })
})

describe("moderating", () => {
  test("changes the named properties and nothing else, in any state of the event", async () => {
    const event = await house.event({ phases: [{ ...QA, config: { moderated: true } }] }, "publish", "start")
    const id = await house.question(event.id)
    expect((await stored(id))?.["status"]).toBe("pending")
    await house.drive(event.id, "end")
    const approved = await moderate(id, { status: "approved", votes: 9, text: "Other" })
    expect([approved.status, approved.body]).toEqual([
      200,
      expect.objectContaining({ id, status: "approved", text: "Why?", votes: 0, pinned: false, answeredAt: null }),
    ])
    expect((await moderate(id, { pinned: true })).body).toMatchObject({ status: "approved", pinned: true })
    expect((await moderate(id, {})).body).toMatchObject({ status: "approved", pinned: true })
  })

  test("answers once and for all until it is taken back", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    const first = (await moderate(id, { answer: "Because." })).body
    expect(first).toMatchObject({ status: "answered", answer: "Because.", answeredAt: expect.any(String) })
    const again = (await moderate(id, { status: "answered", answer: "Because!" })).body
    expect(again).toMatchObject({ answer: "Because!", answeredAt: first.answeredAt })
    for (const status of ["approved", "pending"]) {
      await moderate(id, { status: "answered" })
      expect((await moderate(id, { status })).body).toMatchObject({ status, answeredAt: null, answer: "Because!" })
    }
    const { answeredAt } = (await moderate(id, { status: "answered" })).body
    // A hidden question may be restored, with its earlier status.
    expect((await moderate(id, { status: "hidden" })).body).toMatchObject({ status: "hidden", answeredAt })
  })

  test("loses no change of two made at once", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    await Promise.all([moderate(id, { pinned: true }), moderate(id, { status: "hidden" }), house.vote(id)])
    expect(await stored(id)).toMatchObject({ pinned: true, status: "hidden" })
  })
})

test("a question goes with its event, and with it its votes, also while people ask and vote", async () => {
  const event = await house.event({}, "publish", "start")
  const id = await house.question(event.id)
  await house.vote(id)
  const crowd = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? house.vote(id) : house.ask(event.id)))
  const removal = house.api("DELETE", `/v1/events/${event.id}`, { key: house.acme.key })
  const statuses = (await Promise.all(crowd)).map(({ status }) => status)
  expect((await removal).status).toBe(204)
  // The end comes before the deletion: who is in between meets an event that has ended.
  expect([200, 201, 404, 409]).toEqual(expect.arrayContaining(statuses))
  expect(await house.rows.run("select 1 from questions where event_id = $1", [event.id])).toHaveLength(0)
  expect(await house.voters(id)).toHaveLength(0)
  expect(problemOf(await house.vote(id))).toEqual([404, "not_found"])
  expect(problemOf(await moderate(id, {}))).toEqual([404, "not_found"])
})

test("receivers get every question, signed, and its author only where there is one", async () => {
  const receiver = await startReceiver()
  const { body: endpoint } = await house.api("POST", "/v1/webhooks", {
    key: house.acme.key,
    body: { url: receiver.url, eventTypes: ["question.created"] },
  })
  const event = await house.event({ phases: [{ ...QA, config: { moderated: true } }] })
  const { userId, session } = await person(event.id, "viewer", "Name That Must Not Leak")
  const named = await house.ask(event.id, { bearer: session }, "Named?")
  const hidden = await house.ask(event.id, { bearer: session, body: { text: "Hidden?", anonymous: true } })
  await house.ask(event.id, { body: { text: "" } })
  const guest = await house.ask(event.id, { bearer: await house.registrant(event.id) }, "Guest?")
  await receiver.count(3)
  const base = { type: "question.created", workspaceId: house.acme.id, eventId: event.id }
  const told = receiver.received.map(({ headers, body }) => {
    expect(verifySignature(String(headers["x-gc-signature"]), body, endpoint.secret, Date.now() / 1000)).toBe(true)
    expect(body).not.toContain("Must Not Leak")
    const parsed = JSON.parse(body)
    expect([headers["x-gc-event-type"], headers["x-gc-event-id"]]).toEqual(["question.created", parsed.id])
    return parsed
  })
  const common = { ...base, id: expect.any(String), occurredAt: expect.any(String) }
  expect(told).toEqual([
    { ...common, questionId: named.body.id, text: "Named?", anonymous: false, authorUserId: userId },
    { ...common, questionId: hidden.body.id, text: "Hidden?", anonymous: true },
    { ...common, questionId: guest.body.id, text: "Guest?", anonymous: false },
  ])
})

test("a question whose webhook cannot be stored is not asked either", async () => {
  const receiver = await startReceiver()
  await house.api("POST", "/v1/webhooks", { key: house.acme.key, body: { url: receiver.url } })
  const event = await house.event()
  await house.rows.run("alter table outbox_messages add constraint sabotage check (body not like '%Lost?%') not valid")
  expect(problemOf(await house.ask(event.id, {}, "Lost?"))).toEqual([503, "unavailable"])
  expect((await house.ask(event.id, {}, "Kept?")).status).toBe(201)
  await house.rows.run("alter table outbox_messages drop constraint sabotage")
  expect((await house.list(event.id)).body.questions.map(({ text }: Json) => text)).toEqual(["Kept?"])
})
