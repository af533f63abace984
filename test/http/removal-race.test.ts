/** A member who is removed while they act: the act waits for the removal, and is refused then. A key that is revoked likewise. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type Answer, createEvent, signup, tokenIn } from "../support/api.ts"
import { addMember, type Member } from "../support/members.ts"
import { whileHolding } from "../support/race.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const house = sharedWorkspace(server)

const api = apiOf(server)

const join = (role: "member" | "admin" | "owner") => addMember(server.url, rows, house.id, role)
const sessionOf = async ({ cookie }: Member): Promise<string> =>
  (await api("POST", `/v1/workspaces/${house.id}/session`, { cookie })).body.sessionToken

/** Runs the statement under the lock of the workspace's row, and commits once the act waits for that. */
const whileRemoving = (statement: string, id: string, act: () => Promise<Answer>): Promise<Answer> => {
  const lock = "select 1 from workspaces where id = $1 for no key update"
  const statements = [[lock, [house.id]] as const, [statement, [id]] as const]
  return whileHolding(server.databaseUrl, statements, act)
}

const REMOVAL = "delete from workspace_members where id = $1"
const members = () => `/v1/workspaces/${house.id}/members`

describe("a member who is removed meanwhile", () => {
  test("makes no event, and hosts none", async () => {
    const member = await join("member")
    const session = await sessionOf(member)
    const title = `Late ${randomUUID()}`
    const body = { type: "webinar", title, phases: [{ modality: "broadcast" }] }
    const answer = await whileRemoving(REMOVAL, member.memberId, () =>
      api("POST", "/v1/events", { bearer: session, body }),
    )
    expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    expect(await rows.run("select 1 from events where title = $1", [title])).toHaveLength(0)
  })

  test("learns no new secret of a webhook, and replaces none", async () => {
    const member = await join("member")
    const session = await sessionOf(member)
    const made = await api("POST", "/v1/webhooks", { key: house.key, body: { url: "https://example.com/hook" } })
    const sealed = async () =>
      (await rows.run("select secret_sealed from webhook_endpoints where id = $1", [made.body.id]))[0]?.[
        "secret_sealed"
      ]
    const before = await sealed()
    const answer = await whileRemoving(REMOVAL, member.memberId, () =>
      api("POST", `/v1/webhooks/${made.body.id}/rotate-secret`, { bearer: session }),
    )
    expect([answer.status, answer.body.secret]).toEqual([401, undefined])
    expect(await sealed()).toEqual(before)
  })

  test("takes nobody's role on an event", async () => {
    const member = await join("member")
    const session = await sessionOf(member)
    const event = await createEvent(server.url, house.key)
    const user = await api("POST", "/v1/users", { key: house.key, body: { externalSub: randomUUID() } })
    const memberships = `/v1/events/${event.id}/memberships`
    const given = await api("POST", memberships, { key: house.key, body: { userId: user.body.id, role: "host" } })
    const answer = await whileRemoving(REMOVAL, member.memberId, () =>
      api("DELETE", `${memberships}/${given.body.id}`, { bearer: session }),
    )
    expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    expect((await api("GET", memberships, { key: house.key })).body.memberships).toHaveLength(1)
  })

  test("renews nobody's invite", async () => {
    const admin = await join("admin")
    const invites = `/v1/workspaces/${house.id}/invites`
    const made = await api("POST", invites, { cookie: house.owner.cookie, body: { role: "admin" } })
    const answer = await whileRemoving(REMOVAL, admin.memberId, () =>
      api("POST", `${invites}/${made.body.id}/resend`, { cookie: admin.cookie }),
    )
    expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    const token = tokenIn(made.body.inviteUrl)
    const preview = await api("GET", `/v1/invites/${token}`)
    expect([preview.status, preview.body.status]).toEqual([200, "pending"])
  })

  test("accepts no invite of their own", async () => {
    const admin = await join("admin")
    const made = await api("POST", `/v1/workspaces/${house.id}/invites`, {
      cookie: admin.cookie,
      body: { role: "admin" },
    })
    const token = tokenIn(made.body.inviteUrl)
    const lock = "select 1 from workspaces where id = $1 for no key update"
    const answer = await whileHolding(
      server.databaseUrl,
      [
        [lock, [house.id]],
        [REMOVAL, [admin.memberId]],
        ["update invites set status = 'revoked' where id = $1", [made.body.id]],
      ],
      () => api("POST", `/v1/invites/${token}/accept`, { cookie: admin.cookie }),
    )
    expect([answer.status, answer.body.code]).toEqual([409, "conflict"])
    expect(
      await rows.run("select 1 from workspace_members where account_id = $1 and workspace_id = $2", [
        admin.id,
        house.id,
      ]),
    ).toHaveLength(0)
  })

  test("is removed however often they accept invites of their own at that moment", async () => {
    for (let round = 0; round < 3; round++) {
      const admin = await join("admin")
      const tokens: string[] = []
      for (let n = 0; n < 6; n++) {
        const made = await api("POST", `/v1/workspaces/${house.id}/invites`, {
          cookie: admin.cookie,
          body: { role: "admin" },
        })
        tokens.push(tokenIn(made.body.inviteUrl))
      }
      let isOver = false
      const accepting = tokens.map(async (token) => {
        while (!isOver) await api("POST", `/v1/invites/${token}/accept`, { cookie: admin.cookie })
      })
      const removed = await api("DELETE", `${members()}/${admin.memberId}`, { cookie: house.owner.cookie })
      isOver = true
      await Promise.all(accepting)
      expect(removed.status).toBe(204)
      expect(await rows.run("select 1 from workspace_members where id = $1", [admin.memberId])).toHaveLength(0)
    }
  })

  test.each([
    ["gives nobody another role", "PATCH"],
    ["removes nobody", "DELETE"],
  ])("%s", async (_name, method) => {
    const admin = await join("admin")
    const other = await join("member")
    const answer = await whileRemoving(REMOVAL, admin.memberId, () =>
      api(method, `${members()}/${other.memberId}`, {
        cookie: admin.cookie,
        ...(method === "PATCH" && { body: { role: "admin" } }),
      }),
    )
    expect(answer.status).toBe(401)
    const [row] = await rows.run("select role from workspace_members where id = $1", [other.memberId])
    expect(row?.["role"]).toBe("member")
  })
})

test("an owner who is made a member meanwhile makes nobody an owner", async () => {
  const owner = await join("owner")
  const other = await join("member")
  const demotion = "update workspace_members set role = 'admin' where id = $1"
  const answer = await whileRemoving(demotion, owner.memberId, () =>
    api("POST", `/v1/workspaces/${house.id}/owners`, { cookie: owner.cookie, body: { memberId: other.memberId } }),
  )
  expect(answer.status).toBe(401)
  const [row] = await rows.run("select role from workspace_members where id = $1", [other.memberId])
  expect(row?.["role"]).toBe("member")
})

test("of a key that is made, and its maker that is revoked with all it made, at the same moment none is left active", async () => {
  for (let round = 0; round < 10; round++) {
    const maker = await api("POST", "/v1/api-keys", { key: house.key, body: { name: "maker" } })
    const [made, revoked] = await Promise.all([
      api("POST", "/v1/api-keys", { key: maker.body.secret, body: { name: "made" } }),
      api("DELETE", `/v1/workspaces/${house.id}/api-keys/${maker.body.id}?cascade=true`, {
        cookie: house.owner.cookie,
      }),
    ])
    expect(revoked.status).toBe(200)
    expect([201, 401]).toContain(made.status)
    const active = "select 1 from api_keys where created_by_key_id = $1 and revoked_at is null"
    expect(await rows.run(active, [maker.body.id])).toHaveLength(0)
  }
})

test("a workspace is not made with a session that ends meanwhile", async () => {
  const account = await signup(server.url)
  const name = `Late ${randomUUID()}`
  const lock = "select 1 from accounts where id = $1 for no key update"
  const end = "delete from account_sessions where account_id = $1"
  const statements = [[lock, [account.id]] as const, [end, [account.id]] as const]
  const answer = await whileHolding(server.databaseUrl, statements, () =>
    api("POST", "/v1/workspaces", { cookie: account.cookie, body: { name } }),
  )
  expect(answer.status).toBe(401)
  expect(await rows.run("select 1 from workspaces where name = $1", [name])).toHaveLength(0)
})
