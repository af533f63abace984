import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createEvent, createLiveEvent, createPerson, type Json, signup } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const ask = (eventId: unknown, bearer?: string) =>
  call(server.url, "POST", "/v1/auth/gateway-token", { body: { eventId }, bearer })
const published = async (fields: { readonly [field: string]: unknown }) => {
  const event = await createEvent(server.url, acme.key, fields)
  await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
  return event
}

describe("without a session", () => {
  test("a public event with a broadcast gives an anonymous viewer, a new one each time", async () => {
    const event = await published({ phases: [{ modality: "meeting" }, { modality: "broadcast" }] })
    const [first, second] = [await ask(event.id), await ask(event.id)]
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ role: "viewer", anonymous: true, eventId: event.id })
    expect(first.body.participantId).toMatch(/^anon:/)
    expect(first.body.url).toBe(`${server.publicUrl.replace("http", "ws")}/v1/gateway`)
    // timed: time that passes makes it smaller.
    expect(Date.parse(first.body.expiresAt) - Date.now()).toBeLessThanOrEqual(120_000)
    expect(second.body.participantId).not.toBe(first.body.participantId)
  })

  test.each([
    ["a public event of calls only", { phases: [{ modality: "meeting" }] }, 401, "sign_in_required"],
    ["an unlisted event", { visibility: "unlisted" }, 401, "sign_in_required"],
    ["a private event", { visibility: "private" }, 404, "not_found"],
  ])("%s is refused", async (_name, fields, status, code) => {
    const answer = await ask((await published(fields)).id)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test("a draft is not there, an ended event is over, an unknown one unknown", async () => {
    const draft = await createEvent(server.url, acme.key)
    expect((await ask(draft.id)).status).toBe(404)
    const over = await createLiveEvent(server.url, acme.key)
    await call(server.url, "POST", `/v1/events/${over.id}/end`, { key: acme.key })
    expect((await ask(over.id)).status).toBe(409)
    expect((await ask(randomUUID())).status).toBe(404)
    expect((await ask("nonsense")).status).toBe(400)
    expect((await ask(undefined)).status).toBe(400)
  })
})

describe("with a session", () => {
  test("the membership's role is given, and a viewer of a call stays one", async () => {
    const event = await published({
      visibility: "private",
      phases: [{ modality: "broadcast" }, { modality: "meeting" }],
    })
    for (const role of ["workspace_admin", "host", "speaker", "participant", "viewer"]) {
      const person = await createPerson(server.url, acme.key, event.id, role)
      const answer = await ask(event.id, person.session)
      expect([answer.status, answer.body.role, answer.body.participantId, answer.body.anonymous]).toEqual([
        200,
        role,
        person.userId,
        false,
      ])
    }
  })

  test("the role is the one that reads in the active phase, as in `ready`", async () => {
    const event = await published({ phases: [{ modality: "broadcast" }, { modality: "meeting" }] })
    const roles = ["workspace_admin", "host", "speaker", "participant", "viewer"]
    const people = await Promise.all(roles.map((role) => createPerson(server.url, acme.key, event.id, role)))
    const named = () => Promise.all(people.map(async ({ session }) => (await ask(event.id, session)).body))
    const ready = async ({ url, token }: Json) => (await new Client(url).identify(token)).d.me.role
    for (const [verb, expected] of [
      ["start", ["workspace_admin", "host", "speaker", "viewer", "viewer"]],
      ["advance", ["workspace_admin", "host", "participant", "participant", "viewer"]],
    ] as const) {
      await call(server.url, "POST", `/v1/events/${event.id}/${verb}`, { key: acme.key })
      const answers = await named()
      expect(answers.map(({ role }) => role)).toEqual(expected)
      expect(await Promise.all(answers.map(ready))).toEqual(expected)
    }
  })

  test("the role that a host gave at the live event is named, also that of somebody on stage", async () => {
    const event = await createLiveEvent(server.url, acme.key)
    const [host, viewer] = [
      await createPerson(server.url, acme.key, event.id, "host"),
      await createPerson(server.url, acme.key, event.id, "viewer"),
    ]
    const join = async (session: string) => {
      const { url, token } = (await ask(event.id, session)).body
      const client = new Client(url)
      await client.identify(token)
      return client
    }
    const [hosting, watching] = [await join(host.session), await join(viewer.session)]
    await eventually(
      async () => (await hosting.command("stage.invite", { id: viewer.userId })).ok === true,
      "the invitation of somebody who is there",
    )
    expect((await ask(event.id, viewer.session)).body.role).toBe("viewer")
    expect((await watching.command("stage.accept")).ok).toBe(true)
    expect((await ask(event.id, viewer.session)).body.role).toBe("speaker")
    expect((await watching.command("stage.leave")).ok).toBe(true)
    expect((await ask(event.id, viewer.session)).body.role).toBe("viewer")
  })

  test("an owner without a membership hosts, and so does one on a draft", async () => {
    const draft = await createEvent(server.url, acme.key)
    const session = await call(server.url, "POST", `/v1/workspaces/${acme.id}/session`, { cookie: acme.owner.cookie })
    expect((await ask(draft.id, session.body.sessionToken)).body.role).toBe("host")
  })

  test("a user without a membership takes part, and watches where there is only a broadcast", async () => {
    const user = await call(server.url, "POST", "/v1/users", { key: acme.key, body: { externalSub: randomUUID() } })
    const session = await call(server.url, "POST", `/v1/users/${user.body.id}/session`, { key: acme.key })
    const meeting = await published({ phases: [{ modality: "meeting" }] })
    const broadcast = await published({ phases: [{ modality: "broadcast" }] })
    expect((await ask(meeting.id, session.body.sessionToken)).body.role).toBe("participant")
    expect((await ask(broadcast.id, session.body.sessionToken)).body.role).toBe("viewer")
  })

  test("another workspace's session opens nothing", async () => {
    const stranger = await signup(server.url)
    const session = await call(server.url, "POST", `/v1/workspaces/${stranger.workspaceId}/session`, {
      cookie: stranger.cookie,
    })
    const event = await published({})
    expect((await ask(event.id, session.body.sessionToken)).status).toBe(404)
  })

  test.each(["nonsense", "eyJhbGciOiJub25lIn0.e30.", ""])(
    "a wrong one (%j) never falls back to anonymous",
    async (bearer) => {
      const event = await published({})
      const answer = await ask(event.id, bearer)
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"])
    },
  )

  test("a gateway token is no session token, and a session token is no key", async () => {
    const event = await published({})
    const gateway = await ask(event.id)
    expect((await ask(event.id, gateway.body.token)).status).toBe(401)
    expect((await call(server.url, "GET", "/v1/events", { bearer: gateway.body.token })).status).toBe(401)
    expect((await call(server.url, "GET", "/v1/events", { key: gateway.body.token })).status).toBe(401)
  })
})
