/** Credentials and rights that change or end while they are used. */

import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type Account, type Answer, call, createEvent, PASSWORD, signup, tokenIn } from "../support/api.ts"
import { addMember, type Member } from "../support/members.ts"
import { whileHolding } from "../support/race.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const api = apiOf(server)
const rows = sharedRows(server)

const NEW_PASSWORD = "another correct horse"

const login = ({ email }: Account, password: string) => api("POST", "/v1/accounts/login", { body: { email, password } })
const CHANGED_PASSWORD = "the thief's own choice"
const change = ({ cookie }: Account, password = CHANGED_PASSWORD) =>
  api("POST", "/v1/accounts/password", { cookie, body: { currentPassword: PASSWORD, password } })
const resetToken = async ({ email }: Account): Promise<string> => {
  const { resetUrl } = (await api("POST", "/v1/accounts/request-password-reset", { body: { email } })).body
  return tokenIn(resetUrl)
}
const reset = (token: string) => api("POST", "/v1/accounts/reset-password", { body: { token, password: NEW_PASSWORD } })

/** Does the act with the account's credentials changed, and not committed, until the act waits for them. */
const whileChanging = <A>({ id }: Account, act: () => Promise<A>): Promise<A> => {
  const change = "update accounts set credentials_version = credentials_version + 1 where id = $1"
  return whileHolding(server.databaseUrl, [[change, [id]]], act)
}

describe("credentials that change while they are used", () => {
  test("give a login under way no session", async () => {
    const account = await signup(server.url)
    const answer = await whileChanging(account, () => login(account, PASSWORD))
    expect([answer.status, answer.body.code, answer.headers.get("set-cookie")]).toEqual([401, "unauthorized", null])
    expect((await login(account, PASSWORD)).status).toBe(200)
  })

  test("let a change of the password under way change nothing", async () => {
    const account = await signup(server.url)
    const answer = await whileChanging(account, () => change(account))
    expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    expect((await login(account, PASSWORD)).status).toBe(200)
  })
})

test("of a reset and a change at the same moment one wins, and the other is refused or comes last", async () => {
  for (let round = 0; round < 8; round++) {
    const account = await signup(server.url)
    const token = await resetToken(account)
    const [resetting, changing] = await Promise.all([reset(token), change(account)])
    // 400: a change of the password ends the links that were asked for before it.
    expect([200, 400]).toContain(resetting.status)
    // 401: its session has ended; 403: that was still open when it was looked up, and its password is not the present one any more.
    expect([200, 401, 403]).toContain(changing.status)
    expect([resetting.status, changing.status]).toContain(200)
    const isReset = resetting.status === 200
    const { status } = await api("GET", "/v1/accounts/me", { cookie: account.cookie })
    const password = isReset ? NEW_PASSWORD : CHANGED_PASSWORD
    expect([(await login(account, password)).status, status]).toEqual([200, isReset ? 401 : 200])
  }
})

test("a change of the password ends reset links that were asked for before, and so does whoever signs out another login", async () => {
  const account = await signup(server.url)
  const token = await resetToken(account)
  expect((await change(account, PASSWORD)).status).toBe(200)
  expect((await reset(token)).body.code).toBe("invalid_token")
  const again = await resetToken(account)
  const other = { email: account.email, password: PASSWORD }
  await api("POST", "/v1/accounts/login", { body: other })
  const { sessions } = (await api("GET", "/v1/accounts/sessions", { cookie: account.cookie })).body
  const { id } = sessions.find(({ current }: { current: boolean }) => !current)
  expect((await api("DELETE", `/v1/accounts/sessions/${id}`, { cookie: account.cookie })).status).toBe(204)
  expect((await reset(again)).body.code).toBe("invalid_token")
  expect((await login(account, PASSWORD)).status).toBe(200)
})

const acme = sharedWorkspace(server)

const makeKey = async (body: object = {}): Promise<{ readonly id: string; readonly secret: string }> =>
  (await call(server.url, "POST", "/v1/api-keys", { key: acme.key, body })).body
const use = async (secret: string): Promise<number> =>
  (await call(server.url, "GET", "/v1/events", { key: secret })).status
const remove = async (id: string): Promise<number> =>
  (await call(server.url, "DELETE", `/v1/workspaces/${acme.id}/api-keys/${id}`, { cookie: acme.owner.cookie })).status

interface Use {
  readonly begun: number
  readonly answered: number
  readonly status: number
}

/** Uses the key again and again, so many requests at a time, until `body` is done; resolves to all uses. */
const whileUsed = async (
  secret: string,
  body: (uses: ReadonlyArray<Use>) => Promise<void>,
  atOnce = 4,
): Promise<ReadonlyArray<Use>> => {
  const uses: Use[] = []
  let isOver = false
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const begun = Date.now()
      const status = await use(secret)
      uses.push({ begun, answered: Date.now(), status })
    }
  }
  const workers = Promise.all(Array.from({ length: atOnce }, worker))
  try {
    await body(uses)
  } finally {
    isOver = true
    await workers
  }
  return uses
}

describe("an API key", () => {
  test("that is revoked while it is in use fails on every request begun after the revocation's answer", async () => {
    for (let round = 0; round < 10; round++) {
      const { id, secret } = await makeKey()
      let revokedAt = 0
      const uses = await whileUsed(secret, async (soFar) => {
        await eventually(() => soFar.length > 8)
        expect(await remove(id)).toBe(204)
        revokedAt = Date.now()
        await eventually(() => soFar.filter(({ begun }) => begun > revokedAt).length > 8)
      })
      const after = uses.filter(({ begun }) => begun > revokedAt)
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
    }
  })

  test("that expires while it is in use works until then and fails from then on", async () => {
    const end = Date.now() + 1_500
    const { secret } = await makeKey({ expiresAt: new Date(end).toISOString() })
    const all = await whileUsed(secret, (uses) => eventually(() => uses.some(({ begun }) => begun > end)), 1)
    expect(new Set(all.filter(({ answered }) => answered < end).map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(all.filter(({ begun }) => begun > end).map(({ status }) => status))).toEqual(new Set([401]))
  })

  test("that an operator's SQL takes away fails within ten seconds", async () => {
    const { id, secret } = await makeKey()
    expect(await use(secret)).toBe(200)
    await rows.run("delete from api_keys where id = $1", [id])
    const since = performance.now()
    await eventually(async () => (await use(secret)) === 401)
    // timed: twice the time for which a key is remembered.
    expect(performance.now() - since).toBeLessThan(10_000)
  })

  test("that nobody made is refused, however often it is tried", async () => {
    const secret = `gck_${"x".repeat(43)}`
    for (let n = 0; n < 3; n++) expect(await use(secret)).toBe(401)
    const made = await makeKey()
    expect([await use(made.secret), await use(`${made.secret}x`), await use(made.secret)]).toEqual([200, 401, 200])
  })

  test("is written down as used, once a minute at most", async () => {
    const { id, secret } = await makeKey()
    const lastUsed = async () => (await rows.run("select last_used_at from api_keys where id = $1", [id]))[0]
    expect(await use(secret)).toBe(200)
    const first = await lastUsed()
    expect(first).toMatchObject({ last_used_at: expect.anything() })
    expect(await use(secret)).toBe(200)
    expect(await lastUsed()).toEqual(first)
  })
})

const house = sharedWorkspace(server)

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
