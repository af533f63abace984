/** What wants a fresh sign-in, and accounts that are deleted. */

import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type Account,
  createEvent,
  createLiveEvent,
  createWorkspace,
  gatewayToken,
  type Json,
  PASSWORD,
  problemOf,
  signup,
  tokenIn,
} from "../support/api.ts"
import { codeOf, setUpTotp } from "../support/second-factor.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { tablesWith } from "../support/traces.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const api = apiOf(server)

const PROOF = "/v1/accounts/proof"
const REFUSED = [403, "fresh_sign_in_required"]
const LOGIN = {
  name: "Login",
  issuer: "https://login.invalid",
  clientId: "c",
  clientSecret: "s",
  domains: ["example.com"],
}

/** As if the account had signed in, and proved itself, so long ago. */
const age = ({ id }: Pick<Account, "id">, minutes: number) =>
  rows.run(
    `update account_sessions set created_at = created_at - make_interval(mins => $1),
            proved_at = proved_at - make_interval(mins => $1) where account_id = $2`,
    [minutes, id],
  )
const prove = ({ cookie }: Pick<Account, "cookie">, body: object) => api("POST", PROOF, { cookie, body })

describe("without a fresh sign-in", () => {
  test("keys, owners, exports, files, second factors, connections and ends of workspaces are refused, and nothing else", async () => {
    const acme = await createWorkspace(server.url)
    const { cookie, id } = acme.owner
    const path = `/v1/workspaces/${acme.id}`
    const event = await createEvent(server.url, acme.key)
    const user = (await api("POST", "/v1/users", { key: acme.key, body: { externalSub: "ada" } })).body
    const bearer = (await api("POST", `${path}/session`, { cookie })).body.sessionToken
    const bob = await signup(server.url, "Bob")
    const { inviteUrl } = (await api("POST", `${path}/invites`, { cookie, body: { role: "member" } })).body
    await api("POST", `/v1/invites/${tokenIn(inviteUrl)}/accept`, { cookie: bob.cookie })
    const { members } = (await api("GET", `${path}/members`, { cookie })).body
    const memberId = members.find(({ accountId }: Json) => accountId === bob.id).id
    const { slug } = (await api("PATCH", path, { cookie, body: {} })).body
    await age({ id }, 11)
    const guarded: ReadonlyArray<readonly [string, string, object?]> = [
      ["POST", "/v1/workspaces", { name: "Another" }],
      ["POST", `${path}/api-keys`, { name: "mine" }],
      ["POST", `${path}/owners`, { memberId }],
      ["GET", `/v1/users/${user.id}/export`],
      ["GET", `${path}/registrants/export?email=ada@example.com`],
      ["GET", `${path}/guests/export?issuer=https://a.example&subject=ada`],
      ["POST", `${path}/guests/export`, { issuer: "https://a.example", subject: "ada" }],
      ["GET", "/v1/accounts/me/export"],
      ["GET", `/v1/events/${event.id}/registrations?format=csv`],
      ["GET", `/v1/events/${event.id}/registrations?format=json&format=csv`],
      ["GET", `/v1/events/${event.id}/attendance?format=csv`],
      ["GET", `${path}/audit?format=csv`],
      ["GET", `/v1/events/${event.id}/memberships?format=csv`],
      ["POST", "/v1/accounts/mfa/totp"],
      ["DELETE", "/v1/accounts/mfa/totp"],
      ["POST", "/v1/accounts/mfa/recovery-codes"],
      ["PATCH", path, { requireMfa: false }],
      ["PATCH", path, { sso: "required" }],
      ["POST", `${path}/connections`, LOGIN],
      ["PATCH", `${path}/connections/${randomUUID()}`, { name: "Mine" }],
      ["POST", `${path}/connections/${randomUUID()}/check`],
      ["DELETE", `${path}/connections/${randomUUID()}`],
      ["DELETE", path, { slug }],
    ]
    const options = (body?: object) => (body === undefined ? { cookie } : { cookie, body })
    for (const [method, address, body] of guarded) {
      expect([address, ...problemOf(await api(method, address, options(body)))]).toEqual([address, ...REFUSED])
    }
    expect(problemOf(await api("GET", `/v1/events/${event.id}/registrations?format=csv`, { bearer }))).toEqual(REFUSED)
    for (const address of [`${path}/members`, `/v1/events/${event.id}/registrations`, "/v1/accounts/me"]) {
      expect((await api("GET", address, { cookie })).status).toBe(200)
    }
    expect((await api("PATCH", path, { cookie, body: { name: "Acme again" } })).status).toBe(200)
    // Keys have no holder who could be asked.
    const { key } = acme
    expect((await api("POST", "/v1/api-keys", { key, body: {} })).status).toBe(201)
    expect((await api("GET", `/v1/users/${user.id}/export`, { key })).status).toBe(200)
    expect((await api("GET", `/v1/events/${event.id}/registrations?format=csv`, { key })).status).toBe(200)
    expect((await prove({ cookie }, { password: PASSWORD })).body).toEqual({ proved: true })
    for (const [method, address, body] of guarded) {
      const [status, code] = problemOf(await api(method, address, options(body)))
      expect([address, status, code]).not.toEqual([address, ...REFUSED])
    }
    expect((await api("GET", `${path}/members`, { cookie })).status).toBe(404)
  })

  test("strangers and lower roles are refused as ever", async () => {
    const acme = await createWorkspace(server.url)
    const stranger = await signup(server.url)
    await age(stranger, 11)
    const path = `/v1/workspaces/${acme.id}/api-keys`
    expect(problemOf(await api("POST", path, { cookie: stranger.cookie, body: {} }))).toEqual([404, "not_found"])
    expect(problemOf(await api("POST", path, { body: {} }))).toEqual([401, "unauthorized"])
  })

  test("an account without a password, or with a second factor, is not deleted", async () => {
    const nameless = await signup(server.url)
    await rows.run("update accounts set password_hash = null where id = $1", [nameless.id])
    await age(nameless, 11)
    const remove = ({ cookie }: Account, password: string | null) =>
      api("DELETE", "/v1/accounts/me", { cookie, body: { password } })
    expect(problemOf(await remove(nameless, null))).toEqual(REFUSED)
    const careful = await signup(server.url)
    const { secret } = await setUpTotp(server.url, careful)
    await age(careful, 11)
    expect(problemOf(await remove(careful, PASSWORD))).toEqual(REFUSED)
    expect((await prove(careful, { code: codeOf(secret, 1) })).status).toBe(200)
    const { workspaces } = (await api("GET", "/v1/accounts/me", careful)).body
    for (const { id, slug } of workspaces) {
      await api("DELETE", `/v1/workspaces/${id}`, { cookie: careful.cookie, body: { slug } })
    }
    expect((await remove(careful, PASSWORD)).status).toBe(204)
  })
})

describe("proving", () => {
  test("by the password makes this session fresh for ten minutes, and no other", async () => {
    const account = await signup(server.url)
    const again = await api("POST", "/v1/accounts/login", { body: { email: account.email, password: PASSWORD } })
    const other = again.headers.get("set-cookie")?.split(";")[0] ?? ""
    const shown = async (cookie: string) => (await api("GET", PROOF, { cookie })).body
    expect(await shown(account.cookie)).toEqual({ fresh: true, methods: ["password"] })
    await age(account, 10)
    expect(await shown(account.cookie)).toEqual({ fresh: false, methods: ["password"] })
    expect((await prove(account, { password: PASSWORD })).status).toBe(200)
    expect([(await shown(account.cookie)).fresh, (await shown(other)).fresh]).toEqual([true, false])
    await age(account, 9)
    expect((await shown(account.cookie)).fresh).toBe(true)
    await age(account, 1)
    expect((await shown(account.cookie)).fresh).toBe(false)
  })

  test("of an account with a second factor takes a code, each once, and not the password", async () => {
    const account = await signup(server.url)
    const { secret, recoveryCodes } = await setUpTotp(server.url, account)
    expect((await api("GET", PROOF, account)).body.methods).toEqual(["code"])
    const byPassword = await prove(account, { password: PASSWORD })
    expect([...problemOf(byPassword), byPassword.body.detail]).toEqual([400, "bad_request", "code: Missing key."])
    const code = codeOf(secret, 1)
    const both = await Promise.all([prove(account, { code }), prove(account, { code })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403])
    expect((await prove(account, { code: recoveryCodes[0] })).status).toBe(200)
    expect(problemOf(await prove(account, { code: recoveryCodes[0] }))).toEqual([403, "forbidden"])
  })

  test("is refused for a wrong password, which the log has, and by field for a malformed one", async () => {
    const account = await signup(server.url)
    await age(account, 11)
    expect(problemOf(await prove(account, { password: "wrong password" }))).toEqual([403, "forbidden"])
    expect((await api("GET", PROOF, account)).body.fresh).toBe(false)
    for (const [body, detail] of [
      [{}, /^password: /],
      [{ password: 12 }, /^password: /],
      [{ code: 123_456, password: PASSWORD }, /^code: /],
      [{ code: "12345" }, /^code: /],
    ] as const) {
      const answer = await prove(account, body)
      expect([...problemOf(answer), answer.body.detail]).toEqual([400, "bad_request", expect.stringMatching(detail)])
    }
    expect(problemOf(await api("POST", PROOF, { body: { password: PASSWORD } }))).toEqual([401, "unauthorized"])
    const { cookie, workspaceId } = account
    // Failures are added up, and written after the answer.
    await eventually(async () => {
      const { entries } = (await api("GET", `/v1/workspaces/${workspaceId}/audit`, { cookie })).body
      return entries.some(({ action }: Json) => action === "sign_in.failed")
    }, "the entry")
  })

  test("tells an account that has neither to sign in at its provider", async () => {
    const account = await signup(server.url)
    await rows.run("update accounts set password_hash = null where id = $1", [account.id])
    await age(account, 11)
    expect((await api("GET", PROOF, account)).body).toEqual({ fresh: false, methods: [] })
    expect(problemOf(await prove(account, { password: "" }))).toEqual([403, "forbidden"])
  })
})

const house = sharedWorkspace(server)

const remove = ({ cookie }: { cookie: string }, password: string | null = PASSWORD) =>
  api("DELETE", "/v1/accounts/me", { cookie, body: { password } })

/** A member of the house, without a workspace of their own. */
const newMember = async (name: string): Promise<Account> => {
  const account = await signup(server.url, "Mia")
  await rows.run("update accounts set name = $1 where id = $2", [name, account.id])
  await rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, 'member')", [
    randomUUID(),
    house.id,
    account.id,
  ])
  await rows.run("delete from workspaces where id = $1", [account.workspaceId])
  return account
}
const newName = () => `Mia ${randomUUID()}`

describe("an account that is deleted", () => {
  test("is signed in nowhere, is named nowhere, and leaves the act in the workspace's log", async () => {
    const name = newName()
    const mia = await newMember(name)
    const event = await createLiveEvent(server.url, house.key, {
      visibility: "private",
      phases: [{ modality: "meeting", featureSet: ["chat"] }],
    })
    const { sessionToken } = (await api("POST", `/v1/workspaces/${house.id}/session`, { cookie: mia.cookie })).body
    const { url, token } = await gatewayToken(server.url, event.id, sessionToken)
    const client = new Client(url)
    await client.identify(token)
    expect((await client.command("chat.send", { to: "event", text: `I am ${name}` })).ok).toBe(true)
    const login = () => api("POST", "/v1/accounts/login", { body: { email: mia.email, password: PASSWORD } })
    const second = ((await login()).headers.get("set-cookie") ?? "").split(";")[0] ?? ""

    const gone = await remove(mia)
    expect([gone.status, gone.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")])
    expect(await client.closeCode()).toBe(4203)
    for (const cookie of [mia.cookie, second]) {
      expect((await api("GET", "/v1/accounts/me", { cookie })).status).toBe(401)
    }
    expect((await login()).status).toBe(401)
    expect((await remove(mia)).status).toBe(401)
    await eventually(async () => {
      const present = await rows.run("select 1 from present_participants where event_id = $1", [event.id])
      return present.length === 0
    }, "the departure is told")
    expect(await tablesWith(rows, name)).toEqual([])
    expect(await tablesWith(rows, mia.email)).toEqual(["mails"])
    const { entries } = (await api("GET", `/v1/workspaces/${house.id}/audit`, { key: house.key })).body
    const entry = entries.find((one: Json) => one.action === "account.deleted" && one.targetId === mia.id)
    expect(entry).toMatchObject({ actor: { kind: "account", id: mia.id } })
    // The address is free again.
    const body = { email: mia.email, password: PASSWORD, name: "Mia" }
    expect((await api("POST", "/v1/accounts/signup", { body })).status).toBe(201)
  })

  test("needs its password", async () => {
    const mia = await newMember(newName())
    for (const password of ["another horse", "", null]) {
      const answer = await remove(mia, password)
      expect([answer.status, answer.body.code]).toEqual([403, "forbidden"])
    }
    expect((await api("GET", "/v1/accounts/me", { cookie: mia.cookie })).status).toBe(200)
    const more = { cookie: mia.cookie, body: { password: PASSWORD, sure: true } }
    expect((await api("DELETE", "/v1/accounts/me", more)).status).toBe(204)
  })

  test("without a password has signed in lately", async () => {
    const mia = await newMember(newName())
    await rows.run("update accounts set password_hash = null where id = $1", [mia.id])
    const age = (minutes: number) =>
      rows.run("update account_sessions set created_at = now() - make_interval(mins => $1) where account_id = $2", [
        minutes,
        mia.id,
      ])
    await age(11)
    expect((await remove(mia, null)).status).toBe(403)
    expect((await remove(mia, PASSWORD)).status).toBe(403)
    await age(9)
    expect((await remove(mia, null)).status).toBe(204)
  })

  test("is refused while it alone owns a workspace, and not once somebody else does", async () => {
    const owner = await signup(server.url)
    const [own] = await rows.run("select slug from workspaces where id = $1", [owner.workspaceId])
    const refused = await remove(owner)
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"])
    expect(refused.body.detail).toContain(own?.["slug"])
    const heir = await signup(server.url)
    await rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, 'owner')", [
      randomUUID(),
      owner.workspaceId,
      heir.id,
    ])
    expect((await remove(owner)).status).toBe(204)
    const { members } = (await api("GET", `/v1/workspaces/${owner.workspaceId}/members`, { cookie: heir.cookie })).body
    expect(members.map(({ accountId }: Json) => accountId)).toEqual([heir.id])
  })

  test("twice at once is deleted once; of two owners who go at once one stays", async () => {
    const mia = await newMember(newName())
    const both = await Promise.all([remove(mia), remove(mia)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 401])
    const [one, two] = [await newMember(newName()), await newMember(newName())]
    const shared = await createWorkspace(server.url, one)
    await rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, 'owner')", [
      randomUUID(),
      shared.id,
      two.id,
    ])
    const going = await Promise.all([remove(one), remove(two)])
    expect(going.map(({ status }) => status).toSorted()).toEqual([204, 409])
  })
})

test("the export of an account has its own data, and that of its participant in each workspace", async () => {
  const name = newName()
  const mia = await newMember(name)
  const event = await createLiveEvent(server.url, house.key)
  const { participant } = (await api("POST", `/v1/workspaces/${house.id}/session`, { cookie: mia.cookie })).body
  const role = { userId: participant.userId, role: "host" }
  await api("POST", `/v1/events/${event.id}/memberships`, { key: house.key, body: role })
  const items: Json[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? "" : `?cursor=${cursor}`
    const { status, body } = await api("GET", `/v1/accounts/me/export${query}`, { cookie: mia.cookie })
    expect(status).toBe(200)
    items.push(...body.items)
    cursor = body.nextCursor
  } while (cursor !== null)
  expect(items.map(({ kind }) => kind)).toEqual([
    "account",
    "address",
    "session",
    "workspaceMember",
    "user",
    "membership",
  ])
  expect(items[0].data).toEqual({ name, hasPassword: true })
  expect(items[1].data).toMatchObject({ email: mia.email })
  const utc = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  expect(items[2]).toMatchObject({ at: utc, data: { lastSeenAt: utc, expiresAt: utc } })
  expect(items[4]).toMatchObject({ kind: "user", at: utc, data: { updatedAt: utc } })
  expect(items.at(-1)).toMatchObject({ eventId: event.id, data: { role: "host" } })
  expect(JSON.stringify(items)).not.toMatch(/argon2|hash/u)
  const bad = await api("GET", "/v1/accounts/me/export?cursor=x", { cookie: mia.cookie })
  expect([bad.status, bad.body.code]).toEqual([400, "bad_request"])
})
