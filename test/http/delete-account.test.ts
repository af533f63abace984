/** The end of an account, and what is stored about it. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type Account,
  createLiveEvent,
  createWorkspace,
  gatewayToken,
  type Json,
  PASSWORD,
  signup,
} from "../support/api.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { tablesWith } from "../support/traces.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const house = sharedWorkspace(server)

const api = apiOf(server)
const remove = ({ cookie }: { cookie: string }, password: string | null = PASSWORD) =>
  api("DELETE", "/v1/accounts/me", { cookie, body: { password } })

/** A member of the house, whose own workspace is deleted. */
const newMember = async (name: string): Promise<Account> => {
  const account = await signup(server.url, "Mia")
  await rows.run("update accounts set name = $1 where id = $2", [name, account.id])
  await rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, 'member')", [
    randomUUID(),
    house.id,
    account.id,
  ])
  const [own] = await rows.run("select slug from workspaces where id = $1", [account.workspaceId])
  const body = { slug: own?.["slug"] }
  await api("DELETE", `/v1/workspaces/${account.workspaceId}`, { cookie: account.cookie, body })
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

  test("needs its password, and a whole body", async () => {
    const mia = await newMember(newName())
    for (const password of ["another horse", "", null]) {
      const answer = await remove(mia, password)
      expect([answer.status, answer.body.code]).toEqual([403, "forbidden"])
    }
    for (const body of [undefined, {}, { password: 1 }]) {
      const answer = await api("DELETE", "/v1/accounts/me", { cookie: mia.cookie, body })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
    expect((await api("DELETE", "/v1/accounts/me", { body: { password: PASSWORD } })).status).toBe(401)
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
