/** The first proof of an address: what somebody made of the account before is taken back. */
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
  PASSWORD,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { startIdentityProvider, type TestIdentityProvider } from "../support/identity-provider.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

const NEW_PASSWORD = "another correct horse"

let idp: TestIdentityProvider
let server: TestServer
let rows: Rows
beforeAll(async () => {
  idp = await startIdentityProvider()
  server = await startTestServer({
    DATABASE_POOL: "12",
    IDP_ISSUER: idp.issuer,
    IDP_CLIENT_ID: idp.clientId,
    IDP_CLIENT_SECRET: idp.clientSecret,
  })
  idp.register(`${server.url}/v1/auth/idp/callback`)
  rows = rowsOf(server.databaseUrl)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
  await idp.close()
})

const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)
const login = ({ email }: Account, password: string) => api("POST", "/v1/accounts/login", { body: { email, password } })
const me = async (cookie: string) => (await api("GET", "/v1/accounts/me", { cookie })).body
const cookieOf = (headers: Headers): string => (headers.get("set-cookie") ?? "").split(";")[0] ?? ""

const resetToken = async ({ email }: Account): Promise<string> =>
  tokenIn((await api("POST", "/v1/accounts/request-password-reset", { body: { email } })).body.resetUrl)
const reset = (token: string) => api("POST", "/v1/accounts/reset-password", { body: { token, password: NEW_PASSWORD } })
const verify = async ({ cookie }: Account) => {
  const { verifyUrl } = (await api("POST", "/v1/accounts/resend-verification", { cookie })).body
  return api("POST", "/v1/accounts/verify", { body: { token: tokenIn(verifyUrl) } })
}

/** The whole way through the provider, as somebody whose address it vouches for; resolves to the session's cookie. */
const signInByProvider = async (email: string): Promise<string> => {
  idp.signInAs({ sub: randomUUID(), email, email_verified: true, name: "Grace" })
  const begun = await fetch(`${server.url}/v1/auth/idp/start`, { redirect: "manual" })
  const back = await idp.walk(begun.headers.get("location") ?? "", `${server.url}/v1/auth/idp/callback`)
  const cookie = (begun.headers.getSetCookie()[0] ?? "").split(";")[0] ?? ""
  const answer = await fetch(back, { redirect: "manual", headers: { cookie } })
  const session = answer.headers.getSetCookie().find((set) => set.startsWith("gc_session="))
  return session?.split(";")[0] ?? ""
}

interface Squatted {
  readonly account: Account
  readonly workspace: Workspace
  readonly admin: Account
  readonly openInvite: string
}

/** An account that somebody made with an address of somebody else: with a key, another admin, and an open invite. */
const squat = async (): Promise<Squatted> => {
  const account = await signup(server.url)
  const workspace = await createWorkspace(server.url, account)
  const admin = await signup(server.url, "Mallory")
  const invites = `/v1/workspaces/${workspace.id}/invites`
  const link = await api("POST", invites, { cookie: account.cookie, body: { role: "admin" } })
  await api("POST", `/v1/invites/${tokenIn(link.body.inviteUrl)}/accept`, { cookie: admin.cookie })
  const open = await api("POST", invites, { key: workspace.key, body: { email: `${randomUUID()}@example.com` } })
  return { account, workspace, admin, openInvite: tokenIn(open.body.inviteUrl) }
}

const reach = async ({ workspace, admin, openInvite }: Squatted) => ({
  key: (await api("GET", "/v1/events", { key: workspace.key })).status,
  admin: (await api("GET", `/v1/workspaces/${workspace.id}/members`, { cookie: admin.cookie })).status,
  invite: (await api("GET", `/v1/invites/${openInvite}`)).body.status,
})
const UNTOUCHED = { key: 200, admin: 200, invite: "pending" }
const TAKEN_BACK = { key: 401, admin: 404, invite: "revoked" }

const emailOfIt = async ({ email }: Account) =>
  (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails.filter(({ subject }: { subject: string }) =>
    subject.includes("was revoked"),
  )

describe("the first reset of an address that nobody proved", () => {
  test("takes back keys, invites and members made before; the email and the audit log say which", async () => {
    const squatted = await squat()
    const { account, workspace } = squatted
    expect(await reach(squatted)).toEqual(UNTOUCHED)
    expect((await reset(await resetToken(account))).body).toEqual({ reset: true })
    expect(await reach(squatted)).toEqual(TAKEN_BACK)

    const [letter, ...more] = await emailOfIt(account)
    expect(more).toEqual([])
    for (const part of [
      "API key revoked: default (gck_",
      "Invitation revoked:",
      `Member removed: Mallory (${squatted.admin.email})`,
    ])
      expect(letter.text).toContain(part)
    const cookie = cookieOf((await login(account, NEW_PASSWORD)).headers)
    const { entries } = (await api("GET", `/v1/workspaces/${workspace.id}/audit`, { cookie })).body
    const acts = entries
      .filter(({ actor }: { actor: { id: string } }) => actor.id === account.id)
      .map(({ action }: { action: string }) => action)
    expect(acts.slice(0, 3).toSorted()).toEqual(["api_key.deleted", "invite.revoked", "member.removed"])
    expect((await api("GET", `/v1/workspaces/${workspace.id}/members`, { cookie })).body.members).toHaveLength(1)
  })

  test("closes the sockets of removed members, and ends their roles on events", async () => {
    const squatted = await squat()
    const { account, workspace, admin } = squatted
    const event = await createLiveEvent(server.url, workspace.key, { visibility: "private" })
    const guest = await signup(server.url, "Guest")
    const link = await api("POST", `/v1/workspaces/${workspace.id}/invites`, {
      key: workspace.key,
      body: { eventId: event.id, role: "host" },
    })
    await api("POST", `/v1/invites/${tokenIn(link.body.inviteUrl)}/accept`, { cookie: guest.cookie })
    const sockets = await Promise.all(
      [admin, guest].map(async ({ cookie }) => {
        const { body } = await api("POST", `/v1/workspaces/${workspace.id}/session`, { cookie })
        const socket = new Client(`${server.url.replace("http", "ws")}/v1/gateway`)
        await socket.identify((await gatewayToken(server.url, event.id, body.sessionToken)).token)
        return socket
      }),
    )
    await reset(await resetToken(account))
    expect(await Promise.all(sockets.map((socket) => socket.closeCode()))).toEqual([4203, 4203])
    const again = await api("POST", `/v1/workspaces/${workspace.id}/session`, { cookie: guest.cookie })
    expect(again.status).toBe(404)
  })

  test("disables webhooks and revokes integrations too: another person would go on receiving them", async () => {
    const { account, workspace } = await squat()
    const webhook = await api("POST", "/v1/webhooks", { key: workspace.key, body: { url: "http://127.0.0.1:9/hook" } })
    const integration = await api("POST", `/v1/workspaces/${workspace.id}/guest-integrations`, {
      key: workspace.key,
      body: { issuer: "https://partner.example", jwksUrl: "https://partner.example/jwks.json" },
    })
    expect([webhook.status, integration.status]).toEqual([201, 201])
    await reset(await resetToken(account))
    const states = await rows.run(
      `select (select status from webhook_endpoints where id = $1) as webhook,
              (select revoked_at is not null from guest_integrations where id = $2) as revoked`,
      [webhook.body.id, integration.body.id],
    )
    expect(states[0]).toEqual({ webhook: "disabled", revoked: true })
  })

  test("leaves a workspace alone that others founded, and everything made afterwards", async () => {
    const theirs = await squat()
    const guest = await signup(server.url)
    const link = await api("POST", `/v1/workspaces/${theirs.workspace.id}/invites`, {
      key: theirs.workspace.key,
      body: { role: "admin" },
    })
    await api("POST", `/v1/invites/${tokenIn(link.body.inviteUrl)}/accept`, { cookie: guest.cookie })
    const { members } = (
      await api("GET", `/v1/workspaces/${theirs.workspace.id}/members`, { cookie: theirs.account.cookie })
    ).body
    const memberId = members.find(({ accountId }: { accountId: string }) => accountId === guest.id).id
    await api("POST", `/v1/workspaces/${theirs.workspace.id}/owners`, {
      cookie: theirs.account.cookie,
      body: { memberId },
    })
    await reset(await resetToken(guest))
    expect(await reach(theirs)).toEqual(UNTOUCHED)
    expect(await emailOfIt(guest)).toEqual([])
    const cookie = cookieOf((await login(guest, NEW_PASSWORD)).headers)
    const made = await createWorkspace(server.url, { ...guest, cookie })
    await reset(await resetToken(guest))
    expect((await api("GET", "/v1/events", { key: made.key })).status).toBe(200)
  })

  test("happens once, also for several resets at once", async () => {
    const squatted = await squat()
    const tokens = [await resetToken(squatted.account), await resetToken(squatted.account)]
    const answers = await Promise.all(tokens.map(reset))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(await reach(squatted)).toEqual(TAKEN_BACK)
    expect(await emailOfIt(squatted.account)).toHaveLength(1)
  })

  test("leaves no key, invite, webhook, integration, role or member that is being made at the same moment", async () => {
    const { account, workspace, admin } = await squat()
    const invites = `/v1/workspaces/${workspace.id}/invites`
    const keys = `/v1/workspaces/${workspace.id}/api-keys`
    const link = await api("POST", invites, { key: workspace.key, body: {} })
    const late = await signup(server.url, "Late")
    const event = await createEvent(server.url, workspace.key)
    const user = await api("POST", "/v1/users", {
      key: workspace.key,
      body: { externalSub: randomUUID(), name: "Ada" },
    })
    const hook = await api("POST", "/v1/webhooks", { key: workspace.key, body: { url: "http://127.0.0.1:9/hook" } })
    const byCookie = { cookie: admin.cookie, headers: { "x-workspace-id": workspace.id } }
    const token = await resetToken(account)
    const held = rowsOf(server.databaseUrl)
    await held.run("begin")
    await held.run("select 1 from workspaces where id = $1 for no key update", [workspace.id])
    /** Statements that wait for the workspace's row, or for somebody who does. */
    const waiting = (count: number) =>
      eventually(async () => {
        const found = await rows.run(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        return found.length >= count
      }, `${count} statements waiting`)
    const resetting = reset(token)
    await waiting(1)
    // All of them were let in before the reset is committed.
    const making = [
      api("POST", "/v1/api-keys", { key: workspace.key, body: {} }),
      api("POST", keys, { cookie: account.cookie, body: {} }),
      api("POST", keys, { cookie: admin.cookie, body: {} }),
      api("POST", invites, { cookie: account.cookie, body: {} }),
      api("POST", invites, { key: workspace.key, body: { role: "admin" } }),
      api("POST", "/v1/webhooks", { ...byCookie, body: { url: "http://127.0.0.1:9/late" } }),
      api("PATCH", `/v1/webhooks/${hook.body.id}`, { key: workspace.key, body: { status: "active" } }),
      api("POST", `/v1/workspaces/${workspace.id}/guest-integrations`, {
        cookie: admin.cookie,
        body: { issuer: "https://late.example", jwksUrl: "https://late.example/jwks.json" },
      }),
      api("POST", `/v1/events/${event.id}/memberships`, { ...byCookie, body: { userId: user.body.id, role: "host" } }),
    ]
    const accepting = api("POST", `/v1/invites/${tokenIn(link.body.inviteUrl)}/accept`, { cookie: late.cookie })
    await waiting(2 + making.length)
    await held.run("rollback")
    await held.end()
    expect((await resetting).status).toBe(200)
    // The reset revoked the invite first.
    expect((await accepting).status).toBe(409)
    const made = await Promise.all(making)
    expect(made.map(({ status }) => status).toSorted()).toEqual(Array(making.length).fill(401))
    const left = await rows.run(
      `select (select count(*)::integer from api_keys where workspace_id = $1 and revoked_at is null) as keys,
              (select count(*)::integer from invites where workspace_id = $1 and status = 'pending') as invites,
              (select count(*)::integer from workspace_members where workspace_id = $1) as members,
              (select count(*)::integer from webhook_endpoints where workspace_id = $1 and status = 'active') as webhooks,
              (select count(*)::integer from guest_integrations where workspace_id = $1 and revoked_at is null) as integrations,
              (select count(*)::integer from memberships where event_id = $2) as roles`,
      [workspace.id, event.id],
    )
    expect(left[0]).toEqual({ keys: 0, invites: 0, members: 1, webhooks: 0, integrations: 0, roles: 0 })
  })
})

describe("an address that is proved", () => {
  test("by its ordinary link takes nothing back, and no later reset does", async () => {
    const squatted = await squat()
    expect((await verify(squatted.account)).status).toBe(200)
    expect(await reach(squatted)).toEqual(UNTOUCHED)
    await reset(await resetToken(squatted.account))
    expect(await reach(squatted)).toEqual(UNTOUCHED)
    expect(await emailOfIt(squatted.account)).toEqual([])
  })
})

describe("the first sign-in by the provider", () => {
  test("takes over an account that nobody proved: everything made before goes, a password and logins among it", async () => {
    const squatted = await squat()
    const { account } = squatted
    const session = await signInByProvider(account.email)
    const view = await me(session)
    expect([view.account.id, view.account.emailVerified]).toEqual([account.id, true])
    expect(await reach(squatted)).toEqual(TAKEN_BACK)
    expect((await api("GET", "/v1/accounts/me", { cookie: account.cookie })).status).toBe(401)
    expect((await login(account, PASSWORD)).status).toBe(401)
    expect(await emailOfIt(account)).toHaveLength(1)
  })

  test("takes nothing back of an account that proved it", async () => {
    const squatted = await squat()
    await verify(squatted.account)
    expect((await me(await signInByProvider(squatted.account.email))).account.id).toBe(squatted.account.id)
    expect(await reach(squatted)).toEqual(UNTOUCHED)
    expect((await login(squatted.account, PASSWORD)).status).toBe(200)
  })

  test("and a reset at the same moment take it back once", async () => {
    const squatted = await squat()
    const token = await resetToken(squatted.account)
    const [, answer] = await Promise.all([signInByProvider(squatted.account.email), reset(token)])
    expect([200, 400]).toContain(answer.status)
    expect(await reach(squatted)).toEqual(TAKEN_BACK)
    expect(await emailOfIt(squatted.account)).toHaveLength(1)
  })
})

test("an event of the account stays as it is", async () => {
  const { account, workspace } = await squat()
  const event = await createEvent(server.url, workspace.key)
  await reset(await resetToken(account))
  const cookie = cookieOf((await login(account, NEW_PASSWORD)).headers)
  expect((await api("GET", `/v1/events/${event.id}`, { cookie })).status).toBe(200)
})
