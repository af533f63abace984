/** The hosts' page of a server that takes no new accounts, or those of invited people alone. */
import { expect, test } from "vitest"
import { call, PASSWORD } from "../../test/support/api.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const REFUSED = /Failed to load resource/
const RULES = [
  ["off", "This server takes no new accounts.", "Dieser Server nimmt keine neuen Konten an."],
  [
    "invited",
    "New accounts need an invitation. Open the link in yours.",
    "Für ein neues Konto brauchst du eine Einladung. Öffne den Link darin.",
  ],
] as const

test.each(RULES)("with SIGNUP=%s the page says so and has no form for a new account", async (rule, english, german) => {
  const site = await openWebSite({ SIGNUP: rule })
  try {
    const page = await site.open("/host", { expects: REFUSED })
    await page.getByText(english).waitFor()
    await expectAccessible(page)
    expect(await page.getByRole("link", { name: "Create an account" }).count()).toBe(0)
    expect(await page.getByRole("textbox", { name: "E-mail" }).count()).toBe(1)
    const form = await site.open("/host/sign-up", { expects: REFUSED, locale: "de" })
    await form.getByText(german).waitFor()
    await expectAccessible(form)
    expect(await form.getByRole("textbox").count()).toBe(0)
    const body = { email: "ada@example.com", password: PASSWORD, name: "Ada" }
    const refused = await call(site.server.url, "POST", "/v1/accounts/signup", { body })
    expect([refused.status, refused.body.code]).toEqual([403, "signup_closed"])
  } finally {
    await site.stop()
  }
})
