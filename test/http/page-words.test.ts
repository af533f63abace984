/** Pages of the server behind the links of emails: they speak the event's language, or else the reader's, and wear its branding. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { call, createWorkspace, newEmail } from "../support/api.ts"
import { openRegistrations } from "../support/registrations.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const rows = sharedRows(server)

const page = async (path: string, language: string, form?: { readonly [field: string]: string }) => {
  const answer = await fetch(`${server.url}${path}`, {
    method: form === undefined ? "GET" : "POST",
    headers: { "accept-language": language, origin: server.url },
    ...(form !== undefined && { body: new URLSearchParams(form) }),
  })
  return { status: answer.status, text: await answer.text(), policy: answer.headers.get("content-security-policy") }
}

const full = async (fields: object) => {
  const house = await openRegistrations(server, rows, acme, {
    title: "Start <1>",
    capacity: 1,
    waitingList: { offerHours: 24 },
    scheduledAt: "2099-05-02T18:00:00Z",
    timeZone: "Europe/Berlin",
    ...fields,
  })
  const [holder, waits] = [newEmail(), newEmail()]
  await house.register(holder)
  await house.register(waits)
  return { house, holder, waits }
}

test("the pages of a place speak the event's language and wear its branding", async () => {
  const branding = { logoUrl: "https://pictures.example/logo.png", accent: "#0b7a3b", theme: "dark" }
  const { house, holder, waits } = await full({ language: "de", branding })
  const { id } = house.event
  const token = await house.tokenOf(waits)
  const waiting = await page(`/place/${id}/open`, "en", { token })
  expect(waiting.text).toContain('<html lang="de">')
  expect(waiting.text).toContain(
    "<h1>Deine Anmeldung</h1><p>Ada, das ist deine Anmeldung für <strong>Start &lt;1&gt;</strong>.",
  )
  expect(waiting.text).toContain("auf der Warteliste an Stelle <strong>1</strong>")
  expect(waiting.text).toContain('<img class="logo" src="https://pictures.example/logo.png" alt="Acme">')
  expect(waiting.text).toContain(":root{color-scheme:dark}")
  expect(waiting.policy).toContain("img-src https://pictures.example;")
  const held = await house.tokenOf(holder)
  expect((await page(`/leave/${id}/open`, "en", { token: held })).text).toContain("Du kannst nicht kommen?")
  const left = await page(`/leave/${id}`, "en", { token: held })
  expect(left.text).toContain(`<a href="${server.url}/enter/${id}">melde dich wieder an</a>`)
  await house.becomes(waits, "offered")
  const offered = (await page(`/place/${id}/open`, "en", { token })).text
  expect(offered).toMatch(/Ein Platz ist frei für dich, bis <strong>\w+, \d+\. \w+ \d{4}/)
  expect(offered).toContain("<button>Platz annehmen</button>")
  expect((await page(`/place/${id}`, "en", { token })).text).toContain("du hast einen Platz bei")
})

test("the pages of an event without a language speak the reader's, or English", async () => {
  const { house, holder } = await full({})
  const path = `/leave/${house.event.id}`
  const token = await house.tokenOf(holder)
  for (const [language, title] of [
    ["de-AT,de;q=0.9,en;q=0.5", "Du kannst nicht kommen?"],
    ["fr, de;q=0.5", "Du kannst nicht kommen?"],
    ["fr", "You cannot come?"],
    ["constructor", "You cannot come?"],
    ["", "You cannot come?"],
  ] as const) {
    for (const one of [await page(path, language), await page(`${path}/open`, language, { token })]) {
      expect([one.status, one.text.includes(`<h1>${title}</h1>`)], language).toEqual([200, true])
    }
  }
})

test("the list of a workspace's events speaks the reader's language", async () => {
  const { id, owner } = await createWorkspace(server.url)
  const slug = `words-${randomUUID().slice(0, 8)}`
  const body = { slug, publicList: true }
  expect((await call(server.url, "PATCH", `/v1/workspaces/${id}`, { cookie: owner.cookie, body })).status).toBe(200)
  expect((await page(`/w/${slug}`, "de")).text).toContain("Keine Veranstaltung ist geplant.")
  expect((await page(`/w/${slug}`, "ja")).text).toContain("No event is planned.")
})
