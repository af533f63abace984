/** The languages of the pages: the browser's own at first, and the one that a person chooses. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createEvent, createWorkspace, PASSWORD, type Workspace } from "../../test/support/api.ts"
import { expectFits } from "./fit.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace
beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

const languageOf = (page: Page): Promise<string | null> => page.locator("html").getAttribute("lang")

test("a French browser has French pages, and keeps the language that is chosen", async () => {
  const page = await site.open("/join", { locale: "fr-CA" })
  await page.getByRole("heading", { name: "Rejoindre un événement" }).waitFor()
  expect(await languageOf(page)).toBe("fr")
  const choice = page.getByRole("combobox", { name: "Langue" })
  expect(await choice.locator("option").allTextContents()).toEqual([
    "Deutsch",
    "English",
    "Español",
    "Français",
    "日本語",
  ])
  await expectAccessible(page)
  await choice.selectOption("日本語")
  await page.getByRole("heading", { name: "イベントに参加" }).waitFor()
  expect(await languageOf(page)).toBe("ja")
  await page.goto(`${site.server.url}/host`)
  await page.getByRole("heading", { name: "サインイン" }).waitFor()
  await page.getByRole("combobox", { name: "言語" }).selectOption("Español")
  await page.getByRole("heading", { name: "Iniciar sesión" }).waitFor()
  await page.getByLabel("Correo electrónico").fill(acme.owner.email)
  await page.getByLabel("Contraseña").fill(PASSWORD)
  await page.getByLabel("Contraseña").press("Enter")
  await page.getByRole("button", { name: "Cerrar sesión" }).waitFor()
  await expectAccessible(page)
  await page.getByRole("combobox", { name: "Idioma" }).selectOption("English")
  await page.getByRole("button", { name: "Sign out" }).waitFor()
  expect(await languageOf(page)).toBe("en")
})

test("a Japanese browser has the page of an event in Japanese, with times, and another language by choice", async () => {
  const event = await createEvent(site.server.url, acme.key, {
    scheduledAt: "2099-03-20T10:00:00.000Z",
    phases: [{ modality: "broadcast" }],
  })
  await call(site.server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
  const page = await site.open(`/e/${event.id}`, { locale: "ja-JP", timezoneId: "Asia/Tokyo" })
  await page.getByRole("button", { name: "申し込む" }).waitFor()
  await page.getByText("開始：2099年3月20日金曜日").waitFor()
  expect(await languageOf(page)).toBe("ja")
  await expectFits(page, "an event in Japanese")
  await expectAccessible(page)
  await page.getByRole("combobox", { name: "言語" }).selectOption("Français")
  await page.getByRole("button", { name: "S’inscrire" }).waitFor()
  await page.getByText("Début : vendredi 20 mars 2099").waitFor()
})

test("a page in the frame of another site, where the browser refuses to store a choice, offers none", async () => {
  const page = await site.open("/join", {
    locale: "es-MX",
    prepare: async (opening) => {
      await opening.addInitScript(() => {
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new DOMException("refused", "SecurityError")
          },
        })
      })
    },
  })
  await page.getByRole("heading", { name: "Unirse a un evento" }).waitFor()
  expect(await page.getByRole("combobox").count()).toBe(0)
})
