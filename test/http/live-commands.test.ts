import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createLiveEvent, createPerson, createWorkspace, type Workspace } from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let acme: Workspace
beforeAll(async () => {
  server = await startTestServer()
  acme = await createWorkspace(server.url)
})
afterAll(() => server.stop())

const PHASES = [{ modality: "meeting", featureSet: ["chat", "polls", "qa"] }, { modality: "meeting" }]
const send = (eventId: string, body: object, options: object = { key: acme.key }) =>
  call(server.url, "POST", `/v1/events/${eventId}/commands`, { body, ...options })

test("a key advances the event", async () => {
  const event = await createLiveEvent(server.url, acme.key, { phases: PHASES })
  const first = await send(event.id, { t: "phase.next" }, { key: acme.key, headers: { "idempotency-key": "k" } })
  expect(first.body).toMatchObject({ v: expect.any(Number), d: { phase: { position: 1 } } })
  const again = await send(event.id, { t: "phase.next" }, { key: acme.key, headers: { "idempotency-key": "k" } })
  expect([again.status, again.body, again.headers.get("idempotency-replayed")]).toEqual([200, first.body, "true"])
  const state = await call(server.url, "GET", `/v1/events/${event.id}/state`, { key: acme.key })
  expect(state.body).toMatchObject({ phase: { position: 1 }, presence: { total: 0 } })
  for (const path of ["participants", "rooms"])
    expect((await call(server.url, "GET", `/v1/events/${event.id}/${path}`, { key: acme.key })).status).toBe(200)
  const guest = await createPerson(server.url, acme.key, event.id, "participant")
  const refused = await send(event.id, { t: "phase.next" }, { bearer: guest.session })
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"])
  void randomUUID
})
