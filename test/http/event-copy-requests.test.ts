/** Requests for copies of events: who may make one, and what the requests are refused for. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, createPerson, type Json, signup } from "../support/api.ts"
import { addMember } from "../support/members.ts"
import { whileHolding } from "../support/race.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
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

  test("a key without events:write is refused", async () => {
    const { id } = await createEvent(server.url, acme.key)
    const { status, body } = await clone(id, { key: await keyWith({ scopes: ["read", "live"] }) })
    expect([status, body.detail]).toEqual([403, "The API key does not have the scope events:write."])
    expect((await clone(id, { key: await keyWith({ scopes: ["events:write"] }) })).status).toBe(201)
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
    const other = await signup(server.url)
    expect((await clone(id, { key: undefined, cookie: other.cookie, headers })).status).toBe(404)
    expect((await clone(id, { key: undefined })).status).toBe(401)
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
  test.each([
    ["a blank title", { title: " \n" }, "title"],
    ["a title of 301 characters", { title: "x".repeat(301) }, "title"],
    ["a title that is no text", { title: 1 }, "title"],
    ["a title of null", { title: null }, "title"],
    ["a time without offset", { scheduledAt: "2027-01-01T10:00:00" }, "scheduledAt"],
    ["a day that does not exist", { scheduledAt: "2027-02-30T10:00:00Z" }, "scheduledAt"],
  ])("with %s are refused by the field", async (_name, body, field) => {
    const { id } = await createEvent(server.url, acme.key)
    const answer = await clone(id, { body })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    expect(answer.body.errors.map(({ pointer }: Json) => pointer)).toEqual([`#/${field}`])
  })

  test.each([["[]"], ["{"], ['"x"']])("with the body %s are refused", async (raw) => {
    const { id } = await createEvent(server.url, acme.key)
    expect((await clone(id, { raw })).body.code).toBe("bad_request")
  })

  test("repeated under one idempotency key make one copy", async () => {
    const { id } = await createEvent(server.url, acme.key)
    const headers = { "idempotency-key": randomUUID() }
    const title = `Once ${randomUUID()}`
    const [first, again] = [
      await clone(id, { headers, body: { title } }),
      await clone(id, { headers, body: { title } }),
    ]
    expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([first.body, "true"])
    expect((await clone(id, { headers, body: { title: "Other" } })).body.code).toBe("idempotency_key_reused")
    expect(await rows.run("select 1 from events where title = $1", [title])).toHaveLength(1)
  })
})
