/**
 * What survives what: each act that ends a right, and what it does to REST, to new gateway tokens and to open sockets. Real
 * accounts, keys and sockets; the watch over open sockets looks every seven seconds, so that "at once" is told apart from it.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  type Account,
  type Answer,
  type CallOptions,
  call,
  createLiveEvent,
  createWorkspace,
  gatewayToken,
  type Json,
  PASSWORD,
  type Workspace,
} from "../support/api.ts"
import { addMember as join, type Member } from "../support/members.ts"
import { whileHolding } from "../support/race.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"

/** Far less than the watch takes. */
const AT_ONCE_MS = 3_000

let server: TestServer
let rows: Rows
let house: Workspace
beforeAll(async () => {
  server = await startTestServer()
  rows = rowsOf(server.databaseUrl)
  house = await createWorkspace(server.url)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
})

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, options)

const addMember = (role: "member" | "admin"): Promise<Member> => join(server.url, rows, house.id, role)

const sessionOf = async (cookie: string): Promise<string> =>
  (await api("POST", `/v1/workspaces/${house.id}/session`, { cookie })).body.sessionToken

const privateEvent = (fields: object = {}): Promise<Json> =>
  createLiveEvent(server.url, house.key, {
    visibility: "private",
    phases: [{ modality: "broadcast", featureSet: ["qa"] }],
    ...fields,
  })

const connect = async (
  eventId: string,
  session: string,
): Promise<{ readonly client: Client; readonly ready: Json }> => {
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  return { client, ready: await client.identify(token) }
}

const look = (eventId: string, bearer: string): Promise<number> =>
  api("GET", `/v1/public/events/${eventId}`, { bearer }).then(({ status }) => status)
const mint = (eventId: string, bearer: string): Promise<Answer> =>
  api("POST", "/v1/auth/gateway-token", { bearer, body: { eventId } })

const closedAtOnce = async (client: Client, code = 4203): Promise<void> => {
  const since = performance.now()
  expect((await client.closed).code).toBe(code)
  expect(performance.now() - since).toBeLessThan(AT_ONCE_MS)
}

const integratorsUser = async (): Promise<{
  readonly userId: string
  readonly session: (key: string) => Promise<string>
}> => {
  const user = await api("POST", "/v1/users", { key: house.key, body: { externalSub: randomUUID(), name: "Ida" } })
  return {
    userId: user.body.id,
    session: async (key) => (await api("POST", `/v1/users/${user.body.id}/session`, { key })).body.sessionToken,
  }
}
const giveRole = (eventId: string, userId: string, role: string): Promise<Answer> =>
  api("POST", `/v1/events/${eventId}/memberships`, { key: house.key, body: { userId, role } })

describe("a member who has made an event and hosts it", () => {
  test.each(["is removed", "leaves"])("is out of everything in the workspace when they %s", async (how) => {
    const member = await addMember("member")
    const session = await sessionOf(member.cookie)
    const made = await api("POST", "/v1/events", {
      bearer: session,
      body: { type: "webinar", title: "Mine", visibility: "private", phases: [{ modality: "broadcast" }] },
    })
    const { id } = made.body
    for (const step of ["publish", "start"]) await api("POST", `/v1/events/${id}/${step}`, { key: house.key })
    const { client, ready } = await connect(id, session)
    expect(ready.d.me.role).toBe("host")

    const members = `/v1/workspaces/${house.id}/members`
    const gone =
      how === "is removed"
        ? await api("DELETE", `${members}/${member.memberId}`, { cookie: house.owner.cookie })
        : await api("DELETE", `${members}/me`, { cookie: member.cookie })
    expect(gone.status).toBe(204)
    await closedAtOnce(client)
    expect(await look(id, session)).toBe(401)
    expect((await mint(id, session)).status).toBe(401)
    const again = await api("POST", `/v1/workspaces/${house.id}/session`, { cookie: member.cookie })
    expect(again.status).toBe(404)
    const listed = await api("GET", `/v1/events/${id}/memberships`, { key: house.key })
    expect(listed.body.memberships).toEqual([])
  })
})

test("an admin who becomes a member hosts no longer, and stays as a participant", async () => {
  const admin = await addMember("admin")
  const session = await sessionOf(admin.cookie)
  const { id } = await privateEvent({ phases: [{ modality: "meeting" }] })
  const { client, ready } = await connect(id, session)
  expect(ready.d.me.role).toBe("host")
  await api("PATCH", `/v1/workspaces/${house.id}/members/${admin.memberId}`, {
    cookie: house.owner.cookie,
    body: { role: "member" },
  })
  expect((await client.dispatch("ready")).d.me.role).toBe("participant")
  expect(await client.command("event.end")).toMatchObject({ ok: false, e: { code: "forbidden" } })
  expect((await mint(id, session)).body.role).toBe("participant")
  await client.cut()
})

describe("a role on an event that is lowered", () => {
  test("is lowered in an open socket at once, also right after its ready, ten times of ten", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await privateEvent()
      const { userId, session } = await integratorsUser()
      await giveRole(id, userId, "host")
      const { client } = await connect(id, await session(house.key))
      expect((await giveRole(id, userId, "viewer")).status).toBe(200)
      expect((await client.dispatch("ready")).d.me.role).toBe("viewer")
      expect(await client.command("event.end")).toMatchObject({ ok: false, e: { code: "forbidden" } })
      await client.cut()
    }
  })

  test("beats the role in a token that was minted before", async () => {
    const { id } = await privateEvent()
    const { userId, session } = await integratorsUser()
    await giveRole(id, userId, "host")
    const { token, url } = await gatewayToken(server.url, id, await session(house.key))
    await giveRole(id, userId, "viewer")
    const client = new Client(url)
    expect((await client.identify(token)).d.me.role).toBe("viewer")
    await client.cut()
  })

  test("is lowered while the event is only scheduled, and stays so when it starts", async () => {
    const { id } = (
      await api("POST", "/v1/events", {
        key: house.key,
        body: { type: "webinar", title: "Soon", visibility: "private", phases: [{ modality: "broadcast" }] },
      })
    ).body
    await api("POST", `/v1/events/${id}/publish`, { key: house.key })
    const { userId, session } = await integratorsUser()
    await giveRole(id, userId, "host")
    const { client } = await connect(id, await session(house.key))
    await giveRole(id, userId, "viewer")
    expect((await client.dispatch("ready")).d.me.role).toBe("viewer")
    await api("POST", `/v1/events/${id}/start`, { key: house.key })
    expect(await client.command("event.end")).toMatchObject({ ok: false, e: { code: "forbidden" } })
    await client.cut()
  })

  test("beats a role that a host had given at the event", async () => {
    const { id } = await privateEvent()
    const [host, guest] = [await integratorsUser(), await integratorsUser()]
    await giveRole(id, host.userId, "host")
    await giveRole(id, guest.userId, "viewer")
    const chief = await connect(id, await host.session(house.key))
    const raised = await connect(id, await guest.session(house.key))
    await eventually(
      async () => (await chief.client.command("role.set", { id: guest.userId, role: "host" })).ok === true,
    )
    expect((await raised.client.dispatch("ready")).d.me.role).toBe("host")
    await giveRole(id, guest.userId, "viewer")
    expect((await raised.client.dispatch("ready")).d.me.role).toBe("viewer")
    const again = await connect(id, await guest.session(house.key))
    expect(again.ready.d.me.role).toBe("viewer")
    for (const { client } of [chief, raised, again]) await client.cut()
  })
})

describe("a membership of an event that is deleted", () => {
  const takeRole = async (eventId: string): Promise<void> => {
    const { body } = await api("GET", `/v1/events/${eventId}/memberships`, { key: house.key })
    const path = `/v1/events/${eventId}/memberships/${body.memberships[0].id}`
    expect((await api("DELETE", path, { key: house.key })).status).toBe(204)
    expect((await api("DELETE", path, { key: house.key })).status).toBe(404)
  }

  test("puts an integrator's user out of a private event", async () => {
    const { id } = await privateEvent()
    const { userId, session } = await integratorsUser()
    await giveRole(id, userId, "host")
    const token = await session(house.key)
    const { client } = await connect(id, token)
    await takeRole(id)
    await closedAtOnce(client)
    expect([await look(id, token), (await mint(id, token)).status]).toEqual([404, 404])
  })

  test("leaves the user in a public event as anybody", async () => {
    const { id } = await privateEvent({ visibility: "public", phases: [{ modality: "meeting" }] })
    const { userId, session } = await integratorsUser()
    await giveRole(id, userId, "host")
    const { client } = await connect(id, await session(house.key))
    await takeRole(id)
    expect((await client.dispatch("ready")).d.me.role).toBe("participant")
    await client.cut()
  })

  test("is not there for another workspace, nor under another event", async () => {
    const { id } = await privateEvent()
    const other = await privateEvent()
    const { userId } = await integratorsUser()
    const { body } = await giveRole(id, userId, "host")
    const foreign = await createWorkspace(server.url)
    for (const [event, key] of [
      [id, foreign.key],
      [other.id, house.key],
      [randomUUID(), house.key],
    ]) {
      expect((await api("DELETE", `/v1/events/${event}/memberships/${body.id}`, { key })).status).toBe(404)
    }
    expect((await api("GET", `/v1/events/${id}/memberships`, { key: foreign.key })).status).toBe(404)
    expect((await api("DELETE", `/v1/events/${id}/memberships/${body.id}`, {})).status).toBe(401)
  })
})

test("grants of others that change without end keep nobody from coming in, and cost no socket its place", async () => {
  const member = await addMember("admin")
  const { id } = await privateEvent()
  const { client: before } = await connect(id, await sessionOf(member.cookie))
  const { userId } = await integratorsUser()
  let isOver = false
  const changing = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let n = 0; !isOver; n++) await giveRole(id, userId, n % 2 === 0 ? "host" : "viewer")
    }),
  )
  const came = await Promise.all(Array.from({ length: 8 }, async () => connect(id, await sessionOf(member.cookie))))
  isOver = true
  await changing
  expect(came.map(({ ready }) => ready.d.me.role)).toEqual(came.map(() => "host"))
  for (const { client } of came) await client.cut()
  await before.cut()
})

test("a role that a host gives to a member who is removed at that moment is not stored", async () => {
  const member = await addMember("member")
  const host = await addMember("admin")
  const { id } = await privateEvent({ visibility: "public" })
  const { client: hosting } = await connect(id, await sessionOf(host.cookie))
  const { client, ready } = await connect(id, await sessionOf(member.cookie))
  const end = "update users set session_version = session_version + 1 where account_id = $1 and workspace_id = $2"
  const leave = "delete from workspace_members where id = $1"
  const statements = [[end, [member.id, house.id]] as const, [leave, [member.memberId]] as const]
  const { participantId } = ready.d.me
  const given = await whileHolding(server.databaseUrl, statements, () =>
    hosting.command("role.set", { id: participantId, role: "speaker" }),
  )
  expect(given).toMatchObject({ ok: true })
  const listed = await api("GET", `/v1/events/${id}/memberships`, { key: house.key })
  expect(listed.body.memberships).toEqual([])
  await client.cut()
  await hosting.cut()
})

describe("a login that ends", () => {
  test.each([
    ["by logging out", (account: Account) => api("POST", "/v1/accounts/logout", { cookie: account.cookie })],
    [
      "by a new password",
      async (account: Account) => {
        const asked = await api("POST", "/v1/accounts/request-password-reset", { body: { email: account.email } })
        const token = new URL(asked.body.resetUrl).searchParams.get("token")
        return api("POST", "/v1/accounts/reset-password", { body: { token, password: "a newer horse battery" } })
      },
    ],
  ])("%s ends its bearer tokens and closes its sockets at once", async (_, end) => {
    const admin = await addMember("admin")
    const session = await sessionOf(admin.cookie)
    const { id } = await privateEvent()
    const { client } = await connect(id, session)
    await end(admin)
    await closedAtOnce(client)
    expect([await look(id, session), (await mint(id, session)).status]).toEqual([401, 401])
    expect((await api("PATCH", `/v1/events/${id}`, { bearer: session, body: { title: "Mine" } })).status).toBe(401)
  })

  test("leaves the other logins of the account alone", async () => {
    const admin = await addMember("admin")
    const login = await api("POST", "/v1/accounts/login", { body: { email: admin.email, password: PASSWORD } })
    const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
    const [first, second] = [await sessionOf(admin.cookie), await sessionOf(cookie)]
    const { id } = await privateEvent()
    const [gone, stays] = [await connect(id, first), await connect(id, second)]
    await api("POST", "/v1/accounts/logout", { cookie: admin.cookie })
    await closedAtOnce(gone.client)
    expect([await look(id, first), await look(id, second)]).toEqual([401, 200])
    expect(await stays.client.command("roster.list")).toMatchObject({ ok: true })
    await stays.client.cut()
  })

  test("that another login ends is as good as logged out", async () => {
    const admin = await addMember("admin")
    const login = await api("POST", "/v1/accounts/login", { body: { email: admin.email, password: PASSWORD } })
    const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
    const session = await sessionOf(cookie)
    const { id } = await privateEvent()
    const { client } = await connect(id, session)
    const { body } = await api("GET", "/v1/accounts/sessions", { cookie: admin.cookie })
    const other = body.sessions.find(({ current }: { current: boolean }) => !current)
    expect((await api("DELETE", `/v1/accounts/sessions/${other.id}`, { cookie: admin.cookie })).status).toBe(204)
    await closedAtOnce(client)
    expect(await look(id, session)).toBe(401)
  })
})

describe("an API key that is revoked", () => {
  const newKey = async (by: CallOptions): Promise<{ readonly id: string; readonly secret: string }> =>
    (await api("POST", "/v1/api-keys", { ...by, body: { name: "leaked" } })).body
  const revoke = (id: string, query = "") =>
    api("DELETE", `/v1/workspaces/${house.id}/api-keys/${id}${query}`, { cookie: house.owner.cookie })

  test("ends the sessions of the users it vouched for, and no others", async () => {
    const key = await newKey({ key: house.key })
    const { id } = await privateEvent()
    const { userId, session } = await integratorsUser()
    await giveRole(id, userId, "host")
    const [ofKey, ofOther] = [await session(key.secret), await session(house.key)]
    const [gone, stays] = [await connect(id, ofKey), await connect(id, ofOther)]
    expect((await revoke(key.id)).status).toBe(204)
    await closedAtOnce(gone.client)
    expect([await look(id, ofKey), (await mint(id, ofKey)).status, await look(id, ofOther)]).toEqual([401, 401, 200])
    expect(await stays.client.command("roster.list")).toMatchObject({ ok: true })
    await stays.client.cut()
  })

  test("takes along the keys it made, and those they made, where that is asked for", async () => {
    const parent = await newKey({ key: house.key })
    const child = await newKey({ key: parent.secret })
    const grandchild = await newKey({ key: child.secret })
    const works = async (...keys: ReadonlyArray<{ readonly secret: string }>) =>
      Promise.all(keys.map(async ({ secret }) => (await api("GET", "/v1/events", { key: secret })).status))
    const { body } = await api("GET", `/v1/workspaces/${house.id}/api-keys`, { cookie: house.owner.cookie })
    const parentOf = (id: string) => body.apiKeys.find((key: { id: string }) => key.id === id).createdByKeyId
    expect([parentOf(child.id), parentOf(grandchild.id)]).toEqual([parent.id, child.id])

    expect((await revoke(parent.id)).status).toBe(204)
    expect(await works(parent, child, grandchild)).toEqual([401, 200, 200])
    expect((await revoke(parent.id, "?cascade=true")).status).toBe(204)
    expect(await works(parent, child, grandchild)).toEqual([401, 401, 401])
    expect((await revoke(parent.id, "?cascade=perhaps")).status).toBe(400)
  })

  test("passes the keys it made on to the key that made it when it is removed", async () => {
    const parent = await newKey({ key: house.key })
    const child = await newKey({ key: parent.secret })
    const grandchild = await newKey({ key: child.secret })
    for (let n = 0; n < 2; n++) expect((await revoke(child.id)).status).toBe(204)
    expect((await revoke(parent.id, "?cascade=true")).status).toBe(204)
    expect((await api("GET", "/v1/events", { key: grandchild.secret })).status).toBe(401)
  })
})

test("a user session that a key minted does not open a private event on which the user has no role", async () => {
  const { id } = await privateEvent()
  const { session } = await integratorsUser()
  const token = await session(house.key)
  expect([await look(id, token), (await mint(id, token)).status]).toEqual([404, 404])
})

test("an event that is deleted is there for nobody", async () => {
  const { id } = await privateEvent()
  const { userId, session } = await integratorsUser()
  await giveRole(id, userId, "host")
  const token = await session(house.key)
  const { client } = await connect(id, token)
  await api("DELETE", `/v1/events/${id}`, { key: house.key })
  await closedAtOnce(client, 4307)
  expect([await look(id, token), (await mint(id, token)).status]).toEqual([404, 404])
})
