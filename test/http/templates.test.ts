/** Templates of a workspace: copies of events that are in no list and are never published. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const stranger = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
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
  for (let made = 1; made < 100; made += 1) expect((await send()).status).toBe(201)
  expect((await send()).status).toBe(201)
  expect(await send()).toMatchObject({ status: 409, body: { detail: "A workspace has at most 100 templates." } })
})
