/** Cancelling an event before its start: who may, what is closed meanwhile, and what is told. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type CallOptions, call, createEvent, type Json, newEmail } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })
const drive = (id: string, verb: string, body?: object, options: CallOptions = {}) =>
  api("POST", `/v1/events/${id}/${verb}`, { ...(body === undefined ? {} : { body }), ...options })
const published = async (fields: object = {}): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, {
    title: "Launch",
    scheduledAt: "2030-05-01T10:00:00Z",
    ...fields,
  })
  return (await drive(event.id, "publish")).body
}
const register = (id: string, email = newEmail()) =>
  call(server.url, "POST", `/v1/public/events/${id}/register`, { body: { name: "Ada", email } })
const lettersTo = async (email: string): Promise<ReadonlyArray<Json>> =>
  (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails

describe("cancelling", () => {
  test("sets the time and the reason beside the status, and is taken back", async () => {
    const event = await published()
    expect([event.cancelledAt, event.cancelReason]).toEqual([null, null])
    const cancelled = await drive(event.id, "cancel", { reason: "The speaker is ill." })
    expect(cancelled.status).toBe(200)
    expect(cancelled.body).toMatchObject({ status: "scheduled", cancelReason: "The speaker is ill." })
    expect(cancelled.body.cancelledAt).toBe(cancelled.body.updatedAt)
    expect((await api("GET", `/v1/events/${event.id}`)).body).toEqual({ ...cancelled.body, warnings: [] })
    const shown = await call(server.url, "GET", `/v1/public/events/${event.id}`)
    expect(shown.body).toMatchObject({
      status: "scheduled",
      cancelledAt: cancelled.body.cancelledAt,
      cancelReason: "The speaker is ill.",
    })
    const back = await drive(event.id, "reinstate")
    expect(back.status).toBe(200)
    expect(back.body).toMatchObject({ status: "scheduled", cancelledAt: null, cancelReason: null })
    expect((await drive(event.id, "start")).body.status).toBe("live")
  })

  test("needs neither a reason nor a published event nor registrants", async () => {
    const event = await createEvent(server.url, acme.key)
    const answer = await drive(event.id, "cancel")
    expect([answer.status, answer.body.status, answer.body.cancelReason]).toEqual([200, "draft", null])
    const publish = await drive(event.id, "publish")
    expect([publish.status, publish.body.detail]).toEqual([409, "The event is cancelled. Reinstate it first."])
    await drive(event.id, "reinstate")
    expect((await drive(event.id, "publish")).status).toBe(200)
  })

  test("is refused a second time, as is a second reinstatement", async () => {
    const event = await published()
    const early = await drive(event.id, "reinstate")
    expect([early.status, early.body.detail]).toEqual([409, "The event is not cancelled."])
    await drive(event.id, "cancel", { reason: "one" })
    const again = await drive(event.id, "cancel", { reason: "two" })
    expect([again.status, again.body.code, again.body.detail]).toEqual([
      409,
      "conflict",
      "The event is cancelled already.",
    ])
    expect((await api("GET", `/v1/events/${event.id}`)).body.cancelReason).toBe("one")
  })

  test("is for events that have not begun", async () => {
    const event = await published()
    await drive(event.id, "start")
    for (const verb of ["cancel", "reinstate"]) {
      const live = await drive(event.id, verb)
      expect([live.status, live.body.detail]).toEqual([
        409,
        expect.stringContaining("The event is live and cannot be "),
      ])
    }
    await drive(event.id, "end")
    expect((await drive(event.id, "cancel")).body.detail).toBe("The event is ended and cannot be cancelled.")
  })

  test("closes registration and the start, and keeps the places that were taken", async () => {
    const event = await published({ capacity: 5 })
    const email = newEmail()
    await register(event.id, email)
    await drive(event.id, "cancel")
    for (const who of [email, newEmail()]) {
      const late = await register(event.id, who)
      expect([late.status, late.body.code, late.body.detail]).toEqual([409, "conflict", "The event is cancelled."])
    }
    const start = await drive(event.id, "start")
    expect([start.status, start.body.detail]).toEqual([409, "The event is cancelled. Reinstate it first."])
    const [{ id }] = (await api("GET", `/v1/events/${event.id}/registrations`)).body.registrations
    const again = await drive(event.id, `registrations/${id}/resend`)
    expect([again.status, again.body.detail]).toEqual([409, "The event is cancelled."])
    await drive(event.id, "reinstate")
    expect((await register(event.id, email)).body).toEqual({ registered: true, alreadyRegistered: true })
  })

  test("at once with the start has one of the two happen", async () => {
    for (let round = 0; round < 5; round++) {
      const event = await published()
      const [cancelled, started] = await Promise.all([drive(event.id, "cancel"), drive(event.id, "start")])
      expect([cancelled.status, started.status].toSorted()).toEqual([200, 409])
      const { status, cancelledAt } = (await api("GET", `/v1/events/${event.id}`)).body
      expect([status, cancelledAt !== null]).toEqual(started.status === 200 ? ["live", false] : ["scheduled", true])
    }
  })

  test("is refused with a reason that is not seen", async () => {
    const event = await published()
    for (const [what, reason] of [["not seen", "\u200b \u0000"]] as const) {
      const answer = await drive(event.id, "cancel", { reason })
      expect([answer.status, answer.body.code, answer.body.detail], what).toEqual([
        400,
        "bad_request",
        expect.stringContaining("reason"),
      ])
      expect((await api("GET", `/v1/events/${event.id}`)).body.cancelledAt, what).toBeNull()
    }
  })

  test("takes a reason of thousand characters and several lines, without characters that are not seen", async () => {
    const event = await published()
    const reason = `Ill.\nSorry!\u0007\u202e ${"x".repeat(985)}`
    const { body } = await drive(event.id, "cancel", { reason })
    expect(body.cancelReason).toBe(reason.replace("\u0007\u202e", ""))
  })

  test("and its end are in the audit log", async () => {
    const event = await published()
    const acts = async (): Promise<ReadonlyArray<string>> =>
      (await api("GET", `/v1/workspaces/${acme.id}/audit?limit=20`)).body.entries
        .filter(({ targetId }: Json) => targetId === event.id)
        .map(({ action }: Json) => action)
    expect(await acts()).toEqual([])
    await drive(event.id, "cancel")
    await drive(event.id, "reinstate")
    expect(await acts()).toEqual(["event.reinstated", "event.cancelled"])
  })

  test("again with the same Idempotency-Key gets the first answer", async () => {
    const event = await published()
    const headers = { "idempotency-key": randomUUID() }
    const first = await drive(event.id, "cancel", { reason: "Ill" }, { headers })
    const second = await drive(event.id, "cancel", { reason: "Ill" }, { headers })
    expect([second.status, second.body]).toEqual([200, first.body])
  })
})

test("webhooks are told of a new date, a cancellation and a reinstatement of published events", async () => {
  const receiver = await startReceiver()
  const eventTypes = ["event.rescheduled", "event.cancelled", "event.reinstated"]
  const hook = await api("POST", "/v1/webhooks", { body: { url: receiver.url, eventTypes } })
  const draft = await createEvent(server.url, acme.key, { title: "Draft" })
  await api("PATCH", `/v1/events/${draft.id}`, { body: { title: "Other draft" } })
  const event = await published()
  const patch = (body: object) => api("PATCH", `/v1/events/${event.id}`, { body })
  await patch({ capacity: 7 })
  await patch({ title: "Launch", scheduledAt: "2030-05-01T12:00:00+02:00" })
  await patch({ scheduledAt: "2030-05-02T10:00:00Z", scheduledEndAt: "2030-05-02T11:00:00Z" })
  const { cancelledAt } = (await drive(event.id, "cancel", { reason: "Ill" })).body
  await drive(event.id, "reinstate")
  await receiver.count(3)
  await api("DELETE", `/v1/webhooks/${hook.body.id}`)
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  const first = { title: "Launch", scheduledAt: "2030-05-01T10:00:00.000Z", scheduledEndAt: null }
  const then = {
    title: "Launch",
    scheduledAt: "2030-05-02T10:00:00.000Z",
    scheduledEndAt: "2030-05-02T11:00:00.000Z",
  }
  expect(bodies.map(({ id: _id, workspaceId: _w, occurredAt: _at, ...rest }) => rest)).toEqual([
    { type: "event.rescheduled", eventId: event.id, ...then, previous: first },
    {
      type: "event.cancelled",
      eventId: event.id,
      title: "Launch",
      scheduledAt: then.scheduledAt,
      cancelledAt,
      cancelReason: "Ill",
    },
    { type: "event.reinstated", eventId: event.id, title: "Launch", scheduledAt: then.scheduledAt },
  ])
})

test("the pages and the calendar file of a cancelled event say so and why", async () => {
  const event = await published()
  await drive(event.id, "cancel", { reason: "The <speaker> is ill." })
  const page = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { accept: "text/html" } })
    return answer.text()
  }
  expect(await page(`/enter/${event.id}`)).toContain("cancelled")
  const file = await page(`/v1/public/events/${event.id}/calendar.ics`)
  expect(file).toContain("\r\nSTATUS:CANCELLED\r\n")
  expect(file).toContain("\r\nSEQUENCE:1\r\n")
})

test("a server tells people of a cancellation by itself, once the event has settled", async () => {
  const event = await published()
  const [ada, invited] = [newEmail(), newEmail()]
  await register(event.id, ada)
  await api("POST", `/v1/workspaces/${acme.id}/invites`, {
    body: { kind: "event", eventId: event.id, email: invited, role: "viewer" },
  })
  // Registered long before the notice, whose age is pretended.
  for (const table of ["registrations", "invites"])
    await rows.run(`update ${table} set created_at = created_at - interval '2 hours' where event_id = $1`, [event.id])
  await drive(event.id, "cancel", { reason: "Ill" })
  await rows.run(
    "update event_notices set since = since - interval '1 hour', changed_at = changed_at - interval '3 minutes' where event_id = $1",
    [event.id],
  )
  const subjects = async (email: string) => (await lettersTo(email)).map(({ subject }) => subject).toReversed()
  await eventually(async () => (await subjects(invited)).length === 2, "the emails about the cancellation")
  expect(await subjects(ada)).toEqual(["Your place at Launch", "Cancelled: Launch"])
  expect(await subjects(invited)).toEqual(["You are invited to Launch", "Cancelled: Launch"])
  const [letter] = await lettersTo(ada)
  expect(letter?.text).toContain("The organiser says why: Ill")
  expect(letter?.calendar).toContain("METHOD:CANCEL")
})
