/** The way to an event: from a code or a link to the inside, and what a person reads who is not let in. */
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createEvent, createWorkspace, entryLink, type Workspace } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"
import { connectClient, enter, idOf, occasionWith, openPage } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace

beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

/** The line that Chromium writes about an answer that the test provokes. */
const REFUSED = /status of 4\d\d/

const api = (method: string, path: string, body?: object) =>
  call(site.server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })

test("from the code to the event, by registering and the link of the email into it, and the address never keeps the token", async () => {
  const { event } = await occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["chat"] }])
  const { code } = (await api("POST", `/v1/events/${event.id}/join-code`)).body
  const page = await site.open("/join")
  await expectAccessible(page)
  await page.getByRole("textbox", { name: "Code" }).fill(code.toLowerCase())
  await page.getByRole("button", { name: "Join" }).click()
  await page.getByRole("heading", { name: "Launch day" }).waitFor()
  await page.getByText("Live now").waitFor()
  await expectAccessible(page)
  await page.getByRole("textbox", { name: "Name" }).fill("Ann")
  await page.getByRole("textbox", { name: "E-mail address" }).fill("ann@example.com")
  await page.getByRole("button", { name: "Register" }).click()
  await page.getByText("You are registered. Your personal link is on its way by e-mail.").waitFor()
  await page.goto(await entryLink(site.server.url, "ann@example.com", event.id))
  await page.getByText("Welcome, Ann.").waitFor()
  expect(page.url()).not.toContain("token")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Enter now" }).click()
  await page.getByRole("textbox", { name: "Message" }).waitFor()
  await page.reload()
  await page.getByText("Welcome, Ann.").waitFor()
  // The next person at the same computer.
  await page.getByRole("button", { name: "I am not Ann" }).click()
  await page.getByRole("button", { name: "Register" }).waitFor()
  await page.reload()
  await page.getByRole("button", { name: "Register" }).waitFor()
})

test("the page of a public event has its words before any script runs, where they stay, and reads nothing twice", async () => {
  const event = await createEvent(site.server.url, acme.key, {
    title: "A day in spring",
    scheduledAt: "2099-03-20T10:00:00.000Z",
    metadata: { description: "Talks,\nand time to talk." },
  })
  await api("POST", `/v1/events/${event.id}/publish`)
  const silent = await site.open(`/e/${event.id}`, { javaScriptEnabled: false })
  const words = [
    silent.getByRole("heading", { name: "A day in spring" }),
    silent.getByText("Friday, March 20, 2099", { exact: false }),
    silent.getByText("Talks, and time to talk."),
  ]
  for (const word of words) await word.waitFor()
  const heightOf = async (page: Page): Promise<number> =>
    (await page.getByText("Talks, and time to talk.").boundingBox())?.y ?? Number.NaN
  const before = await heightOf(silent)
  const timeBefore = await silent.getByRole("time").textContent()
  const reads: string[] = []
  const page = await site.open(`/e/${event.id}`, {
    timezoneId: "UTC",
    prepare: async (opening) => {
      opening.on("request", (request) => {
        if (new URL(request.url()).pathname === `/v1/public/events/${event.id}`) reads.push(request.url())
      })
    },
  })
  await page.getByRole("button", { name: "Register" }).waitFor()
  await page.getByText(/in [\d,]+ days/).waitFor()
  expect(await heightOf(page)).toBe(before)
  // In the zone of the server both write the same time.
  expect(await page.getByRole("time").textContent()).toBe(`Starts ${timeBefore}`)
  expect(reads).toEqual([])
  await expectAccessible(page)
})

test("an event with a zone, a place and a description has its time in the reader's zone and in its own", async () => {
  const event = await createEvent(site.server.url, acme.key, {
    title: "At two clocks",
    scheduledAt: "2099-03-20T10:00:00.000Z",
    timeZone: "Asia/Kolkata",
    location: "Town hall",
    description: "More: https://example.com/a_(b)?c=1. <b>Not bold</b>, javascript:alert(1)",
  })
  await api("POST", `/v1/events/${event.id}/publish`)
  const silent = await site.open(`/e/${event.id}`, { javaScriptEnabled: false })
  expect(await silent.getByRole("time").textContent()).toBe("Friday, March 20, 2099 at 03:30 PM GMT+5:30")
  const page = await site.open(`/e/${event.id}`, { timezoneId: "America/New_York" })
  await page.getByText("Starts Friday, March 20, 2099 at 06:00 AM EDT").waitFor()
  const there = "Friday, March 20, 2099 at 03:30 PM GMT+5:30"
  await page.getByText(`In Asia/Kolkata: ${there}`).waitFor()
  await page.getByText("Place: Town hall").waitFor()
  const link = page.getByRole("link", { name: "https://example.com/" })
  expect([await link.getAttribute("href"), await link.getAttribute("rel")]).toEqual([
    "https://example.com/a_(b)?c=1",
    "noopener noreferrer nofollow",
  ])
  await page.getByText("<b>Not bold</b>, javascript:alert(1)", { exact: false }).waitFor()
  expect(await page.getByRole("link", { name: "javascript" }).count()).toBe(0)
  await expectAccessible(page)
  const same = await site.open(`/e/${event.id}`, { timezoneId: "Asia/Kolkata" })
  await same.getByText("Time zone of the event: Asia/Kolkata").waitFor()
  expect(await same.getByRole("time").count()).toBe(1)
})

test("an event has its page in its language, with its picture and its description as Markdown", async () => {
  const event = await createEvent(site.server.url, acme.key, {
    title: "Auftakt",
    language: "de",
    coverUrl: `https://127.0.0.1:${new URL(site.server.url).port}/none.png`,
    description: "## Ablauf\n\n1. Vorträge\n2. **Gespräche**\n\n<script>alert(1)</script>",
  })
  await api("POST", `/v1/events/${event.id}/publish`)
  const silent = await site.open(`/e/${event.id}`, { javaScriptEnabled: false, expects: /none\.png|ERR_/ })
  const place = async (page: Page) => (await page.getByRole("heading", { name: "Ablauf" }).boundingBox())?.y
  const before = await place(silent)
  const page = await site.open(`/e/${event.id}`, { expects: /none\.png|ERR_/ })
  await page.getByRole("button", { name: "Anmelden" }).first().waitFor()
  expect(await page.locator("html").getAttribute("lang")).toBe("de")
  expect(await page.locator(".prose").getByRole("listitem").allTextContents()).toEqual(["Vorträge", "Gespräche"])
  expect(await page.locator("strong").textContent()).toBe("Gespräche")
  await page.getByText("<script>alert(1)</script>").waitFor()
  expect(await place(page)).toBe(before)
  await expectAccessible(page)
})

/** Compressed, as a server sends them. */
const MOST_BYTES = 120 * 1024

/** The scripts that the first view loads, with their packed sizes. */
const firstScripts = async (eventId: string, text: RegExp): Promise<ReadonlyMap<string, number>> => {
  const scripts = new Map<string, number>()
  const page = await site.open(`/e/${eventId}`, {
    prepare: async (before) => {
      before.on("response", async (response) => {
        const { pathname } = new URL(response.url())
        if (pathname.endsWith(".js")) scripts.set(pathname, gzipSync(await response.body()).length)
      })
    },
  })
  await page.getByText(text).first().waitFor()
  await page.waitForLoadState("networkidle")
  return scripts
}

const named = (scripts: ReadonlyMap<string, number>, name: RegExp) =>
  [...scripts.keys()].filter((path) => name.test(path))

test("the first view of an event that has not begun loads little, and nothing of the inside", async () => {
  const event = await createEvent(site.server.url, acme.key, {
    scheduledAt: new Date(Date.now() + 7_500_000).toISOString(),
    phases: [{ modality: "broadcast" }],
  })
  await api("POST", `/v1/events/${event.id}/publish`)
  const scripts = await firstScripts(event.id, /Starts/)
  expect(named(scripts, /live-room|replay|call|hls/)).toEqual([])
  const bytes = [...scripts.values()].reduce((sum, one) => sum + one, 0)
  expect(bytes).toBeGreaterThan(50 * 1024)
  expect(bytes).toBeLessThan(MOST_BYTES)
})

test("at a live event the inside is loaded while the person reads, but for what plays pictures", async () => {
  const { event } = await occasionWith(site, acme, [{ modality: "broadcast" }])
  const scripts = await firstScripts(event.id, /Live now/)
  expect(named(scripts, /live-room/)).toHaveLength(1)
  // The place of a call is a few lines; the call itself is loaded at the first seat.
  expect(named(scripts, /replay|call-(?!place)|hls/)).toEqual([])
})

test("before an event a person sees when it is, gets a calendar file, waits inside, and is there when it begins", async () => {
  const event = await createEvent(site.server.url, acme.key, {
    title: "Launch day",
    scheduledAt: new Date(Date.now() + 7_500_000).toISOString(),
    phases: [{ modality: "broadcast", featureSet: ["chat"] }],
  })
  await api("POST", `/v1/events/${event.id}/publish`)
  const page = await openPage({ site, acme, event }, "Ann")
  await page.getByText("in 2 h 04 min").waitFor()
  const calendar = await page.getByRole("link", { name: "Add to calendar" }).getAttribute("href")
  expect((await fetch(new URL(calendar ?? "", site.server.url))).headers.get("content-type")).toContain("text/calendar")
  await expectAccessible(page)
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
  await page.getByRole("button", { name: "Share" }).click()
  await page.getByText("The link is copied.").waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${site.server.url}/e/${event.id}`)
  await page.getByRole("button", { name: "Enter now" }).click()
  await page.getByText("The event has not started yet.").waitFor()
  await api("POST", `/v1/events/${event.id}/start`)
  await page.getByText("Broadcast", { exact: true }).waitFor()
  expect(await page.getByText("The event has not started yet.").count()).toBe(0)
})

test("a person who has to wait is told so, and is inside when a host lets them in", async () => {
  const occasion = await occasionWith(site, acme, [
    { modality: "broadcast" },
    { modality: "meeting", config: { lobby: "ask" } },
  ])
  const { id } = occasion.event
  const page = await site.open(`/e/${id}`)
  await page.getByRole("textbox", { name: "Name" }).fill("Ann")
  await page.getByRole("textbox", { name: "E-mail address" }).fill("ann@example.com")
  await page.getByRole("button", { name: "Register" }).click()
  await page.getByText("You are registered.", { exact: false }).waitFor()
  await page.goto(await entryLink(site.server.url, "ann@example.com", id))
  await page.getByText("Welcome, Ann.").waitFor()
  const host = await connectClient(occasion, "Hedy")
  await host.command("phase.next", {})
  await page.getByRole("button", { name: "Enter now" }).click()
  await page.getByText("Please wait. A host will let you in shortly.").waitFor()
  await expectAccessible(page)
  await eventually(() => host.state?.lobby.total === 1, "the person in the lobby")
  await host.command("lobby.admit", { all: true })
  await page.getByText("2 people here").waitFor()
})

test("an unknown event and an unknown code are told in plain words, and the code stays", async () => {
  const expects = REFUSED
  const unknown = await site.open("/e/01a2124a-0000-7000-8000-000000000000", { expects })
  await unknown.getByText("We could not find this, or you do not have access.").waitFor()
  await expectAccessible(unknown)
  const code = await site.open("/join", { expects })
  await code.getByRole("textbox", { name: "Code" }).fill("ZZZZZZ")
  await code.getByRole("button", { name: "Join" }).click()
  await code.getByRole("alert").waitFor()
  expect(await code.getByRole("textbox", { name: "Code" }).inputValue()).toBe("ZZZZZZ")
})

test("an unlisted event takes those who register, and nobody is offered a way in that is closed", async () => {
  const { event } = await occasionWith(site, acme, [{ modality: "broadcast" }], { visibility: "unlisted" })
  const unlisted = await site.open(`/e/${event.id}`)
  await unlisted.getByRole("textbox", { name: "Name" }).fill("Ann")
  await unlisted.getByRole("textbox", { name: "E-mail address" }).fill("ann@example.com")
  expect(await unlisted.getByRole("button", { name: "Watch as a guest" }).count()).toBe(0)
  await unlisted.getByRole("button", { name: "Register" }).click()
  await unlisted.getByText("You are registered.", { exact: false }).waitFor()
  await unlisted.goto(await entryLink(site.server.url, "ann@example.com", event.id))
  await unlisted.getByRole("button", { name: "Enter now" }).click()
  await unlisted.getByText("1 person here").waitFor()
  const { event: meeting } = await occasionWith(site, acme, [{ modality: "meeting" }])
  const page = await site.open(`/e/${meeting.id}`)
  await page.getByRole("button", { name: "Register" }).waitFor()
  expect(await page.getByRole("button", { name: "Watch as a guest" }).count()).toBe(0)
})

test("a link that is not valid, a session that is needed, and an event without a place are told in plain words", async () => {
  const expects = REFUSED
  const shut = await occasionWith(site, acme, [{ modality: "broadcast" }])
  const link = await site.open(`/enter/${shut.event.id}#token=unknown`, {
    expects,
    // The page keeps the event that came with it, as it does until it looks again.
    prepare: async (page) => {
      await page.route(`**/v1/public/events/${shut.event.id}`, () => {})
    },
  })
  await link.getByText("Your link or session is no longer valid.").waitFor()
  expect(link.url()).not.toContain("token")
  await api("PATCH", `/v1/events/${shut.event.id}`, { visibility: "unlisted" })
  await link.getByRole("button", { name: "Watch as a guest" }).click()
  await link.getByText("Please sign in").waitFor()
  const small = await occasionWith(site, acme, [{ modality: "meeting" }], { capacity: 1 })
  const late = await site.open(`/e/${small.event.id}`, { expects })
  await late.getByText("1 of 1 places are free").waitFor()
  const taken = { name: "Ben", email: "ben@example.com" }
  await call(site.server.url, "POST", `/v1/public/events/${small.event.id}/register`, { body: taken })
  await late.getByRole("textbox", { name: "Name" }).fill("Ann")
  await late.getByRole("textbox", { name: "E-mail address" }).fill("ann@example.com")
  await late.getByRole("button", { name: "Register" }).click()
  await late.getByText("This event is full.").waitFor()
  expect(await late.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Ann")
})

test("a person who was removed, and one who comes after the end, are told so", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "meeting" }])
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann")
  await host.command("participant.remove", { id: await idOf(host, "Ann") })
  await ann.getByRole("alert").getByText("A host has removed you from the event.").waitFor()
  await expectAccessible(ann)
  await host.command("event.end", {})
  const over = await openPage(occasion, "Ben")
  await over.getByText("This event is over.").waitFor()
  await over.getByText("There is no recording yet.").waitFor()
  await expectAccessible(over)
})

test("the page speaks German to a German browser", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["chat", "qa"] }])
  const page = await openPage(occasion, "Ann", { locale: "de-DE" })
  await page.getByRole("button", { name: "Jetzt eintreten" }).click()
  await page.getByRole("textbox", { name: "Nachricht" }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de")
})
