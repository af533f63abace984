/** Series: their events, changes of some or all of them, registration for all, and the calendar. */
import { randomUUID } from "node:crypto"
import ICAL from "ical.js"
import { describe, expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, type Json, tokenIn } from "../support/api.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)
const stranger = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
const EVENT = {
  type: "webinar",
  title: "Stand-up",
  visibility: "public",
  timeZone: "Europe/Berlin",
  scheduledAt: "2099-10-20T16:00:00.000Z",
  scheduledEndAt: "2099-10-20T17:30:00.000Z",
  phases: [{ modality: "meeting", featureSet: ["polls", "chat"] }],
}
const WEEKLY = { rrule: "FREQ=WEEKLY;COUNT=3", timeZone: "Europe/Berlin" }
/** Tuesdays over the end of summer time. */
const TUESDAYS = ["2099-10-20T16:00:00.000Z", "2099-10-27T17:00:00.000Z", "2099-11-03T17:00:00.000Z"]

const make = async (fields: object = {}): Promise<Json> => {
  const made = await api("POST", "/v1/series", { body: { ...WEEKLY, event: EVENT, ...fields } })
  expect([made.status, made.body], JSON.stringify(made.body)).toEqual([201, expect.anything()])
  return made.body
}
const published = async (fields: object = {}): Promise<Json> => {
  const made = await make(fields)
  return (await api("POST", `/v1/series/${made.id}/publish`)).body
}
const read = async (id: string): Promise<Json> => (await api("GET", `/v1/events/${id}`)).body
const startsIn = ({ events }: Json): ReadonlyArray<string> => events.map(({ scheduledAt }: Json) => scheduledAt)
const idsIn = ({ events }: Json): ReadonlyArray<string> => events.map(({ id }: Json) => id)

describe("a series is made", () => {
  test("of a new event: drafts with its settings, at the same local time", async () => {
    const made = await make()
    expect(made).toMatchObject({ rrule: WEEKLY.rrule, timeZone: "Europe/Berlin", workspaceId: acme.id })
    expect(startsIn(made)).toEqual(TUESDAYS)
    for (const [index, id] of idsIn(made).entries()) {
      const event = await read(id)
      expect(event).toMatchObject({ title: "Stand-up", status: "draft", timeZone: "Europe/Berlin" })
      expect(event.phases).toMatchObject([{ modality: "meeting", featureSet: ["polls", "chat"] }])
      expect(Date.parse(event.scheduledEndAt) - Date.parse(TUESDAYS[index] ?? "")).toBe(5_400_000)
    }
    expect((await api("GET", `/v1/series/${made.id}`)).body).toEqual(made)
    expect((await api("GET", `/v1/series?eventId=${idsIn(made)[2]}`)).body.series).toMatchObject([{ id: made.id }])
    expect((await api("GET", "/v1/series?limit=1")).body).toMatchObject({ series: [{ id: made.id }] })
  })

  test("of an event that is there, with its form and its polls", async () => {
    const { id } = await createEvent(server.url, acme.key, EVENT)
    const poll = { question: "Lunch?", kind: "single", options: ["Yes", "No"] }
    await api("POST", `/v1/events/${id}/commands`, { body: { t: "poll.create", d: poll } })
    const questions = [{ id: "company", kind: "text", text: "Company", required: false }]
    expect((await api("PUT", `/v1/events/${id}/forms/registration`, { body: { questions } })).status).toBe(200)
    const made = await make({ event: undefined, eventId: id })
    expect(idsIn(made)[0]).toBe(id)
    for (const other of idsIn(made)) {
      expect((await api("GET", `/v1/events/${other}/polls`)).body.polls).toMatchObject([{ question: "Lunch?" }])
      expect((await api("GET", `/v1/events/${other}/forms/registration`)).body.questions).toMatchObject([
        { id: "company" },
      ])
    }
    const again = await api("POST", "/v1/series", { body: { ...WEEKLY, eventId: id } })
    expect(again).toMatchObject({
      status: 409,
      body: { detail: "The event is a template, or already belongs to a series." },
    })
  })

  test("without the starts that are left out", async () => {
    const made = await make({ exdates: ["2099-10-27T18:00:00+01:00"] })
    expect(startsIn(made)).toEqual([TUESDAYS[0], TUESDAYS[2]])
  })

  test("by a member, who hosts each event", async () => {
    const { cookie, id: accountId } = acme.owner
    const headers = { "x-workspace-id": acme.id }
    const options = { cookie, headers, body: { ...WEEKLY, event: EVENT } }
    const made = await call(server.url, "POST", "/v1/series", options)
    expect(made.status).toBe(201)
    const hosts = await rows.run(
      `select m.event_id from memberships m join users u on u.id = m.user_id
        where u.account_id = $1 and m.role = 'host' and m.event_id = any (string_to_array($2, ',')::uuid[])`,
      [accountId, idsIn(made.body).join()],
    )
    expect(hosts).toHaveLength(3)
  })

  test("of a hundred events in one request", async () => {
    const made = await make({ rrule: "FREQ=DAILY;COUNT=100" })
    expect(new Set(startsIn(made)).size).toBe(100)
  })

  test("and is refused by the field at fault, with nothing stored", async () => {
    for (const [fields, field] of [
      [{ rrule: "FREQ=SECONDLY;COUNT=3" }, "rrule"],
      [{ rrule: "FREQ=DAILY;COUNT=1000000000" }, "rrule"],
      [{ rrule: "FREQ=DAILY" }, "rrule"],
      [{ rrule: "FREQ=WEEKLY;BYDAY=FR;COUNT=3" }, "rrule"],
      [{ rrule: "FREQ=YEARLY;COUNT=100" }, "rrule"],
      [{ timeZone: "Mars/Olympus" }, "timeZone"],
      [{ exdates: ["2099-10-28T17:00:00Z"] }, "exdates"],
      [{ exdates: [TUESDAYS[0]] }, "exdates"],
      [{ event: { ...EVENT, scheduledAt: null } }, "event"],
      [{ event: undefined }, "event, eventId"],
      [{ eventId: randomUUID() }, "event, eventId"],
      [{ event: undefined, eventId: randomUUID() }, "eventId"],
    ] as const) {
      const title = randomUUID()
      const event = { ...EVENT, title }
      const answer = await api("POST", "/v1/series", { body: { ...WEEKLY, event, ...fields } })
      expect(answer, JSON.stringify(fields)).toMatchObject({ status: 400, body: { code: "bad_request" } })
      expect(answer.body.detail.startsWith(`${field}: `), answer.body.detail).toBe(true)
      expect((await api("GET", `/v1/events?q=${title}`)).body.events, JSON.stringify(fields)).toEqual([])
    }
  })

  test("not of an event of another workspace, or of one that has begun", async () => {
    const foreign = await createEvent(server.url, stranger.key, EVENT)
    const begun = await createEvent(server.url, acme.key, EVENT)
    for (const verb of ["publish", "start"]) await api("POST", `/v1/events/${begun.id}/${verb}`)
    for (const { id } of [foreign, begun]) {
      expect((await api("POST", "/v1/series", { body: { ...WEEKLY, eventId: id } })).status).toBe(400)
    }
  })
})

describe("a change", () => {
  test("of all or of this and later leaves the earlier, the live and the cancelled ones as they are", async () => {
    const { id, events } = await published({ rrule: "FREQ=WEEKLY;COUNT=5" })
    const [first, second, third, fourth, fifth] = events.map((event: Json) => event.id)
    await api("POST", `/v1/events/${third}/start`)
    await api("POST", `/v1/events/${fourth}/cancel`)
    const later = await api("PATCH", `/v1/series/${id}`, { body: { from: second, changes: { title: "Later" } } })
    expect(later).toMatchObject({ status: 200, body: { refused: [] } })
    const titles = async () => (await Promise.all([first, second, third, fourth, fifth].map(read))).map((e) => e.title)
    expect(await titles()).toEqual(["Stand-up", "Later", "Stand-up", "Stand-up", "Later"])
    await api("PATCH", `/v1/series/${id}`, { body: { changes: { title: "All" } } })
    expect(await titles()).toEqual(["All", "All", "Stand-up", "Stand-up", "All"])
  })

  test("of the time keeps the days and the lengths, over the change of the clocks, and may be repeated", async () => {
    const { id } = await make()
    for (let times = 0; times < 2; times += 1) {
      const { body } = await api("PATCH", `/v1/series/${id}`, { body: { startTime: "09:15" } })
      expect(startsIn(body)).toEqual([
        "2099-10-20T07:15:00.000Z",
        "2099-10-27T08:15:00.000Z",
        "2099-11-03T08:15:00.000Z",
      ])
      expect(body.events[1].scheduledEndAt).toBe("2099-10-27T09:45:00.000Z")
    }
    const { body } = await api("PATCH", `/v1/series/${id}`, { body: { durationMinutes: 30 } })
    expect(body.events.map(({ scheduledEndAt }: Json) => scheduledEndAt)).toEqual([
      "2099-10-20T07:45:00.000Z",
      "2099-10-27T08:45:00.000Z",
      "2099-11-03T08:45:00.000Z",
    ])
  })

  test("of one event by itself moves or deletes it alone", async () => {
    const made = await make()
    const [first = "", second = "", third = ""] = idsIn(made)
    await api("PATCH", `/v1/events/${first}`, {
      body: { scheduledAt: "2099-10-28T16:00:00.000Z", scheduledEndAt: null },
    })
    await api("DELETE", `/v1/events/${third}`)
    const { body } = await api("GET", `/v1/series/${made.id}`)
    expect(idsIn(body)).toEqual([second, first])
  })

  test("that an event refuses is told, and the others have it", async () => {
    const made = await published({ event: { ...EVENT, capacity: 10 } })
    const [, second = ""] = idsIn(made)
    for (const name of ["ada", "grace"]) {
      const body = { name, email: `${name}-${randomUUID()}@example.com` }
      expect((await call(server.url, "POST", `/v1/public/events/${second}/register`, { body })).status).toBe(200)
    }
    const { body } = await api("PATCH", `/v1/series/${made.id}`, { body: { changes: { capacity: 1 } } })
    expect(body.refused).toEqual([{ eventId: second, detail: expect.any(String) }])
    expect((await Promise.all(idsIn(made).map(read))).map(({ capacity }) => capacity)).toEqual([1, 10, 1])
  })

  test("is refused by the field at fault", async () => {
    const { id } = await make()
    for (const [body, field] of [
      [{ from: randomUUID(), changes: { title: "x" } }, "from"],
      [{ rrule: "FREQ=DAILY;COUNT=2" }, "rrule"],
    ] as const) {
      const answer = await api("PATCH", `/v1/series/${id}`, { body })
      expect(answer.status, JSON.stringify(body)).toBe(400)
      expect(answer.body.detail, JSON.stringify(body)).toContain(`${field}: `)
    }
  })
})

describe("the end of a series", () => {
  test("cancels what has not begun, from an event on or all, once under the same key", async () => {
    const hook = { url: "http://127.0.0.1:9/", eventTypes: ["event.cancelled"] }
    expect((await api("POST", "/v1/webhooks", { body: hook })).status).toBe(201)
    const { id, events } = await published()
    const [, second] = events
    const headers = { "idempotency-key": randomUUID() }
    const end = () => api("POST", `/v1/series/${id}/end`, { headers, body: { from: second.id, reason: "No money" } })
    const ended = await end()
    expect(ended.body.events.map((one: Json) => one.cancelledAt !== null)).toEqual([false, true, true])
    expect(await read(second.id)).toMatchObject({ cancelReason: "No money", status: "scheduled" })
    expect((await end()).body).toEqual(ended.body)
    const all = await api("POST", `/v1/series/${id}/end`)
    expect(all.body.events.every((one: Json) => one.cancelledAt !== null)).toBe(true)
    const types = await rows.run(
      "select type from outbox_messages where event_id = any (string_to_array($1, ',')::uuid[]) and type = 'event.cancelled'",
      [events.map((one: Json) => one.id).join()],
    )
    expect(types).toHaveLength(3)
  })
})

describe("registration for a series", () => {
  const register = (id: string, body: object): Promise<Answer> =>
    call(server.url, "POST", `/v1/public/series/${id}/register`, { body })

  test("takes a place at each event to come, and one email has a link to each", async () => {
    const { id, events } = await published({ rrule: "FREQ=WEEKLY;COUNT=4" })
    const [first, second, third, fourth] = events.map((event: Json) => event.id)
    await api("POST", `/v1/events/${first}/cancel`)
    await api("PATCH", `/v1/events/${second}`, { body: { capacity: 1 } })
    const other = { name: "Ada", email: `${randomUUID()}@example.com` }
    await call(server.url, "POST", `/v1/public/events/${second}/register`, { body: other })
    const email = `${randomUUID()}@example.com`
    await call(server.url, "POST", `/v1/public/events/${fourth}/register`, { body: { name: "Grace", email } })

    const { status, body } = await register(id, { name: "Grace", email })
    expect([
      status,
      body.registrations.map((one: Json) => [one.eventId, one.registered, one.alreadyRegistered, one.code]),
    ]).toEqual([
      200,
      [
        [second, false, false, "event_full"],
        [third, true, false, null],
        [fourth, true, true, null],
      ],
    ])
    const { mails } = (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body
    expect(mails.map(({ subject }: Json) => subject)).toEqual(["Your places at Stand-up", "Your place at Stand-up"])
    const [{ links, text }] = mails
    expect(links).toHaveLength(3)
    expect(text).toContain("Tuesday, 3 November 2099 at 18:00 (Europe/Berlin, GMT+1)")
    for (const [index, eventId] of [third, fourth].entries()) {
      expect(links[index]).toContain(`/enter/${eventId}#`)
      const entered = await call(server.url, "POST", `/v1/public/events/${eventId}/enter`, {
        body: { token: tokenIn(links[index]) },
      })
      expect(entered).toMatchObject({ status: 200, body: { eventId, name: "Grace" } })
    }
    const again = await register(id, { name: "Grace", email })
    expect(again.body.registrations.map((one: Json) => one.alreadyRegistered)).toEqual([false, true, true])
  })

  test("asks what the form asks", async () => {
    const { id: eventId } = await createEvent(server.url, acme.key, EVENT)
    const questions = [{ id: "company", kind: "text", text: "Company", required: true }]
    await api("PUT", `/v1/events/${eventId}/forms/registration`, { body: { questions } })
    const made = await published({ event: undefined, eventId })
    const person = { name: "Grace", email: `${randomUUID()}@example.com` }
    expect(await register(made.id, person)).toMatchObject({ status: 400, body: { code: "bad_request" } })
    const { body } = await register(made.id, { ...person, answers: { company: "Acme" } })
    expect(body.registrations.map((one: Json) => one.registered)).toEqual([true, true, true])
  })

  test("does not show drafts, private events or other fields", async () => {
    const draft = await make()
    const hidden = await published({ event: { ...EVENT, visibility: "private" } })
    const person = { name: "Grace", email: `${randomUUID()}@example.com` }
    for (const { id } of [draft, hidden, { id: randomUUID() }]) {
      expect((await register(id, person)).status).toBe(404)
      expect((await call(server.url, "GET", `/v1/public/series/${id}/calendar.ics`)).status).toBe(404)
    }
    expect((await register(draft.id, { ...person, role: "host" })).status).toBe(400)
    const over = await published()
    await api("POST", `/v1/series/${over.id}/end`)
    expect((await register(over.id, person)).status).toBe(409)
  })
})

test("the calendar of a series has each published event under the UID of its own file", async () => {
  const { id, events } = await published()
  const [first, second] = events.map((event: Json) => event.id)
  await api("PATCH", `/v1/events/${first}`, { body: { visibility: "private" } })
  await api("POST", `/v1/events/${second}/cancel`)
  const answer = await call(server.url, "GET", `/v1/public/series/${id}/calendar.ics`)
  expect(answer.headers.get("content-type")).toBe("text/calendar; charset=utf-8")
  const entries = new ICAL.Component(ICAL.parse(answer.body)).getAllSubcomponents("vevent")
  const uidIn = (body: string) =>
    new ICAL.Component(ICAL.parse(body)).getFirstSubcomponent("vevent")?.getFirstPropertyValue("uid")
  const single = await call(server.url, "GET", `/v1/public/events/${second}/calendar.ics`)
  expect(entries.map((entry) => [entry.getFirstPropertyValue("uid"), entry.getFirstPropertyValue("status")])).toEqual([
    [uidIn(single.body), "CANCELLED"],
    [`${events[2].id}@gathercue`, "CONFIRMED"],
  ])
  expect(entries.map((entry) => new ICAL.Event(entry).startDate.toJSDate().toISOString())).toEqual(TUESDAYS.slice(1))
})
