/** Registering many people at once: what becomes of each row, and what stays exact whatever else happens. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { createEvent, type Json } from "../support/api.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)
const api = apiOf(server)
const key = () => ({ key: acme.key })

const QUESTIONS = [
  { id: "company", kind: "text", text: "Where do you work?", required: true },
  { id: "days", kind: "choices", text: "Days", options: ["Monday", "Friday"] },
  { id: "years", kind: "number", text: "Years" },
  { id: "first", kind: "checkbox", text: "First time" },
  { id: "terms", kind: "consent", text: "I agree." },
]
const published = async (fields: { readonly capacity?: number } = {}): Promise<string> => {
  const { id } = await createEvent(server.url, acme.key, fields)
  await api("PUT", `/v1/events/${id}/forms/registration`, { ...key(), body: { questions: QUESTIONS } })
  await api("POST", `/v1/events/${id}/publish`, key())
  return id
}
const importTo = (id: string, registrations: ReadonlyArray<unknown>) =>
  api("POST", `/v1/events/${id}/registrations/import`, { ...key(), body: { registrations } })
const importFile = async (id: string, text: string) => {
  const response = await fetch(`${server.url}/v1/events/${id}/registrations/import`, {
    method: "POST",
    headers: { "x-api-key": acme.key, "content-type": "text/csv" },
    body: text,
  })
  return { status: response.status, body: (await response.json()) as Json }
}
const crowd = (count: number) => {
  const house = randomUUID()
  return Array.from({ length: count }, (_, n) => ({ name: `Person ${n}`, email: `p${n}@${house}.example.com` }))
}
const outcomesOf = ({ body }: { readonly body: Json }) =>
  body.rows.map(({ row, outcome, code }: Json) => [row, outcome, code])
const listed = async (id: string): Promise<ReadonlyArray<Json>> =>
  (await api("GET", `/v1/events/${id}/registrations`, key())).body.registrations
const registeredAt = async (id: string): Promise<number> =>
  Number((await rows.run("select registered from events where id = $1", [id]))[0]?.["registered"])

test("each row is created, known, or refused with the reason, and the same request again creates nothing", async () => {
  const id = await published()
  const house = randomUUID()
  const given = [
    { name: " Ada ", email: `ADA@${house}.example.com`, answers: { company: "Acme", years: 3 } },
    { name: "Ada again", email: `ada@${house}.example.com` },
    { name: "Bob", email: "no address" },
    { email: `eve@${house}.example.com` },
    { name: "Eve", email: `eve@${house}.example.com`, answers: { years: "many" } },
    { name: "Eve", email: `eve@${house}.example.com`, answers: { terms: true } },
    "no row",
    null,
    { name: "Dan", email: `dan@${house}.example.com` },
  ]
  const first = await importTo(id, given)
  expect(first.body).toMatchObject({ created: 2, alreadyRegistered: 1, refused: 6 })
  const bad = "bad_request"
  expect(outcomesOf(first)).toEqual([
    [1, "created", null],
    [2, "alreadyRegistered", null],
    [3, "refused", bad],
    [4, "refused", bad],
    [5, "refused", bad],
    [6, "refused", bad],
    [7, "refused", bad],
    [8, "refused", bad],
    [9, "created", null],
  ])
  expect(first.body.rows[5].detail).toBe("answers.terms: is given by its person alone.")
  expect(first.body.rows[1].registrationId).toBe(first.body.rows[0].registrationId)
  const people = await listed(id)
  expect(people.map(({ name, email }) => [name, email])).toEqual([
    ["Ada", `ada@${house}.example.com`],
    ["Dan", `dan@${house}.example.com`],
  ])
  expect(people[0].answers.map(({ questionId, value }: Json) => [questionId, value])).toEqual([
    ["company", "Acme"],
    ["years", 3],
  ])
  expect((await importTo(id, given)).body).toMatchObject({ created: 0, alreadyRegistered: 3, refused: 6 })
  expect(await registeredAt(id)).toBe(2)
})

test("five thousand rows are taken, and one more is refused as a whole", async () => {
  const id = await published({ capacity: 6000 })
  const people = crowd(5001)
  const tooMany = await importTo(id, people)
  expect([tooMany.status, tooMany.body.code]).toEqual([400, "bad_request"])
  expect(await registeredAt(id)).toBe(0)
  const all = await importTo(id, people.slice(1))
  expect([all.status, all.body.created, all.body.rows.length, all.body.rows[4999].row]).toEqual([200, 5000, 5000, 5000])
  expect(await registeredAt(id)).toBe(5000)
  expect((await importTo(id, [])).status).toBe(400)
})

test("nobody has more places than the event, whoever registers meanwhile", async () => {
  const id = await published({ capacity: 300 })
  const [one, two] = [crowd(290), crowd(290)]
  const body = (email: string) => ({ name: "Ada", email, answers: { company: "Acme" } })
  const importing = Promise.all([importTo(id, one), importTo(id, two)])
  const others = await Promise.all(
    crowd(15).map(({ email }) => api("POST", `/v1/public/events/${id}/register`, { body: body(email) })),
  )
  const [first, second] = await importing
  const taken = others.filter(({ status }) => status === 200).length
  expect(first.body.created + second.body.created + taken).toBe(300)
  const stored = await rows.run("select 1 from registrations where event_id = $1", [id])
  expect([await registeredAt(id), stored.length]).toEqual([300, 300])
  const full = [...first.body.rows, ...second.body.rows].filter(({ outcome }) => outcome === "refused")
  expect(new Set(full.map(({ code }) => code))).toEqual(new Set(["event_full"]))
})

test("a file is read by the kinds of the questions, whatever its mark", async () => {
  for (const [what, head, mark] of [
    ["with commas", "name,email,company,Days,years,first", ","],
    ["with semicolons and a byte order mark", "\ufeffname;email;Where do you work?;days;Years;First time", ";"],
  ] as const) {
    const id = await published()
    const email = `${randomUUID()}@example.com`
    const cells = ['"Ada ""the first"""', email, '"=1+1, <b>"', '"Friday; Monday"', "2.5", "yes"]
    const read = await importFile(id, `${head}\r\n${cells.join(mark)}\r\n\r\n`)
    expect(read.body, what).toMatchObject({ created: 1, refused: 0 })
    const [person] = await listed(id)
    expect(person, what).toMatchObject({ name: 'Ada "the first"', email })
    expect(
      person.answers.map(({ questionId, value }: Json) => [questionId, value]),
      what,
    ).toEqual([
      ["company", "=1+1, <b>"],
      ["days", ["Monday", "Friday"]],
      ["years", 2.5],
      ["first", true],
    ])
  }
})

test("a file that cannot be read is refused as a whole", async () => {
  const id = await published()
  for (const [what, text, why] of [
    ["an unknown column", "name,email,shoes\nA,a@example.com,42\n", 'the column "shoes"'],
    ["rows of other lengths", "name,email\nA,a@example.com,more\n", "not CSV"],
    ["an open quote", 'name,email\n"A,a@example.com\n', "not CSV"],
    ["names alone", "name,email\n", "without a row"],
    ["too many columns", `${"name,".repeat(25)}email\n`, "more than 25 columns"],
    ["too many cells in a row", `name,email\nA,a@example.com${",".repeat(24)}\n`, "more than 25 columns"],
    ["too many rows", `name,email\n${"A,a@example.com\n".repeat(5001)}`, "more than 5000 rows"],
  ] as const) {
    const { status, body } = await importFile(id, text)
    expect([status, body.code, body.detail], what).toEqual([400, "bad_request", expect.stringContaining(why)])
    expect(await listed(id), what).toEqual([])
  }
})

test("columns of the name and the address are no answers, and commas in quotes separate no columns", async () => {
  const { id } = await createEvent(server.url, acme.key)
  const list = `Which of ${"a,".repeat(300)} do you like?`
  const questions = [
    { id: "name", kind: "text", text: "Name of your dog" },
    { id: "second", kind: "text", text: "email" },
    { id: "list", kind: "text", text: list },
  ]
  await api("PUT", `/v1/events/${id}/forms/registration`, { ...key(), body: { questions } })
  await api("POST", `/v1/events/${id}/publish`, key())
  const email = `${randomUUID()}@example.com`
  const read = await importFile(id, `name,email,Name of your dog,second,"${list}"\nAda,${email},Rex,two,all\n`)
  expect(read.body).toMatchObject({ created: 1 })
  const [person] = await listed(id)
  expect([person.name, person.email]).toEqual(["Ada", email])
  expect(person.answers.map(({ questionId, value }: Json) => [questionId, value])).toEqual([
    ["name", "Rex"],
    ["second", "two"],
    ["list", "all"],
  ])
  const other = await importFile(id, `name,email\nBob,${randomUUID()}@example.com\n`)
  expect(other.body).toMatchObject({ created: 1 })
  expect((await listed(id)).map(({ answers }) => answers.length)).toEqual([3, 0])
})

test("people whom a workspace registered get no confirmation, and a repeat under a key has the first answer", async () => {
  const id = await published()
  const people = crowd(3)
  const options = { ...key(), body: { registrations: people }, headers: { "idempotency-key": randomUUID() } }
  const first = await api("POST", `/v1/events/${id}/registrations/import`, options)
  const again = await api("POST", `/v1/events/${id}/registrations/import`, options)
  expect([first.body.created, again.body]).toEqual([3, first.body])
  const [{ email, id: registrationId }] = (await listed(id)) as [Json]
  const mails = async () => (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails.length
  expect(await mails()).toBe(0)
  expect((await api("POST", `/v1/events/${id}/registrations/${registrationId}/resend`, key())).status).toBe(200)
  expect(await mails()).toBe(1)
})

test("an event that has ended or is cancelled, or that is another workspace's, takes none", async () => {
  const [over, cancelled] = [await published(), await published()]
  for (const verb of ["start", "end"]) await api("POST", `/v1/events/${over}/${verb}`, key())
  await api("POST", `/v1/events/${cancelled}/cancel`, { ...key(), body: {} })
  for (const id of [over, cancelled]) expect((await importTo(id, crowd(1))).body.code).toBe("conflict")
  expect((await importTo(randomUUID(), crowd(1))).status).toBe(404)
})
