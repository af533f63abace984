/** The playground: everything by one click, commands by forms, a cut, webhooks. */
import { expect, test } from "vitest"
import { shared } from "../../test/support/shared.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

test("one click makes a live event; a command goes to all, a cut connection resumes, and webhooks are signed", async () => {
  const page = await site.open("/play", { viewport: { width: 1600, height: 1000 } })
  await expectAccessible(page)
  await page.getByRole("button", { name: "Make an event" }).click()
  const seat = (name: string) => page.getByRole("region", { name, exact: true })
  for (const name of ["Host", "Ada", "Ben", "Cleo"]) await seat(name).getByText("connected").waitFor()
  await seat("Host").getByText("4 people here").waitFor()
  // The form comes with a message that can be sent as it is.
  await seat("Ada").getByRole("button", { name: "Send", exact: true }).click()
  await seat("Ada").getByRole("status").getByText('"Hello"').waitFor()
  await seat("Ben")
    .getByRole("listitem")
    .filter({ hasText: /chat\.message event:\S+ \d+|chat\.message \S+ \d+/ })
    .first()
    .waitFor()

  await seat("Ben").getByRole("button", { name: "Cut the connection" }).click()
  await seat("Ben").getByRole("listitem").filter({ hasText: "caughtUp" }).first().waitFor()
  await seat("Ben").getByText("connected").waitFor()

  // A command of which the form knows nothing but its schema; the server's refusal is told.
  await seat("Ben")
    .getByRole("button", { name: / Command$/ })
    .click()
  await page.getByRole("option", { name: "question.ask", exact: true }).click()
  await seat("Ben").getByLabel("text").fill("Why?")
  await seat("Ben").getByRole("button", { name: "Send", exact: true }).click()
  await seat("Ben").getByRole("status").getByText('"Why?"').waitFor()
  await seat("Ben")
    .getByRole("button", { name: / Command$/ })
    .click()
  await page.getByRole("option", { name: "event.end", exact: true }).click()
  await seat("Ben").getByRole("button", { name: "Send", exact: true }).click()
  await seat("Ben").getByRole("alert").waitFor()

  const hooks = page.getByRole("list", { name: "Webhooks" })
  await hooks.locator("summary", { hasText: "event.started" }).waitFor()
  await hooks.locator("summary", { hasText: "question.created" }).waitFor()
  expect(await hooks.getByText("signature is right").count()).toBe(await hooks.getByRole("listitem").count())
  await expectAccessible(page)
})
