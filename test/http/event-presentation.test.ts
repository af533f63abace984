/** Language, picture and own words of an event: over REST, on its page, and in its emails. */
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

  test.each([
    ["a language without texts", { language: "fr" }, "language"],
    ["a language with its country", { language: "de-AT" }, "language"],
    ["a picture over http", { coverUrl: "http://cdn.example.com/a.jpg" }, "coverUrl"],
    ["a picture that is a script", { coverUrl: "javascript:alert(1)" }, "coverUrl"],
    ["a picture in its address", { coverUrl: "data:image/png;base64,AA==" }, "coverUrl"],
    ["a picture with a user", { coverUrl: "https://ada:secret@cdn.example.com/a.jpg" }, "coverUrl"],
    ["an address that ends its attribute", { coverUrl: 'https://cdn.example.com/"onerror="alert(1)' }, "coverUrl"],
    ["an address with a line break", { coverUrl: "https://cdn.example.com/\na.jpg" }, "coverUrl"],
    ["an address without a host", { coverUrl: "https://" }, "coverUrl"],
    ["an address of 2,049 characters", { coverUrl: `https://cdn.example.com/${"a".repeat(2025)}` }, "coverUrl"],
    ["empty words", { emailTexts: { confirmation: "", reminder: null } }, "emailTexts/confirmation"],
    ["4,001 characters", { emailTexts: { confirmation: null, reminder: "x".repeat(4001) } }, "emailTexts/reminder"],
    ["words for one email alone", { emailTexts: { confirmation: "Hello" } }, "emailTexts/reminder"],
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

  test("take the longest values", async () => {
    const longest = {
      coverUrl: `https://cdn.example.com/${"a".repeat(2024)}`,
      emailTexts: { confirmation: "ä".repeat(4000), reminder: "x".repeat(4000) },
    }
    expect(await createEvent(server.url, acme.key, longest)).toMatchObject(longest)
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

  test("has no picture where the event has none", async () => {
    const { id } = await published({ description: "Plain" })
    expect(await (await page(id, "en")).text()).not.toMatch(/og:image|<img/)
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

  test.each([
    ["confirmation", "Dein Platz: Auftakt"],
    ["reminder", "Erinnerung: Auftakt"],
    ["thanks", "Danke für deinen Besuch: Auftakt"],
    ["pending", "Anmeldung eingegangen: Auftakt"],
    ["waiting", "Warteliste: Auftakt"],
    ["offered", "Ein Platz ist frei: Auftakt"],
    ["declined", "Anmeldung abgelehnt: Auftakt"],
    ["expired", "Dein Angebot ist abgelaufen: Auftakt"],
    ["cancelled", "Abgesagt: Auftakt"],
  ])("of %s is the email as it would be sent", async (kind, subject) => {
    const { id } = await createEvent(server.url, acme.key, { ...FACE, title: "Auftakt" })
    const { status, body } = await preview(id, kind)
    expect([status, body.subject]).toEqual([200, subject])
    expect(body.text).toMatch(/^Guten Tag Ada Lovelace,\n\n.*„Auftakt“/s)
    expect(body.html).toContain('<html lang="de">')
    expect(body.html).toContain('<img src="https://cdn.example.com/a.jpg?w=1200&amp;h=600"')
    expect(body.text.includes("Bring")).toBe(kind === "confirmation")
    expect(body.text.includes("See you")).toBe(kind === "reminder")
    expect(body.html.includes("<p>See you<br>\nsoon</p>")).toBe(kind === "reminder")
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
