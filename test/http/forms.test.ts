/** The registration form of an event: its questions, the answers of registrants, and what becomes of them when it changes. */
import { describe, expect, test } from "vitest"
import { createEvent, type Json, newEmail, tokenIn } from "../support/api.ts"
import { apiOf, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const api = apiOf(server)

const QUESTIONS = [
  { id: "company", kind: "text", text: "Where do you work?", required: true },
  { id: "about", kind: "longText", text: "About you" },
  { id: "lunch", kind: "choice", text: "Lunch", options: ["Pizza", "Soup"] },
  { id: "days", kind: "choices", text: "Days", options: ["Monday", "Tuesday", "Friday"] },
  { id: "first", kind: "checkbox", text: "I am here for the first time" },
  { id: "years", kind: "number", text: "Years in the field", minimum: 0, maximum: 80 },
  { id: "birthday", kind: "date", text: "Birthday" },
  { id: "terms", kind: "consent", text: "I agree to the terms of 2026.", required: true },
]
const ANSWERS = {
  company: "Acme",
  about: "I write.\nA lot.",
  lunch: "Soup",
  days: ["Friday", "Monday"],
  first: true,
  years: 12.5,
  birthday: "1990-02-28",
  terms: true,
}

const key = () => ({ key: acme.key })
const putForm = (id: string, questions: ReadonlyArray<object>, form = "registration", more: object = {}) =>
  api("PUT", `/v1/events/${id}/forms/${form}`, { ...key(), body: { questions, ...more } })
const published = async (questions: ReadonlyArray<object> = QUESTIONS): Promise<string> => {
  const { id } = await createEvent(server.url, acme.key)
  const put = await putForm(id, questions)
  expect([put.status, put.body.version]).toEqual([200, 1])
  expect((await api("POST", `/v1/events/${id}/publish`, key())).status).toBe(200)
  return id
}
const register = (id: string, answers?: object, email = newEmail()) =>
  api("POST", `/v1/public/events/${id}/register`, { body: { name: "Ada", email, ...(answers && { answers }) } })
const linksTo = async (email: string): Promise<ReadonlyArray<string>> =>
  (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails[0].links
const registered = async (id: string, answers: object): Promise<string> => {
  const email = newEmail()
  const answer = await register(id, answers, email)
  expect(answer.body).toEqual({ registered: true, alreadyRegistered: false })
  return tokenIn((await linksTo(email))[0] ?? "")
}
const formOf = (id: string, token?: string, form = "registration") =>
  api("GET", `/v1/public/events/${id}/forms/${form}${token === undefined ? "" : `?t=${token}`}`)
const change = (id: string, token: string | undefined, answers: object, form = "registration") =>
  api("POST", `/v1/public/events/${id}/forms/${form}/answers`, { body: { ...(token && { token }), answers } })
const listed = async (id: string): Promise<ReadonlyArray<Json>> =>
  (await api("GET", `/v1/events/${id}/registrations`, key())).body.registrations
const valuesOf = (answers: ReadonlyArray<Json>) =>
  Object.fromEntries(answers.map(({ questionId, value }) => [questionId, value]))
const pointersOf = ({ body }: { readonly body: Json }) => body.errors.map(({ pointer }: Json) => pointer)

describe("a registration with a form", () => {
  test("stores the answers, which lists, files, the email's link and the webhook show", async () => {
    const id = await published()
    const email = newEmail()
    expect((await register(id, ANSWERS, email)).status).toBe(200)
    const links = await linksTo(email)
    expect(links[1]).toContain(`/answers/${id}#token=`)
    const [row] = await listed(id)
    expect(valuesOf(row.answers)).toEqual({ ...ANSWERS, days: ["Monday", "Friday"] })
    expect(row.answers[7]).toMatchObject({ question: "I agree to the terms of 2026.", version: 1, value: true })
    const mine = await formOf(id, tokenIn(links[1] ?? ""))
    expect([mine.body.name, mine.body.open, mine.body.questions.length]).toEqual(["Ada", true, 8])
    expect(mine.body.answers).toEqual(row.answers)
    const file = await fetch(`${server.url}/v1/events/${id}/registrations?format=csv`, {
      headers: { "x-api-key": acme.key },
    })
    const text = await file.text()
    expect(text).toContain("Where do you work?,About you,Lunch,Days")
    expect(text).toContain('Acme,"I write.\nA lot.",Soup,"Monday; Friday",true,12.5,1990-02-28,true')
  })

  test("is refused by the field, and takes no place, without a required answer", async () => {
    const id = await published()
    const none = await register(id)
    expect([none.status, none.body.code, pointersOf(none)]).toEqual([
      400,
      "bad_request",
      ["#/answers/company", "#/answers/terms"],
    ])
    expect(pointersOf(await register(id, { ...ANSWERS, terms: false }))).toEqual(["#/answers/terms"])
    expect(await listed(id)).toEqual([])
  })

  test("refuses each wrong answer by its question", async () => {
    const id = await published()
    const ROWS: ReadonlyArray<[string, object, string]> = [
      ["a question that there is not", { other: "x" }, "other"],
      ["a name of an object's own", { constructor: "x" }, "constructor"],
      ["a choice that is not offered", { lunch: "Fish" }, "lunch"],
      ["two choices for one", { lunch: ["Soup"] }, "lunch"],
      ["one of several choices that is not offered", { days: ["Monday", "Sunday"] }, "days"],
      ["choices that are no texts", { days: [1, { a: 1 }] }, "days"],
      ["a text for a box", { first: "yes" }, "first"],
      ["a number that is too small", { years: -1 }, "years"],
      ["a number that is too great", { years: 1e300 }, "years"],
      ["a text for a number", { years: "12" }, "years"],
      ["a day that does not exist", { birthday: "1990-02-30" }, "birthday"],
      ["a time for a day", { birthday: "1990-02-28T00:00:00Z" }, "birthday"],
      ["a day before 1900", { birthday: "1899-12-31" }, "birthday"],
      ["a text that is too long", { company: "x".repeat(501) }, "company"],
      ["a long text that is too long", { about: "x".repeat(5001) }, "about"],
      ["two lines for one", { company: "a\nb" }, "company"],
      ["an object for a text", { company: { a: 1 } }, "company"],
      ["another version of a consent", { terms: 7 }, "terms"],
      ["a text for a consent", { terms: "yes" }, "terms"],
    ]
    for (const [what, wrong, field] of ROWS) {
      const answer = await register(id, { ...ANSWERS, ...wrong })
      expect([answer.status, answer.body.code, pointersOf(answer)], what).toEqual([
        400,
        "bad_request",
        [`#/answers/${field}`],
      ])
    }
  })

  test("refuses thousands of answers with the first faults, and more than 64 KiB of answers", async () => {
    const id = await published()
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`q${n}`, 1]))
    const answer = await register(id, many)
    expect([answer.status, answer.body.errors.length]).toEqual([400, 5])
    expect(answer.body.detail).toContain("and 1997 more faults")
    const huge = await register(id, Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`q${n}`, 1])))
    expect([huge.status, huge.body.code]).toEqual([413, "payload_too_large"])
    const long = Array.from({ length: 14 }, (_, n) => ({ id: `q${n}`, kind: "longText", text: "Why?" }))
    const other = await published(long)
    const texts = Object.fromEntries(long.map((question) => [question.id, "x".repeat(5000)]))
    expect(pointersOf(await register(other, texts))).toEqual(["#/answers"])
  })

  test("keeps texts as typed, without invisible characters, and no answer for blank ones", async () => {
    const id = await published()
    const html = '<script>alert("1")</script>&amp;'
    await register(id, { ...ANSWERS, company: ` ${html}\u200b `, about: "  ", lunch: null, days: [] })
    const [row] = await listed(id)
    const { about: _a, lunch: _l, days: _d, ...rest } = ANSWERS
    expect(valuesOf(row.answers)).toEqual({ ...rest, company: html })
  })

  test("does not read answers for an address that has a place", async () => {
    const id = await published()
    const email = newEmail()
    await register(id, ANSWERS, email)
    const again = await register(id, { ...ANSWERS, company: "Evil" }, email)
    expect(again.body).toEqual({ registered: true, alreadyRegistered: true })
    expect(valuesOf((await listed(id))[0].answers)["company"]).toBe("Acme")
  })

  test("needs no form: an event without one takes registrations as before, and no answers", async () => {
    const { id } = await createEvent(server.url, acme.key)
    await api("POST", `/v1/events/${id}/publish`, key())
    expect((await register(id)).status).toBe(200)
    expect((await register(id, {})).status).toBe(200)
    expect((await register(id, { company: "Acme" })).status).toBe(400)
    expect((await listed(id)).map(({ answers }) => answers)).toEqual([[], []])
  })
})

describe("the answers of a registrant", () => {
  test("are changed by the link of the email, until the event ends", async () => {
    const id = await published()
    const token = await registered(id, ANSWERS)
    expect((await change(id, token, { ...ANSWERS, company: "Initech", lunch: null })).body).toEqual({ stored: true })
    const [row] = await listed(id)
    expect(valuesOf(row.answers)).toMatchObject({ company: "Initech", terms: true })
    expect(valuesOf(row.answers)).not.toHaveProperty("lunch")
    expect(pointersOf(await change(id, token, { terms: true }))).toEqual(["#/answers/company"])
    await api("POST", `/v1/events/${id}/start`, key())
    await api("POST", `/v1/events/${id}/end`, key())
    const late = await change(id, token, ANSWERS)
    expect([late.status, late.body.code]).toEqual([409, "conflict"])
    const seen = await formOf(id, token)
    expect([seen.body.open, seen.body.questions, seen.body.answers.length]).toEqual([false, [], 7])
  })

  test("belong to the holder of the token alone", async () => {
    const [id, other] = [await published(), await published()]
    const token = await registered(id, ANSWERS)
    for (const answer of [
      await change(id, undefined, ANSWERS),
      await change(id, "nothing", ANSWERS),
      await change(other, token, ANSWERS),
      await formOf(other, token),
      await formOf(id, "nothing"),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    }
    expect((await formOf(id)).body).toMatchObject({ name: null, answers: [] })
  })

  test("are lost to nobody when the form changes: they keep the wording that they were given to", async () => {
    const id = await published()
    const token = await registered(id, ANSWERS)
    const [before] = await listed(id)
    const next = [
      { id: "company", kind: "text", text: "Your company", required: true },
      { id: "lunch", kind: "choice", text: "Lunch", options: ["Pizza", "Salad"] },
      { id: "terms", kind: "consent", text: "I agree to the terms of 2027.", required: true },
    ]
    expect((await putForm(id, next)).body).toMatchObject({
      version: 2,
      questions: [{ version: 2 }, { version: 2 }, { version: 2 }],
    })
    const byQuestion = (answers: ReadonlyArray<Json>) =>
      answers.toSorted((a, b) => (a.questionId < b.questionId ? -1 : 1))
    expect(byQuestion((await listed(id))[0].answers)).toEqual(byQuestion(before.answers))
    // What the form no longer asks stays when the rest is changed.
    expect((await change(id, token, { company: "Initech", terms: 2 })).status).toBe(200)
    const after: ReadonlyArray<Json> = (await listed(id))[0].answers
    expect(valuesOf(after)).toMatchObject({ company: "Initech", about: ANSWERS.about, birthday: ANSWERS.birthday })
    const consent = after.find(({ questionId }) => questionId === "terms")
    expect(consent).toMatchObject({ question: "I agree to the terms of 2027.", version: 2 })
    expect(consent.answeredAt >= before.answers[7].answeredAt).toBe(true)
  })

  test("keep the time of a consent that is given again to the same text", async () => {
    const id = await published()
    const token = await registered(id, ANSWERS)
    const consentOf = async () => (await listed(id))[0].answers.find(({ questionId }: Json) => questionId === "terms")
    const given = await consentOf()
    await change(id, token, { ...ANSWERS, company: "Initech" })
    expect(await consentOf()).toEqual(given)
    const outdated = await change(id, token, { ...ANSWERS, terms: 0 })
    expect(outdated.body.detail).toContain("the text has changed: read version 1")
  })

  test("to questions for invited people are asked of them alone, and a registration does not tell who is invited", async () => {
    const id = await published([
      { id: "all", kind: "text", text: "For all" },
      { id: "vip", kind: "text", text: "For the invited", audience: "invited", required: true },
      { id: "fee", kind: "text", text: "For the others", audience: "registrants" },
    ])
    const idsOf = (questions: ReadonlyArray<Json>) => questions.map((question) => question.id)
    expect(idsOf((await formOf(id)).body.questions)).toEqual(["all", "fee"])
    const email = newEmail()
    const invite = await api("POST", `/v1/workspaces/${acme.id}/invites`, {
      ...key(),
      body: { email, role: "workspace_admin", eventId: id, kind: "event" },
    })
    expect(invite.status).toBe(201)
    expect((await register(id, { fee: "x" }, email)).status).toBe(200)
    const mails = (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails
    const link = mails.flatMap(({ links }: Json) => links).find((url: string) => url.includes("/answers/"))
    const token = tokenIn(link)
    expect(idsOf((await formOf(id, token)).body.questions)).toEqual(["all", "vip"])
    expect(pointersOf(await change(id, token, { all: "a" }))).toEqual(["#/answers/vip"])
    expect((await change(id, token, { vip: "yes" })).status).toBe(200)
    expect(valuesOf((await listed(id))[0].answers)).toEqual({ vip: "yes", fee: "x" })
  })
})

describe("a form", () => {
  test("is refused by the place of the fault", async () => {
    const { id } = await createEvent(server.url, acme.key)
    const ROWS: ReadonlyArray<[string, ReadonlyArray<object>, string]> = [
      ["two questions of one id", [QUESTIONS[0] ?? {}, QUESTIONS[0] ?? {}], "#/questions/1/id"],
      ["a choice without options", [{ id: "a", kind: "choice", text: "A" }], "#/questions/0/options"],
      [
        "an option that is named twice",
        [{ id: "a", kind: "choice", text: "A", options: ["x", "x"] }],
        "#/questions/0/options",
      ],
      ["options of a text", [{ id: "a", kind: "text", text: "A", options: ["x"] }], "#/questions/0/options"],
      ["bounds of a text", [{ id: "a", kind: "text", text: "A", minimum: 1 }], "#/questions/0/minimum"],
      [
        "bounds that exclude all",
        [{ id: "a", kind: "number", text: "A", minimum: 2, maximum: 1 }],
        "#/questions/0/maximum",
      ],
      ["a blank text", [{ id: "a", kind: "text", text: " \u200b" }], "#/questions/0/text"],
      ["an id with other characters", [{ id: "a b", kind: "text", text: "A" }], "#/questions/0/id"],
      ["an id of a prototype", [{ id: "__proto__", kind: "text", text: "A" }], "#/questions/0/id"],
    ]
    for (const [what, questions, pointer] of ROWS) {
      const answer = await putForm(id, questions)
      expect([answer.status, answer.body.code, pointersOf(answer)], what).toEqual([400, "bad_request", [pointer]])
    }
  })

  test("has at most a hundred questions", async () => {
    const { id } = await createEvent(server.url, acme.key)
    const questions = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ id: `q${n}`, kind: "text", text: "Why?" }))
    expect((await putForm(id, questions(100))).status).toBe(200)
    expect((await putForm(id, questions(101))).status).toBe(400)
    expect((await putForm(id, questions(1000))).status).toBe(400)
  })

  test("gives a question a new version with new wording, and none for what changes no answer", async () => {
    const id = await published([QUESTIONS[0] ?? {}, QUESTIONS[2] ?? {}])
    const changed = await putForm(id, [
      { ...QUESTIONS[2], required: true },
      { ...QUESTIONS[0], text: "Company" },
    ])
    expect(changed.body.questions.map((question: Json) => [question.id, question.version])).toEqual([
      ["lunch", 1],
      ["company", 2],
    ])
    const read = await api("GET", `/v1/events/${id}/forms/registration`, key())
    expect(read.body).toEqual(changed.body)
    expect((await putForm(id, read.body.questions)).body.questions).toEqual(read.body.questions)
  })

  test("is not overwritten by somebody who read it before a change", async () => {
    const id = await published()
    const [company, lunch] = [QUESTIONS.slice(0, 1), QUESTIONS.slice(2, 3)]
    expect((await putForm(id, company, "registration", { version: 1 })).body.version).toBe(2)
    const late = await putForm(id, lunch, "registration", { version: 1 })
    expect([late.status, late.body.code]).toEqual([409, "conflict"])
    expect(late.body.detail).toContain("The form was changed meanwhile")
    const read = await api("GET", `/v1/events/${id}/forms/registration`, key())
    expect([read.body.version, read.body.questions.map((question: Json) => question.id)]).toEqual([2, ["company"]])
    const surveys = await Promise.all([company, lunch].map((some) => putForm(id, some, "survey", { version: 0 })))
    expect(surveys.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await putForm(id, lunch)).body.version).toBe(3)
  })

  test("is copied with its event, without answers", async () => {
    const id = await published()
    await registered(id, ANSWERS)
    const copy = await api("POST", `/v1/events/${id}/clone`, { ...key(), body: {} })
    const form = await api("GET", `/v1/events/${copy.body.id}/forms/registration`, key())
    expect(form.body.questions.map((question: Json) => question.id)).toEqual(QUESTIONS.map((question) => question.id))
    expect((await api("GET", `/v1/events/${copy.body.id}/forms/registration/answers`, key())).body.answered).toEqual([])
  })

  test("of another kind does not exist, and a private event shows none", async () => {
    const { id } = await createEvent(server.url, acme.key, { visibility: "private" })
    await api("POST", `/v1/events/${id}/publish`, key())
    expect((await api("GET", `/v1/events/${id}/forms/other`, key())).status).toBe(404)
    expect((await formOf(id)).status).toBe(404)
    expect((await api("GET", `/v1/events/${id}/forms/survey`, key())).body).toMatchObject({ version: 0, questions: [] })
  })
})
