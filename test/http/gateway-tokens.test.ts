/** Gateway tokens: the role that they give, the replay of events that have ended, and join codes. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { newJoinCode, parseJoinCode } from "../../src/model/join-code.ts"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  type Json,
  signup,
  type Workspace,
} from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { openStore, type TestSql } from "../support/store.ts"
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
})

const step = (id: string, verb: string) => call(server.url, "POST", `/v1/events/${id}/${verb}`, { key: acme.key })

const eventWith = async (fields: object, ...verbs: ReadonlyArray<string>): Promise<string> => {
  const { id } = await createEvent(server.url, acme.key, { phases: [{ modality: "meeting" }], ...fields })
  for (const verb of verbs) expect((await step(id, verb)).status, verb).toBe(200)
  return id
}

const tokenFor = (eventId: string, session?: string, replay = true) =>
  call(server.url, "POST", "/v1/auth/gateway-token", { body: { eventId, replay }, bearer: session })

const withSql = async <A>(body: (sql: TestSql) => PromiseLike<A>): Promise<A> => {
  const sql = openStore(server.databaseUrl, 1)
  try {
    return await body(sql)
  } finally {
    await sql.end()
  }
}

const recapOf = async (id: string) => (await call(server.url, "GET", `/v1/public/events/${id}/recap`)).body.replay

test("an event is brief by default, and may be kept until it begins", async () => {
  const brief = await eventWith({}, "publish")
  const read = async (id: string) => (await call(server.url, "GET", `/v1/events/${id}`, { key: acme.key })).body.history
  const patch = (id: string, history: string) =>
    call(server.url, "PATCH", `/v1/events/${id}`, { key: acme.key, body: { history } })
  expect(await read(brief)).toBe("brief")
  expect((await patch(brief, "kept")).body.history).toBe("kept")
  expect((await patch(brief, "brief")).body.history).toBe("brief")
  await step(brief, "start")
  const late = await patch(brief, "kept")
  expect([late.status, late.body.code]).toEqual([409, "conflict"])
  const kept = await eventWith({ history: "kept" }, "publish", "start")
  expect((await patch(kept, "kept")).status).toBe(200)
  expect((await patch(kept, "brief")).body.history).toBe("brief")
})

test("whoever sees the recap of a kept event that has ended gets a token to replay it, and nobody else", async () => {
  const kept = await eventWith({ history: "kept", visibility: "unlisted" }, "publish", "start")
  expect([await recapOf(kept), (await tokenFor(kept)).status]).toEqual([null, 409])
  await step(kept, "end")
  expect(await recapOf(kept)).toEqual({ offsetMs: 0 })
  expect((await tokenFor(kept)).body).toMatchObject({ role: "viewer", anonymous: true, eventId: kept })
  // A token for the live event of somebody without a session is refused as before.
  expect((await tokenFor(kept, undefined, false)).status).toBe(401)
  const brief = await eventWith({}, "publish", "start", "end")
  expect([await recapOf(brief), (await tokenFor(brief)).status]).toEqual([null, 409])
  const closed = await eventWith({ history: "kept", visibility: "private" }, "publish", "start", "end")
  const { session } = await createPerson(server.url, acme.key, closed, "participant")
  expect([(await tokenFor(closed)).status, (await tokenFor(closed, session)).status]).toEqual([404, 200])
  const elsewhere: Workspace = await createWorkspace(server.url)
  const stranger = await createPerson(
    server.url,
    elsewhere.key,
    (await createEvent(server.url, elsewhere.key, { phases: [] })).id,
    "host",
  )
  expect((await tokenFor(closed, stranger.session)).status).toBe(404)
  expect((await tokenFor("01a228bc-0000-7240-bb49-947484f0b972")).status).toBe(404)
  const draft = await eventWith({ history: "kept" })
  expect((await tokenFor(draft)).status).toBe(404)
  await withSql((sql) => sql`update events set ended_at = now() - interval '91 days' where id = ${kept}`)
  expect([await recapOf(kept), (await tokenFor(kept)).status]).toEqual([null, 409])
})

test("the recap says where in the event a recording began, as far as that is known", async () => {
  const kept = await eventWith({ history: "kept", visibility: "public" }, "publish", "start", "end")
  const { body } = await call(server.url, "GET", `/v1/events/${kept}`, { key: acme.key })
  await withSql(
    (sql) => sql`
    insert into recordings (id, event_id, workspace_id, kind, status, source, began_at, duration_ms)
    values (${kept}, ${kept}, ${body.workspaceId}, 'merged', 'ready', 'livekit', ${body.startedAt}::timestamptz + interval '5 seconds', 1000)`,
  )
  expect(await recapOf(kept)).toEqual({ offsetMs: 5000 })
  await withSql((sql) => sql`update recordings set source = 'broadcast', began_at = null where id = ${kept}`)
  await withSql(
    (sql) => sql`
    insert into recording_segments (recording_id, number, take, file_offset, bytes, start_ms, duration_ms, is_discontinuous, at)
    select ${kept}, n, 0, 0, 1, n * 2000, 2000, false, ${body.startedAt}::timestamptz + (n * 2 + 9) * interval '1 second'
      from generate_series(0, 3) as g(n)`,
  )
  expect(await recapOf(kept)).toEqual({ offsetMs: 7000 })
})

test("a replay of a private event ends with the right to see it", async () => {
  const closed = await eventWith({ history: "kept", visibility: "private" }, "publish", "start", "end")
  const { userId, session } = await createPerson(server.url, acme.key, closed, "participant")
  const { token, url } = (await tokenFor(closed, session)).body
  const client = new Client(url)
  await client.hello()
  client.send({ op: 2, d: { token, replay: { from: 0, speed: 0 } } })
  expect((await client.dispatch("ready")).d.me.participantId).toBe(userId)
  expect((await call(server.url, "DELETE", `/v1/users/${userId}`, { key: acme.key })).status).toBe(204)
  expect(await client.closeCode()).toBe(4203)
})

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })
const anyone = (path: string) => call(server.url, "GET", path)

const CODE = /^[2-9A-HJ-NP-Z]{6}$/

test("codes have no character that looks like another one, and are read as people type them", () => {
  const codes = Array.from({ length: 500 }, newJoinCode)
  expect(codes.filter((code) => !CODE.test(code))).toEqual([])
  expect(new Set(codes).size).toBe(500)
  expect(["k7m-px4", " K7M PX4 ", "K7MPX4"].map(parseJoinCode)).toEqual(["K7MPX4", "K7MPX4", "K7MPX4"])
  expect(["K7MPX", "K7MPX45", "K7MPX0", "K7MPXO", "K7MPX1", "", "ÄÖÜäöü"].map(parseJoinCode)).toEqual(
    Array(7).fill(undefined),
  )
})

describe("a join code", () => {
  test("is made once, however many ask at once, and finds its event when that is published", async () => {
    const event = await createEvent(server.url, acme.key, { title: "Coding" })
    const asked = await Promise.all(Array.from({ length: 10 }, () => api("POST", `/v1/events/${event.id}/join-code`)))
    const [{ body, status } = { body: {}, status: 0 }] = asked
    expect(status).toBe(200)
    expect(body.code).toMatch(CODE)
    expect(body.url).toBe(`${server.url}/enter/${event.id}`)
    expect(new Set(asked.map((answer) => answer.body.code))).toEqual(new Set([body.code]))

    const path = `/v1/public/join/${body.code}`
    expect((await anyone(path)).status).toBe(404)
    await api("POST", `/v1/events/${event.id}/publish`)
    const found = await anyone(path)
    expect([found.status, found.body]).toEqual([
      200,
      { eventId: event.id, title: "Coding", status: "scheduled", scheduledAt: null, url: body.url },
    ])
    const typed = `${body.code.slice(0, 3)}-${body.code.slice(3)}`.toLowerCase()
    expect((await anyone(`/v1/public/join/${typed}`)).body.eventId).toBe(event.id)
    await api("POST", `/v1/events/${event.id}/start`)
    expect((await anyone(path)).body.status).toBe("live")
    await api("PATCH", `/v1/events/${event.id}`, { body: { visibility: "private" } })
    expect((await anyone(path)).status).toBe(404)
  })

  test("of nothing and of a deleted event is not found", async () => {
    const event = await createEvent(server.url, acme.key)
    const { code } = (await api("POST", `/v1/events/${event.id}/join-code`)).body
    await api("POST", `/v1/events/${event.id}/publish`)
    await api("DELETE", `/v1/events/${event.id}`)
    for (const one of [code, "ZZZZZZ", "K7MPX0", "%00", "x".repeat(500)]) {
      const answer = await anyone(`/v1/public/join/${one}`)
      expect([one, answer.status, answer.body.code]).toEqual([one, 404, "not_found"])
    }
  })
})

test("the QR code is a picture of the page's address, of events that may be seen", async () => {
  const event = await createEvent(server.url, acme.key)
  const path = `/v1/public/events/${event.id}/qr.svg`
  expect((await anyone(path)).status).toBe(404)
  await api("POST", `/v1/events/${event.id}/publish`)
  const answer = await fetch(server.url + path)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
  const picture = await answer.text()
  expect(picture).toMatch(/^<\?xml [^>]*>\s*<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\s*$/s)
  expect(picture).not.toMatch(/<script|href|on\w+=/)
  const other = await createEvent(server.url, acme.key)
  await api("POST", `/v1/events/${other.id}/publish`)
  expect(await (await fetch(`${server.url}/v1/public/events/${other.id}/qr.svg`)).text()).not.toBe(picture)
})
