/** The audit log: every administrative act with its actor, and no refused one. */
import { randomUUID } from "node:crypto"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Api } from "../../src/http/contract/api.ts"
import { AUDIT_ACTIONS, Audited } from "../../src/http/contract/workspaces/audit.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createWorkspace,
  type Json,
  signup,
  type Workspace,
} from "../support/api.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"

let server: TestServer
let rows: Rows
let acme: Workspace
beforeAll(async () => {
  server = await startTestServer()
  rows = rowsOf(server.databaseUrl)
  acme = await createWorkspace(server.url)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
})

const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)
const entries = async (workspace = acme): Promise<Json> =>
  (await api("GET", `/v1/workspaces/${workspace.id}/audit`, { cookie: workspace.owner.cookie })).body.entries

describe("an administrative act", () => {
  test("lists the actor, the act, its object and its request", async () => {
    const path = `/v1/workspaces/${acme.id}/api-keys`
    const key = await api("POST", path, { cookie: acme.owner.cookie, body: {}, headers: { "x-request-id": "req-1" } })
    expect((await entries())[0]).toEqual({
      id: expect.any(String),
      action: "api_key.created",
      actor: { kind: "account", id: acme.owner.id },
      targetId: key.body.id,
      requestId: "req-1",
      createdAt: expect.any(String),
    })
    expect(JSON.stringify(await entries())).not.toContain(key.body.secret)
    await api("DELETE", `${path}/${key.body.id}`, { cookie: acme.owner.cookie })
    expect((await entries())[0]).toMatchObject({ action: "api_key.deleted", targetId: key.body.id })
  })

  test("by a key, by a newcomer with an invite, and the making of the workspace itself are there", async () => {
    const made = await createWorkspace(server.url)
    const invite = await api("POST", `/v1/workspaces/${made.id}/invites`, { key: made.key, body: {} })
    const guest = await signup(server.url)
    const token = invite.body.inviteUrl.split("/").at(-1)
    await api("POST", `/v1/invites/${token}/accept`, { cookie: guest.cookie })
    const event = await createEvent(server.url, made.key)
    await api("DELETE", `/v1/events/${event.id}`, { key: made.key })
    const found = await entries(made)
    expect(found.map(({ action }: Json) => action)).toEqual([
      "event.deleted",
      "invite.accepted",
      "invite.created",
      "workspace.created",
    ])
    expect(found[0]).toMatchObject({ actor: { kind: "key" }, targetId: event.id })
    expect(found[1]).toMatchObject({ actor: { kind: "account", id: guest.id }, targetId: invite.body.id })
    expect(found[3].targetId).toBe(made.id)
  })

  test("on several objects at once has an entry for each: a key is deleted with the keys that it made", async () => {
    const made = await createWorkspace(server.url)
    const child = (await api("POST", "/v1/api-keys", { key: made.key, body: {} })).body
    const grandchild = (await api("POST", "/v1/api-keys", { key: child.secret, body: {} })).body
    const keys = `/v1/workspaces/${made.id}/api-keys`
    const { cookie } = made.owner
    const [root] = (await api("GET", keys, { cookie })).body.apiKeys.filter(({ name }: Json) => name === "default")
    expect((await api("DELETE", `${keys}/${root.id}?cascade=true`, { cookie })).status).toBe(204)
    const deleted = (await entries(made)).filter(({ action }: Json) => action === "api_key.deleted")
    expect(deleted.map(({ targetId }: Json) => targetId).toSorted()).toEqual(
      [root.id, child.id, grandchild.id].toSorted(),
    )
  })

  test("that gives a role on an event, or another one, is there", async () => {
    const event = await createEvent(server.url, acme.key)
    const { body: user } = await api("POST", "/v1/users", { key: acme.key, body: { externalSub: randomUUID() } })
    const give = (role: string) =>
      api("POST", `/v1/events/${event.id}/memberships`, { key: acme.key, body: { userId: user.id, role } })
    const [first, second] = [await give("workspace_admin"), await give("workspace_admin")]
    expect([first.status, second.status]).toEqual([201, 200])
    const [newest, before] = await entries()
    for (const entry of [newest, before]) {
      expect(entry).toMatchObject({ action: "membership.set", actor: { kind: "key" }, targetId: first.body.id })
    }
  })

  test("that takes a role on an event is there once, also when two take it", async () => {
    const event = await createEvent(server.url, acme.key)
    const { body: user } = await api("POST", "/v1/users", { key: acme.key, body: { externalSub: randomUUID() } })
    const memberships = `/v1/events/${event.id}/memberships`
    const given = await api("POST", memberships, { key: acme.key, body: { userId: user.id, role: "workspace_admin" } })
    const take = () => api("DELETE", `${memberships}/${given.body.id}`, { key: acme.key })
    await Promise.all([take(), take()])
    const taken = (await entries()).filter(({ action }: Json) => action === "membership.deleted")
    expect(taken).toMatchObject([{ actor: { kind: "key" }, targetId: given.body.id }])
  })

  test("that was refused, or was repeated under its Idempotency-Key, leaves no entry", async () => {
    const before = (await entries()).length
    await api("PATCH", `/v1/workspaces/${acme.id}`, { cookie: acme.owner.cookie, body: { slug: "!" } })
    await api("POST", "/v1/webhooks", { key: acme.key, body: { url: "ftp://x" } })
    expect(await entries()).toHaveLength(before)
    const post = () =>
      api("POST", "/v1/webhooks", {
        key: acme.key,
        body: { url: "https://example.com/" },
        headers: { "idempotency-key": "same" },
      })
    await post()
    await post()
    expect(await entries()).toHaveLength(before + 1)
  })

  test("every kind of act is one that some endpoint does", () => {
    const done = new Set<string>()
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const action = Context.getOption(endpoint.annotations, Audited)
        if (action._tag === "Some") done.add(action.value)
      },
    })
    expect([...done].toSorted()).toEqual([...AUDIT_ACTIONS].toSorted())
  })
})

describe("the log", () => {
  test("is read in pages by owners, admins and keys of the workspace, and by nobody else", async () => {
    const path = `/v1/workspaces/${acme.id}/audit`
    const first = await api("GET", `${path}?limit=1`, { key: acme.key })
    expect([first.status, first.body.entries.length]).toEqual([200, 1])
    const second = await api("GET", `${path}?limit=1&cursor=${first.body.nextCursor}`, { key: acme.key })
    expect(second.body.entries[0].id).not.toBe(first.body.entries[0].id)
    const foreign = await createWorkspace(server.url)
    expect((await api("GET", path, { key: foreign.key })).status).toBe(404)
    expect((await api("GET", path, { cookie: foreign.owner.cookie })).status).toBe(404)
    expect((await api("GET", `/v1/workspaces/${randomUUID()}/audit`, { key: acme.key })).status).toBe(404)
    expect((await api("GET", `${path}?limit=0`, { key: acme.key })).status).toBe(400)
  })

  test("cannot be changed or emptied by a statement, only go with its workspace", async () => {
    const gone = await createWorkspace(server.url)
    await expect(
      rows.run("update audit_entries set action = 'nothing' where workspace_id = $1", [gone.id]),
    ).rejects.toThrow("not changed")
    await expect(rows.run("delete from audit_entries where workspace_id = $1", [gone.id])).rejects.toThrow(
      "not changed",
    )
    await rows.run("delete from workspaces where id = $1", [gone.id])
    expect(await rows.run("select 1 from audit_entries where workspace_id = $1", [gone.id])).toHaveLength(0)
  })
})

describe("an API key with an end", () => {
  test("is listed with it", async () => {
    const expiresAt = "2099-01-01T00:00:00.000Z"
    const made = await api("POST", "/v1/api-keys", { key: acme.key, body: { name: "short", expiresAt } })
    expect(made.body.expiresAt).toBe(expiresAt)
    expect((await api("GET", "/v1/events", { key: made.body.secret })).status).toBe(200)
  })

  test.each(["2020-01-01T00:00:00Z", "2030-01-01", "soon", 7])("that ends at %j is refused", async (expiresAt) => {
    const answer = await api("POST", "/v1/api-keys", { key: acme.key, body: { expiresAt } })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
  })
})
