/** Votes: one for each voter, an exact tally whatever comes at once, and who a voter is without a session. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createPerson, type Json, problemOf } from "../support/api.ts"
import { type Audience, cookieOf, openAudience, QA } from "../support/audience.ts"

let house: Audience
beforeAll(async () => {
  house = await openAudience()
})
afterAll(() => house.stop())

const person = (eventId: string) => createPerson(house.server.url, house.acme.key, eventId, "viewer")
const tallyOf = async (eventId: string, id: string) =>
  (await house.list(eventId)).body.questions.find((one: Json) => one.id === id).votes
const moderate = (id: string, status: string) =>
  house.api("PATCH", `/v1/questions/${id}`, { key: house.acme.key, body: { status } })

describe("a vote", () => {
  test("counts once, however often it is sent, until it is taken back", async () => {
    const event = await house.event({}, "publish", "start")
    const id = await house.question(event.id)
    const { userId, session: bearer } = await person(event.id)
    for (const _ of [1, 2]) {
      const answer = await house.vote(id, { bearer })
      expect([answer.status, answer.body]).toEqual([200, { questionId: id, votes: 1, voted: true }])
      expect(answer.headers.get("set-cookie")).toBeNull()
    }
    expect(await house.voters(id)).toEqual([userId])
    for (const _ of [1, 2]) {
      const answer = await house.unvote(id, { bearer })
      expect([answer.status, answer.body]).toEqual([200, { questionId: id, votes: 0, voted: false }])
    }
    expect((await house.vote(id, { bearer })).body.votes).toBe(1)
  })

  test("of a registrant and of a user are two, on private events too", async () => {
    const event = await house.event({ visibility: "unlisted" })
    const asker = await person(event.id)
    const id = (await house.ask(event.id, { bearer: asker.session })).body.id
    const bearer = await house.registrant(event.id)
    expect((await house.vote(id, { bearer })).body.votes).toBe(1)
    await house.api("PATCH", `/v1/events/${event.id}`, { key: house.acme.key, body: { visibility: "private" } })
    expect((await house.vote(id, { bearer })).body.votes).toBe(1)
    expect((await house.vote(id, { bearer: asker.session })).body.votes).toBe(2)
    expect(await house.voters(id)).toContainEqual(expect.stringMatching(/^reg:/))
    expect(problemOf(await house.vote(id))).toEqual([404, "not_found"])
    const stranger = await house.registrant((await house.event()).id)
    expect(problemOf(await house.vote(id, { bearer: stranger }))).toEqual([404, "not_found"])
  })

  test("is refused without a session where the event does not allow it, and to keys everywhere", async () => {
    const closed = await house.event({ allowAnonymousVoting: false })
    const id = await house.question(closed.id)
    for (const act of [house.vote, house.unvote]) {
      expect(problemOf(await act(id))).toEqual([401, "sign_in_required"])
      expect(problemOf(await act(id, { cookie: house.acme.owner.cookie }))).toEqual([401, "sign_in_required"])
      expect(problemOf(await act(id, { key: house.acme.key }))).toEqual([403, "forbidden"])
      expect(problemOf(await act(id, { key: "gck_wrong" }))).toEqual([401, "unauthorized"])
      expect(problemOf(await act(id, { bearer: "nonsense" }))).toEqual([401, "unauthorized"])
    }
    await house.api("PATCH", `/v1/events/${closed.id}`, {
      key: house.acme.key,
      body: { visibility: "unlisted", allowAnonymousVoting: true },
    })
    expect(problemOf(await house.vote(id))).toEqual([401, "sign_in_required"])
    expect(await house.voters(id)).toEqual([])
  })

  test("is for questions that are shown: others are not there", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    const absent = (await house.vote(randomUUID())).body
    for (const status of ["hidden", "pending"]) {
      await moderate(id, status)
      for (const act of [house.vote, house.unvote]) {
        const answer = await act(id)
        expect([answer.status, answer.body]).toEqual([404, absent])
      }
    }
    expect((await house.vote("nonsense")).body).toMatchObject({
      code: "not_found",
      detail: "No such question: the id is not a UUID.",
    })
    await moderate(id, "answered")
    expect((await house.vote(id)).body.votes).toBe(1)
  })

  test("waits for a phase with Q&A, and is not taken after the end", async () => {
    const event = await house.event({ phases: [QA, { modality: "meeting" }] }, "publish", "start")
    const id = await house.question(event.id)
    const { session: bearer } = await person(event.id)
    expect((await house.vote(id, { bearer })).status).toBe(200)
    for (const verb of ["advance", "end"]) {
      await house.drive(event.id, verb)
      for (const act of [house.vote, house.unvote])
        expect(problemOf(await act(id, { bearer }))).toEqual([409, "conflict"])
    }
    expect(await tallyOf(event.id, id)).toBe(1)
  })
})

describe("the tally", () => {
  test("is the number of voters after any mix of votes and removals", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    const cookies = (await Promise.all(Array.from({ length: 10 }, () => house.vote(id)))).map(cookieOf)
    const acts = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? house.unvote : house.vote))
    const answers = await Promise.all(acts.map((act, index) => act(id, { cookie: cookies[index % 10] })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await tallyOf(event.id, id)).toBe((await house.voters(id)).length)
  })
})

describe("a voter without a session", () => {
  test("is a browser with a signed cookie, and votes once with it", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    const first = await house.vote(id)
    expect(first.headers.get("set-cookie")).toMatch(
      /^gc_anon=[\w.-]+; Path=\/v1\/public; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    )
    const cookie = cookieOf(first)
    const again = await house.vote(id, { cookie: `other=1; ${cookie}; more=2` })
    expect([again.body, again.headers.get("set-cookie")]).toEqual([{ questionId: id, votes: 1, voted: true }, null])
    const second = await house.question(event.id)
    expect((await house.vote(second, { cookie })).body.votes).toBe(1)
    expect(await house.voters(second)).toEqual(await house.voters(id))
    expect((await house.unvote(id, { cookie })).body).toEqual({ questionId: id, votes: 0, voted: false })
  })

  test("with no cookie has nothing to take back, and gets none for trying", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    await house.vote(id)
    const answer = await house.unvote(id)
    expect(answer.body).toEqual({ questionId: id, votes: 1, voted: false })
    expect(answer.headers.get("set-cookie")).toBeNull()
  })

  test("with a cookie that we did not sign is as one with none", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    const genuine = cookieOf(await house.vote(id))
    const [header, claims, signature = ""] = genuine.split("=")[1]?.split(".") ?? []
    const flipped = (signature[0] === "A" ? "B" : "A") + signature.slice(1)
    const unsigned = Buffer.from('{"alg":"none"}').toString("base64url")
    const { session } = await person(event.id)
    const forgeries = [`${header}.${claims}.${flipped}`, `${unsigned}.${claims}.`, session, "x", randomUUID()]
    for (const [index, forged] of forgeries.entries()) {
      const cookie = `gc_anon=${forged}`
      expect((await house.unvote(id, { cookie })).body.votes).toBe(index + 1)
      const answer = await house.vote(id, { cookie })
      expect([answer.body.votes, cookieOf(answer)]).toEqual([index + 2, expect.stringMatching(/^gc_anon=/)])
    }
    expect(problemOf(await house.vote(id, { bearer: genuine.split("=")[1] }))).toEqual([401, "unauthorized"])
  })

  test("cannot be made to vote by another site's page; a session may be used from any", async () => {
    const event = await house.event()
    const id = await house.question(event.id)
    const cookie = cookieOf(await house.vote(id))
    const foreign = [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }]
    for (const headers of foreign) {
      expect(problemOf(await house.unvote(id, { cookie, headers }))).toEqual([403, "forbidden"])
      expect(problemOf(await house.vote(id, { headers }))).toEqual([403, "forbidden"])
    }
    expect(await tallyOf(event.id, id)).toBe(1)
    const { session: bearer } = await person(event.id)
    for (const headers of foreign) expect((await house.vote(id, { bearer, headers })).body.votes).toBe(2)
    const own = { origin: house.server.publicUrl, "sec-fetch-site": "same-origin" }
    expect((await house.unvote(id, { cookie, headers: own })).body.votes).toBe(1)
  })
})

test("no answer names a voter", async () => {
  const event = await house.event()
  const id = await house.question(event.id)
  const { userId, session } = await person(event.id)
  const registrant = await house.registrant(event.id, "A Silent Voter")
  const answers = [
    await house.vote(id, { bearer: session }),
    await house.vote(id, { bearer: registrant }),
    await house.vote(id),
    await house.list(event.id),
  ]
  const voters = await house.voters(id)
  expect(voters).toHaveLength(3)
  for (const { body } of answers) {
    for (const secret of [...voters, userId, "Silent Voter"]) expect(JSON.stringify(body)).not.toContain(secret)
  }
})
