/** Dialogs as the component library shows them on an iPhone, where it would add a style element that the policy refuses. */
import { expect, test } from "vitest"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite, pressButton } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

test("a dialog holds the page still, keeps its own scrolling, and gives the focus back", async () => {
  const page = await openConsole(await stageWith(site, []), "/host/account", {
    viewport: { width: 390, height: 500 },
    hasTouch: true,
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    prepare: async (opened) => {
      await opened.addInitScript(() => {
        Object.defineProperty(navigator, "platform", { get: () => "iPhone" })
        Object.defineProperty(navigator, "userAgentData", { get: () => undefined })
      })
    },
    // The library's way for iOS is taken: without it nothing is refused, and the test says nothing.
    expects: /Content Security Policy/,
  })
  const refusals: string[] = []
  page.on("console", (message) => refusals.push(message.text()))
  const button = page.getByRole("button", { name: "Sign out everywhere", exact: true })
  await pressButton(button)
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Cancel" }).waitFor()
  await expect.poll(() => refusals.some((one) => one.includes("Content Security Policy"))).toBe(true)
  const before = await page.evaluate(() => scrollY)
  await page.mouse.move(195, 20)
  await page.mouse.wheel(0, 400)
  const styles = await page.evaluate(() => ({
    root: getComputedStyle(document.documentElement).overflow,
    dialog: getComputedStyle(document.querySelector(".dialog-box") ?? document.body).overscrollBehaviorY,
    at: scrollY,
  }))
  expect(styles).toEqual({ root: "hidden", dialog: "contain", at: before })
  await expectAccessible(page)
  await pressButton(dialog.getByRole("button", { name: "Cancel" }))
  await dialog.waitFor({ state: "detached" })
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe("visible")
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
})
