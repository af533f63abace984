/** Copies of events: what a copy has of its source, and what it does not have. */
import { randomUUID } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type Answer,
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  gatewayToken,
  type Json,
} from "../support/api.ts"
import { whileHolding } from "../support/race.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
const clone = (id: string, options: CallOptions = {}): Promise<Answer> => api("POST", `/v1/events/${id}/clone`, options)
const read = async (id: string): Promise<Json> => (await api("GET", `/v1/events/${id}`)).body
const command = async (id: string, t: string, d: object = {}): Promise<Json> => {
  const answer = await api("POST", `/v1/events/${id}/commands`, { body: { t, d } })
  expect([answer.status, answer.body], t).toEqual([200, expect.anything()])
  return answer.body.d
}
const step = async (id: string, verb: string): Promise<void> => {
  expect((await api("POST", `/v1/events/${id}/${verb}`)).status, verb).toBe(200)
}

/** Written by hand: a field that is added to events belongs here, or among those that a copy has of its own. */
const TAKEN = [
  "workspaceId",
  "type",
  "timeZone",
  "description",
  "location",
  "language",
  "coverUrl",
  "branding",
  "emailTexts",
  "visibility",
  "allowAnonymousVoting",
  "allowAnonymousQuestions",
  "reminders",
  "hostAbsence",
  "history",
  "approval",
  "waitingList",
  "reminderMinutes",
  "capacity",
  "metadata",
]
const TAKEN_OF_PHASE = ["position", "modality", "config", "featureSet"]
const OWN = [
  "id",
  "title",
  "status",
  "scheduledAt",
  "scheduledEndAt",
  "createdAt",
  "updatedAt",
  "publishedAt",
  "startedAt",
  "endedAt",
  "cancelledAt",
  "cancelReason",
  "warnings",
]
const OWN_OF_EVENT_WITH_PHASES = ["phases", "activePhaseId"]
const OWN_OF_PHASE = ["id", "eventId", "status", "startedAt", "endedAt", "timerEndsAt", "extendedSeconds"]

const pick = (object: Json, fields: ReadonlyArray<string>): Json =>
  Object.fromEntries(fields.map((field) => [field, object[field]]))

const phase = fc.record(
  {
    modality: fc.constantFrom("broadcast", "meeting", "breakout", "rotation"),
    config: fc.record(
      {
        durationSeconds: fc.integer({ min: 1, max: 86_400 }),
        extendable: fc.boolean(),
        onTimerEnd: fc.constantFrom("hold", "advance"),
        roomSize: fc.integer({ min: 1, max: 1000 }),
        rounds: fc.integer({ min: 1, max: 1000 }),
        roundSeconds: fc.integer({ min: 1, max: 86_400 }),
        lobby: fc.constantFrom("open", "ask", "closed"),
        moderated: fc.boolean(),
        own: fc.record({ text: fc.string({ unit: fc.constantFrom("a", "ä", "你", '"', "\\") }) }),
      },
      { requiredKeys: [] },
    ),
    featureSet: fc.uniqueArray(fc.constantFrom("qa", "chat", "polls", "reactions", "transcript", "capture")),
  },
  { requiredKeys: ["modality"] },
)
const settings = fc.record(
  {
    type: fc.constantFrom("webinar", "Café"),
    timeZone: fc.constantFrom(null, "Europe/Berlin", "Asia/Kolkata"),
    description: fc.constantFrom(null, "Talks,\nand more"),
    location: fc.constantFrom(null, "Room 2"),
    language: fc.constantFrom(null, "en", "de"),
    coverUrl: fc.constantFrom(null, "https://cdn.example.com/a.jpg"),
    branding: fc.constantFrom(null, { logoUrl: null, accent: "#0b7a4b", theme: "dark" }),
    emailTexts: fc.constantFrom(null, { confirmation: "*Hello*", reminder: null }),
    visibility: fc.constantFrom("public", "unlisted", "private"),
    allowAnonymousVoting: fc.boolean(),
    allowAnonymousQuestions: fc.boolean(),
    reminders: fc.boolean(),
    hostAbsence: fc.record({
      measure: fc.constantFrom("nothing", "locked"),
      afterSeconds: fc.integer({ min: 0, max: 3600 }),
    }),
    history: fc.constantFrom("brief", "kept"),
    capacity: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 100_000 })),
    metadata: fc.dictionary(fc.constantFrom("description", "brand", "n"), fc.oneof(fc.integer(), fc.constant("Ärger"))),
  },
  { requiredKeys: [] },
)

test("a copy has the settings and the agenda of its source, with ids of its own", async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(phase, { maxLength: 4 }), async (fields, phases) => {
      const scheduledAt = "2027-05-01T18:00:00.000Z"
      const { id } = await createEvent(server.url, acme.key, { ...fields, phases, scheduledAt })
      const copied = await clone(id)
      expect(copied.status).toBe(201)
      expect(copied.headers.get("location")).toBe(`/v1/events/${copied.body.id}`)
      const [source, copy] = [await read(id), await read(copied.body.id)]
      // Every field of an event is in one of the lists.
      expect(Object.keys(source).toSorted()).toEqual([...TAKEN, ...OWN, ...OWN_OF_EVENT_WITH_PHASES].toSorted())
      expect(pick(copy, TAKEN)).toEqual(pick(source, TAKEN))
      expect(copy.phases.map((one: Json) => pick(one, TAKEN_OF_PHASE))).toEqual(
        source.phases.map((one: Json) => pick(one, TAKEN_OF_PHASE)),
      )
      for (const one of source.phases) {
        expect(Object.keys(one).toSorted()).toEqual([...TAKEN_OF_PHASE, ...OWN_OF_PHASE].toSorted())
      }
      const idsOf = ({ id: own, phases: agenda }: Json): ReadonlyArray<string> => [
        own,
        ...agenda.map((one: Json) => one.id),
      ]
      expect(new Set([...idsOf(source), ...idsOf(copy)]).size).toBe(2 * (1 + phases.length))
      expect(pick(copy, ["status", "scheduledAt", "scheduledEndAt", "publishedAt", "startedAt", "endedAt"])).toEqual({
        status: "draft",
        scheduledAt: null,
        scheduledEndAt: null,
        publishedAt: null,
        startedAt: null,
        endedAt: null,
      })
    }),
    { numRuns: 25 },
  )
})

describe("the title and the times", () => {
  const TIMES = { scheduledAt: "2027-05-01T18:00:00.000Z", scheduledEndAt: "2027-05-01T19:30:00.000Z" }

  test("are those that are asked for, and the end keeps its distance from the start", async () => {
    const { id } = await createEvent(server.url, acme.key, TIMES)
    const { body } = await clone(id, { body: { title: "Autumn", scheduledAt: "2027-10-01T20:00:00+02:00" } })
    expect(body).toMatchObject({
      title: "Autumn",
      scheduledAt: "2027-10-01T18:00:00.000Z",
      scheduledEndAt: "2027-10-01T19:30:00.000Z",
      status: "draft",
      warnings: [],
    })
    expect(body).not.toHaveProperty("phases")
  })

  test("are the mark of a copy and none unless they are asked for", async () => {
    const { id } = await createEvent(server.url, acme.key, { ...TIMES, title: "Launch" })
    for (const [what, body] of [
      ["no body", undefined],
      ["an empty body", {}],
      ["a time of null", { scheduledAt: null }],
    ] as const) {
      const copy = await clone(id, body === undefined ? {} : { body })
      expect(copy.body, what).toMatchObject({ title: "Launch (copy)", scheduledAt: null, scheduledEndAt: null })
    }
  })

  test("warn of a start in the past, as for a new event", async () => {
    const { id } = await createEvent(server.url, acme.key)
    const { body } = await clone(id, { body: { scheduledAt: "2020-01-01T00:00:00Z" } })
    expect(body.warnings.map(({ code }: Json) => code)).toEqual(["starts_in_past"])
  })

  test("leave out an end after the last year", async () => {
    const { id } = await createEvent(server.url, acme.key, TIMES)
    const { status, body } = await clone(id, { body: { scheduledAt: "9999-12-31T23:59:59Z" } })
    expect([status, body.scheduledAt, body.scheduledEndAt]).toEqual([201, "9999-12-31T23:59:59.000Z", null])
  })

  test("keep within the longest title, without half a letter", async () => {
    const long = await createEvent(server.url, acme.key, { title: "x".repeat(300) })
    const copy = (await clone(long.id)).body
    expect(copy.title).toBe(`${"x".repeat(293)} (copy)`)
    expect((await clone(copy.id)).body.title).toBe(`${"x".repeat(293)} (copy)`)
    const family = await createEvent(server.url, acme.key, { title: `${"x".repeat(290)}👩‍👩‍👧y` })
    expect((await clone(family.id)).body.title).toBe(`${"x".repeat(290)} (copy)`)
  })
})

describe("what hosts prepared", () => {
  const MEETING = { phases: [{ modality: "meeting", featureSet: ["polls", "chat", "qa"] }] }
  const poll = (question: string, more: object = {}) => ({ question, kind: "single", options: ["Yes", "No"], ...more })
  const pollsOf = async (id: string): Promise<ReadonlyArray<Json>> =>
    (await api("GET", `/v1/events/${id}/polls`)).body.polls
  const stateOf = async (id: string): Promise<Json> => (await api("GET", `/v1/events/${id}/state`)).body

  test("is copied in order: polls as drafts without votes, and announcements for everyone", async () => {
    const { id } = await createEvent(server.url, acme.key, MEETING)
    const choices = { anonymous: true, allowChange: false, results: "afterVote" }
    const opened = (await command(id, "poll.create", poll("Opened?"))).poll
    await command(id, "poll.create", { ...poll("Which?", choices), kind: "multi", options: ["A", "B", "C"] })
    await command(id, "announcement.prepare", { text: "Welcome" })
    await command(id, "announcement.prepare", { text: "To a room", targets: [randomUUID()] })
    await command(id, "announcement.prepare", { text: "Goodbye" })
    await step(id, "publish")
    await step(id, "start")
    const { session } = await createPerson(server.url, acme.key, id, "participant")
    const { url, token } = await gatewayToken(server.url, id, session)
    const ann = new Client(url)
    await ann.identify(token)
    await command(id, "poll.open", { id: opened.id })
    expect((await ann.command("poll.vote", { id: opened.id, optionIds: ["1"] })).ok).toBe(true)
    await command(id, "poll.close", { id: opened.id })
    await command(id, "poll.publish", { id: opened.id })

    const copy = (await clone(id)).body
    const texts = ["Opened?", "Which?"]
    const draft = {
      status: "draft",
      published: false,
      openedAt: null,
      closedAt: null,
      endsAt: null,
      voters: 0,
      rev: 1,
      id: expect.any(String),
      createdAt: copy.createdAt,
    }
    const state = await stateOf(copy.id)
    expect(state.staffPolls).toEqual([
      {
        ...draft,
        question: texts[0],
        kind: "single",
        options: [
          { id: "1", text: "Yes" },
          { id: "2", text: "No" },
        ],
        counts: [0, 0],
        anonymous: false,
        allowChange: true,
        results: "live",
      },
      {
        ...draft,
        question: texts[1],
        kind: "multi",
        options: [
          { id: "1", text: "A" },
          { id: "2", text: "B" },
          { id: "3", text: "C" },
        ],
        counts: [0, 0, 0],
        ...choices,
      },
    ])
    expect((await pollsOf(copy.id)).map(({ question }) => question)).toEqual(texts)
    expect(state.preparedAnnouncements.map(({ text }: Json) => text)).toEqual(["Welcome", "Goodbye"])
    const source = await stateOf(id)
    const idsOf = ({ staffPolls, preparedAnnouncements }: Json) =>
      [...staffPolls, ...preparedAnnouncements].map((one: Json) => one.id)
    expect(idsOf(state).filter((one: string) => idsOf(source).includes(one))).toEqual([])
    // The source is as it was, and the copy works.
    expect(source.staffPolls).toMatchObject([{ question: "Opened?", status: "closed", voters: 1 }, { status: "draft" }])
    await step(copy.id, "publish")
    await step(copy.id, "start")
    const { poll: again } = await command(copy.id, "poll.open", { id: state.staffPolls[0].id })
    expect(again).toMatchObject({ status: "open", counts: [0, 0] })
    await command(copy.id, "announcement.send", { id: state.preparedAnnouncements[0].id })
  })

  test("is all that the records of the copy are: nothing that people did is among them", async () => {
    const { id } = await createLiveEvent(server.url, acme.key, { ...MEETING, allowAnonymousQuestions: true })
    const { userId, session } = await createPerson(server.url, acme.key, id, "participant")
    const { url, token } = await gatewayToken(server.url, id, session)
    const ann = new Client(url)
    await ann.identify(token)
    for (const [t, d] of [
      ["chat.send", { to: "event", text: "Hello" }],
      ["question.ask", { text: "Why?" }],
      ["hand.raise", {}],
    ] as const) {
      expect(await ann.command(t, d), t).toMatchObject({ ok: true })
    }
    await command(id, "participant.mute", { id: userId })
    await command(id, "qa.settings", { moderated: true })
    await command(id, "poll.create", poll("Kept?"))
    await api("POST", `/v1/events/${id}/join-code`)
    await api("POST", `/v1/public/events/${id}/register`, {
      key: undefined,
      body: { name: "Zoe", email: "zoe@example.com" },
    })
    await api("POST", `/v1/events/${id}/recordings`, { body: {} })
    const copy = (await clone(id)).body.id
    const tables = await rows.run(
      `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'event_id'
          and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')`,
    )
    const found: { [table: string]: number } = {}
    for (const { table_name: table } of tables) {
      const [row] = await rows.run(`select count(*)::int as n from ${table} where event_id = $1`, [copy])
      if (row?.["n"] > 0) found[table] = row?.["n"]
    }
    expect(found).toEqual({ phases: 1, live_records: 1 })
    const [record] = await rows.run(
      "select kind, body->>'question' as question from live_records where event_id = $1",
      [copy],
    )
    expect(record).toEqual({ kind: "poll", question: "Kept?" })
    expect((await rows.run("select registered from events where id = $1", [copy]))[0]).toEqual({ registered: 0 })
  })
})

describe("every state of the source", () => {
  test.each([
    ["draft", []],
    ["scheduled", ["publish"]],
    ["live", ["publish", "start"]],
    ["ended", ["publish", "start", "end"]],
  ])("%s gives a draft", async (status, verbs) => {
    const { id } = await createEvent(server.url, acme.key, {
      phases: [{ modality: "meeting" }, { modality: "broadcast" }],
    })
    for (const verb of verbs) await step(id, verb)
    const { body } = await clone(id)
    expect((await read(id)).status).toBe(status)
    expect(await read(body.id)).toMatchObject({
      status: "draft",
      activePhaseId: null,
      phases: [
        {
          modality: "meeting",
          status: "pending",
          startedAt: null,
          endedAt: null,
          extendedSeconds: 0,
          timerEndsAt: null,
        },
        { modality: "broadcast", status: "pending" },
      ],
    })
    await step(body.id, "publish")
    await step(body.id, "start")
  })

  test("one that is deleted meanwhile is not found, and there is no copy", async () => {
    const title = `Gone ${randomUUID()}`
    const { id } = await createEvent(server.url, acme.key, { title })
    const { status, body } = await whileHolding(server.databaseUrl, [["delete from events where id = $1", [id]]], () =>
      clone(id),
    )
    expect([status, body.code]).toEqual([404, "not_found"])
    expect(await rows.run("select 1 from events where title like $1", [`${title}%`])).toHaveLength(0)
  })

  test("copies and a deletion at once: each copy is whole", async () => {
    const { id } = await createEvent(server.url, acme.key, { phases: [{ modality: "meeting", featureSet: ["polls"] }] })
    await command(id, "poll.create", { question: "Whole?", kind: "single", options: ["Yes", "No"] })
    const [removed, ...copies] = await Promise.all([
      api("DELETE", `/v1/events/${id}`),
      ...Array.from({ length: 6 }, () => clone(id)),
    ])
    expect(removed.status).toBe(204)
    for (const { status, body } of copies) {
      expect([201, 404]).toContain(status)
      if (status !== 201) continue
      expect((await read(body.id)).phases).toHaveLength(1)
      expect((await api("GET", `/v1/events/${body.id}/polls`)).body.polls).toMatchObject([{ question: "Whole?" }])
    }
  })
})
