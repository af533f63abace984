/** The audit log: every administrative act with its actor, and no refused one. */
import { randomUUID } from "node:crypto"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { Api } from "../../src/http/contract/api.ts"
import { AUDIT_ACTIONS, Audited } from "../../src/http/contract/workspaces/audit.ts"
import {
  type CallOptions,
  createEvent,
  createWorkspace,
  type Json,
  PASSWORD,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { addMember } from "../support/members.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = apiOf(server)
const entries = async (workspace = acme): Promise<Json> =>
  (await api("GET", `/v1/workspaces/${workspace.id}/audit`, { cookie: workspace.owner.cookie })).body.entries

describe("an administrative act", () => {
  test("lists the actor, the act, its object and its request", async () => {
    const path = `/v1/workspaces/${acme.id}/api-keys`
    const key = await api("POST", path, {
      cookie: acme.owner.cookie,
      body: {},
      headers: { "x-request-id": "req-1", "user-agent": "Tests/1 (Linux)" },
    })
    expect((await entries())[0]).toEqual({
      id: expect.any(String),
      action: "api_key.created",
      actor: { kind: "account", id: acme.owner.id },
      targetId: key.body.id,
      requestId: "req-1",
      createdAt: expect.any(String),
      address: "127.0.0.1",
      client: "Tests/1 (Linux)",
    })
    expect(JSON.stringify(await entries())).not.toContain(key.body.secret)
    await api("DELETE", `${path}/${key.body.id}`, { cookie: acme.owner.cookie })
    expect((await entries())[0]).toMatchObject({ action: "api_key.deleted", targetId: key.body.id })
  })

  test("by a key, by a newcomer with an invite, and the making of the workspace itself are there", async () => {
    const made = await createWorkspace(server.url)
    const invite = await api("POST", `/v1/workspaces/${made.id}/invites`, { key: made.key, body: {} })
    const guest = await signup(server.url)
    const token = tokenIn(invite.body.inviteUrl)
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

  test("that accepts an invite on its page is there as one by the API is, with where it came from", async () => {
    const made = await createWorkspace(server.url)
    const invite = await api("POST", `/v1/workspaces/${made.id}/invites`, { key: made.key, body: { role: "admin" } })
    const guest = await signup(server.url)
    const form = new URLSearchParams({ token: tokenIn(invite.body.inviteUrl), action: "accept" })
    const headers = { cookie: guest.cookie, "user-agent": "Browser of the tests" }
    expect((await fetch(`${server.url}/invite`, { method: "POST", body: form, headers })).status).toBe(200)
    expect((await entries(made))[0]).toMatchObject({
      action: "invite.accepted",
      actor: { kind: "account", id: guest.id },
      targetId: invite.body.id,
      address: "127.0.0.1",
      client: "Browser of the tests",
    })
  })

  test("on several objects at once has an entry for each: a key is deleted with the keys that it made", async () => {
    const made = await createWorkspace(server.url)
    const child = (await api("POST", "/v1/api-keys", { key: made.key, body: {} })).body
    const grandchild = (await api("POST", "/v1/api-keys", { key: child.secret, body: {} })).body
    const keys = `/v1/workspaces/${made.id}/api-keys`
    const { cookie } = made.owner
    const [root] = (await api("GET", keys, { cookie })).body.apiKeys.filter(({ name }: Json) => name === "default")
    expect((await api("DELETE", `${keys}/${root.id}?cascade=true`, { cookie })).status).toBe(200)
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
    // A migration writes the first, for keys that were made before they had scopes; the others are no success of one endpoint.
    const others = [
      "api_key.all_scopes",
      "sign_in.failed",
      "recovery_code.used",
      "connection.failed",
      "connection.domain_lost",
      "member.joined",
      "personal_data.read",
    ]
    for (const action of others) done.add(action)
    expect([...done].toSorted()).toEqual([...AUDIT_ACTIONS].toSorted())
  })
})

describe("a failed sign-in", () => {
  const signIn = (email: string, password: string) =>
    api("POST", "/v1/accounts/login", { body: { email, password }, headers: { "user-agent": "Guesser/1" } })

  test("is in the log of each workspace of the account, twenty times an hour at most", async () => {
    const [one, other] = [await createWorkspace(server.url), await createWorkspace(server.url)]
    const failed = async (workspace: Workspace) =>
      (await entries(workspace)).filter(({ action }: Json) => action === "sign_in.failed")
    expect((await signIn(one.owner.email, "not the password")).status).toBe(401)
    await eventually(async () => (await failed(one)).length === 1, "the entry")
    expect(await failed(one)).toMatchObject([
      { actor: { kind: "account", id: one.owner.id }, targetId: null, address: "127.0.0.1", client: "Guesser/1" },
    ])
    expect(JSON.stringify(await failed(one))).not.toContain("not the password")
    for (let n = 0; n < 24; n++) await signIn(one.owner.email, `wrong ${n}`)
    await eventually(async () => (await failed(one)).length === 20, "the entries of an hour")
    expect((await signIn(other.owner.email, "correct horse battery")).status).toBe(200)
    expect(await failed(other)).toEqual([])
    expect(await failed(one)).toHaveLength(20)
  })
})

describe("personal data", () => {
  const actionsOf = async (workspace: Workspace): Promise<ReadonlyArray<readonly [string, string | null]>> =>
    (await entries(workspace))
      .filter(({ action }: Json) => action.startsWith("personal_data."))
      .map(({ action, targetId }: Json) => [action, targetId])

  test("that is read is in the log once an hour by reader and list, and each file and export is", async () => {
    const made = await createWorkspace(server.url)
    const event = await createEvent(server.url, made.key)
    const { body: user } = await api("POST", "/v1/users", { key: made.key, body: { externalSub: randomUUID() } })
    const read = (path: string) => api("GET", path, { key: made.key })
    await read("/v1/users")
    await read("/v1/users?limit=1")
    await read(`/v1/events/${event.id}/registrations`)
    await read(`/v1/events/${event.id}/questions`)
    expect(await actionsOf(made)).toEqual([
      ["personal_data.read", event.id],
      ["personal_data.read", null],
    ])
    await read(`/v1/events/${event.id}/registrations?format=csv`)
    await read(`/v1/events/${event.id}/registrations?format=csv`)
    await read(`/v1/users/${user.id}/export`)
    await api("GET", `/v1/workspaces/${made.id}/members`, { cookie: made.owner.cookie })
    await read(`/v1/events/${randomUUID()}/registrations?format=csv`)
    expect(await actionsOf(made)).toEqual([
      ["personal_data.read", made.id],
      ["personal_data.exported", user.id],
      ["personal_data.exported", event.id],
      ["personal_data.exported", event.id],
      ["personal_data.read", event.id],
      ["personal_data.read", null],
    ])
  })

  test("of those who acted is taken away with their account; the acts stay", async () => {
    const made = await createWorkspace(server.url)
    const admin = await addMember(server.url, rows, made.id, "admin")
    const { body: key } = await api("POST", `/v1/workspaces/${made.id}/api-keys`, { cookie: admin.cookie, body: {} })
    const act = async () => (await entries(made)).find(({ targetId }: Json) => targetId === key.id)
    expect((await act()).address).toBe("127.0.0.1")
    // Its own workspace would keep the account.
    await rows.run(
      "delete from workspaces w using workspace_members m where m.workspace_id = w.id and m.account_id = $1 and w.id <> $2",
      [admin.id, made.id],
    )
    const deleted = await api("DELETE", "/v1/accounts/me", { cookie: admin.cookie, body: { password: PASSWORD } })
    expect(deleted.status).toBe(204)
    expect(await act()).toMatchObject({ actor: { id: admin.id }, address: null, client: null })
  })
})

test("a webhook tells of each entry where it names the type, and nowhere else", async () => {
  const made = await createWorkspace(server.url)
  const [named, all] = [await startReceiver(), await startReceiver()]
  const hook = (url: string, eventTypes?: ReadonlyArray<string>) =>
    api("POST", "/v1/webhooks", { key: made.key, body: { url, ...(eventTypes && { eventTypes }) } })
  await hook(named.url, ["audit.created"])
  await hook(all.url)
  const { body: key } = await api("POST", "/v1/api-keys", { key: made.key, body: {} })
  const told = () => named.received.map(({ body }) => JSON.parse(body))
  await eventually(() => told().some(({ targetId }) => targetId === key.id), "the webhook")
  const [entry] = await entries(made)
  const { id, createdAt, ...rest } = entry
  expect(told().find(({ targetId }) => targetId === key.id)).toEqual({
    id: expect.any(String),
    type: "audit.created",
    workspaceId: made.id,
    eventId: null,
    occurredAt: createdAt,
    entryId: id,
    ...rest,
  })
  // The endpoint for all types hears of the next event, and of nothing before it.
  const event = await createEvent(server.url, made.key)
  await api("POST", `/v1/events/${event.id}/publish`, { key: made.key })
  await all.count(1)
  expect(JSON.parse(all.received[0]?.body ?? "{}")).toMatchObject({ type: "event.published" })
})

describe("the log", () => {
  test("is filtered by act, actor, object and time, given in pages, and as a file", async () => {
    const made = await createWorkspace(server.url)
    const path = `/v1/workspaces/${made.id}/audit`
    const make = async (name: string): Promise<Json> =>
      (await api("POST", "/v1/api-keys", { key: made.key, body: { name } })).body
    const [first, second] = [await make("one"), await make("two")]
    const list = async (query: string) => (await api("GET", `${path}?${query}`, { key: made.key })).body.entries
    const targets = async (query: string) => (await list(query)).map(({ targetId }: Json) => targetId)
    expect(await targets("action=api_key.created")).toEqual([second.id, first.id])
    expect(await targets(`targetId=${first.id}`)).toEqual([first.id])
    expect(await targets(`actorId=${made.owner.id}`)).toEqual([made.id])
    const [newest] = await list("limit=1")
    const at = encodeURIComponent(newest.createdAt)
    expect(await targets(`to=${at}&action=api_key.created`)).not.toContain(second.id)
    expect(await targets(`from=${at}`)).toContain(second.id)
    const paged = await api("GET", `${path}?action=api_key.created&limit=1`, { key: made.key })
    expect(paged.headers.get("link")).toContain("action=api_key.created")
    const next = await api("GET", `${path}?action=api_key.created&limit=1&cursor=${paged.body.nextCursor}`, {
      key: made.key,
    })
    expect([paged, next].map(({ body }) => body.entries.map(({ targetId }: Json) => targetId))).toEqual([
      [second.id],
      [first.id],
    ])
    expect(next.body.nextCursor).toBeNull()
    const file = await api("GET", `${path}?action=api_key.created&format=csv`, { key: made.key })
    const [head, ...lines] = file.body.split("\r\n")
    expect(head).toBe("id,createdAt,action,actorKind,actorId,targetId,requestId,address,client")
    expect(lines.map((line: string) => line.split(",")[5])).toEqual([second.id, first.id, undefined])
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

test("a webhook with the log is for those who may read the log", async () => {
  const made = await createWorkspace(server.url)
  const hook = (who: CallOptions, eventTypes = ["audit.created"]) =>
    api("POST", "/v1/webhooks", { ...who, body: { url: "https://example.com/hook", eventTypes } })
  const member = await signup(server.url, "Bob")
  const invites = `/v1/workspaces/${made.id}/invites`
  const { inviteUrl } = (await api("POST", invites, { cookie: made.owner.cookie, body: { role: "member" } })).body
  await api("POST", `/v1/invites/${tokenIn(inviteUrl)}/accept`, { cookie: member.cookie })
  const asMember = { cookie: member.cookie, headers: { "x-workspace-id": made.id } }
  const scoped = await api("POST", "/v1/api-keys", { key: made.key, body: { scopes: ["webhooks"] } })
  for (const who of [asMember, { key: scoped.body.secret }]) {
    expect((await hook(who)).status).toBe(403)
    const { body } = await hook(who, ["event.ended"])
    const change = { ...who, body: { eventTypes: ["audit.created"] } }
    expect((await api("PATCH", `/v1/webhooks/${body.id}`, change)).status).toBe(403)
    // Nor may they turn the one of an admin to themselves.
    const owners = (await hook({ key: made.key })).body.id
    const turned = { ...who, body: { url: "https://example.com/mine" } }
    expect((await api("PATCH", `/v1/webhooks/${owners}`, turned)).status).toBe(403)
    expect((await api("POST", `/v1/webhooks/${owners}/rotate-secret`, who)).status).toBe(403)
    const others = { ...who, body: { url: "https://example.com/mine", eventTypes: ["event.ended"] } }
    expect((await api("PATCH", `/v1/webhooks/${owners}`, others)).status).toBe(403)
    expect((await api("DELETE", `/v1/webhooks/${owners}`, who)).status).toBe(403)
  }
  // Nor may they read the log in what was sent.
  const { body: endpoint } = await hook({ key: made.key })
  await api("POST", "/v1/api-keys", { key: made.key, body: {} })
  const sent = async () =>
    (await api("GET", `/v1/webhooks/${endpoint.id}/deliveries`, { key: made.key })).body.deliveries
  await eventually(async () => (await sent()).length > 0, "a delivery of the log")
  const delivery = `/v1/webhook-deliveries/${(await sent())[0].id}`
  const reader = await api("POST", "/v1/api-keys", { key: made.key, body: { scopes: ["read"] } })
  for (const who of [asMember, { key: reader.body.secret }]) {
    expect((await api("GET", delivery, who)).body).toMatchObject({ type: "audit.created", body: null })
  }
  // Nor may they have it sent to themselves, once or again, when the endpoint names the type no more.
  await api("PATCH", `/v1/webhooks/${endpoint.id}`, { key: made.key, body: { eventTypes: ["event.ended"] } })
  const waits =
    "update webhook_deliveries set status = 'pending', next_attempt_at = now() + interval '1 hour' where endpoint_id = $1"
  await rows.run(waits, [endpoint.id])
  for (const who of [asMember, { key: scoped.body.secret }]) {
    expect((await api("POST", `${delivery}/redeliver`, who)).status).toBe(403)
    const turned = { ...who, body: { url: "https://example.com/mine" } }
    expect((await api("PATCH", `/v1/webhooks/${endpoint.id}`, turned)).status).toBe(403)
  }
  expect((await api("GET", delivery, { key: made.key })).body.body).toMatchObject({ type: "audit.created" })
})
