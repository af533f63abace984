/** How the pages look with larger text, on a narrow window and in a dark scheme: in German, whose words are long. And what moves. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createEvent, createPerson, createWorkspace, PASSWORD, type Workspace } from "../../test/support/api.ts"
import { PLATFORM_KEY } from "../../test/support/server.ts"
import { expectFits } from "./fit.ts"
import { connectClient, type Occasion, occasionWith, openPage, openPanel } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace
beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

const TITLE = "Jahreshauptversammlung der Donaudampfschifffahrtsgesellschaft"
const NAME = "Bartholomäus Freiherr von Grünwald-Ellenbogenstein"
const LINK = `https://example.com/${"a-very-long-address/".repeat(4)}`
const EVERYTHING = { modality: "broadcast", featureSet: ["qa", "chat", "polls", "reactions", "capture", "transcript"] }
const GERMAN = { locale: "de-DE" }

/** Most other tests look at their pages in the light scheme. */
const expectLooks = async (page: Page, view: string): Promise<void> => {
  await expectFits(page, view)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "light" })
}

const live = (modality: string, fields: object = {}): Promise<Occasion> =>
  occasionWith(site, acme, [{ ...EVERYTHING, modality, config: { durationSeconds: 900 }, ...fields }], {
    title: TITLE,
    visibility: "public",
  })

/** Somebody has said, asked, voted and raised a hand. */
const fill = async (occasion: Occasion): Promise<void> => {
  const host = await connectClient(occasion, "Hedy")
  const guest = await connectClient(occasion, NAME, "participant")
  await guest.command("chat.send", { to: "event", text: `Seht euch ${LINK} an.` })
  await guest.command("question.ask", { text: `Was haltet ihr von ${LINK}?` })
  await guest.command("hand.raise", { note: "Zur Haushaltsvoranschlagsgenehmigung" })
  const { d } = await host.command("poll.create", {
    question: `Wer übernimmt die ${TITLE}?`,
    kind: "single",
    options: [NAME, "Rechtsschutzversicherungsgesellschaften"],
    results: "live",
  })
  await host.command("poll.open", { id: d.poll.id })
  await guest.command("poll.vote", { id: d.poll.id, optionIds: [d.poll.options[0]?.id ?? ""] })
}

const openConsole = async (): Promise<(path: string) => Promise<Page>> => {
  const page = await site.open("/host", GERMAN)
  await expectLooks(page, "signing in")
  await page.getByLabel("E-Mail-Adresse").fill(acme.owner.email)
  await page.getByLabel("Passwort").fill(PASSWORD)
  await page.getByLabel("Passwort").press("Enter")
  await page.getByRole("button", { name: "Abmelden", exact: true }).waitFor()
  return async (path) => {
    await page.goto(`${site.server.url}/host${path}`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    // Several parts of a page load at once.
    await expect.poll(() => page.getByText("Wird geladen …").count()).toBe(0)
    return page
  }
}

test("the pages before and after an event have room for their texts, and contrast in the dark", async () => {
  const join = await site.open("/join", GERMAN)
  await expectLooks(join, "join")
  const { url } = site.server
  const soon = await createEvent(url, acme.key, {
    title: TITLE,
    visibility: "public",
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    metadata: { description: `Alles Weitere steht unter ${LINK}` },
    capacity: 40,
  })
  await call(url, "POST", `/v1/events/${soon.id}/publish`, { key: acme.key })
  const page = await site.open(`/e/${soon.id}`, GERMAN)
  await page.getByRole("button", { name: "Anmelden" }).waitFor()
  await expectLooks(page, "an event to come")
  await page.goto(`${url}/screen/${soon.id}?code=ABC123`)
  await page.getByText("ABC123").waitFor()
  await expectLooks(page, "the screen before the event")
  const occasion = await live("broadcast")
  await call(url, "POST", `/v1/events/${occasion.event.id}/end`, { key: acme.key })
  await page.goto(`${url}/e/${occasion.event.id}`)
  await page.getByText("Es gibt noch keine Aufzeichnung.").waitFor()
  await expectLooks(page, "an event that is over")
})

test("the pages of a live event have room for their texts, and contrast in the dark", async () => {
  const occasion = await live("broadcast")
  await fill(occasion)
  const page = await openPage(occasion, NAME, GERMAN)
  await page.getByRole("button", { name: "Jetzt eintreten" }).click()
  await page.getByText("Personen dabei").waitFor()
  const host = await connectClient(occasion, "Hedy")
  await host.command("announce", { text: `Bitte lest ${LINK}` })
  await page.getByText(LINK).first().waitFor()
  await expectLooks(page, "a broadcast with its first panel")
  for (const panel of ["Fragen", "Umfragen"]) {
    await page.getByRole("tab", { name: new RegExp(`^${panel}`) }).click()
    await expectLooks(page, panel)
  }
  await page.getByRole("button", { name: /Personen dabei/ }).click()
  await page.getByRole("dialog").getByRole("listitem").first().waitFor()
  await expectLooks(page, "the people who are here")

  const { session } = await createPerson(site.server.url, acme.key, occasion.event.id, "host")
  const screen = await site.open(`/screen/${occasion.event.id}?code=ABC123`, {
    ...GERMAN,
    session: { of: `screen:${occasion.event.id}`, token: session },
  })
  await screen.getByRole("meter").first().waitFor()
  await expectLooks(screen, "the screen")
})

test("the console has room for its texts, and contrast in the dark", async () => {
  const { url } = site.server
  const { key, id, owner } = acme
  const body = { email: "bartholomaeus.gruenwald@verwaltung.example.com", role: "admin" }
  await call(url, "POST", `/v1/workspaces/${id}/invites`, { cookie: owner.cookie, body })
  await call(url, "POST", "/v1/webhooks", { key, body: { url: "https://example.com/hooks/of-an-application" } })
  const occasion = await live("broadcast")
  const { id: eventId } = occasion.event
  const who = { name: NAME, email: "gruenwald@example.com" }
  await call(url, "POST", `/v1/public/events/${eventId}/register`, { body: who })
  await fill(occasion)
  const show = await openConsole()
  for (const part of ["events", "members", "keys", "webhooks", "guests", "audit", "settings"])
    await expectLooks(await show(`/workspace/${id}/${part}`), part)
  await expectLooks(await show("/account"), "account")
  const start = await show(`/workspace/${id}/events`)
  await start.getByRole("button", { name: "Neue Veranstaltung" }).click()
  await expectLooks(start, "a new event")
  for (const part of ["details", "share", "registrations", "roles", "attendance", "recordings", "exports"])
    await expectLooks(await show(`/event/${eventId}/${part}`), part)
  const agenda = await show(`/event/${eventId}/agenda`)
  await agenda.getByRole("row").first().click()
  await agenda.getByRole("button", { name: "Speichern", exact: true }).waitFor()
  await expectLooks(agenda, "agenda")
  for (const part of ["lobby", "questions", "chat", "polls", "stage", "rooms", "broadcast"]) {
    const page = await show(`/live/${eventId}/${part}`)
    await page.getByText("Phase 1 von 1", { exact: false }).waitFor()
    await expectLooks(page, part)
  }
  const people = await show(`/live/${eventId}/people`)
  await people.getByRole("row", { name: NAME }).click()
  await people.getByRole("heading", { name: NAME }).waitFor()
  await expectLooks(people, "people")
  const rooms = await live("breakout")
  await connectClient(rooms, NAME, "participant")
  const plan = await show(`/live/${rooms.event.id}/rooms`)
  await plan.getByRole("button", { name: "Räume erstellen" }).click()
  await plan.getByRole("row", { name: NAME }).first().click()
  await expectLooks(plan, "a plan of rooms")
})

test("the pages of operators and of the playground have room for their texts, and contrast in the dark", async () => {
  await expectLooks(await site.open("/play", GERMAN), "the playground")
  await live("meeting")
  const page = await site.open("/ops", GERMAN)
  await expectLooks(page, "the key of the platform")
  await page.getByLabel("Plattform-Schlüssel").fill(PLATFORM_KEY)
  await page.keyboard.press("Enter")
  await page.getByRole("cell", { name: TITLE }).first().waitFor()
  await expectLooks(page, "operation")
})

test("where less motion is asked for nothing moves: reactions, countdowns, bars, dialogs", async () => {
  const occasion = await live("broadcast")
  await fill(occasion)
  const host = await connectClient(occasion, "Hedy")
  const page = await openPage(occasion, NAME, { reducedMotion: "reduce" })
  await page.getByRole("button", { name: "Enter now" }).click()
  await page.getByText("people here").waitFor()
  /** Of each animation and transition: how long it takes, in milliseconds. */
  const motions = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .map(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0))
        .filter((ms) => ms > 1),
    )
  await host.command("reaction.send", { kind: "clap", n: 3 })
  await page.getByRole("list", { name: "Reactions right now" }).getByText("Applause").waitFor()
  expect(await motions()).toEqual([])
  await openPanel(page, "Polls")
  await page.getByRole("radio", { name: NAME }).press("Space")
  await page.getByRole("button", { name: "Vote", exact: true }).click()
  await page.getByText("2 people have voted").waitFor()
  expect(await motions()).toEqual([])
  await page.getByRole("button", { name: /people here/ }).click()
  await page.getByRole("dialog").waitFor()
  expect(await motions()).toEqual([])
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe("auto")
})
