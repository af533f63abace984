import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { createWorkspace, signup } from "../support/api.ts"
import { PLATFORM_KEY } from "../support/server.ts"
import { apiOf, sharedServer } from "../support/shared.ts"

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

  test.each(["ab", "-abc", "abc-", "Abc", "a_b_c", "x".repeat(49), "admin", ""])(
    "refuses the slug %j",
    async (slug) => {
      const { cookie } = await signup(server.url)
      const answer = await api("POST", "/v1/workspaces", { cookie, body: { name: "Acme", slug } })
      await expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    },
  )

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

  test("are made by another key for its own workspace", async () => {
    const { key, id, owner } = await createWorkspace(server.url)
    const made = await api("POST", "/v1/api-keys", { key, body: {} })
    expect([made.status, made.body.name, made.body.secret]).toEqual([201, null, expect.stringMatching(/^gck_/)])
    const listed = await api("GET", `/v1/workspaces/${id}/api-keys`, { cookie: owner.cookie })
    expect(listed.body.apiKeys).toHaveLength(2)
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

  test.each(["gck_short", "not-a-key", `gck_${"0".repeat(43)}`])(
    "%j is refused even beside a good cookie",
    async (key) => {
      const { cookie } = await signup(server.url)
      const answer = await api("GET", "/v1/events", { key, cookie })
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    },
  )
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

  test("is for members only; others see no such workspace", async () => {
    const { workspaceId } = await signup(server.url)
    const stranger = await signup(server.url)
    for (const id of [workspaceId, randomUUID(), "nonsense"]) {
      const answer = await api("POST", `/v1/workspaces/${id}/session`, { cookie: stranger.cookie })
      expect([answer.status, answer.body.code]).toEqual([404, "not_found"])
    }
  })
})
