import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createLiveEvent, createWorkspace } from "../support/api.ts"
import { shared, sharedServer, sharedStore, sharedWorkspace } from "../support/shared.ts"
import type { TestSql } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const sql: TestSql = sharedStore(shared(() => ({ url: server.databaseUrl, drop: async () => {} })))

const post = (path: string, body: unknown, idempotencyKey: string, key = acme.key) =>
  call(server.url, "POST", path, { key, body, headers: { "idempotency-key": idempotencyKey } })
const newEvent = (title: string) => ({ type: "t", title })
const count = async (title: string) => (await sql`select 1 from events where title = ${title}`).length

describe("a request with an Idempotency-Key", () => {
  test("is done once; a repeat gets the same answer, marked as a repeat", async () => {
    const key = randomUUID()
    const [first, second] = [await post("/v1/events", newEvent(key), key), await post("/v1/events", newEvent(key), key)]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true",
    ])
    expect(second.headers.get("location")).toBe(first.headers.get("location"))
    expect(await count(key)).toBe(1)
  })

  test("sent many times at once is done once; the others get a 409 or the answer", async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("/v1/events", newEvent(key), key)))
    for (const { status, body, headers } of answers) {
      if (status === 201) continue
      expect([status, body.code, headers.get("retry-after")]).toEqual([409, "idempotency_in_progress", "1"])
    }
    expect(await count(key)).toBe(1)
  })

  test("with another body is refused, and nothing is done", async () => {
    const key = randomUUID()
    await post("/v1/events", newEvent("a"), key)
    const answer = await post("/v1/events", newEvent(key), key)
    expect([answer.status, answer.body.code, await count(key)]).toEqual([422, "idempotency_key_reused", 0])
  })

  test("stands for one caller, method and path only", async () => {
    const key = randomUUID()
    const other = await createWorkspace(server.url)
    const mine = await post("/v1/events", newEvent(key), key)
    const theirs = await post("/v1/events", newEvent(key), key, other.key)
    expect([mine.status, theirs.status, theirs.body.workspaceId]).toEqual([201, 201, other.id])
    expect((await post("/v1/users", { externalSub: key }, key)).status).toBe(201)
  })

  test("stands for the workspace it is asked for: the same account may use the key in another", async () => {
    const key = randomUUID()
    const other = await createWorkspace(server.url, acme.owner)
    const inWorkspace = (id: string) =>
      call(server.url, "POST", "/v1/events", {
        cookie: acme.owner.cookie,
        body: newEvent(key),
        headers: { "idempotency-key": key, "x-workspace-id": id },
      })
    const answers = [await inWorkspace(acme.id), await inWorkspace(other.id)]
    expect(answers.map(({ status, body }) => [status, body.workspaceId])).toEqual([
      [201, acme.id],
      [201, other.id],
    ])
    expect((await inWorkspace(acme.id.toUpperCase())).headers.get("idempotency-replayed")).toBe("true")
  })

  test("that was refused has begun nothing: its corrected body is a new request, and a conflict may be tried again", async () => {
    const key = randomUUID()
    const tries = [{}, newEvent(key), {}].map((body) => () => post("/v1/events", body, key))
    const statuses: number[] = []
    for (const one of tries) statuses.push((await one()).status)
    expect([statuses, await count(key)]).toEqual([[400, 201, 422], 1])
    const event = await createLiveEvent(server.url, acme.key)
    const again = randomUUID()
    const start = () => post(`/v1/events/${event.id}/start`, {}, again)
    const conflicts = [await start(), await start()]
    expect(conflicts.map(({ status, headers }) => [status, headers.get("idempotency-replayed")])).toEqual([
      [409, null],
      [409, null],
    ])
  })

  test("may have 1 to 255 printable ASCII characters", async () => {
    // As bytes: the engine drops them at the end of a header, where two keys would look the same.
    expect((await post("/v1/events", newEvent("x"), "order-\u00e4-1")).body.code).toBe("bad_request")
    expect((await post("/v1/events", newEvent("x"), "k".repeat(255))).status).toBe(201)
    expect((await post("/v1/events", newEvent("x"), "k".repeat(256))).body.code).toBe("bad_request")
  })

  test("that held a secret keeps it sealed", async () => {
    const key = randomUUID()
    const [first, second] = [await post("/v1/api-keys", {}, key), await post("/v1/api-keys", {}, key)]
    expect(second.body.secret).toBe(first.body.secret)
    await eventually(
      async () => (await sql`select 1 from idempotency_keys where key = ${key} and status = 201`).length === 1,
    )
    const [row] = await sql`select encode(answer_sealed, 'escape') as text from idempotency_keys where key = ${key}`
    expect(row?.["text"]).not.toContain(first.body.secret)
  })

  test("is forgotten after a day, and a request under it then is known for a day again", async () => {
    const key = randomUUID()
    await post("/v1/events", newEvent(key), key)
    await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = ${key}`
    const answer = await post("/v1/events", newEvent(key), key)
    expect([answer.status, answer.headers.get("idempotency-replayed"), await count(key)]).toEqual([201, null, 2])
    const repeat = await post("/v1/events", newEvent(key), key)
    expect([repeat.body.id, repeat.headers.get("idempotency-replayed")]).toEqual([answer.body.id, "true"])
    expect(await count(key)).toBe(2)
  })
})
