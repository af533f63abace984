/** The survey after an event: when it is open, what is stored of an anonymous one, and its results. */
import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { Tokens } from "../../src/identity/tokens.ts"
import { createEvent, type Json } from "../support/api.ts"
import { SECRET_KEY } from "../support/server.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)
const api = apiOf(server)
const key = () => ({ key: acme.key })

const QUESTIONS = [
  { id: "stars", kind: "number", text: "Stars", minimum: 1, maximum: 5, required: true },
  { id: "best", kind: "choices", text: "The best", options: ["Talks", "Food", "People"] },
  { id: "again", kind: "choice", text: "Again?", options: ["Yes", "No"] },
  { id: "why", kind: "longText", text: "Why?" },
]

const putSurvey = (id: string, questions: ReadonlyArray<object> = QUESTIONS, more: object = {}) =>
  api("PUT", `/v1/events/${id}/forms/survey`, { ...key(), body: { questions, ...more } })
const drive = (id: string, verb: string) => api("POST", `/v1/events/${id}/${verb}`, key())
/** An event with a survey that has ended, and the registration of one person. */
const ended = async (more: object = {}) => {
  const { id } = await createEvent(server.url, acme.key)
  expect((await putSurvey(id, QUESTIONS, more)).status).toBe(200)
  await drive(id, "publish")
  const email = `${randomUUID()}@example.com`
  await api("POST", `/v1/public/events/${id}/register`, { body: { name: "Ada", email } })
  const { registrations } = (await api("GET", `/v1/events/${id}/registrations`, key())).body
  for (const verb of ["start", "end"]) expect((await drive(id, verb)).status).toBe(200)
  return { id, email, registrationId: registrations[0].id as string }
}
/** Occurrences are stored once their feed is read. */
beforeAll(async () => {
  expect((await api("GET", "/v1/occurrences", key())).status).toBe(200)
})
/** The token of the link in a thank-you email. */
const tokenOf = (eventId: string, registrationId: string): Promise<string> =>
  Effect.runPromise(
    Effect.flatMap(Tokens, ({ issue }) => issue("survey", { eventId, registrationId })).pipe(
      Effect.map(({ token }) => token),
      Effect.provide(Tokens.layer([Redacted.make(SECRET_KEY)])),
    ),
  )
const answer = (id: string, answers: object, token?: string) =>
  api("POST", `/v1/public/events/${id}/forms/survey/answers`, { body: { answers, ...(token && { token }) } })
const surveyOf = async (id: string, token = ""): Promise<Json> =>
  (await api("GET", `/v1/public/events/${id}/forms/survey${token && `?t=${token}`}`)).body
const resultsOf = async (id: string): Promise<ReadonlyArray<Json>> =>
  (await api("GET", `/v1/events/${id}/forms/survey/results`, key())).body.questions
const answeredOf = async (id: string, more = ""): Promise<Json> =>
  (await api("GET", `/v1/events/${id}/forms/survey/answers${more}`, key())).body
const told = async (id: string, type: string): Promise<ReadonlyArray<Json>> =>
  (await rows.run("select body from outbox_messages where event_id = $1 and type = $2 order by id", [id, type])).map(
    ({ ["body"]: body }) => JSON.parse(String(body)),
  )

describe("a survey", () => {
  test("opens when the event ends, and closes thirty days later", async () => {
    const { id } = await createEvent(server.url, acme.key)
    await putSurvey(id)
    await drive(id, "publish")
    const closed = async () => {
      expect(await surveyOf(id)).toMatchObject({ open: false, questions: [] })
      expect((await answer(id, { stars: 5 })).body.code).toBe("conflict")
    }
    await closed()
    await drive(id, "start")
    await closed()
    await drive(id, "end")
    expect((await surveyOf(id)).questions).toHaveLength(4)
    expect((await answer(id, { stars: 5 })).body).toEqual({ stored: true })
    await rows.run("update events set ended_at = now() - interval '30 days 1 second' where id = $1", [id])
    await closed()
  })

  test("is answered once by a personal link, which changes the answers, and any number of times without", async () => {
    const { id, email, registrationId } = await ended()
    const token = await tokenOf(id, registrationId)
    expect((await answer(id, { stars: 2 }, token)).status).toBe(200)
    expect((await answer(id, { stars: 4, why: "Better on reflection" }, token)).status).toBe(200)
    await answer(id, { stars: 1 })
    await answer(id, { stars: 1 })
    const { answered } = await answeredOf(id)
    expect(answered.map((one: Json) => [one.registrationId, one.name, one.email, one.answers[0].value])).toEqual([
      [registrationId, "Ada", email, 4],
      [null, null, null, 1],
      [null, null, null, 1],
    ])
    expect(await surveyOf(id, token)).toMatchObject({ name: "Ada", answers: [{ value: 4 }, { questionId: "why" }] })
    const occurrences = await told(id, "survey.answered")
    expect(occurrences.map(({ registrationId: of }) => of)).toEqual([registrationId, registrationId, null, null])
  })

  test("refuses the links of other events and of people whose registration is gone", async () => {
    const [one, other] = [await ended(), await ended()]
    const token = await tokenOf(one.id, one.registrationId)
    expect((await answer(other.id, { stars: 1 }, token)).status).toBe(401)
    expect((await answer(one.id, { stars: 1 }, `${token}x`)).status).toBe(401)
    await api("DELETE", `/v1/events/${one.id}/registrations/${one.registrationId}`, key())
    expect((await answer(one.id, { stars: 1 }, token)).status).toBe(401)
  })

  test("has results over all wordings: choices counted, numbers averaged, texts counted and paged", async () => {
    const { id } = await ended()
    await answer(id, { stars: 5, best: ["Talks", "Food"], again: "Yes", why: "One" })
    await answer(id, { stars: 2, best: ["Talks"], again: "No" })
    const next = [
      { ...QUESTIONS[0], text: "How many stars?" },
      { ...QUESTIONS[1], options: ["Talks", "Music"] },
      QUESTIONS[3] ?? {},
    ]
    expect((await putSurvey(id, next)).status).toBe(200)
    await answer(id, { stars: 4, best: ["Music"], why: "<b>Two</b>" })
    const [stars, best, why, again] = await resultsOf(id)
    expect(stars).toMatchObject({ question: "How many stars?", answers: 3, minimum: 2, maximum: 5, choices: [] })
    expect(stars.average).toBeCloseTo(11 / 3)
    expect(best.choices).toEqual([
      { text: "Talks", count: 2 },
      { text: "Music", count: 1 },
      { text: "Food", count: 1 },
    ])
    expect(why).toMatchObject({ asked: true, answers: 2, choices: [], average: null })
    expect(again).toMatchObject({
      asked: false,
      answers: 2,
      choices: [
        { text: "Yes", count: 1 },
        { text: "No", count: 1 },
      ],
    })
    const first = await answeredOf(id, "?question=why&limit=1")
    const second = await answeredOf(id, `?question=why&limit=1&cursor=${first.nextCursor}`)
    const texts = [first, second].map(
      ({ answered }) => answered[0].answers.find(({ questionId }: Json) => questionId === "why").value,
    )
    expect([texts, second.nextCursor]).toEqual([["One", "<b>Two</b>"], null])
  })

  test("refuses to list the answers to a question of no possible id", async () => {
    const { id } = await ended()
    for (const question of ["%00", "a%00", "a%20b", ""]) {
      const answer = await api("GET", `/v1/events/${id}/forms/survey/answers?question=${question}`, key())
      expect([answer.status, answer.body.code], question).toEqual([400, "bad_request"])
    }
  })

  test("has an end of answers without a registration, which takes no room from the registered people", async () => {
    const { id, registrationId } = await ended()
    const counted = async () =>
      Number((await rows.run("select unregistered_answers as n from event_forms where event_id = $1", [id]))[0]?.["n"])
    const token = await tokenOf(id, registrationId)
    for (const stars of [1, 2]) expect((await answer(id, { stars }, token)).status).toBe(200)
    expect((await answer(id, { stars: 9 })).status).toBe(400)
    expect(await counted()).toBe(0)
    await rows.run("update event_forms set unregistered_answers = 19999 where event_id = $1", [id])
    const strangers = await Promise.all([1, 2, 3].map((stars) => answer(id, { stars })))
    expect(strangers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const refused = strangers.find(({ status }) => status === 409)
    expect(refused?.body.detail).toBe("The survey takes no more answers without a personal link.")
    expect((await answer(id, { stars: 3 }, token)).status).toBe(200)
    await putSurvey(id, QUESTIONS.slice(0, 1))
    expect((await answer(id, { stars: 5 })).status).toBe(409)
    expect([await counted(), (await answeredOf(id)).answered.length]).toEqual([20_000, 2])
  })
})

describe("an anonymous survey", () => {
  test("stores nothing that leads to a person, also where the person came by their own link", async () => {
    const { id, registrationId } = await ended({ anonymous: true })
    const token = await tokenOf(id, registrationId)
    await answer(id, { stars: 3, why: "Secret" }, token)
    await answer(id, { stars: 5 })
    const stored = await rows.run("select * from form_answers where event_id = $1", [id])
    expect(stored).toHaveLength(2)
    for (const row of stored) {
      expect(Object.keys(row).toSorted()).toEqual([
        "answers",
        "created_at",
        "event_id",
        "form",
        "id",
        "registration_id",
      ])
      expect(row["registration_id"]).toBeNull()
      // Version 4: without the time that ids of other rows begin with.
      expect(String(row["id"])[14]).toBe("4")
      expect((row["created_at"] as Date).toISOString()).toMatch(/T00:00:00\.000Z$/)
      for (const { at } of Object.values(row["answers"] as { [id: string]: { at: string } })) {
        expect(at).toMatch(/T00:00:00\.000Z$/)
      }
    }
    expect(await told(id, "survey.answered")).toEqual([])
    expect(await rows.run("select 1 from idempotency_keys where path like $1", [`%${id}%`])).toHaveLength(0)
    expect(await surveyOf(id, token)).toMatchObject({ name: null, answers: [] })
    const { answered } = await answeredOf(id)
    expect(answered.map((one: Json) => [one.registrationId, one.name, one.email])).toEqual([
      [null, null, null],
      [null, null, null],
    ])
    const removed = await api("DELETE", `/v1/events/${id}/registrations/${registrationId}`, key())
    expect(removed.status).toBe(204)
    expect((await answeredOf(id)).answered).toHaveLength(2)
  })

  test("stays anonymous, and a named one named, once somebody has answered", async () => {
    const [hidden, named] = [await ended({ anonymous: true }), await ended()]
    expect((await putSurvey(hidden.id, QUESTIONS, { anonymous: false })).body.anonymous).toBe(false)
    expect((await putSurvey(hidden.id, QUESTIONS, { anonymous: true })).body.anonymous).toBe(true)
    for (const { id } of [hidden, named]) expect((await answer(id, { stars: 5 })).status).toBe(200)
    const changes = [
      await putSurvey(hidden.id, QUESTIONS, { anonymous: false }),
      await putSurvey(named.id, QUESTIONS, { anonymous: true }),
    ]
    expect(changes.map(({ status, body }) => `${status} ${body.code}`)).toEqual(["409 conflict", "409 conflict"])
    expect((await putSurvey(hidden.id, QUESTIONS, { anonymous: true })).status).toBe(200)
  })
})

describe("answers of a person", () => {
  test("are exported with their questions, and erased with the registration", async () => {
    const { id, email, registrationId } = await ended()
    await answer(id, { stars: 4, again: "Yes" }, await tokenOf(id, registrationId))
    await putSurvey(id, [{ ...QUESTIONS[0], text: "Points" }])
    const exported = await api("GET", `/v1/workspaces/${acme.id}/registrants/export?email=${email}`, key())
    expect([exported.status, exported.body.detail]).toEqual([200, undefined])
    const items = exported.body.items.filter(({ kind }: Json) => kind === "formAnswers")
    expect(items).toMatchObject([
      {
        eventId: id,
        data: {
          form: "survey",
          answers: { stars: { value: 4, version: 1, question: "Stars" }, again: { value: "Yes", question: "Again?" } },
        },
      },
    ])
    const erased = await api("DELETE", `/v1/workspaces/${acme.id}/registrants?email=${email}`, key())
    expect(erased.status).toBe(204)
    expect(await rows.run("select 1 from form_answers where event_id = $1", [id])).toHaveLength(0)
  })
})
