/** The branding of a workspace and of an event in Chromium: worn by its pages before and after scripts run, and chosen in the console. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { call, createWorkspace } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { enter, occasionWith } from "./people.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const LOGO = "https://cdn.example.com/logo.svg"
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" fill="#0b7a4b"/></svg>'
const withLogo = async (page: Page): Promise<void> => {
  await page.route("https://cdn.example.com/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: SVG }))
}

const BRANDING = { accent: "#ffd400", logoUrl: LOGO, theme: null, coverUrl: null }
const brandedWorkspace = async (branding: object = BRANDING) => {
  const acme = await createWorkspace(site.server.url)
  const { cookie } = acme.owner
  const answer = await call(site.server.url, "PATCH", `/v1/workspaces/${acme.id}`, { cookie, body: { branding } })
  expect(answer.status).toBe(200)
  return acme
}

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((one, property) => getComputedStyle(one).getPropertyValue(property), name)

/** `#7f690a` and `#ffd400`, the shades of the yellow. */
const SHADES = { light: "rgb(127, 105, 10)", dark: "rgb(255, 212, 0)" }

test.each(["light", "dark"] as const)(
  "the event's page and the room wear the accent, without a fault, on a %s device",
  async (colorScheme) => {
    const acme = await brandedWorkspace()
    const occasion = await occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["chat", "qa"] }])
    const path = `/e/${occasion.event.id}`
    const still = await site.open(path, { colorScheme, javaScriptEnabled: false, prepare: withLogo })
    await still.getByRole("img", { name: "Acme" }).waitFor()
    const page = await site.open(path, { colorScheme, prepare: withLogo })
    await page.getByRole("button", { name: "Register" }).waitFor()
    expect(await styleOf(page, ".button-main", "background-color")).toBe(SHADES[colorScheme])
    await page.getByRole("img", { name: "Acme" }).waitFor()
    await expectAccessible(page)
    const room = await enter(occasion, "Ann", { colorScheme, prepare: withLogo })
    await room.getByRole("img", { name: "Acme" }).waitFor()
    expect(await styleOf(room, ".tab[data-selected]", "color")).toBe(SHADES[colorScheme])
    await expectAccessible(room)
  },
)

test("the accent is there before the scripts are", async () => {
  const acme = await brandedWorkspace()
  const { event } = await occasionWith(site, acme, [{ modality: "broadcast" }])
  const page = await site.open(`/e/${event.id}`, {
    expects: /Failed to load resource/,
    prepare: async (one) => {
      await withLogo(one)
      await one.route("**/web/*.js", (route) => route.abort())
    },
  })
  await page.getByRole("heading", { name: "Launch day" }).waitFor()
  expect(await styleOf(page, "html", "--brand-color")).toBe("#ffd400")
  expect(await styleOf(page, ".cover-made", "background-color")).toBe("rgb(255, 212, 0)")
  await expectAccessible(page)
})

test("an event's scheme is that of its page whatever the device has, and the screen shows the logo", async () => {
  const acme = await brandedWorkspace({ ...BRANDING, theme: "light" })
  const { event } = await occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["qa"] }])
  const page = await site.open(`/e/${event.id}`, { colorScheme: "dark", prepare: withLogo })
  await page.getByRole("button", { name: "Register" }).waitFor()
  expect(await styleOf(page, "html", "background-color")).toBe("rgb(246, 246, 249)")
  const change = { branding: { accent: null, logoUrl: null, theme: "dark" } }
  await call(site.server.url, "PATCH", `/v1/events/${event.id}`, { key: acme.key, body: change })
  await page.reload()
  await page.getByRole("button", { name: "Register" }).waitFor()
  expect(await styleOf(page, "html", "background-color")).toBe("rgb(16, 17, 23)")
  const screen = await site.open(`/screen/${event.id}`, { prepare: withLogo })
  await screen.getByRole("img", { name: "Acme" }).waitFor()
  await expectAccessible(screen)
})

test("a host chooses a colour and sees at once what becomes of it, in the workspace's settings and in an event", async () => {
  const stage = await stageWith(site, [], "publish")
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/settings`, { expects: /status of 400/ })
  const form = page.getByRole("form", { name: "Branding" })
  const color = form.getByRole("textbox", { name: "Accent colour" })
  await color.fill("#ffd400")
  await form.getByText("Contrast 1.2:1, and 4.5:1 is needed. The shade #7f690a is shown (4.6:1).").waitFor()
  await form.getByText("Contrast 9.5:1. The colour is shown as it is.").waitFor()
  await expectAccessible(page)
  await form.getByRole("textbox", { name: "Address of the logo" }).fill("http://cdn.example.com/logo.svg")
  await pressButton(form.getByRole("button", { name: "Save" }))
  await form.getByText("The address must begin with https:// and name no user.").waitFor()
  await form.getByRole("textbox", { name: "Address of the logo" }).fill(LOGO)
  await pressButton(form.getByRole("button", { name: "Save" }))
  await form.getByText("Saved").waitFor()
  await page.goto(new URL(`/host/event/${stage.event.id}/details`, site.server.url).href)
  const group = page.getByRole("group", { name: "Branding" })
  await group.getByRole("textbox", { name: "Accent colour" }).fill("#0b7a4b")
  await group.getByText("Contrast 4.6:1. The colour is shown as it is.").waitFor()
  await expectAccessible(page)
  await pressButton(page.getByRole("button", { name: "Save", exact: true }))
  await page.getByText("Saved").first().waitFor()
  const { body } = await call(site.server.url, "GET", `/v1/public/events/${stage.event.id}`, { key: stage.acme.key })
  expect(body.branding).toMatchObject({ accent: "#0b7a4b", logoUrl: LOGO, theme: null })
})
