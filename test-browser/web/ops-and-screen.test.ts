/** The pages for an operator and for a projector. */
import { expect, test } from "vitest"
import { Client } from "../../test/gateway/client.ts"
import {
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Json,
} from "../../test/support/api.ts"
import { rowsOf } from "../../test/support/rows.ts"
import { PLATFORM_KEY } from "../../test/support/server.ts"
import { shared } from "../../test/support/shared.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const hostOf = async (event: Json, session: string): Promise<Client> => {
  const { url, token } = await gatewayToken(site.server.url, event.id, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

test("the operator's page refuses a wrong key, and shows what runs with the right one", async () => {
  const house = await createWorkspace(site.server.url)
  const event = await createLiveEvent(site.server.url, house.key, { title: "Board meeting" })
  const page = await site.open("/ops", { expects: /401/ })
  await expectAccessible(page)
  const key = page.getByLabel("Platform key")
  await key.fill("wrong".repeat(8))
  await page.getByRole("button", { name: "Show" }).click()
  await page.getByRole("alert").getByText("This is not the platform key").waitFor()
  await key.fill(PLATFORM_KEY)
  await page.keyboard.press("Enter")
  const table = (name: string | RegExp) => page.getByRole("region", { name })
  await table("Live events").getByRole("cell", { name: event.title }).waitFor()
  await page
    .locator(".figure", { hasText: "Room for media" })
    .getByText(/^[\d,.]+ MiB$/)
    .waitFor()
  await table(/^Busiest events, last/)
    .getByRole("cell", { name: event.title })
    .waitFor()
  await table(/^Busiest API keys, last/)
    .getByRole("cell")
    .first()
    .waitFor()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Inspect" }).first().click()
  const chart = page.getByRole("dialog", { name: event.title })
  await chart.getByRole("cell", { name: "live.phase.untimed", exact: true }).first().waitFor()
  await chart.getByRole("cell", { name: "event.start" }).first().waitFor()
  await expectAccessible(page)
  await chart.getByRole("button", { name: "Close" }).click()
  // The key is in no address and in no storage.
  expect(
    await page.evaluate(() => location.href + JSON.stringify({ ...localStorage, ...sessionStorage })),
  ).not.toContain(PLATFORM_KEY)
})

test("the operator's page says that the database is a copy, and promotes it", async () => {
  const rows = rowsOf(site.server.databaseUrl)
  await rows.run("update instances set quiet_since = now(), quiet_signs = '{QUIET is set.}', is_held = true")
  await rows.end()
  const page = await site.open("/ops")
  await page.getByLabel("Platform key").fill(PLATFORM_KEY)
  await page.keyboard.press("Enter")
  const copy = page.getByRole("region", { name: "This database is a copy" })
  await copy.getByText("QUIET is set.").waitFor()
  await expectAccessible(page)
  await copy.getByRole("button", { name: "This is the real one" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("Discard the deliveries").click()
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "This is the real one" }).click()
  await copy.waitFor({ state: "detached" })
  const { body } = await call(site.server.url, "GET", "/v1/platform/status", {
    headers: { "x-platform-key": PLATFORM_KEY },
  })
  expect(body.quiet).toBeNull()
})

test("the screen shows code, questions by votes, the bars of a poll and the timer, and the end", async () => {
  const { url } = site.server
  const house = await createWorkspace(url)
  const event = await createLiveEvent(url, house.key, {
    title: "All hands",
    visibility: "public",
    phases: [
      { modality: "meeting", featureSet: ["qa", "chat", "polls", "reactions"], config: { durationSeconds: 600 } },
    ],
  })
  const { code } = (await call(url, "POST", `/v1/events/${event.id}/join-code`, { key: house.key })).body
  const { session } = await createPerson(url, house.key, event.id, "host")
  const host = await hostOf(event, session)
  const page = await site.open(`/screen/${event.id}?code=${code}`, {
    viewport: { width: 1280, height: 720 },
    session: { of: `screen:${event.id}`, token: session },
  })
  await page.getByRole("heading", { name: "All hands" }).waitFor()
  await page.getByText(code).waitFor()
  const picture = page.getByRole("img", { name: "QR code that leads to the event" })
  // `decode` rejects for what is no picture.
  expect(
    await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(0)
  await page.getByText("Ask the first question!").waitFor()
  await page
    .getByRole("timer")
    .getByText(/^(9:5\d|10:00)$/)
    .waitFor()
  await host.command("question.ask", { text: "Why <b>now</b>?" })
  await page.getByText("Why <b>now</b>?").waitFor()
  const { poll } = (
    await host.command("poll.create", { question: "Tea?", kind: "single", options: ["Yes", "No"], results: "live" })
  ).d
  await host.command("poll.open", { id: poll.id })
  await page.getByRole("heading", { name: "Tea?" }).waitFor()
  await host.command("poll.vote", { id: poll.id, optionIds: [poll.options[0].id] })
  await page.getByText("1 vote", { exact: true }).waitFor()
  const hidden = await host.command("poll.create", {
    question: "Cake?",
    kind: "single",
    options: ["Yes", "No"],
    results: "onPublish",
  })
  await host.command("poll.open", { id: hidden.d.poll.id })
  await page.getByRole("heading", { name: "Cake?" }).waitFor()
  await page.getByText("Results come later.").waitFor()
  expect(await page.getByRole("meter").count()).toBe(0)
  await host.command("reaction.send", { kind: "clap", n: 3 })
  await page
    .getByRole("listitem")
    .filter({ hasText: /^👏.* 3$/ })
    .waitFor()
  await expectAccessible(page)
  await call(url, "POST", `/v1/events/${event.id}/end`, { key: house.key })
  await page.getByText("The event is over").first().waitFor()
  host.socket.close()
})

test("a screen without a session shows a broadcast, and says who can show a meeting", async () => {
  const { url } = site.server
  const house = await createWorkspace(url)
  const phases = [{ modality: "broadcast", featureSet: ["qa"] }, { modality: "meeting" }]
  const event = await createLiveEvent(url, house.key, { visibility: "public", phases })
  const page = await site.open(`/screen/${event.id}`, { expects: /401/ })
  await page.getByText("Ask the first question!").waitFor()
  const meeting = await createLiveEvent(url, house.key, { visibility: "public", phases: [{ modality: "meeting" }] })
  await page.goto(`${url}/screen/${meeting.id}`)
  await page.getByRole("alert").getByText("Open the screen from the host's page").waitFor()
})

test("a screen of an event that does not exist says so, in German too", async () => {
  const page = await site.open("/screen/00000000-0000-7000-8000-000000000000", { locale: "de-DE", expects: /404/ })
  await page.getByRole("alert").getByText("Das wurde nicht gefunden").waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de")
})
