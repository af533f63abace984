/** What webhooks are told of registrations, and the list of the types that there are. */
import { randomUUID } from "node:crypto"
import { Ajv2020 } from "ajv/dist/2020.js"
import { default as addFormats } from "ajv-formats"
import { describe, expect, test } from "vitest"
import { WEBHOOK_EXAMPLES } from "../../src/model/integrations/webhook-types.ts"
import { type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { sharedRows, sharedServer } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)

const newEmail = () => `${randomUUID()}@example.com`

/** A workspace with a published event, and a receiver of what is told of its registrations. */
const openHouse = async (fields: { readonly capacity?: number } = {}) => {
  const workspace = await createWorkspace(server.url)
  const api = (method: string, path: string, options: CallOptions = {}) =>
    call(server.url, method, path, { key: workspace.key, ...options })
  const receiver = await startReceiver()
  const eventTypes = ["registration.created", "registration.cancelled"]
  await api("POST", "/v1/webhooks", { body: { url: receiver.url, eventTypes } })
  const event = await createEvent(server.url, workspace.key, fields)
  await api("POST", `/v1/events/${event.id}/publish`)
  const register = (email: string, name = "Ada") =>
    call(server.url, "POST", `/v1/public/events/${event.id}/register`, { body: { name, email } })
  const told = async (): Promise<ReadonlyArray<Json>> =>
    (await rows.run("select body from outbox_messages where event_id = $1 order by occurred_at, id", [event.id])).map(
      ({ ["body"]: body }) => JSON.parse(String(body)),
    )
  const listed = async (): Promise<ReadonlyArray<Json>> =>
    (await api("GET", `/v1/events/${event.id}/registrations`)).body.registrations
  return { workspace, api, receiver, event, register, told, listed }
}

describe("registrations", () => {
  test("are told when a place is taken and when it is given free, each once", async () => {
    const { workspace, api, receiver, event, register, listed } = await openHouse()
    const email = newEmail()
    await Promise.all([1, 2, 3].map(() => register(email)))
    const [{ id }] = (await listed()) as [Json]
    await receiver.count(1)
    const path = `/v1/events/${event.id}/registrations/${id}`
    await Promise.all([1, 2, 3].map(() => api("DELETE", path)))
    await receiver.count(2)
    const [created, cancelled] = receiver.received.map(({ body }) => JSON.parse(body))
    const who = { registrationId: id, participantId: `reg:${id}`, name: "Ada", email }
    const base = { workspaceId: workspace.id, eventId: event.id }
    expect(created).toMatchObject({ type: "registration.created", ...base, ...who })
    expect(cancelled).toMatchObject({ type: "registration.cancelled", ...base, ...who })
    await register(email)
    await receiver.count(3)
    const types = receiver.received.map(({ headers }) => headers["x-gc-event-type"])
    expect(types).toEqual(["registration.created", "registration.cancelled", "registration.created"])
    expect(new Set(receiver.received.map(({ headers }) => headers["x-gc-event-id"])).size).toBe(3)
  })

  test("that are refused or come again are not told, and neither is another workspace", async () => {
    const { api, event, register, told } = await openHouse({ capacity: 1 })
    const { receiver: stranger, register: theirs } = await openHouse()
    const email = newEmail()
    await register(email)
    await register(email)
    expect((await register(newEmail())).body.code).toBe("event_full")
    expect((await api("DELETE", `/v1/events/${event.id}/registrations/${randomUUID()}`)).status).toBe(404)
    expect((await told()).map(({ type }) => type)).toEqual(["registration.created"])
    await theirs(newEmail())
    await stranger.count(1)
    expect(stranger.received.map(({ body }) => JSON.parse(body).eventId)).not.toContain(event.id)
  })

  test("of a deleted event are not told as cancelled", async () => {
    const { api, event, register, told } = await openHouse()
    await register(newEmail())
    expect((await api("DELETE", `/v1/events/${event.id}`)).status).toBe(204)
    expect((await told()).map(({ type }) => type)).toEqual(["registration.created"])
  })
})

describe("the list of types", () => {
  test("is public, and is what `eventTypes` takes", async () => {
    const answer = await call(server.url, "GET", "/v1/webhook-event-types", {})
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "public, no-cache"])
    const types: ReadonlyArray<string> = answer.body.eventTypes.map(({ type }: Json) => type)
    expect(types).toEqual(Object.keys(WEBHOOK_EXAMPLES).filter((type) => type !== "ping"))
    const { key } = await createWorkspace(server.url)
    const body = { url: "https://example.com/hook", eventTypes: types }
    const made = await call(server.url, "POST", "/v1/webhooks", { key, body })
    expect([made.status, made.body.eventTypes]).toEqual([201, types])
  })

  test("has for each a schema that stands alone, and takes the body of its type and no other", async () => {
    const { body } = await call(server.url, "GET", "/v1/webhook-event-types", {})
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    for (const { type, description, schema } of body.eventTypes) {
      expect(description, type).toMatch(/^[A-Z].*\.$/)
      const accepts = ajv.compile(schema)
      expect(accepts(WEBHOOK_EXAMPLES[type]), `${type}: ${JSON.stringify(accepts.errors)}`).toBe(true)
      expect(accepts(WEBHOOK_EXAMPLES["ping"]), type).toBe(false)
    }
  })
})
