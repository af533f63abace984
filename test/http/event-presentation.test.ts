/** Language, picture, words, time zone and place of an event: over REST, on its page, in its calendar file and emails. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type Answer, type CallOptions, call, createEvent, type Json } from "../support/api.ts"
import { startServerWithPages } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer(() => startServerWithPages({}))
const acme = sharedWorkspace(server)
const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  call(server.url, method, path, { key: acme.key, ...options })
const patch = (id: string, body: object) => api("PATCH", `/v1/events/${id}`, { body })
const published = async (fields: object): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  expect((await api("POST", `/v1/events/${event.id}/publish`)).status).toBe(200)
  return event
}

const FACE = {
  language: "de",
  coverUrl: "https://cdn.example.com/a.jpg?w=1200&h=600",
  emailTexts: { confirmation: "**Bring** a laptop.", reminder: "See you\nsoon" },
}
const NONE = { language: null, coverUrl: null, emailTexts: null }

describe("the fields", () => {
  test("are null by default, are set and cleared, and stay when another field is changed", async () => {
    const made = await createEvent(server.url, acme.key)
    expect(made).toMatchObject(NONE)
    expect((await patch(made.id, FACE)).body).toMatchObject(FACE)
    expect((await patch(made.id, { title: "Renamed" })).body).toMatchObject({ ...FACE, title: "Renamed" })
    const half = { confirmation: null, reminder: "Soon" }
    expect((await patch(made.id, { emailTexts: half })).body).toMatchObject({ ...FACE, emailTexts: half })
    expect((await patch(made.id, NONE)).body).toMatchObject(NONE)
    expect((await api("GET", `/v1/events/${made.id}`)).body).toMatchObject(NONE)
    expect(await createEvent(server.url, acme.key, FACE)).toMatchObject(FACE)
  })

  test("refuse what is none by the field, when an event is made and when it is changed", async () => {
    const { id } = await createEvent(server.url, acme.key)
    for (const [what, fields, field] of [
      ["a language without texts", { language: "fr" }, "language"],
      ["a picture over http", { coverUrl: "http://cdn.example.com/a.jpg" }, "coverUrl"],
      ["a picture that is a script", { coverUrl: "javascript:alert(1)" }, "coverUrl"],
      ["a picture in its address", { coverUrl: "data:image/png;base64,AA==" }, "coverUrl"],
      ["a picture with a user", { coverUrl: "https://ada:secret@cdn.example.com/a.jpg" }, "coverUrl"],
      ["an address that ends its attribute", { coverUrl: 'https://cdn.example.com/"onerror="alert(1)' }, "coverUrl"],
      ["an address with a line break", { coverUrl: "https://cdn.example.com/\na.jpg" }, "coverUrl"],
      ["an address without a host", { coverUrl: "https://" }, "coverUrl"],
    ] as const) {
      for (const answer of [
        await patch(id, fields),
        await api("POST", "/v1/events", { body: { type: "webinar", title: "Launch", ...fields } }),
      ]) {
        expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
        expect(
          answer.body.errors.map(({ pointer }: Json) => pointer),
          what,
        ).toEqual([`#/${field}`])
      }
    }
  })
})

describe("the page", () => {
  const page = (id: string, language: string) =>
    fetch(`${server.url}/e/${id}`, { headers: { "accept-language": language } })

  test("is in the language of the event before any script runs, and loads the texts of that language", async () => {
    const { id } = await published({ language: "de", scheduledAt: "2027-03-01T10:00:00.000Z" })
    const answer = await page(id, "en")
    expect(answer.headers.get("content-language")).toBe("de")
    expect(answer.headers.get("link")).toMatch(/^<\/web\/de-/)
    const html = await answer.text()
    expect(html).toContain('<html lang="de" data-language="de">')
    expect(html).toContain(">Montag, 1. März 2027 um 10:00 UTC</time>")
  })

  test("is in the language of its reader's browser where the event has none", async () => {
    const { id } = await published({})
    const answer = await page(id, "de")
    expect(answer.headers.get("link")).toMatch(/^<\/web\/de-/)
    expect(await answer.text()).toContain('<html lang="de">')
  })

  test("has the picture, also for previews, and the description as HTML in which nothing runs", async () => {
    const description = "# News\n\n[x](javascript:alert(1)) <script>alert(1)</script> <img src=x onerror=alert(1)>"
    const { id } = await published({ ...FACE, description })
    const html = await (await page(id, "en")).text()
    const escaped = FACE.coverUrl.replace("&", "&amp;")
    expect(html).toContain(`<meta property="og:image" content="${escaped}">`)
    expect(html).toContain('<meta name="description" content="News x &lt;script&gt;')
    expect(html).toContain(`<img class="cover" src="${escaped}" alt="">`)
    const safe = "<h2>News</h2><p>x &lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt;</p>"
    expect(html).toContain(`<div class="prose">${safe}</div>`)
    expect((await api("GET", `/v1/public/events/${id}`)).body).toMatchObject({
      description,
      descriptionHtml: safe,
      language: "de",
      coverUrl: FACE.coverUrl,
    })
  })

  test("has its share card for previews where the event has no picture", async () => {
    const { id } = await published({ description: "Plain" })
    const html = await (await page(id, "en")).text()
    expect(html).toContain(`<meta property="og:image" content="${server.url}/e/${id}/card.png?v=`)
    expect(html).not.toContain("<img")
  })
})

describe("emails", () => {
  const newest = async (email: string): Promise<Json> =>
    (await api("GET", `/v1/dev/outbox?to=${email}`, { key: undefined })).body.mails[0]
  const register = async (id: string): Promise<string> => {
    const email = `${randomUUID()}@example.com`
    await api("POST", `/v1/public/events/${id}/register`, { key: undefined, body: { name: "Zoe", email } })
    return email
  }

  test("confirm a place in the event's language, with its own words and its description", async () => {
    const { id } = await published({ ...FACE, title: "Auftakt", description: "What is *new*" })
    const email = await register(id)
    const { subject, text } = await newest(email)
    expect(subject).toBe("Dein Platz: Auftakt")
    expect(text).toContain(
      "du bist für „Auftakt“ angemeldet.\n\n**Bring** a laptop.\n\nWhat is *new*\n\nZur Veranstaltung:",
    )
    await patch(id, { language: "en" })
    const { registrations } = (await api("GET", `/v1/events/${id}/registrations`)).body
    await api("POST", `/v1/events/${id}/registrations/${registrations[0].id}/resend`)
    expect((await newest(email)).subject).toBe("Your place at Auftakt")
  })

  test("tell people who wait or are invited in the event's language", async () => {
    const { id } = await published({ language: "de", title: "Auftakt", capacity: 1, waitingList: { offerHours: 24 } })
    await register(id)
    expect((await newest(await register(id))).subject).toBe("Warteliste: Auftakt")
    const email = `${randomUUID()}@example.com`
    const invited = await api("POST", `/v1/workspaces/${acme.id}/invites`, {
      body: { kind: "event", eventId: id, role: "speaker", email },
    })
    expect(invited.status).toBe(201)
    const { subject, text } = await newest(email)
    expect(subject).toBe("Einladung: Auftakt")
    expect(text).toContain("lädt dich zu „Auftakt“ ein. Deine Rolle: Sprecherin oder Sprecher.")
  })
})

describe("a preview", () => {
  const preview = (id: string, kind: string, options: CallOptions = {}) =>
    api("GET", `/v1/events/${id}/emails/${kind}`, options)

  test("is the email of its kind as it would be sent", async () => {
    const { id } = await createEvent(server.url, acme.key, { ...FACE, title: "Auftakt" })
    for (const [kind, subject] of [
      ["confirmation", "Dein Platz: Auftakt"],
      ["reminder", "Erinnerung: Auftakt"],
      ["thanks", "Danke für deinen Besuch: Auftakt"],
      ["pending", "Anmeldung eingegangen: Auftakt"],
      ["waiting", "Warteliste: Auftakt"],
      ["offered", "Ein Platz ist frei: Auftakt"],
      ["declined", "Anmeldung abgelehnt: Auftakt"],
      ["expired", "Dein Angebot ist abgelaufen: Auftakt"],
      ["cancelled", "Abgesagt: Auftakt"],
    ] as const) {
      const { status, body } = await preview(id, kind)
      expect([status, body.subject], kind).toEqual([200, subject])
      expect(body.text, kind).toMatch(/^Guten Tag Ada Lovelace,\n\n.*„Auftakt“/s)
      expect(body.html, kind).toContain('<html lang="de">')
      expect(body.html, kind).toContain('<img src="https://cdn.example.com/a.jpg?w=1200&amp;h=600"')
      expect(body.text.includes("Bring"), kind).toBe(kind === "confirmation")
      expect(body.text.includes("See you"), kind).toBe(kind === "reminder")
      expect(body.html.includes("<p>See you<br>\nsoon</p>"), kind).toBe(kind === "reminder")
    }
  })

  test("is that of the email which a person then gets, but for the name and the links", async () => {
    const { id } = await published({ ...FACE, description: "What is *new*", scheduledAt: "2027-03-01T17:00:00.000Z" })
    await api("PUT", `/v1/events/${id}/forms/registration`, {
      body: { questions: [{ id: "company", kind: "text", text: "Company", required: false }] },
    })
    const email = `${randomUUID()}@example.com`
    await api("POST", `/v1/public/events/${id}/register`, { key: undefined, body: { name: "Zoe", email } })
    const sent = (await api("GET", `/v1/dev/outbox?to=${email}`, { key: undefined })).body.mails[0]
    const seen = (await preview(id, "confirmation")).body
    const plain = (text: string) => text.replaceAll(/https?:\/\/\S+/g, "LINK").replace("Ada Lovelace", "Zoe")
    expect([seen.subject, plain(seen.text)]).toEqual([sent.subject, plain(sent.text)])
    expect(seen.text).not.toContain("token")
    expect(seen.text).toContain("Deine Antworten ansehen und ändern:")
  })

  test("runs nothing that somebody wrote, sends nothing, and is for the staff", async () => {
    const bad = "<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>"
    const { id } = await published({
      title: "<b>Bad</b>",
      description: bad,
      emailTexts: { confirmation: bad, reminder: bad },
    })
    for (const kind of ["confirmation", "reminder"]) {
      const { html } = (await preview(id, kind)).body
      expect(html).not.toMatch(/<script|<img|<b>|href="(?!http)/)
      expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    }
    const { mails } = (await api("GET", "/v1/dev/outbox?to=ada@example.com", { key: undefined })).body
    expect(mails).toEqual([])
    expect((await preview(id, "confirmation", { key: undefined })).status).toBe(401)
    expect((await preview(id, "invoice")).status).toBe(404)
  })
})

describe("places", () => {
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

    test("refuse what is none by the field, when an event is made and when it is changed", async () => {
      const { id } = await createEvent(server.url, acme.key)
      for (const [what, fields, field] of [
        ["an unknown zone", { timeZone: "Europe/Atlantis" }, "timeZone"],
        ["an offset for a zone", { timeZone: "+01:00" }, "timeZone"],
        ["an empty zone", { timeZone: "" }, "timeZone"],
        ["a blank place", { location: "  " }, "location"],
        ["a time twice", { reminderMinutes: [60, 60] }, "reminderMinutes"],
        ["a time in the last minutes", { reminderMinutes: [60, 4] }, "reminderMinutes/1"],
      ] as const) {
        for (const answer of [
          await patch(id, fields),
          await api("POST", "/v1/events", { body: { type: "webinar", title: "Launch", ...fields } }),
        ]) {
          expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
          expect(
            answer.body.errors.map(({ pointer }: Json) => pointer),
            what,
          ).toEqual([`#/${field}`])
        }
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
})
