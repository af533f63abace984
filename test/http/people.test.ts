import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
} from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })
const upsert = (fields: { readonly [field: string]: unknown }) =>
  api("POST", "/v1/users", { body: { externalSub: randomUUID(), ...fields } })

describe("users", () => {
  test("are created once by externalSub and then updated, keeping unnamed properties", async () => {
    const externalSub = `crm|${randomUUID()}`
    const created = await upsert({ externalSub, email: "a@example.com", name: "Ada" })
    expect([created.status, created.body.name]).toEqual([201, "Ada"])
    const updated = await upsert({ externalSub, name: "Ada L", picture: "https://example.com/a.png" })
    expect([updated.status, updated.body]).toEqual([
      200,
      {
        ...created.body,
        name: "Ada L",
        picture: "https://example.com/a.png",
        updatedAt: updated.body.updatedAt,
      },
    ])
    expect((await upsert({ externalSub, email: null })).body.email).toBeNull()
  })

  test("are nameless when no character is visible", async () => {
    for (const name of ["", " ", "\u2800", "\u200b\u3164"]) {
      const externalSub = randomUUID()
      expect((await upsert({ externalSub, name })).body.name, name).toBeNull()
      await upsert({ externalSub, name: "Ada\nL\u200b" })
      expect((await upsert({ externalSub, email: null })).body.name, name).toBe("Ada L")
      expect((await upsert({ externalSub, name })).body.name, name).toBeNull()
    }
  })

  test("have their address in the form of all addresses, in which a block finds it", async () => {
    const email = "Jo\u0308rg@XN--BCHER-KVA.example"
    expect((await upsert({ externalSub: randomUUID(), email })).body.email).toBe("jörg@bücher.example")
  })

  test("have an address or none", async () => {
    for (const email of ["nobody", "<b>@example.com", "ada\u200b@example.com", "ada..l@example.com"]) {
      const answer = await upsert({ externalSub: randomUUID(), email })
      expect([answer.status, answer.body.code], email).toEqual([400, "bad_request"])
    }
  })

  test("made twice at once are one user", async () => {
    const externalSub = randomUUID()
    const both = await Promise.all([upsert({ externalSub }), upsert({ externalSub })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 201])
    expect(both[0]?.body.id).toBe(both[1]?.body.id)
  })

  test("with the same externalSub in two workspaces are two people", async () => {
    const other = await createWorkspace(server.url)
    const externalSub = randomUUID()
    const mine = await upsert({ externalSub })
    const theirs = await api("POST", "/v1/users", { key: other.key, body: { externalSub } })
    expect([theirs.status, theirs.body.id === mine.body.id]).toEqual([201, false])
    const list = await api("GET", "/v1/users", { key: other.key })
    expect(list.body.users.map((user: { id: string }) => user.id)).toEqual([theirs.body.id])
  })

  test("refuse the name of an account and a picture that is none", async () => {
    for (const [fields] of [
      [{ externalSub: `account:${randomUUID()}` }],
      [{ picture: "javascript:alert(1)" }],
    ] as const) {
      expect((await upsert(fields)).body.code, JSON.stringify(fields)).toBe("bad_request")
    }
  })
})

describe("memberships", () => {
  const roles = ["workspace_admin", "host", "speaker", "participant", "viewer"]
  const accepted: { [modality: string]: string[] } = {
    broadcast: ["workspace_admin", "host", "speaker", "viewer"],
    meeting: ["workspace_admin", "host", "participant"],
    breakout: ["workspace_admin", "host", "participant"],
    rotation: ["workspace_admin", "host", "participant"],
    "broadcast,meeting": roles,
  }

  test.each(Object.keys(accepted))("on a %s event take the roles it has a place for", async (modalities) => {
    const phases = modalities.split(",").map((modality) => ({ modality }))
    const event = await createEvent(server.url, acme.key, { phases })
    const user = await upsert({})
    for (const role of roles) {
      const answer = await api("POST", `/v1/events/${event.id}/memberships`, { body: { userId: user.body.id, role } })
      if (accepted[modalities]?.includes(role)) expect([201, 200]).toContain(answer.status)
      else {
        expect([answer.status, answer.body.code]).toEqual([400, "role_not_on_event"])
        expect(answer.body.acceptedRoles).toEqual(accepted[modalities])
      }
    }
  })

  test("on an event without phases are for administrators alone, until a phase has a place for others", async () => {
    const event = await createEvent(server.url, acme.key, { phases: [] })
    const user = await upsert({})
    const give = (role: string) =>
      api("POST", `/v1/events/${event.id}/memberships`, { body: { userId: user.body.id, role } })
    for (const role of roles.slice(1)) {
      const answer = await give(role)
      expect([answer.status, answer.body.code, answer.body.acceptedRoles]).toEqual([
        400,
        "role_not_on_event",
        ["workspace_admin"],
      ])
    }
    expect((await give("workspace_admin")).status).toBe(201)
    await api("POST", `/v1/events/${event.id}/phases`, { body: { modality: "meeting" } })
    expect((await give("participant")).status).toBe(200)
    expect((await give("speaker")).body.acceptedRoles).toEqual(accepted["meeting"])
  })

  test("the creator of an event without phases hosts it, and members of the workspace take part", async () => {
    const { cookie } = acme.owner
    const made = await call(server.url, "POST", "/v1/events", {
      cookie,
      headers: { "x-workspace-id": acme.id },
      body: { type: "webinar", title: "To be planned", phases: [] },
    })
    expect(made.status).toBe(201)
    const listed = await api("GET", `/v1/events/${made.body.id}/memberships`)
    // By the name and the address of the person.
    expect(listed.body.memberships).toMatchObject([{ role: "host", name: "Ada", email: acme.owner.email }])
    await api("POST", `/v1/events/${made.body.id}/publish`)
    const session = await call(server.url, "POST", `/v1/workspaces/${acme.id}/session`, { cookie })
    const token = await call(server.url, "POST", "/v1/auth/gateway-token", {
      bearer: session.body.sessionToken,
      body: { eventId: made.body.id },
    })
    expect([token.status, token.body.role]).toEqual([200, "host"])
    const guest = await upsert({})
    const theirs = await api("POST", `/v1/users/${guest.body.id}/session`)
    const seat = await call(server.url, "POST", "/v1/auth/gateway-token", {
      bearer: theirs.body.sessionToken,
      body: { eventId: made.body.id },
    })
    expect([seat.status, seat.body.role]).toEqual([200, "participant"])
  })

  test("given twice are one, with the new role", async () => {
    const event = await createEvent(server.url, acme.key)
    const user = await upsert({})
    const give = (role: string) =>
      api("POST", `/v1/events/${event.id}/memberships`, { body: { userId: user.body.id, role } })
    const [first, second] = [await give("viewer"), await give("speaker")]
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body).toEqual({ ...first.body, role: "speaker" })
  })

  test("given while the event is deleted are made or not found, never a failure of ours", async () => {
    const user = await upsert({})
    for (let round = 0; round < 5; round++) {
      const event = await createEvent(server.url, acme.key)
      const give = () =>
        api("POST", `/v1/events/${event.id}/memberships`, { body: { userId: user.body.id, role: "host" } })
      const answers = await Promise.all([...Array.from({ length: 10 }, give), api("DELETE", `/v1/events/${event.id}`)])
      for (const { status } of answers) expect([200, 201, 204, 404]).toContain(status)
    }
  })

  test("given to somebody who is at the live event hold at once", async () => {
    const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "broadcast" }] })
    const { userId, session } = await createPerson(server.url, acme.key, event.id, "viewer")
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const client = new Client(url)
    expect((await client.identify(token)).d.me.role).toBe("viewer")
    const given = await api("POST", `/v1/events/${event.id}/memberships`, { body: { userId, role: "speaker" } })
    expect(given.status).toBe(200)
    expect((await client.dispatch("me.updated")).d).toMatchObject({ role: "speaker", reason: "role" })
    await client.cut()
  })

  test("refuse an unknown user and another workspace's", async () => {
    const event = await createEvent(server.url, acme.key)
    const other = await createWorkspace(server.url)
    const foreign = await api("POST", "/v1/users", { key: other.key, body: { externalSub: "x" } })
    const give = (userId: unknown, role: string) =>
      api("POST", `/v1/events/${event.id}/memberships`, { body: { userId, role } })
    expect((await give(randomUUID(), "host")).status).toBe(404)
    expect((await give(foreign.body.id, "host")).status).toBe(404)
  })

  describe("taken at one moment", () => {
    const given = async () => {
      const event = await createEvent(server.url, acme.key)
      const userId = (await upsert({})).body.id
      const give = () => api("POST", `/v1/events/${event.id}/memberships`, { body: { userId, role: "host" } })
      const { id } = (await give()).body
      const take = () => api("DELETE", `/v1/events/${event.id}/memberships/${id}`)
      const list = async () => (await api("GET", `/v1/events/${event.id}/memberships`)).body.memberships
      return { id, give, take, list }
    }

    test("are taken from their own event alone", async () => {
      const { id, take, list } = await given()
      const other = await createEvent(server.url, acme.key)
      expect((await api("DELETE", `/v1/events/${other.id}/memberships/${id}`)).status).toBe(404)
      expect(await list()).toMatchObject([{ id }])
      expect((await take()).status).toBe(204)
    })

    test("by two callers are taken by one of them", async () => {
      for (let round = 0; round < 10; round++) {
        const { take, list } = await given()
        const answers = await Promise.all([take(), take()])
        expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404])
        expect(await list()).toEqual([])
      }
    })

    test("as they are given are there exactly if they were made anew", async () => {
      for (let round = 0; round < 20; round++) {
        const { id, give, take, list } = await given()
        const [taken, set] = await Promise.all(round % 2 === 0 ? [take(), give()] : [give(), take()].toReversed())
        expect(taken?.status).toBe(204)
        const isNew = set?.status === 201
        expect([set?.status, set?.body.id === id]).toEqual(isNew ? [201, false] : [200, true])
        expect(await list()).toMatchObject(isNew ? [set?.body] : [])
      }
    })
  })
})
