import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CallOptions, gatewayToken, PASSWORD } from "../support/api.ts"
import { whileHolding } from "../support/race.ts"
import { setUpTotp } from "../support/second-factor.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"
import { closedAtOnce, type GrantHouse, openGrantHouse } from "./grant-house.ts"
import { peopleOf } from "./revocation-people.ts"

let at: GrantHouse
beforeAll(async () => {
  at = await openGrantHouse()
})
afterAll(() => at.stop())

test("a member who has made an event and hosts it is out of everything in the workspace when they leave", async () => {
  const member = await at.addMember("member")
  const session = await at.sessionOf(member.cookie)
  const made = await at.api("POST", "/v1/events", {
    bearer: session,
    body: { type: "webinar", title: "Mine", visibility: "private", phases: [{ modality: "broadcast" }] },
  })
  const { id } = made.body
  for (const step of ["publish", "start"]) await at.api("POST", `/v1/events/${id}/${step}`, { key: at.workspace.key })
  const { client, ready } = await at.connect(id, session)
  expect(ready.d.me.role).toBe("host")
  const gone = await at.api("DELETE", `/v1/workspaces/${at.workspace.id}/members/me`, { cookie: member.cookie })
  expect(gone.status).toBe(204)
  await closedAtOnce(client)
  expect(await at.look(id, session)).toBe(401)
  expect((await at.mint(id, session)).status).toBe(401)
  const again = await at.api("POST", `/v1/workspaces/${at.workspace.id}/session`, { cookie: member.cookie })
  expect(again.status).toBe(404)
  const listed = await at.api("GET", `/v1/events/${id}/memberships`, { key: at.workspace.key })
  expect(listed.body.memberships).toEqual([])
})

describe("a role on an event that is lowered", () => {
  /** A user who hosts the event. */
  const hostOf = async (id: string) => {
    const { userId, session } = await at.integratorsUser()
    await at.giveRole(id, userId, "host")
    return { userId, session: await session(at.workspace.key) }
  }
  const refused = { ok: false, e: { code: "forbidden" } }

  test("is lowered when the answer comes, at any moment after it: in a live event, and in a scheduled one also when that starts", async () => {
    const live = (await at.privateEvent()).id
    const soon = (
      await at.api("POST", "/v1/events", {
        key: at.workspace.key,
        body: { type: "webinar", title: "Soon", visibility: "private", phases: [{ modality: "broadcast" }] },
      })
    ).body.id
    await at.api("POST", `/v1/events/${soon}/publish`, { key: at.workspace.key })
    const lowered: Client[] = []
    const commands: ReadonlyArray<readonly [id: string, command: [string, object?]]> = [
      [live, ["event.end"]],
      [soon, ["announce", { text: "Mine" }]],
    ]
    for (const [id, command] of commands)
      for (const ms of [0, 1, 5, 20]) {
        const { userId, session } = await hostOf(id)
        const { client } = await at.connect(id, session)
        expect((await at.giveRole(id, userId, "viewer")).status).toBe(200)
        // timed: the moment after the answer is what varies.
        await new Promise((resolve) => setTimeout(resolve, ms))
        expect(await client.command(...command), `${command} after ${ms} ms`).toMatchObject(refused)
        expect((await client.dispatch("ready")).d.me.role).toBe("viewer")
        lowered.push(client)
      }
    await at.api("POST", `/v1/events/${soon}/start`, { key: at.workspace.key })
    for (const client of lowered) {
      expect(await client.command("event.end")).toMatchObject(refused)
      await client.cut()
    }
  })

  test("is lowered for a socket that identifies at that moment", async () => {
    const { id } = await at.privateEvent()
    for (let round = 0; round < 4; round++) {
      const { userId, session } = await hostOf(id)
      const { token, url } = await gatewayToken(at.server.url, id, session)
      const client = new Client(url)
      await client.hello()
      client.send({ op: 2, d: { token } })
      expect((await at.giveRole(id, userId, "viewer")).status).toBe(200)
      await client.dispatch("ready")
      expect(await client.command("event.end")).toMatchObject(refused)
      await client.cut()
    }
  })

  test("is gone with the answer that makes a workspace ask for a second factor, for a member without one", async () => {
    const house = await openGrantHouse({})
    try {
      const people = peopleOf(house)
      const member = await people.account("member")
      const { participantId } = (await house.mint(member.eventId, member.session)).body
      await house.giveRole(member.eventId, participantId, "host")
      const { client } = await house.connect(member.eventId, member.session)
      const path = `/v1/workspaces/${house.workspace.id}`
      await setUpTotp(house.server.url, house.workspace.owner)
      const asked = await house.api("PATCH", path, { ...people.asOwner(), body: { requireMfa: true } })
      expect([asked.status, asked.body.requireMfa]).toEqual([200, true])
      await closedAtOnce(client)
      // The private event is not there for them any more.
      expect((await house.mint(member.eventId, member.session)).status).toBe(404)
    } finally {
      await house.stop()
    }
  })

  test("that an admin loses in the workspace is lowered when the answer comes", async () => {
    for (let round = 0; round < 2; round++) {
      const admin = await at.addMember("admin")
      const { id } = await at.privateEvent()
      const { client, ready } = await at.connect(id, await at.sessionOf(admin.cookie))
      expect(ready.d.me.role).toBe("host")
      const path = `/v1/workspaces/${at.workspace.id}/members/${admin.memberId}`
      const asOwner = { cookie: at.workspace.owner.cookie, body: { role: "member" } }
      expect((await at.api("PATCH", path, asOwner)).status).toBe(200)
      expect(await client.command("event.end")).toMatchObject({ ok: false, e: { code: "forbidden" } })
      await client.cut()
    }
  })

  test("beats the role in a token that was minted before", async () => {
    const { id } = await at.privateEvent()
    const { userId, session } = await at.integratorsUser()
    await at.giveRole(id, userId, "host")
    const { token, url } = await gatewayToken(at.server.url, id, await session(at.workspace.key))
    await at.giveRole(id, userId, "viewer")
    const client = new Client(url)
    expect((await client.identify(token)).d.me.role).toBe("viewer")
    await client.cut()
  })

  test("beats a role that a host had given at the event", async () => {
    const { id } = await at.privateEvent()
    const [host, guest] = [await at.integratorsUser(), await at.integratorsUser()]
    await at.giveRole(id, host.userId, "host")
    await at.giveRole(id, guest.userId, "viewer")
    const chief = await at.connect(id, await host.session(at.workspace.key))
    const raised = await at.connect(id, await guest.session(at.workspace.key))
    await eventually(
      async () => (await chief.client.command("role.set", { id: guest.userId, role: "host" })).ok === true,
    )
    expect((await raised.client.dispatch("ready")).d.me.role).toBe("host")
    await at.giveRole(id, guest.userId, "viewer")
    expect((await raised.client.dispatch("ready")).d.me.role).toBe("viewer")
    const again = await at.connect(id, await guest.session(at.workspace.key))
    expect(again.ready.d.me.role).toBe("viewer")
    for (const { client } of [chief, raised, again]) await client.cut()
  })
})

describe("a membership of an event that is deleted", () => {
  test("leaves the user in a public event as anybody", async () => {
    const { id } = await at.privateEvent({ visibility: "public", phases: [{ modality: "meeting" }] })
    const { userId, session } = await at.integratorsUser()
    await at.giveRole(id, userId, "host")
    const { client } = await at.connect(id, await session(at.workspace.key))
    await at.takeRole(id)
    expect((await client.dispatch("ready")).d.me.role).toBe("participant")
    await client.cut()
  })
})

test("grants of others that change without end keep nobody from coming in, and cost no socket its place", async () => {
  const member = await at.addMember("admin")
  const { id } = await at.privateEvent()
  const { client: before } = await at.connect(id, await at.sessionOf(member.cookie))
  const { userId } = await at.integratorsUser()
  let isOver = false
  const changing = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let n = 0; !isOver; n++) await at.giveRole(id, userId, n % 2 === 0 ? "host" : "viewer")
    }),
  )
  const came = await Promise.all(
    Array.from({ length: 8 }, async () => at.connect(id, await at.sessionOf(member.cookie))),
  )
  isOver = true
  await changing
  expect(came.map(({ ready }) => ready.d.me.role)).toEqual(came.map(() => "host"))
  for (const { client } of came) await client.cut()
  await before.cut()
})

test("a role that a host gives to a member who is removed at that moment is not stored", async () => {
  const member = await at.addMember("member")
  const host = await at.addMember("admin")
  const { id } = await at.privateEvent({ visibility: "public" })
  const { client: hosting } = await at.connect(id, await at.sessionOf(host.cookie))
  const { client, ready } = await at.connect(id, await at.sessionOf(member.cookie))
  const end = "update users set session_version = session_version + 1 where account_id = $1 and workspace_id = $2"
  const leave = "delete from workspace_members where id = $1"
  const statements = [[end, [member.id, at.workspace.id]] as const, [leave, [member.memberId]] as const]
  const { participantId } = ready.d.me
  const given = await whileHolding(at.server.databaseUrl, statements, () =>
    hosting.command("role.set", { id: participantId, role: "speaker" }),
  )
  expect(given).toMatchObject({ ok: true })
  const listed = await at.api("GET", `/v1/events/${id}/memberships`, { key: at.workspace.key })
  expect(listed.body.memberships).toEqual([])
  await client.cut()
  await hosting.cut()
})

test("a login that ends, or that another login ends, closes its own sockets and leaves the other logins alone", async () => {
  const admin = await at.addMember("admin")
  const logIn = async (): Promise<string> => {
    const login = await at.api("POST", "/v1/accounts/login", { body: { email: admin.email, password: PASSWORD } })
    return (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  }
  const { id } = await at.privateEvent()
  const ended = await at.sessionOf(await logIn())
  const { client: other } = await at.connect(id, ended)
  const { body } = await at.api("GET", "/v1/accounts/sessions", { cookie: admin.cookie })
  const found = body.sessions.find(({ current }: { current: boolean }) => !current)
  expect((await at.api("DELETE", `/v1/accounts/sessions/${found.id}`, { cookie: admin.cookie })).status).toBe(204)
  await closedAtOnce(other)
  expect(await at.look(id, ended)).toBe(401)
  const [first, second] = [await at.sessionOf(admin.cookie), await at.sessionOf(await logIn())]
  const [gone, stays] = [await at.connect(id, first), await at.connect(id, second)]
  await at.api("POST", "/v1/accounts/logout", { cookie: admin.cookie })
  await closedAtOnce(gone.client)
  expect([await at.look(id, first), await at.look(id, second)]).toEqual([401, 200])
  expect(await stays.client.command("roster.list")).toMatchObject({ ok: true })
  await stays.client.cut()
})

describe("an API key that is revoked", () => {
  const newKey = async (by: CallOptions): Promise<{ readonly id: string; readonly secret: string }> =>
    (await at.api("POST", "/v1/api-keys", { ...by, body: { name: "leaked" } })).body
  const revoke = (id: string, query = "") =>
    at.api("DELETE", `/v1/workspaces/${at.workspace.id}/api-keys/${id}${query}`, { cookie: at.workspace.owner.cookie })

  test("ends the sessions of the users it vouched for, and no others", async () => {
    const key = await newKey({ key: at.workspace.key })
    const { id } = await at.privateEvent()
    const { userId, session } = await at.integratorsUser()
    await at.giveRole(id, userId, "host")
    const [ofKey, ofOther] = [await session(key.secret), await session(at.workspace.key)]
    const [gone, stays] = [await at.connect(id, ofKey), await at.connect(id, ofOther)]
    expect((await revoke(key.id)).status).toBe(204)
    await closedAtOnce(gone.client)
    expect([await at.look(id, ofKey), (await at.mint(id, ofKey)).status, await at.look(id, ofOther)]).toEqual([
      401, 401, 200,
    ])
    expect(await stays.client.command("roster.list")).toMatchObject({ ok: true })
    await stays.client.cut()
  })

  test("takes along the keys it made, and those they made, where that is asked for", async () => {
    const parent = await newKey({ key: at.workspace.key })
    const child = await newKey({ key: parent.secret })
    const grandchild = await newKey({ key: child.secret })
    const works = async (...keys: ReadonlyArray<{ readonly secret: string }>) =>
      Promise.all(keys.map(async ({ secret }) => (await at.api("GET", "/v1/events", { key: secret })).status))
    const { body } = await at.api("GET", `/v1/workspaces/${at.workspace.id}/api-keys`, {
      cookie: at.workspace.owner.cookie,
    })
    const parentOf = (id: string) => body.apiKeys.find((key: { id: string }) => key.id === id).createdByKeyId
    expect([parentOf(child.id), parentOf(grandchild.id)]).toEqual([parent.id, child.id])

    expect((await revoke(parent.id)).status).toBe(204)
    expect(await works(parent, child, grandchild)).toEqual([401, 200, 200])
    expect((await revoke(parent.id, "?cascade=true")).status).toBe(200)
    expect(await works(parent, child, grandchild)).toEqual([401, 401, 401])
    expect((await revoke(parent.id, "?cascade=perhaps")).status).toBe(400)
  })

  test("passes the keys it made on to the key that made it when it is removed", async () => {
    const parent = await newKey({ key: at.workspace.key })
    const child = await newKey({ key: parent.secret })
    const grandchild = await newKey({ key: child.secret })
    for (let n = 0; n < 2; n++) expect((await revoke(child.id)).status).toBe(204)
    expect((await revoke(parent.id, "?cascade=true")).status).toBe(200)
    expect((await at.api("GET", "/v1/events", { key: grandchild.secret })).status).toBe(401)
  })
})

test("a user session that a key minted does not open a private event on which the user has no role", async () => {
  const { id } = await at.privateEvent()
  const { session } = await at.integratorsUser()
  const token = await session(at.workspace.key)
  expect([await at.look(id, token), (await at.mint(id, token)).status]).toEqual([404, 404])
})

test("an event that is deleted is there for nobody", async () => {
  const { id } = await at.privateEvent()
  const { userId, session } = await at.integratorsUser()
  await at.giveRole(id, userId, "host")
  const token = await session(at.workspace.key)
  const { client } = await at.connect(id, token)
  await at.api("DELETE", `/v1/events/${id}`, { key: at.workspace.key })
  await closedAtOnce(client, 4307)
  expect([await at.look(id, token), (await at.mint(id, token)).status]).toEqual([404, 404])
})
