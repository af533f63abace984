/** Requests for copies and templates of events: who may make one, and what the requests are refused for. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import {
  type Answer,
  type CallOptions,
  call,
  createEvent,
  createPerson,
  createWorkspace,
  type Json,
} from "../support/api.ts"
import { addMember } from "../support/members.ts"
import { whileHolding } from "../support/race.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })

const rows = sharedRows(server)

const clone = (id: string, options: CallOptions = {}): Promise<Answer> => api("POST", `/v1/events/${id}/clone`, options)

describe("callers", () => {
  const keyWith = async (body: object): Promise<string> => (await api("POST", "/v1/api-keys", { body })).body.secret

  test("a key for some events is refused, as it may create none", async () => {
    const [own, other] = [await createEvent(server.url, acme.key), await createEvent(server.url, acme.key)]
    const key = await keyWith({ eventIds: [own.id] })
    const refused = await clone(own.id, { key })
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"])
    const created = await api("POST", "/v1/events", { key, body: { type: "webinar", title: "Launch" } })
    expect(created.body).toEqual(refused.body)
    expect((await clone(other.id, { key })).status).toBe(404)
    // The right comes before the body.
    expect((await clone(own.id, { key, body: { title: 1 } })).status).toBe(403)
  })

  test("an account that copies an event hosts the copy, and a key hosts none", async () => {
    const { id } = await createEvent(server.url, acme.key)
    await createPerson(server.url, acme.key, id, "speaker")
    const member = await addMember(server.url, rows, acme.id, "member")
    const headers = { "x-workspace-id": acme.id }
    const byMember = await clone(id, { key: undefined, cookie: member.cookie, headers })
    expect(byMember.status).toBe(201)
    const hosts = async (event: string) =>
      (await rows.run(
        "select m.role, u.account_id from memberships m join users u on u.id = m.user_id where event_id = $1",
        [event],
      )) as ReadonlyArray<Json>
    expect(await hosts(byMember.body.id)).toEqual([{ role: "host", account_id: member.id }])
    expect(await hosts((await clone(id)).body.id)).toEqual([])
  })

  test("a member who is removed meanwhile makes no copy", async () => {
    const title = `Late ${randomUUID()}`
    const { id } = await createEvent(server.url, acme.key, { title })
    const member = await addMember(server.url, rows, acme.id, "member")
    const statements = [
      ["select 1 from workspaces where id = $1 for no key update", [acme.id]],
      ["delete from workspace_members where id = $1", [member.memberId]],
    ] as const
    const { status } = await whileHolding(server.databaseUrl, statements, () =>
      clone(id, { key: undefined, cookie: member.cookie }),
    )
    expect(status).toBe(401)
    expect(await rows.run("select 1 from events where title like $1", [`${title} (%`])).toHaveLength(0)
  })

  test("the act is in the audit log, with the copy as its object", async () => {
    const { id } = await createEvent(server.url, acme.key)
    const { body } = await clone(id)
    const entries = await rows.run("select action, actor_kind from audit_entries where target_id = $1", [body.id])
    expect(entries).toMatchObject([{ action: "event.cloned", actor_kind: "key" }])
  })
})

describe("requests", () => {
  test("are refused by the field", async () => {
    const { id } = await createEvent(server.url, acme.key)
    for (const [what, body, field] of [
      ["a blank title", { title: " \n" }, "title"],
      ["a time without offset", { scheduledAt: "2027-01-01T10:00:00" }, "scheduledAt"],
      ["a day that does not exist", { scheduledAt: "2027-02-30T10:00:00Z" }, "scheduledAt"],
    ] as const) {
      const answer = await clone(id, { body })
      expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
      expect(
        answer.body.errors.map(({ pointer }: Json) => pointer),
        what,
      ).toEqual([`#/${field}`])
    }
  })
})

const stranger = sharedWorkspace(server)

const save = async (eventId: string, name: string): Promise<Json> => {
  const saved = await api("POST", `/v1/events/${eventId}/template`, { body: { name } })
  expect(saved).toMatchObject({ status: 201, body: { name } })
  expect(saved.headers.get("location")).toBe(`/v1/events/${saved.body.id}`)
  return saved.body
}
const listed = async (key = acme.key): Promise<ReadonlyArray<Json>> =>
  (await api("GET", "/v1/templates", { key })).body.templates

test("a template has the settings, the agenda, the form and the polls of its event, and so has an event that is made of it", async () => {
  const title = randomUUID()
  const { id } = await createEvent(server.url, acme.key, {
    title,
    description: "What is new",
    capacity: 30,
    scheduledAt: "2099-05-01T18:00:00Z",
    phases: [{ modality: "meeting", featureSet: ["polls"], config: { durationSeconds: 600 } }],
  })
  const d = { question: "Lunch?", kind: "single", options: ["Yes", "No"] }
  await api("POST", `/v1/events/${id}/commands`, { body: { t: "poll.create", d } })
  const questions = [{ id: "company", kind: "text", text: "Company" }]
  await api("PUT", `/v1/events/${id}/forms/registration`, { body: { questions } })
  const template = await save(id, "Our webinar")
  // Later changes of the event do not reach the template.
  await api("DELETE", `/v1/events/${id}`)
  const made = await api("POST", `/v1/events/${template.id}/clone`, {
    body: { title, scheduledAt: "2099-06-01T18:00:00Z" },
  })
  expect(made.body).toMatchObject({ title, description: "What is new", capacity: 30, status: "draft" })
  for (const one of [template.id, made.body.id]) {
    const read = (await api("GET", `/v1/events/${one}`)).body
    expect(read.phases).toMatchObject([
      { modality: "meeting", featureSet: ["polls"], config: { durationSeconds: 600 } },
    ])
    expect((await api("GET", `/v1/events/${one}/polls`)).body.polls).toMatchObject([{ question: "Lunch?" }])
    expect((await api("GET", `/v1/events/${one}/forms/registration`)).body.questions).toMatchObject(questions)
  }
  expect((await api("GET", `/v1/events/${template.id}`)).body.scheduledAt).toBeNull()
  // The event that was made of it is in the list, and the template is not.
  expect((await api("GET", `/v1/events?q=${title}`)).body.events).toMatchObject([{ id: made.body.id }])
  expect((await api("POST", `/v1/events/${made.body.id}/publish`)).status).toBe(200)
})

test("templates are listed by their names, within their workspace, until they are deleted", async () => {
  const { id } = await createEvent(server.url, acme.key)
  const [b, a] = [await save(id, "b"), await save(id, "a")]
  const names = async () => (await listed()).map(({ id: own }) => own).filter((own) => [a.id, b.id].includes(own))
  expect(await names()).toEqual([a.id, b.id])
  expect(await listed(stranger.key)).toEqual([])
  expect((await api("DELETE", `/v1/events/${a.id}`)).status).toBe(204)
  expect(await names()).toEqual([b.id])
})

test("a template is not published, and neither is it the first of a series", async () => {
  const { id } = await createEvent(server.url, acme.key)
  const template = await save(id, "Never")
  expect(await api("POST", `/v1/events/${template.id}/publish`)).toMatchObject({
    status: 409,
    body: { code: "conflict" },
  })
  await api("PATCH", `/v1/events/${template.id}`, { body: { scheduledAt: "2099-05-01T18:00:00Z" } })
  const body = { rrule: "FREQ=DAILY;COUNT=2", timeZone: "UTC", eventId: template.id }
  expect((await api("POST", "/v1/series", { body })).status).toBe(409)
  expect((await call(server.url, "GET", `/v1/public/events/${template.id}`)).status).toBe(404)
})

test("a workspace has a hundred at most", async () => {
  const { key } = await createWorkspace(server.url)
  const { id } = await createEvent(server.url, key)
  const send = () => api("POST", `/v1/events/${id}/template`, { key, body: { name: "Full" } })
  const { body: first } = await send()
  await rows.run(
    `insert into events select copy.* from events e, generate_series(1, 98) n,
            jsonb_populate_record(e, jsonb_build_object('id', md5(n || $1)::uuid)) copy where e.id = $1::uuid`,
    [first.id],
  )
  expect((await send()).status).toBe(201)
  expect(await send()).toMatchObject({ status: 409, body: { detail: "A workspace has at most 100 templates." } })
})
