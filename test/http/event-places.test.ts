/** Time zone, description and place of an event: over REST, on its pages, in its calendar file and in its emails. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, type Json } from "../support/api.ts"
import { startServerWithPages } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer(() => startServerWithPages({}))
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
const published = async (fields: object): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  expect((await api("POST", `/v1/events/${event.id}/publish`)).status).toBe(200)
  return event
}
const patch = (id: string, body: object) => api("PATCH", `/v1/events/${id}`, { body })
const publicView = async (id: string): Promise<Json> => (await api("GET", `/v1/public/events/${id}`)).body

const PLACE = {
  timeZone: "Europe/Berlin",
  description: "Talks,\nand time to talk.\n\nMore: https://example.com/more",
  location: "Town hall, room 2",
}
const NONE = { timeZone: null, description: null, location: null }

describe("the fields", () => {
  test("are null by default, are set and cleared one by one, and outlive a restart of the live event", async () => {
    const { id, ...made } = await createEvent(server.url, acme.key)
    expect(made).toMatchObject(NONE)
    expect((await patch(id, PLACE)).body).toMatchObject(PLACE)
    expect((await patch(id, { title: "Renamed" })).body).toMatchObject({ ...PLACE, title: "Renamed" })
    expect((await patch(id, { location: null })).body).toMatchObject({ ...PLACE, location: null })
    expect((await api("GET", `/v1/events/${id}`)).body).toMatchObject({ ...PLACE, location: null })
    expect((await patch(id, NONE)).body).toMatchObject(NONE)
    expect(await createEvent(server.url, acme.key, PLACE)).toMatchObject(PLACE)
    expect(made).toMatchObject({ reminderMinutes: null })
    const times = { reminderMinutes: [43_200, 5] }
    expect((await patch(id, times)).body).toMatchObject(times)
    expect((await patch(id, { title: "Renamed again" })).body).toMatchObject(times)
    expect((await patch(id, { reminderMinutes: null })).body).toMatchObject({ reminderMinutes: null })
  })

  test.each([
    ["an unknown zone", { timeZone: "Europe/Atlantis" }, "timeZone"],
    ["an offset for a zone", { timeZone: "+01:00" }, "timeZone"],
    ["an empty zone", { timeZone: "" }, "timeZone"],
    ["a number for a zone", { timeZone: 1 }, "timeZone"],
    ["an empty description", { description: "" }, "description"],
    ["a description of 10,001 characters", { description: "x".repeat(10_001) }, "description"],
    ["a blank place", { location: "  " }, "location"],
    ["a place of 301 characters", { location: "x".repeat(301) }, "location"],
    ["no times of reminders", { reminderMinutes: [] }, "reminderMinutes"],
    ["six times of reminders", { reminderMinutes: [10, 20, 30, 40, 50, 60] }, "reminderMinutes"],
    ["a time twice", { reminderMinutes: [60, 60] }, "reminderMinutes"],
    ["a time in the last minutes", { reminderMinutes: [60, 4] }, "reminderMinutes/1"],
    ["half a minute", { reminderMinutes: [60.5] }, "reminderMinutes/0"],
  ])("refuse %s by the field, when an event is made and when it is changed", async (_name, fields, field) => {
    const { id } = await createEvent(server.url, acme.key)
    for (const answer of [
      await patch(id, fields),
      await api("POST", "/v1/events", { body: { type: "webinar", title: "Launch", ...fields } }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
      expect(answer.body.errors.map(({ pointer }: Json) => pointer)).toEqual([`#/${field}`])
    }
  })

  test("take the longest texts", async () => {
    const longest = { description: "ä".repeat(10_000), location: "x".repeat(300) }
    const { id } = await createEvent(server.url, acme.key, longest)
    expect((await api("GET", `/v1/events/${id}`)).body).toMatchObject(longest)
  })
})

describe("the public view", () => {
  test("has them, and the description of the metadata where the event has none", async () => {
    const { id } = await published({ ...PLACE, metadata: { description: "Kept in the metadata" } })
    expect(await publicView(id)).toMatchObject(PLACE)
    await patch(id, { description: null })
    expect((await publicView(id)).description).toBe("Kept in the metadata")
    const bare = await published({})
    expect(await publicView(bare.id)).toMatchObject(NONE)
  })

  test("is shown before any script runs in the event's zone", async () => {
    const { id } = await published({ ...PLACE, scheduledAt: "2027-03-28T01:30:00.000Z" })
    const html = await (await fetch(`${server.url}/e/${id}`, { headers: { "accept-language": "de" } })).text()
    expect(html).toContain(">Sonntag, 28. März 2027 um 03:30 MESZ</time>")
    expect(html).toContain("<p>Talks,<br>\nand time to talk.</p>")
  })

  test("has no markup of the description in the page", async () => {
    const { id } = await published({ description: "<img src=x onerror=alert(1)> <b>bold</b>" })
    const html = await (await fetch(`${server.url}/e/${id}`)).text()
    expect(html).toContain("<p>&lt;img src=x onerror=alert(1)&gt; &lt;b&gt;bold&lt;/b&gt;</p>")
    expect(html).not.toContain("<img")
  })
})

test("the calendar file has the description and the place", async () => {
  const { id } = await published({ ...PLACE, scheduledAt: "2027-03-28T01:30:00.000Z" })
  const lines: string[] = (await api("GET", `/v1/public/events/${id}/calendar.ics`)).body
    .replaceAll("\r\n ", "")
    .split("\r\n")
  expect(lines).toEqual(
    expect.arrayContaining([
      "DTSTART;TZID=Europe/Berlin:20270328T033000",
      String.raw`LOCATION:Town hall\, room 2`,
      // The page of the event follows.
      expect.stringContaining(
        String.raw`DESCRIPTION:Talks\,\nand time to talk.\n\nMore: https://example.com/more\n\nhttp`,
      ),
    ]),
  )
})

describe("emails", () => {
  const register = async (id: string): Promise<{ readonly email: string; readonly text: string }> => {
    const email = `${randomUUID()}@example.com`
    await api("POST", `/v1/public/events/${id}/register`, { key: undefined, body: { name: "Zoe", email } })
    return { email, text: await newest(email) }
  }
  const newest = async (email: string): Promise<string> =>
    (await api("GET", `/v1/dev/outbox?to=${email}`, { key: undefined })).body.mails[0].text

  test("say the time in the event's zone, also when they are sent again, and in UTC without one", async () => {
    const scheduledAt = "2027-10-31T00:30:00.000Z"
    const { id } = await published({ scheduledAt, timeZone: "Europe/Berlin" })
    const berlin = "begins on Sunday, 31 October 2027 at 02:30 (Europe/Berlin, GMT+2)."
    const { email, text } = await register(id)
    expect(text).toContain(berlin)
    await patch(id, { timeZone: "America/New_York" })
    const { registrations } = (await api("GET", `/v1/events/${id}/registrations`)).body
    await api("POST", `/v1/events/${id}/registrations/${registrations[0].id}/resend`)
    expect(await newest(email)).toContain("begins on Saturday, 30 October 2027 at 20:30 (America/New_York, GMT-4).")
    const bare = await published({ scheduledAt })
    expect((await register(bare.id)).text).toContain("begins on Sunday, 31 October 2027 at 00:30 UTC.")
  })
})
