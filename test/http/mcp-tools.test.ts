/** What agents do with tools: an event is hosted, refusals say why, a repeat has one effect, and a dry run has none. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { agentOf, request, say, type Used } from "../support/agent.ts"
import { call, createEvent, createLiveEvent, createPerson, createWorkspace, type Json } from "../support/api.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const workspace = sharedWorkspace(server)

const agent = (sent: () => { readonly key?: string; readonly headers?: { readonly [name: string]: string } }) =>
  agentOf(
    () => server.url,
    () => ({ ...sent(), query: "?write=1" }),
  )
const host = agent(() => ({ key: workspace.key }))
const reader = agentOf(
  () => server.url,
  () => ({ key: workspace.key }),
)
const get = async (path: string): Promise<Json> => (await call(server.url, "GET", path, { key: workspace.key })).body
const refusalOf = ({ isError, text }: Used): Json => (isError ? JSON.parse(text) : `no refusal: ${text}`)
const toolsOf = async (): Promise<ReadonlyArray<Json>> =>
  (await say(server.url, request("tools/list"), { key: workspace.key, query: "?write=1" })).body.result.tools

const PHASES = [
  { modality: "broadcast", featureSet: ["qa", "chat"] },
  { modality: "meeting", featureSet: ["polls", "chat"] },
]

test("an agent creates, publishes, begins, advances and ends an event, with a poll, an announcement and a host", async () => {
  const made = await host("create_event", { type: "webinar", title: "Launch", phases: PHASES })
  const { id: eventId } = made.content.answer
  expect(made.content.idempotencyKey).toMatch(/^mcp-/)
  const user = await host("upsert_user", { externalSub: "ada", name: "Ada" })
  const { id: userId } = user.content.answer
  expect((await host("create_membership", { eventId, userId, role: "host" })).isError).toBe(false)
  expect((await host("publish_event", { eventId })).content.answer.status).toBe("scheduled")
  const started = (await host("start_event", { eventId })).content.answer
  expect([started.status, started.phases[0].status]).toEqual(["live", "active"])
  const { can, v } = (await reader("get_live_state", { eventId })).content
  expect(can).toEqual(expect.arrayContaining(["announce", "question.pin", "chat.send"]))
  // Without the feature, or only for a person who is present.
  for (const not of ["poll.create", "poll.vote", "hand.raise", "sync", "rtc.join"]) expect(can).not.toContain(not)
  const said = await host("live_announcements", { eventId, t: "announce", d: { text: "Welcome" } })
  expect(said.content.answer.v).toBe(v + 1)
  const [phase] = started.phases
  expect((await host("advance_event", { eventId, phaseId: phase.id })).content.answer.activePhaseId).not.toBe(phase.id)
  const data = { question: "Again?", kind: "single", options: ["Yes", "No"] }
  const { poll } = (await host("live_polls", { eventId, t: "poll.create", d: data })).content.answer.d
  await host("live_polls", { eventId, t: "poll.open", d: { id: poll.id }, rev: poll.rev })
  expect((await reader("list_polls", { eventId })).content.polls).toMatchObject([{ id: poll.id, status: "open" }])
  expect((await host("patch_event", { eventId, title: "Launch, live" })).content.answer.title).toBe("Launch, live")
  expect((await host("end_event", { eventId })).content.answer.status).toBe("ended")
  expect((await get(`/v1/events/${eventId}/state`)).can).toEqual([])
  // The log names the key for what agents do, as for other requests.
  const audit = await rows.run("select action, actor_kind from audit_entries where target_id = $1", [eventId])
  expect(audit).toEqual(expect.arrayContaining([expect.objectContaining({ action: "event.commanded" })]))
})

test("without write=1 nothing changes, not even by a dry run", async () => {
  const before = await rows.run("select count(*) from events")
  for (const args of [
    { type: "webinar", title: "Sly" },
    { type: "webinar", title: "Sly", dryRun: true },
  ]) {
    const refused = await reader("create_event", args)
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("?write=1")])
  }
  expect(await rows.run("select count(*) from events")).toEqual(before)
})

describe("a repeat under one idempotencyKey", () => {
  test("has one effect, also when it comes by REST, and another body is refused", async () => {
    const idempotencyKey = randomUUID()
    const args = { type: "webinar", title: "Once" }
    const first = await host("create_event", { ...args, idempotencyKey })
    expect((await host("create_event", { idempotencyKey, ...args })).content).toEqual(first.content)
    const headers = { "idempotency-key": idempotencyKey }
    const byRest = await call(server.url, "POST", "/v1/events", { key: workspace.key, body: args, headers })
    expect([byRest.body, byRest.headers.get("idempotency-replayed")]).toEqual([first.content.answer, "true"])
    const other = await host("create_event", { ...args, title: "Twice", idempotencyKey })
    expect(refusalOf(other).code).toBe("idempotency_key_reused")
    expect((await rows.run("select 1 from events where title = 'Once'")).length).toBe(1)
  })

  test("is one command of a live event", async () => {
    const { id: eventId } = await createLiveEvent(server.url, workspace.key, { phases: PHASES })
    const args = { eventId, t: "announce", d: { text: "Once" }, idempotencyKey: randomUUID() }
    const first = await host("live_announcements", args)
    expect((await host("live_announcements", args)).content).toEqual(first.content)
    expect((await get(`/v1/events/${eventId}/state`)).v).toBe(first.content.answer.v)
  })
})

describe("a refusal says why", () => {
  test("for ids of nobody and of others alike, and for keys without the scope or for other events", async () => {
    const stranger = await createWorkspace(server.url)
    const { id: theirs } = await createEvent(server.url, stranger.key)
    const { id: ours } = await createEvent(server.url, workspace.key)
    for (const [tool, args] of [
      ["get_event", {}],
      ["get_live_state", {}],
      ["publish_event", {}],
      ["publish_event", { dryRun: true }],
      ["live_chat", { t: "chat.slow", d: { perMs: 0 } }],
    ] as const) {
      const said = await Promise.all(
        [theirs, randomUUID()].map(async (eventId) => {
          const { text } = await host(tool, { eventId, ...args })
          return text.replaceAll(eventId, "")
        }),
      )
      expect(said[0], tool).toContain('"code":"not_found"')
      expect(said[0], tool).toBe(said[1])
    }
    // An id is one part of a path, whatever it has in it.
    for (const eventId of ["..", "a/b?c#d", `${ours}/state`, "%2e%2e"])
      expect(refusalOf(await host("get_event", { eventId })).code, eventId).toBe("not_found")
    const body = { scopes: ["read"], eventIds: [ours] }
    const { secret } = (await call(server.url, "POST", "/v1/api-keys", { key: workspace.key, body })).body
    const limited = agent(() => ({ key: secret }))
    expect((await limited("get_event", { eventId: ours })).content.id).toBe(ours)
    const lacks = (scope: string) => ({ code: "forbidden", detail: `The API key does not have the scope ${scope}.` })
    expect(refusalOf(await limited("publish_event", { eventId: ours }))).toEqual(lacks("events:write"))
    expect(refusalOf(await limited("live_chat", { eventId: ours, t: "chat.slow", d: { perMs: 0 } }))).toEqual(
      lacks("live"),
    )
    expect(refusalOf(await limited("upsert_user", { externalSub: "x" }))).toEqual(lacks("people"))
    expect((await limited("start_event", { eventId: ours, dryRun: true })).content).toMatchObject({
      can: false,
      refusal: lacks("live"),
    })
    const { id: other } = await createEvent(server.url, workspace.key)
    expect(refusalOf(await limited("get_event", { eventId: other })).code).toBe("not_found")
    expect((await limited("list_events")).content.events.map(({ id }: Json) => id)).toEqual([ours])
  })

  test("for arguments", async () => {
    const { id: eventId } = await createEvent(server.url, workspace.key)
    const text = async (tool: string, args: object) => {
      const { isError, text: said } = await host(tool, args)
      return isError && said
    }
    expect(await text("get_event", { id: eventId })).toBe('get_event has no argument "id": it takes eventId.')
    expect(await text("get_event", {})).toBe("get_event needs eventId.")
    expect(await text("get_event", { eventId: 5 })).toBe("eventId must be an id.")
    expect(await text("list_events", { limit: [1] })).toBe("limit must be a text or a number.")
    expect(await text("publish_event", { eventId, dryRun: "yes" })).toBe("dryRun must be true or false.")
    expect(await text("publish_event", { eventId, idempotencyKey: 5 })).toBe("idempotencyKey must be a text.")
    expect(refusalOf(await host("publish_event", { eventId, idempotencyKey: "é" }))).toMatchObject({
      errors: [{ header: "idempotency-key" }],
    })
    expect(refusalOf(await host("list_events", { limit: 5000 })).errors).toMatchObject([{ parameter: "limit" }])
    const bad = { type: "webinar", title: "", phases: [{ modality: "dance" }] }
    for (const refusal of [
      refusalOf(await host("create_event", bad)),
      (await host("create_event", { ...bad, dryRun: true })).content.refusal,
    ])
      expect(refusal.errors.map(({ pointer }: Json) => pointer)).toEqual(["#/title", "#/phases/0/modality"])
    expect(refusalOf(await host("create_event", { type: "webinar", title: null })).code).toBe("bad_request")
  })

  test("for a number that JSON cannot repeat, which would become null and remove a limit", async () => {
    const { id: eventId } = await createEvent(server.url, workspace.key, { capacity: 50 })
    for (const capacity of ["1e400", "-1e400"]) {
      const message = JSON.stringify(
        request("tools/call", { name: "patch_event", arguments: { eventId, capacity: 1 } }),
      )
      const sent = { key: workspace.key, query: "?write=1" }
      const { body } = await say(server.url, message.replace('"capacity":1', `"capacity":${capacity}`), sent)
      expect([body.result.isError, body.result.content[0].text]).toEqual([
        true,
        "capacity must be without numbers beyond 1.8e308.",
      ])
    }
    expect((await get(`/v1/events/${eventId}`)).capacity).toBe(50)
  })

  test("for the role, the phase, the feature, a stale rev and a command of nobody", async () => {
    const { id: eventId } = await createLiveEvent(server.url, workspace.key, { phases: PHASES })
    const { session } = await createPerson(server.url, workspace.key, eventId, "viewer")
    const viewer = agent(() => ({ headers: { authorization: `Bearer ${session}` } }))
    const slow = { eventId, t: "chat.slow", d: { perMs: 1000 } }
    const poll = { question: "?", kind: "single", options: ["a", "b"] }
    const cases: ReadonlyArray<readonly [typeof host, string, object]> = [
      [viewer, "live_chat", slow],
      [host, "live_breakouts", { eventId, t: "breakout.close" }],
      [host, "live_polls", { eventId, t: "poll.create", d: poll }],
      [host, "live_stage", { eventId, t: "hand.raise" }],
      [host, "live_polls", { eventId, t: "sync" }],
      [host, "live_polls", { eventId, t: "constructor" }],
      [host, "live_chat", { ...slow, rev: 1 }],
    ]
    for (const dryRun of [false, true]) {
      const codes: unknown[] = []
      for (const [who, tool, args] of cases) {
        const used = await who(tool, { ...args, dryRun })
        codes.push(dryRun ? [used.content.can, used.content.refusal.code] : [false, refusalOf(used).code])
      }
      expect(codes).toEqual([
        [false, "forbidden"],
        [false, "wrong_phase"],
        [false, "feature_disabled"],
        [false, "forbidden"],
        [false, "bad_request"],
        [false, "unknown_command"],
        [false, "bad_request"],
      ])
    }
    const { message } = (await host("live_chat", { eventId, t: "chat.send", d: { text: "Hello", to: "event" } }))
      .content.answer.d
    const stale = { eventId, t: "chat.delete", d: { id: message.id }, rev: message.rev + 7 }
    for (const refusal of [
      refusalOf(await host("live_chat", stale)),
      (await host("live_chat", { ...stale, dryRun: true })).content.refusal,
    ])
      expect(refusal).toMatchObject({ code: "conflict", current: { message: { id: message.id, rev: message.rev } } })
    const rightRev = await host("live_chat", { ...stale, rev: message.rev, dryRun: true })
    expect(rightRev.content).toMatchObject({ can: true, wouldAnswer: { d: { id: message.id } } })
  })
})

/** By hand: the commands that an API key may send without being present, and not those that REST has as operations of their own. */
const COMMANDS_OF = {
  live_announcements: "announce announcement.prepare announcement.discard announcement.send",
  live_breakouts: "breakout.plan breakout.open breakout.move breakout.close",
  live_chat: "chat.send chat.delete chat.slow",
  live_stage: "hand.lowerFor stage.invite",
  live_broadcast: "broadcast.start broadcast.pause broadcast.resume broadcast.stop capture.start capture.stop",
  live_people:
    "participant.mute participant.remove participant.unblock participant.toLobby role.set lobby.admit lobby.deny lobby.policy",
  live_polls: "poll.create poll.open poll.close poll.publish poll.hide poll.delete",
  live_questions:
    "question.ask question.withdraw question.approve question.hide question.restore question.pin question.answer qa.settings",
  live_rotation: "rotation.start rotation.skip rotation.pause rotation.resume rotation.stop",
}

test("the tools of a live event take the commands of their topic", async () => {
  const live = (await toolsOf()).filter(({ name }) => name.startsWith("live_"))
  const offered = live.map(({ name, inputSchema }) => [name, inputSchema.properties.t.enum.toSorted().join(" ")])
  const written = Object.entries(COMMANDS_OF).map(([name, commands]) => [
    name,
    commands.split(" ").toSorted().join(" "),
  ])
  expect(Object.fromEntries(offered)).toEqual(Object.fromEntries(written))
  for (const { inputSchema } of live) {
    const { t, d } = inputSchema.properties
    expect(d.anyOf.map(({ title }: Json) => title)).toEqual(t.enum)
  }
})

/** Tables that a server writes by itself, and the times of the last use of keys. */
const RESTLESS = ["cluster_nodes", "disk_probes", "api_keys", "sealing_checks", "kept_keys"]
const everyRow = async (): Promise<Json> => {
  const tables = await rows.run(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  )
  const names = tables.map(({ name }) => String(name)).filter((name) => !RESTLESS.includes(name))
  const sums = await Promise.all(
    names.map((name) =>
      rows.run(`select md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as sum from "${name}" t`),
    ),
  )
  return Object.fromEntries(names.map((name, index) => [name, sums[index]?.[0]?.["sum"]]))
}

test("a dry run takes nothing from the budget of its kind of command", async () => {
  const { id: eventId } = await createLiveEvent(server.url, workspace.key, { phases: PHASES })
  const { session } = await createPerson(server.url, workspace.key, eventId, "viewer")
  const viewer = agent(() => ({ headers: { authorization: `Bearer ${session}` } }))
  const ask = (dryRun: boolean) => viewer("live_questions", { eventId, t: "question.ask", d: { text: "Why?" }, dryRun })
  const { questions } = GATEWAY_DEFAULTS.budgets
  for (let asked = 0; asked <= questions.burst; asked++) expect((await ask(true)).content.can).toBe(true)
  expect((await ask(false)).isError).toBe(false)
  // A token may come back between the two.
  const spent = async () => {
    await ask(false)
    return (await ask(true)).content
  }
  await expect.poll(spent).toMatchObject({ can: false, refusal: { code: "rate_limited" } })
})

test("a dry run knows what its idempotencyKey stands for", async () => {
  const { id: eventId } = await createEvent(server.url, workspace.key)
  const append = (modality: string, idempotencyKey: string, dryRun: boolean) =>
    host("append_phase", { eventId, modality, idempotencyKey, dryRun })
  const key = randomUUID()
  const [first, second] = await Promise.all([append("meeting", key, false), append("meeting", key, true)])
  expect([first.isError, second.content.can]).toEqual([false, true])
  const again = await append("meeting", key, true)
  expect(again.content).toMatchObject({ can: true, wouldAnswer: first.content.answer })
  expect((await append("broadcast", key, true)).content).toMatchObject({
    can: false,
    refusal: { code: "idempotency_key_reused" },
  })
  expect((await append("broadcast", "é", true)).content).toMatchObject({
    can: false,
    refusal: { code: "bad_request", errors: [{ header: "idempotency-key" }] },
  })
})

test("a call whose answer is too long says that it was done, and a dry run whether it can be", async () => {
  const { id: eventId } = await createLiveEvent(server.url, workspace.key, { phases: [{ modality: "breakout" }] })
  const rooms = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(100, '"'))
  const plan = { eventId, t: "breakout.plan", d: { rooms, strategy: "balanced" } }
  const omitted = expect.stringContaining("too long")
  expect(await host("live_breakouts", { ...plan, dryRun: true })).toMatchObject({
    isError: false,
    content: { dryRun: true, can: true, omitted },
  })
  const planId = (await host("live_breakouts", plan)).content.answer.d.plan.id
  const idempotencyKey = randomUUID()
  expect(await host("live_breakouts", { eventId, t: "breakout.open", d: { planId }, idempotencyKey })).toMatchObject({
    isError: false,
    content: { idempotencyKey, omitted },
  })
})

test("a dry run of any tool has no effect, and says what would happen", async () => {
  const { id: eventId, phases } = await createLiveEvent(server.url, workspace.key, {
    phases: [{ modality: "meeting", config: { durationSeconds: 600 }, featureSet: ["polls", "chat", "qa"] }, PHASES[0]],
  })
  const [{ id: phaseId }, { id: nextId }] = phases
  const { id: draft } = await createEvent(server.url, workspace.key, { phases: PHASES })
  const { phases: drafted } = await get(`/v1/events/${draft}`)
  const { id: scheduled } = await createEvent(server.url, workspace.key, { phases: PHASES })
  await call(server.url, "POST", `/v1/events/${scheduled}/publish`, { key: workspace.key })
  const { id: cancelled } = await createEvent(server.url, workspace.key, { phases: PHASES })
  await call(server.url, "POST", `/v1/events/${cancelled}/cancel`, { key: workspace.key })
  const { userId } = await createPerson(server.url, workspace.key, eventId, "participant")
  const later = `${Date.now()}`
  const live = (t: string, d: object) => ({ eventId, t, d })
  /** Written by hand: arguments that each tool would act on. */
  const acts: { readonly [tool: string]: object } = {
    create_event: { type: "webinar", title: later },
    clone_event: { eventId, title: later },
    patch_event: { eventId, title: later },
    publish_event: { eventId: draft },
    cancel_event: { eventId: scheduled, reason: later },
    reinstate_event: { eventId: cancelled },
    start_event: { eventId: scheduled },
    advance_event: { eventId },
    end_event: { eventId },
    append_phase: { eventId, modality: "meeting" },
    patch_phase: { phaseId: nextId, featureSet: ["chat"] },
    extend_phase: { phaseId, seconds: 60 },
    order_phases: { eventId: draft, phaseIds: drafted.map(({ id }: Json) => id).toReversed() },
    delete_phase: { phaseId: drafted[0].id },
    upsert_user: { externalSub: later },
    create_membership: { eventId, userId, role: "host" },
    live_announcements: live("announce", { text: later }),
    live_breakouts: live("breakout.plan", { size: 2, strategy: "balanced" }),
    live_chat: live("chat.send", { to: "event", text: later }),
    live_stage: live("hand.lowerFor", { all: true }),
    live_broadcast: live("capture.start", { kinds: ["recording"] }),
    live_people: live("lobby.policy", { mode: "ask" }),
    live_polls: live("poll.create", { question: "?", kind: "single", options: ["a", "b"] }),
    live_questions: live("question.ask", { text: later }),
    live_rotation: live("rotation.start", { roundSeconds: 600, rounds: 1 }),
  }
  const writing = (await toolsOf()).filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name)
  expect(Object.keys(acts).toSorted()).toEqual(writing.toSorted())
  await get(`/v1/events/${eventId}/state`)
  for (const one of [draft, scheduled, cancelled]) await host("end_event", { eventId: one, dryRun: true })
  const states = async (): Promise<Json> => {
    const all = await Promise.all([eventId, draft, scheduled, cancelled].map((id) => get(`/v1/events/${id}/state`)))
    return all.map(({ serverTime: _, ...state }) => state)
  }
  // Reading a state is noted in the audit log once.
  const [seen, before] = [await states(), await everyRow()]
  const can: string[] = []
  for (const [tool, args] of Object.entries(acts)) {
    const { content } = await host(tool, {
      ...args,
      dryRun: true,
      ...(tool.startsWith("live_") && { idempotencyKey: tool }),
    })
    expect(content, tool).toMatchObject({ dryRun: true, sends: { path: expect.stringMatching(/^\/v1\//) } })
    if (content.can) can.push(tool)
    else expect(content.refusal.detail, tool).toBeTypeOf("string")
  }
  expect([await everyRow(), await states()]).toEqual([before, seen])
  // The other two are refused by the phase, and by the deployment, which records nothing.
  expect(writing.filter((name) => !can.includes(name)).toSorted()).toEqual(["live_broadcast", "live_rotation"])
  // What a dry run permits is done under the same arguments and the same name.
  const done = await host("live_polls", { ...acts["live_polls"], idempotencyKey: "live_polls" })
  expect(done.content.answer).toMatchObject({ d: { poll: { question: "?" } } })
  expect(done.content.answer.dup).toBeUndefined()
})
