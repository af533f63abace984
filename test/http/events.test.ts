/** Events over REST: made, changed, driven along their states, and warned about. */
import { describe, expect, test } from "vitest"
import { type CallOptions, call, createEvent, createLiveEvent, signup, tokenIn, untilTaken } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

const other = sharedWorkspace(server)

const PHASES = [
  { modality: "broadcast", featureSet: ["qa", "chat"] },
  { modality: "breakout", config: { roomSize: 4, durationSeconds: 300, custom: { kept: true } } },
  { modality: "meeting" },
]

describe("creating an event", () => {
  test("answers the bare draft with its address, and the read has the phases in order", async () => {
    const created = await api("POST", "/v1/events", {
      body: { type: "webinar", title: "Launch", scheduledAt: "2027-01-02T10:00:00+02:00", phases: PHASES },
    })
    expect(created.status).toBe(201)
    expect(created.headers.get("location")).toBe(`/v1/events/${created.body.id}`)
    expect(created.body).toMatchObject({
      status: "draft",
      visibility: "unlisted",
      scheduledAt: "2027-01-02T08:00:00.000Z",
      capacity: 1000,
      metadata: {},
      workspaceId: acme.id,
    })
    expect(created.body).not.toHaveProperty("phases")
    const read = await api("GET", `/v1/events/${created.body.id}`)
    expect(read.status).toBe(200)
    expect(read.body.phases.map((phase: { modality: string }) => phase.modality)).toEqual([
      "broadcast",
      "breakout",
      "meeting",
    ])
    expect(read.body.phases[1].config).toEqual({ roomSize: 4, durationSeconds: 300, custom: { kept: true } })
    expect(read.body.activePhaseId).toBeNull()
  })

  test("ignores fields the caller may not set", async () => {
    const id = "00000000-0000-7000-8000-000000000000"
    const event = await createEvent(server.url, acme.key, { id, status: "live", workspaceId: other.id })
    expect(event).toMatchObject({ status: "draft", workspaceId: acme.id })
    expect(event.id).not.toBe(id)
  })

  test("refuses what no schema of a type says", async () => {
    for (const [what, fields] of [
      ["a blank title", { title: " \n" }],
      ["a title of a braille cell without dots", { title: "\u2800" }],
      ["a blank type", { type: "  " }],
      ["a time without offset", { scheduledAt: "2027-01-01T10:00:00" }],
      ["a day that does not exist", { scheduledAt: "2027-02-30T10:00:00Z" }],
      ["a feature named twice", { phases: [{ modality: "meeting", featureSet: ["qa", "qa"] }] }],
      ["a phase that lasts no time", { phases: [{ modality: "breakout", config: { durationSeconds: 0 } }] }],
      ["a phase config over 16 KiB", { phases: [{ modality: "meeting", config: { text: "x".repeat(16_384) } }] }],
      ["metadata that is a list", { metadata: [] }],
    ] as const) {
      const answer = await api("POST", "/v1/events", { body: { type: "webinar", title: "Launch", ...fields } })
      expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
      const { errors: _, ...problem } = answer.body
      expect(Object.keys(problem).toSorted(), what).toEqual(["code", "detail", "type"])
    }
  })

  test("names each wrong field by a pointer, and a wrong parameter by its name", async () => {
    const body = { type: "webinar", phases: [{ modality: "party" }], "a/b~": 1 }
    expect((await api("POST", "/v1/events", { body })).body.errors).toEqual([
      { pointer: "#/title", detail: "Missing key" },
      { pointer: "#/phases/0/modality", detail: 'Expected "broadcast" | "meeting" | "breakout" | "rotation"' },
    ])
    expect((await api("GET", "/v1/events?limit=0")).body.errors).toEqual([
      { parameter: "limit", detail: "Expected a value between 1 and 100" },
    ])
  })

  test("takes the longest fields", async () => {
    for (const [what, fields] of [
      ["a title of 300 characters", { title: "x".repeat(300) }],
      ["a type of 80 characters", { type: "x".repeat(80) }],
      ["50 phases", { phases: Array.from({ length: 50 }, () => ({ modality: "meeting" })) }],
      ["no capacity limit", { capacity: null }],
    ] as const) {
      expect(
        (await api("POST", "/v1/events", { body: { type: "webinar", title: "Launch", ...fields } })).status,
        what,
      ).toBe(201)
    }
  })
})

describe("creating an event from the dashboard", () => {
  test("makes its creator a host; a key makes nobody one", async () => {
    const body = { type: "webinar", title: "Mine", phases: [{ modality: "meeting" }] }
    const member = await signup(server.url)
    const invite = await api("POST", `/v1/workspaces/${acme.id}/invites`, { body: {} })
    await call(server.url, "POST", `/v1/invites/${tokenIn(invite.body.inviteUrl)}/accept`, {
      cookie: member.cookie,
    })
    const headers = { "x-workspace-id": acme.id }
    const mine = await call(server.url, "POST", "/v1/events", { cookie: member.cookie, headers, body })
    const theirs = await api("POST", "/v1/events", { body })
    const session = await call(server.url, "POST", `/v1/workspaces/${acme.id}/session`, { cookie: member.cookie })
    const roleOn = async (eventId: string) =>
      (
        await call(server.url, "POST", "/v1/auth/gateway-token", {
          bearer: session.body.sessionToken,
          body: { eventId },
        })
      ).body.role
    expect([await roleOn(mine.body.id), await roleOn(theirs.body.id)]).toEqual(["host", "participant"])
  })
})

describe("changing an event", () => {
  test("changes the named properties, clears with null, replaces metadata wholesale and leaves the rest", async () => {
    const event = await createEvent(server.url, acme.key, {
      scheduledAt: "2027-01-01T10:00:00Z",
      metadata: { description: "a", other: 1 },
    })
    const changed = await api("PATCH", `/v1/events/${event.id}`, {
      body: { title: "New", scheduledAt: null, metadata: { description: "b" } },
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      title: "New",
      scheduledAt: null,
      metadata: { description: "b" },
      type: "webinar",
    })
    expect((await api("GET", `/v1/events/${event.id}`)).body.title).toBe("New")
    expect((await api("PATCH", `/v1/events/${event.id}`, { body: {} })).status).toBe(200)
  })

  test("refuses an end before the start that the event already has", async () => {
    const event = await createEvent(server.url, acme.key, { scheduledAt: "2027-01-02T00:00:00Z" })
    const answer = await api("PATCH", `/v1/events/${event.id}`, { body: { scheduledEndAt: "2027-01-01T00:00:00Z" } })
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
  })

  test("takes no blank title", async () => {
    const event = await createEvent(server.url, acme.key)
    const { status, body } = await api("PATCH", `/v1/events/${event.id}`, { body: { title: "  " } })
    expect([status, body.errors]).toEqual([400, [{ pointer: "#/title", detail: "must not be blank" }]])
  })

  test("deleting it removes it for good", async () => {
    const event = await createEvent(server.url, acme.key)
    const deleted = await api("DELETE", `/v1/events/${event.id}`)
    expect([deleted.status, deleted.body]).toEqual([204, ""])
    expect((await api("GET", `/v1/events/${event.id}`)).status).toBe(404)
    expect((await api("DELETE", `/v1/events/${event.id}`)).status).toBe(404)
  })
})

describe("driving an event", () => {
  test("publish, start, advance and end move it along its states and its phases", async () => {
    const event = await createEvent(server.url, acme.key, { phases: PHASES })
    const act = (verb: string, body?: unknown) =>
      api("POST", `/v1/events/${event.id}/${verb}`, body === undefined ? {} : { body })
    expect((await act("publish")).body).toMatchObject({ status: "scheduled", activePhaseId: null })
    const started = await act("start")
    const [first, second, third] = started.body.phases.map((phase: { id: string }) => phase.id)
    expect(started.body).toMatchObject({ status: "live", activePhaseId: first })
    const advanced = await act("advance", { phaseId: first })
    expect(advanced.body.activePhaseId).toBe(second)
    expect(advanced.body.phases[1].timerEndsAt).not.toBeNull()
    expect((await act("advance", { phaseId: first })).body.activePhaseId).toBe(second)
    expect((await act("advance")).body.activePhaseId).toBe(third)
    const ended = await act("advance", {})
    expect(ended.body).toMatchObject({ status: "ended", activePhaseId: null })
    expect(ended.body.endedAt).not.toBeNull()
    expect((await act("advance", { phaseId: third })).status).toBe(200)
    expect((await act("advance")).body.code).toBe("conflict")
  })

  test("a guarded advance of an event that is not live is a conflict", async () => {
    for (const [state, verbs] of [
      ["draft", []],
      ["scheduled", ["publish"]],
    ] as const) {
      const event = await createEvent(server.url, acme.key, { phases: PHASES })
      for (const verb of verbs) await api("POST", `/v1/events/${event.id}/${verb}`)
      const { phases } = (await api("GET", `/v1/events/${event.id}`)).body
      const answer = await api("POST", `/v1/events/${event.id}/advance`, { body: { phaseId: phases[0].id } })
      expect([answer.status, answer.body.code], state).toEqual([409, "conflict"])
      const extended = await api("POST", `/v1/phases/${phases[1].id}/extend`, { body: { seconds: 60 } })
      expect([extended.status, extended.body.code], state).toEqual([409, "conflict"])
    }
  })

  test("a body that is no JSON is refused also where none is read", async () => {
    const event = await createEvent(server.url, acme.key, { phases: PHASES })
    const headers = { "content-type": "text/plain" }
    const answer = await api("POST", `/v1/events/${event.id}/publish`, { raw: "x=1", headers })
    expect([answer.status, answer.body.code]).toEqual([415, "unsupported_media_type"])
  })

  test.each([
    ["draft", ["start", "advance", "end"]],
    ["scheduled", ["publish", "advance", "end"]],
    ["live", ["publish", "start"]],
    ["ended", ["publish", "start", "advance", "end"]],
  ])("from %s, %j are conflicts", async (state, verbs) => {
    const event = await createEvent(server.url, acme.key)
    const road: { [state: string]: string[] } = {
      draft: [],
      scheduled: ["publish"],
      live: ["publish", "start"],
      ended: ["publish", "start", "end"],
    }
    for (const verb of road[state] ?? []) await api("POST", `/v1/events/${event.id}/${verb}`)
    for (const verb of verbs) {
      const answer = await api("POST", `/v1/events/${event.id}/${verb}`)
      expect([verb, answer.status, answer.body.code]).toEqual([verb, 409, "conflict"])
    }
    expect((await api("GET", `/v1/events/${event.id}`)).body.status).toBe(state)
  })

  test("fifty guarded advances at once are fifty times 200 and one step", async () => {
    const event = await createLiveEvent(server.url, acme.key, { phases: PHASES })
    const body = { phaseId: event.activePhaseId }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => untilTaken(() => api("POST", `/v1/events/${event.id}/advance`, { body }))),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(new Set(answers.map((answer) => answer.body.activePhaseId))).toEqual(new Set([event.phases[1].id]))
  })
})

describe("phases", () => {
  test("are appended at the end, changed while they may be, and refused once the event is over", async () => {
    const event = await createLiveEvent(server.url, acme.key)
    const appended = await api("POST", `/v1/events/${event.id}/phases`, {
      body: { modality: "meeting", featureSet: ["chat"] },
    })
    expect([appended.status, appended.body.position, appended.body.status]).toEqual([201, 1, "pending"])
    expect(appended.headers.get("location")).toBeNull()
    const changed = await api("PATCH", `/v1/phases/${appended.body.id}`, {
      body: { config: { note: "x" }, featureSet: [] },
    })
    expect(changed.body).toMatchObject({ config: { note: "x" }, featureSet: [] })
    await api("POST", `/v1/events/${event.id}/end`)
    expect((await api("PATCH", `/v1/phases/${appended.body.id}`, { body: { config: {} } })).body.code).toBe("conflict")
    expect((await api("POST", `/v1/events/${event.id}/phases`, { body: { modality: "meeting" } })).body.code).toBe(
      "conflict",
    )
  })

  test("the fifty-first is a conflict", async () => {
    const tooMany = Array.from({ length: 51 }, () => ({ modality: "meeting" }))
    const created = await api("POST", "/v1/events", { body: { type: "t", title: "x", phases: tooMany } })
    expect([created.status, created.body.code]).toEqual([409, "conflict"])
    const event = await createEvent(server.url, acme.key, {
      phases: Array.from({ length: 50 }, () => ({ modality: "meeting" })),
    })
    const answer = await api("POST", `/v1/events/${event.id}/phases`, { body: { modality: "meeting" } })
    expect([answer.status, answer.body.code]).toEqual([409, "conflict"])
  })

  test("two appended at once get two places", async () => {
    const event = await createEvent(server.url, acme.key, { phases: [] })
    const append = () => api("POST", `/v1/events/${event.id}/phases`, { body: { modality: "meeting" } })
    const positions = (await Promise.all([append(), append()])).map(({ body }) => body.position)
    expect(positions.toSorted()).toEqual([0, 1])
  })

  test("extensions by 10 and 3600 seconds at once add up", async () => {
    const event = await createLiveEvent(server.url, acme.key, {
      phases: [{ modality: "breakout", config: { durationSeconds: 60 } }],
    })
    const extend = (seconds: number) => api("POST", `/v1/phases/${event.activePhaseId}/extend`, { body: { seconds } })
    expect((await Promise.all([extend(10), extend(3600)])).map(({ status }) => status)).toEqual([200, 200])
    const [phase] = (await api("GET", `/v1/events/${event.id}`)).body.phases
    expect(phase.extendedSeconds).toBe(3610)
    expect(Date.parse(phase.timerEndsAt) - Date.parse(phase.startedAt)).toBe(3_670_000)
  })
})

describe("the switch of reminders", () => {
  test("is on unless it is turned off when the event is made", async () => {
    const on = await createEvent(server.url, acme.key)
    const off = await createEvent(server.url, acme.key, { reminders: false })
    expect([on.reminders, off.reminders]).toEqual([true, false])
    const read = async (id: string) => (await api("GET", `/v1/events/${id}`)).body.reminders
    expect([await read(on.id), await read(off.id)]).toEqual([true, false])
    const { events } = (await api("GET", "/v1/events?limit=2")).body
    expect(events.map(({ reminders }: { reminders: boolean }) => reminders)).toEqual([false, true])
    expect((await call(server.url, "GET", `/v1/public/events/${on.id}`)).body).not.toHaveProperty("reminders")
  })

  test("is changed by a PATCH in every state, and stays where another field is changed", async () => {
    const event = await createEvent(server.url, acme.key)
    const path = `/v1/events/${event.id}`
    const patch = async (body: object) => (await api("PATCH", path, { body })).body.reminders
    expect(await patch({ reminders: false })).toBe(false)
    await api("POST", `${path}/publish`)
    expect(await patch({ title: "Another" })).toBe(false)
    expect(await patch({ reminders: true })).toBe(true)
    expect((await api("POST", `${path}/start`)).body.reminders).toBe(true)
    expect((await api("GET", path)).body).toMatchObject({ reminders: true, title: "Another" })
  })
})

describe("a start in the past", () => {
  const PAST = "2020-01-01T00:00:00.000Z"
  const warning = {
    code: "starts_in_past",
    detail: "The start of the event (2020-01-01T00:00:00.000Z) lies in the past.",
  }

  test("is warned of wherever it is set or looked at, until the event is live", async () => {
    const event = await createEvent(server.url, acme.key, { scheduledAt: PAST })
    const path = `/v1/events/${event.id}`
    const warnings = async (method: string, under = "", body?: object) =>
      (await api(method, path + under, body === undefined ? {} : { body })).body.warnings
    expect(event.warnings).toEqual([warning])
    expect(await warnings("GET")).toEqual([warning])
    expect(await warnings("PATCH", "", { scheduledAt: "2999-01-01T00:00:00Z" })).toEqual([])
    expect(await warnings("PATCH", "", { scheduledAt: PAST })).toEqual([warning])
    expect(await warnings("POST", "/publish")).toEqual([warning])
    expect(await warnings("GET")).toEqual([warning])
    expect((await api("POST", `${path}/start`)).status).toBe(200)
    expect(await warnings("GET")).toEqual([])
  })

  test("is no mistake where it passed after the event was published", async () => {
    const event = await createEvent(server.url, acme.key, { scheduledAt: "2999-01-01T00:00:00Z" })
    expect(event.warnings).toEqual([])
    await api("POST", `/v1/events/${event.id}/publish`)
    const rows = rowsOf(server.databaseUrl)
    await rows.run("update events set published_at = '2019-01-01T00:00:00Z', scheduled_at = $2 where id = $1", [
      event.id,
      PAST,
    ])
    await rows.end()
    expect((await api("GET", `/v1/events/${event.id}`)).body).toMatchObject({ scheduledAt: PAST, warnings: [] })
  })
})

test("an event without phases is warned of once it is published, until it has one", async () => {
  const event = await createEvent(server.url, acme.key, { phases: [] })
  expect(event.warnings).toEqual([])
  const path = `/v1/events/${event.id}`
  const warning = {
    code: "no_phases",
    detail: "The event has no phase: after its start nothing takes place in it.",
  }
  expect((await api("POST", `${path}/publish`)).body.warnings).toEqual([warning])
  expect((await api("GET", path)).body.warnings).toEqual([warning])
  expect((await api("POST", `${path}/phases`, { body: { modality: "meeting" } })).status).toBe(201)
  expect((await api("GET", path)).body.warnings).toEqual([])
})
