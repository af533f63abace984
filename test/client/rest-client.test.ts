/** The typed REST client against the real server. */
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest"
import type { RestClient } from "../../packages/client/src/contract/rest.ts"
import { makeRestClient, RestProblem } from "../../packages/client/src/rest-client.ts"
import { createWorkspace, type Workspace } from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let acme: Workspace
let client: RestClient
beforeAll(async () => {
  server = await startTestServer()
  acme = await createWorkspace(server.url)
  client = makeRestClient({ baseUrl: `${server.url}/`, apiKey: acme.key })
})
afterAll(() => server.stop())

describe("a call", () => {
  test("takes and answers the schemas of the contract", async () => {
    const made = await client.createEvent({
      payload: { type: "webinar", title: "Typed", phases: [{ modality: "meeting" }] },
    })
    expectTypeOf(made.status).toEqualTypeOf<"draft" | "scheduled" | "live" | "ended">()
    const read = await client.getEvent({ params: { id: made.id } })
    expect([read.title, read.phases[0]?.modality]).toEqual(["Typed", "meeting"])
    const listed = await client.listEvents({ query: { limit: 1 } })
    expect(listed.events).toHaveLength(1)
    expect((await client.listEvents()).nextCursor).toBeNull()
    expect(await client.deleteEvent({ params: { id: made.id } })).toBeUndefined()
  })

  test("that is refused rejects with the problem", async () => {
    const refused = await client.getEvent({ params: { id: "a/b ?" } }).catch((cause: unknown) => cause)
    expect(refused).toBeInstanceOf(RestProblem)
    expect(refused).toMatchObject({
      status: 404,
      code: "not_found",
      message: "No such event: the id is not a UUID.",
      retryAfterSeconds: null,
    })
    expect((refused as RestProblem).requestId).toMatch(/^[0-9a-f-]{36}$/)
    const wrong = await makeRestClient({ baseUrl: server.url, apiKey: "gck_wrong" })
      .listEvents()
      .catch((cause: unknown) => cause)
    expect(wrong).toMatchObject({ status: 401, code: "unauthorized" })
  })

  test("without an id that its path needs is not sent", async () => {
    const asked = client.getEvent as (request?: object) => Promise<unknown>
    await expect(asked()).rejects.toThrow("params.id is missing")
    await expect(asked({ params: {} })).rejects.toThrow("params.id is missing")
  })

  test("with a name of its own may be sent again", async () => {
    const request = { payload: { type: "webinar", title: "Once" } }
    const [first, second] = [
      await client.createEvent(request, { idempotencyKey: "one" }),
      await client.createEvent(request, { idempotencyKey: "one" }),
    ]
    expect(second.id).toBe(first.id)
  })

  test("of somebody with a session asks for the token each time", async () => {
    const user = await client.upsertUser({ payload: { externalSub: "u", name: "U" } })
    const event = await client.createEvent({
      payload: { type: "webinar", title: "Live", phases: [{ modality: "meeting" }] },
    })
    await client.createMembership({ params: { id: event.id }, payload: { userId: user.id, role: "host" } })
    const { sessionToken } = await client.createUserSession({ params: { id: user.id } })
    let asked = 0
    const theirs = makeRestClient({
      baseUrl: server.url,
      sessionToken: async () => {
        asked++
        return sessionToken
      },
    })
    const grant = await theirs.createGatewayToken({ payload: { eventId: event.id } })
    await theirs.createGatewayToken({ payload: { eventId: event.id } })
    expect([grant.role, asked]).toEqual(["host", 2])
  })

  test("can be given up", async () => {
    const controller = new AbortController()
    controller.abort()
    await expect(client.listEvents({}, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" })
  })
})

test("wrong calls do not compile", () => {
  // @ts-expect-error: an event needs a type
  const noType = () => client.createEvent({ payload: { title: "x" } })
  // @ts-expect-error: which event?
  const noId = () => client.getEvent()
  // @ts-expect-error: no such endpoint
  const unknown = () => client.createUnicorn()
  expect([noType, noId, unknown]).toHaveLength(3)
})
