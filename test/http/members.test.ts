import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type Account,
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createWorkspace,
  gatewayToken,
  signup,
  tokenIn,
} from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { openStore, type TestSql } from "../support/store.ts"

let server: TestServer
let sql: TestSql
beforeAll(async () => {
  server = await startTestServer()
  sql = openStore(server.databaseUrl, 2)
})
afterAll(async () => {
  await sql.end()
  await server.stop()
})

const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)

/** Puts a new account into the workspace, straight in the store: invites come by mail. */
const join = async (workspaceId: string, role: string): Promise<Account & { readonly memberId: string }> => {
  const account = await signup(server.url, role)
  const memberId = randomUUID()
  await sql`insert into workspace_members (id, workspace_id, account_id, role)
    values (${memberId}, ${workspaceId}, ${account.id}, ${role})`
  return { ...account, memberId }
}

describe("a workspace", () => {
  test("is renamed and given another slug by an owner or admin, one of two taking it", async () => {
    const { id, owner } = await createWorkspace(server.url)
    const admin = await join(id, "admin")
    const slug = `new-${randomUUID().slice(0, 8)}`
    const changed = await api("PATCH", `/v1/workspaces/${id}`, { cookie: admin.cookie, body: { name: "New", slug } })
    expect([changed.status, changed.body]).toMatchObject([200, { id, name: "New", slug, role: "admin" }])
    const kept = await api("PATCH", `/v1/workspaces/${id}`, { cookie: owner.cookie, body: {} })
    expect(kept.body).toMatchObject({ name: "New", slug, role: "owner" })
    const other = await createWorkspace(server.url)
    const taken = await api("PATCH", `/v1/workspaces/${other.id}`, { cookie: other.owner.cookie, body: { slug } })
    expect([taken.status, taken.body.code]).toEqual([409, "slug_taken"])
  })

  test.each([{ name: "" }, { slug: "Bad Slug" }, { slug: null }, { plan: "pro" }])(
    "refuses the change %j",
    async (body) => {
      const { id, owner } = await createWorkspace(server.url)
      const answer = await api("PATCH", `/v1/workspaces/${id}`, { cookie: owner.cookie, body })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    },
  )
})

test("the open invites of an admin who is removed or leaves are revoked, and those of others stay", async () => {
  const { id, owner, key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key)
  const inviteBy = async (
    by: Pick<CallOptions, "cookie" | "key">,
    fields: object = {},
  ): Promise<{ id: string; token: string }> => {
    const { status, body } = await api("POST", `/v1/workspaces/${id}/invites`, { ...by, body: fields })
    expect(status).toBe(201)
    return { id: body.id, token: tokenIn(body.inviteUrl) }
  }
  const stranger = await signup(server.url)
  const accept = async ({ token }: { token: string }) =>
    (await api("POST", `/v1/invites/${token}/accept`, { cookie: stranger.cookie })).status
  for (const ending of ["removed", "left"] as const) {
    const admin = await join(id, "admin")
    const made = [await inviteBy(admin, { role: "admin" }), await inviteBy(admin, { eventId: event.id, role: "host" })]
    const renewedByOwner = await inviteBy(admin, { email: `${randomUUID()}@example.com` })
    expect(
      (await api("POST", `/v1/workspaces/${id}/invites/${renewedByOwner.id}/resend`, { cookie: owner.cookie })).status,
    ).toBe(200)
    const others = [await inviteBy(owner), await inviteBy({ key })]
    const path = `/v1/workspaces/${id}/members/${ending === "left" ? "me" : admin.memberId}`
    const { cookie } = ending === "left" ? admin : owner
    expect((await api("DELETE", path, { cookie })).status).toBe(204)
    expect(await Promise.all(made.map(accept))).toEqual([409, 409])
    const { invites } = (await api("GET", `/v1/workspaces/${id}/invites`, { cookie: owner.cookie })).body
    const statusOf = (invite: { id: string }): string =>
      invites.find((one: { id: string }) => one.id === invite.id)?.status
    expect([...made, renewedByOwner, ...others].map(statusOf)).toEqual([
      "revoked",
      "revoked",
      "pending",
      "pending",
      "pending",
    ])
  }
})

test("a member who is removed while they host is shown out, and comes back only as a stranger", async () => {
  const { id, key, owner } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key)
  const member = await join(id, "admin")
  const session = await api("POST", `/v1/workspaces/${id}/session`, { cookie: member.cookie })
  const enter = async (role: string): Promise<Client> => {
    const { token } = await gatewayToken(server.url, event.id, session.body.sessionToken)
    const client = new Client(`${server.url.replace("http", "ws")}/v1/gateway`)
    expect((await client.identify(token)).d.me.role).toBe(role)
    return client
  }
  const host = await enter("host")
  const path = `/v1/workspaces/${id}/members/${member.memberId}`
  expect((await api("DELETE", path, { cookie: owner.cookie })).status).toBe(204)
  expect(await host.closeCode()).toBe(4203)
  const again = await api("POST", "/v1/auth/gateway-token", {
    bearer: session.body.sessionToken,
    body: { eventId: event.id },
  })
  expect(again.status).toBe(401)
  const { token } = await gatewayToken(server.url, event.id)
  const stranger = new Client(`${server.url.replace("http", "ws")}/v1/gateway`)
  expect((await stranger.identify(token)).d.me.role).toBe("viewer")
  await stranger.cut()
})

describe("members", () => {
  test("are listed to any of them, newest first, with their primary address", async () => {
    const { id, owner } = await createWorkspace(server.url)
    const member = await join(id, "member")
    const list = await api("GET", `/v1/workspaces/${id}/members`, { cookie: member.cookie })
    expect(list.body.members).toMatchObject([
      { id: member.memberId, accountId: member.id, role: "member", email: member.email, emailVerified: false },
      { accountId: owner.id, role: "owner", email: owner.email },
    ])
    const page = await api("GET", `/v1/workspaces/${id}/members?limit=1`, { cookie: member.cookie })
    expect([page.body.members.length, typeof page.body.nextCursor]).toEqual([1, "string"])
  })

  test("get another role or are removed by an admin; an owner is neither", async () => {
    const { id, owner } = await createWorkspace(server.url)
    const [admin, member] = [await join(id, "admin"), await join(id, "member")]
    const path = `/v1/workspaces/${id}/members`
    const raised = await api("PATCH", `${path}/${member.memberId}`, { cookie: admin.cookie, body: { role: "admin" } })
    expect([raised.status, raised.body.role]).toEqual([200, "admin"])
    const list = await api("GET", path, { cookie: owner.cookie })
    const ownerId = list.body.members.find(({ role }: { role: string }) => role === "owner").id
    const refused = [
      await api("PATCH", `${path}/${ownerId}`, { cookie: admin.cookie, body: { role: "member" } }),
      await api("DELETE", `${path}/${ownerId}`, { cookie: owner.cookie }),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [403, "forbidden"],
      [403, "forbidden"],
    ])
    const asOwner = await api("PATCH", `${path}/${member.memberId}`, { cookie: owner.cookie, body: { role: "owner" } })
    expect([asOwner.status, asOwner.body.code]).toEqual([400, "bad_request"])
    expect((await api("DELETE", `${path}/${member.memberId}`, { cookie: admin.cookie })).status).toBe(204)
    expect((await api("GET", path, { cookie: member.cookie })).status).toBe(404)
    expect((await api("DELETE", `${path}/${member.memberId}`, { cookie: admin.cookie })).status).toBe(404)
  })

  test("of another workspace are not found", async () => {
    const mine = await createWorkspace(server.url)
    const theirs = await createWorkspace(server.url)
    const member = await join(theirs.id, "member")
    const path = `/v1/workspaces/${mine.id}/members/${member.memberId}`
    expect((await api("DELETE", path, { cookie: mine.owner.cookie })).status).toBe(404)
    expect((await api("PATCH", path, { cookie: mine.owner.cookie, body: { role: "admin" } })).status).toBe(404)
  })
})

describe("owners", () => {
  const leave = (id: string, cookie: string) => api("DELETE", `/v1/workspaces/${id}/members/me`, { cookie })

  test("the only one cannot leave; a member can", async () => {
    const { id, owner } = await createWorkspace(server.url)
    const member = await join(id, "member")
    const refused = await leave(id, owner.cookie)
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"])
    expect((await leave(id, member.cookie)).status).toBe(204)
    expect((await leave(id, member.cookie)).status).toBe(404)
  })

  test("make others owners, and of two who leave at once exactly one does", async () => {
    for (let round = 0; round < 5; round++) {
      const { id, owner } = await createWorkspace(server.url)
      const second = await join(id, "member")
      const body = { memberId: second.memberId }
      expect((await api("POST", `/v1/workspaces/${id}/owners`, { cookie: second.cookie, body })).status).toBe(403)
      const made = await api("POST", `/v1/workspaces/${id}/owners`, { cookie: owner.cookie, body })
      expect([made.status, made.body.role]).toEqual([200, "owner"])
      const both = await Promise.all([leave(id, owner.cookie), leave(id, second.cookie)])
      expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409])
    }
  })
})
