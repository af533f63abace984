/** What the server refuses is said beside the field; nothing typed is lost, and the form can be sent again. */
import type { Locator, Page } from "playwright-core"
import { expect, test } from "vitest"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const REFUSED = /Failed to load resource/

/** The words stand beside the field for everybody: it is invalid, and they describe it. */
const expectError = async (page: Page, field: Locator, words: string): Promise<void> => {
  await page.getByText(words, { exact: true }).waitFor()
  expect(await field.getAttribute("aria-invalid")).toBe("true")
  const described = await field.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  )
  expect(described).toContain(words)
}

test("a wrong address is said beside its field of the registration", async () => {
  const { event, acme } = await stageWith(site, [{ modality: "meeting" }], "publish")
  await call(site.server.url, "PATCH", `/v1/events/${event.id}`, { key: acme.key, body: { visibility: "public" } })
  const page = await site.open(`/e/${event.id}`, { expects: REFUSED })
  await page.getByLabel("Name").fill("Ada")
  // The browser takes it for an address, the server does not.
  const email = page.getByLabel("E-mail address")
  await email.fill(".ada@example.com")
  await page.getByRole("button", { name: "Register" }).click()
  await expectError(page, email, "Enter a valid e-mail address.")
  expect(await page.getByRole("alert").count()).toBe(0)
  expect(await page.getByLabel("Name").inputValue()).toBe("Ada")
  await expectAccessible(page)
  await email.fill("ada@example.com")
  await page.getByRole("button", { name: "Register" }).click()
  await page.getByText("You are registered.", { exact: false }).waitFor()
})

test("all faults of a password are said beside its field, in the language of the page", async () => {
  const page = await site.open("/host/sign-up", { expects: REFUSED, locale: "de-DE" })
  await page.getByLabel("Name").fill("Ada")
  await page.getByLabel("E-Mail-Adresse").fill("ada@example.org")
  const password = page.getByLabel("Passwort")
  await password.fill("👍👍👍👍")
  await password.press("Enter")
  await expectError(
    page,
    password,
    "Gib 8 bis 256 Zeichen ein. Dieses Passwort ist zu leicht zu erraten. Wähle ein anderes.",
  )
  await password.fill("password1")
  await password.press("Enter")
  await expectError(page, password, "Dieses Passwort ist zu leicht zu erraten. Wähle ein anderes.")
})

test("faults of several details stand beside their fields, and go when they are mended", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`, { expects: REFUSED })
  const [title, description] = [page.getByLabel("Title"), page.getByLabel("Description")]
  // A character that nobody sees.
  await title.fill("\u200b")
  await description.fill("x".repeat(17_000))
  await page.getByRole("button", { name: "Save" }).click()
  await expectError(page, title, "Enter some text.")
  await expectError(page, description, "This must not be empty, nor longer than 10000.")
  await expectAccessible(page)
  await title.fill("Better day")
  await description.fill("Short")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Saved.").waitFor()
  expect(await page.locator("[aria-invalid]").count()).toBe(0)
})

test("a fault whose cause was in another field does not keep the form from being sent again", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/event/${stage.event.id}/details`, { expects: REFUSED })
  const ends = page.getByLabel("Ends")
  await page.getByLabel("Begins").fill("2031-05-02T10:00")
  await ends.fill("2031-05-01T10:00")
  await page.getByRole("button", { name: "Save" }).click()
  await expectError(page, ends, "The end must be after the start.")
  await page.getByLabel("Begins").fill("2031-04-30T10:00")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Saved.").waitFor()
  expect(await ends.getAttribute("aria-invalid")).toBeNull()
  expect(await ends.inputValue()).toBe("2031-05-01T10:00")
})

test("a key that has expired already, and a webhook to a private network, are refused beside their fields", async () => {
  const stage = await stageWith(site, [])
  const page = await openConsole(stage, `/host/workspace/${stage.acme.id}/keys`, { expects: REFUSED })
  const expires = page.getByLabel("Expires")
  await page.getByLabel("Name").fill("Old")
  await expires.fill("2020-01-01T10:00")
  await page.getByRole("button", { name: "New key" }).click()
  await expectError(page, expires, "This is in the past.")
  expect(await page.getByLabel("Name").inputValue()).toBe("Old")
  await expectAccessible(page)
  await page.getByRole("link", { name: "Webhooks" }).click()
  const url = page.getByRole("textbox", { name: "Address" })
  await url.fill("https://10.0.0.1/hook")
  await page.getByRole("button", { name: "New webhook" }).click()
  await expectError(page, url, "The address must be reachable from the internet.")
  await expectAccessible(page)
})
