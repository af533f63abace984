/** Workspaces: made and changed, their members and owners, keys and sessions. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"

import { type CallOptions, createEvent, createWorkspace, signup, tokenIn } from "../support/api.ts"
import { addMember } from "../support/members.ts"
import { PLATFORM_KEY } from "../support/server.ts"
import { apiOf, sharedRows, sharedServer } from "../support/shared.ts"

const server = sharedServer()

const api = apiOf(server)

describe("a workspace", () => {
  test("comes with a key named default that works, shown this once", async () => {
    const { cookie } = await signup(server.url)
    const slug = `acme-${randomUUID().slice(0, 8)}`
    const answer = await api("POST", "/v1/workspaces", { cookie, body: { name: "Acme", slug } })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ name: "Acme", slug, role: "owner", apiKey: { name: "default" } })
    const { secret, prefix } = answer.body.apiKey
    expect(secret).toMatch(/^gck_[0-9A-Za-z]{43}$/)
    expect(secret.startsWith(prefix)).toBe(true)
    expect((await api("GET", "/v1/events", { key: secret })).status).toBe(200)
    const listed = await api("GET", `/v1/workspaces/${answer.body.id}/api-keys`, { cookie })
    expect(JSON.stringify(listed.body)).not.toContain(secret)
    expect(listed.body.apiKeys[0]).toMatchObject({ name: "default", status: "active", last4: secret.slice(-4) })
  })

  test("with a taken slug is a conflict, also for one of two at once", async () => {
    const { cookie } = await signup(server.url)
    const body = { name: "Acme", slug: `same-${randomUUID().slice(0, 8)}` }
    const both = await Promise.all([1, 2].map(() => api("POST", "/v1/workspaces", { cookie, body })))
    expect(both.map(({ status, body: { code } }) => [status, code]).toSorted()).toEqual([
      [201, undefined],
      [409, "slug_taken"],
    ])
  })

  test("made many times at once under one name gets a slug of its own each time", async () => {
    const { cookie } = await signup(server.url)
    const name = `Same ${randomUUID()}`
    const made = await Promise.all(
      Array.from({ length: 12 }, () => api("POST", "/v1/workspaces", { cookie, body: { name } })),
    )
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 201))
    expect(new Set(made.map(({ body }) => body.slug)).size).toBe(12)
  })

  test("refuses a slug that is reserved, and one of other characters", async () => {
    const { cookie } = await signup(server.url)
    for (const slug of ["Abc", "admin"]) {
      const answer = await api("POST", "/v1/workspaces", { cookie, body: { name: "Acme", slug } })
      await expect([answer.status, answer.body.code], slug).toEqual([400, "bad_request"])
    }
  })

  test("named in another script gets a slug all the same", async () => {
    const { cookie } = await signup(server.url)
    const answer = await api("POST", "/v1/workspaces", { cookie, body: { name: "東京" } })
    expect([answer.status, answer.body.slug]).toEqual([201, expect.stringMatching(/^workspace-[0-9a-f]{6}$/)])
  })

  test("is listed to its members, and all are to the operator, without a role", async () => {
    const mine = await createWorkspace(server.url)
    const theirs = await createWorkspace(server.url)
    const own = await api("GET", "/v1/workspaces", { cookie: mine.owner.cookie })
    const ids = own.body.workspaces.map((workspace: { id: string }) => workspace.id)
    expect([ids.includes(mine.id), ids.includes(theirs.id), ids.length]).toEqual([true, false, 2])
    const all = await api("GET", "/v1/workspaces", { headers: { "x-platform-key": PLATFORM_KEY } })
    const listed = all.body.workspaces.filter(({ id }: { id: string }) => id === mine.id || id === theirs.id)
    expect(listed).toHaveLength(2)
    expect(listed[0]).not.toHaveProperty("role")
    const wrong = await api("GET", "/v1/workspaces", { headers: { "x-platform-key": "x".repeat(36) } })
    expect([wrong.status, wrong.body.code]).toEqual([401, "unauthorized"])
  })

  test("of several is named by x-workspace-id on collections; one alone needs no naming", async () => {
    const account = await signup(server.url)
    expect((await api("GET", "/v1/events", { cookie: account.cookie })).status).toBe(200)
    const second = await createWorkspace(server.url, account)
    expect((await api("GET", "/v1/events", { cookie: account.cookie })).status).toBe(400)
    const named = { "x-workspace-id": second.id }
    expect((await api("GET", "/v1/events", { cookie: account.cookie, headers: named })).status).toBe(200)
    const foreign = await createWorkspace(server.url)
    for (const id of [foreign.id, "not-an-id", randomUUID()]) {
      const answer = await api("GET", "/v1/events", { cookie: account.cookie, headers: { "x-workspace-id": id } })
      expect(answer.status).toBe(404)
    }
    // A key is of one, and names no other.
    for (const [id, status] of [
      [second.id, 200],
      [second.id.toUpperCase(), 200],
      [foreign.id, 404],
      ["nonsense", 404],
    ] as const) {
      const answer = await api("GET", "/v1/events", { key: second.key, headers: { "x-workspace-id": id } })
      expect([id, answer.status]).toEqual([id, status])
    }
  })
})

describe("API keys", () => {
  test("stop working on the very next request after the first delete and are gone after the second", async () => {
    const { id, key, owner } = await createWorkspace(server.url)
    const path = `/v1/workspaces/${id}/api-keys`
    const created = await api("POST", path, { cookie: owner.cookie, body: { name: "ci" } })
    expect([created.status, created.body.name]).toEqual([201, "ci"])
    expect((await api("GET", "/v1/events", { key: created.body.secret })).status).toBe(200)
    expect((await api("DELETE", `${path}/${created.body.id}`, { cookie: owner.cookie })).status).toBe(204)
    expect((await api("GET", "/v1/events", { key: created.body.secret })).body.code).toBe("unauthorized")
    const listed = () => api("GET", path, { cookie: owner.cookie })
    const find = async () => (await listed()).body.apiKeys.find((one: { id: string }) => one.id === created.body.id)
    expect(await find()).toMatchObject({
      status: "revoked",
      revokedAt: expect.any(String),
      lastUsedAt: expect.any(String),
    })
    expect((await api("DELETE", `${path}/${created.body.id}`, { cookie: owner.cookie })).status).toBe(204)
    expect(await find()).toBeUndefined()
    expect((await api("DELETE", `${path}/${created.body.id}`, { cookie: owner.cookie })).status).toBe(404)
    expect((await api("GET", "/v1/events", { key })).status).toBe(200)
  })

  test("of another workspace cannot be deleted through one's own", async () => {
    const mine = await createWorkspace(server.url)
    const theirs = await createWorkspace(server.url)
    const listed = await api("GET", `/v1/workspaces/${theirs.id}/api-keys`, { cookie: theirs.owner.cookie })
    const keyId = listed.body.apiKeys[0].id
    const answer = await api("DELETE", `/v1/workspaces/${mine.id}/api-keys/${keyId}`, { cookie: mine.owner.cookie })
    expect(answer.status).toBe(404)
    expect((await api("GET", "/v1/events", { key: theirs.key })).status).toBe(200)
  })

  test("number at most fifty active ones, exactly, however many are made at once", async () => {
    const { key } = await createWorkspace(server.url)
    /** A busy database asks some to come back, and they do. */
    const make = async (): ReturnType<typeof api> => {
      const answer = await api("POST", "/v1/api-keys", { key, body: {} })
      return answer.status === 503 ? make() : answer
    }
    const made = await Promise.all(Array.from({ length: 60 }, make))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(49)
    expect(made.find(({ status }) => status !== 201)?.body.code).toBe("conflict")
  })

  test("keys that are none are refused even beside a good cookie", async () => {
    const { cookie } = await signup(server.url)
    for (const key of ["gck_short", "not-a-key", `gck_${"0".repeat(43)}`]) {
      const answer = await api("GET", "/v1/events", { key, cookie })
      expect([answer.status, answer.body.code], key).toEqual([401, "unauthorized"])
    }
  })
})

describe("a workspace session", () => {
  test("bridges one participant identity, the same each time", async () => {
    const { cookie, workspaceId, email } = await signup(server.url, "Grace")
    const open = () => api("POST", `/v1/workspaces/${workspaceId}/session`, { cookie })
    const [first, second] = [await open(), await open()]
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ workspaceId, participant: { name: "Grace", email, picture: null } })
    expect(second.body.participant.userId).toBe(first.body.participant.userId)
    expect((await api("GET", "/v1/events", { bearer: first.body.sessionToken })).status).toBe(200)
  })
})

describe("people of a workspace", () => {
  const rows = sharedRows(server)

  const join = (workspaceId: string, role: "member" | "admin") => addMember(server.url, rows, workspaceId, role)

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
      const made = [
        await inviteBy(admin, { role: "admin" }),
        await inviteBy(admin, { eventId: event.id, role: "host" }),
      ]
      const renewedByOwner = await inviteBy(admin, { email: `${randomUUID()}@example.com` })
      expect(
        (await api("POST", `/v1/workspaces/${id}/invites/${renewedByOwner.id}/resend`, { cookie: owner.cookie }))
          .status,
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
      const asOwner = await api("PATCH", `${path}/${member.memberId}`, {
        cookie: owner.cookie,
        body: { role: "owner" },
      })
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
})
