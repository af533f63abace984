/** What an operator tries and reads at `/ops`: an email, a webhook, the settings and the log. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { freePort } from "../../test/support/free-port.ts"
import { startReceiver, status } from "../../test/support/http-receiver.ts"
import { type MailServer, startMailServer } from "../../test/support/mail-server.ts"
import { PLATFORM_KEY, SECRET_KEY } from "../../test/support/server.ts"
import { eventually } from "../../test/support/wait.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let mail: MailServer
let site: WebSite
beforeAll(async () => {
  mail = await startMailServer()
  site = await openWebSite({ SMTP_URL: mail.url, LOG_LEVEL: "warn" })
})
afterAll(async () => {
  await site.stop()
  await mail.close()
})

const openOps = async (options: Parameters<WebSite["open"]>[1] = {}): Promise<Page> => {
  const page = await site.open("/ops", options)
  await page.getByLabel("Platform key").fill(PLATFORM_KEY)
  await page.keyboard.press("Enter")
  await page.getByRole("region", { name: "Test of the mail server" }).waitFor()
  return page
}

test("an email is sent, and a refusal is shown in the mail server's words", async () => {
  const page = await openOps()
  const trial = page.getByRole("region", { name: "Test of the mail server" })
  await trial.getByLabel("E-mail address").fill("ops@example.com")
  await page.keyboard.press("Enter")
  await trial.getByRole("status").getByText("The mail server took the email").waitFor()
  expect(mail.received.map(({ to }) => to)).toContain("ops@example.com")
  await expectAccessible(page)
  mail.refuse(550, 1)
  await trial.getByRole("button", { name: "Send an email" }).click()
  await trial.getByRole("alert").getByText("did not take the email").waitFor()
  expect(await trial.getByText("The mail server took the email").count()).toBe(0)
  await expectAccessible(page)
})

test("a ping is sent to a receiver, and a failure is shown", async () => {
  const receiver = await startReceiver(status(204))
  const page = await openOps({ expects: /400/ })
  const trial = page.getByRole("region", { name: "Test of a webhook address" })
  const address = trial.getByLabel("Address of a receiver")
  const send = trial.getByRole("button", { name: "Send a ping" })
  await address.fill(receiver.url)
  await send.click()
  await trial.getByRole("status").getByText("The address answered 204").waitFor()
  expect(receiver.received).toHaveLength(1)
  await address.fill(`http://127.0.0.1:${await freePort()}/hook`)
  await send.click()
  await trial.getByRole("alert").getByText("The address could not be called").waitFor()
  await address.fill("https://10.0.0.1/hook")
  await send.click()
  await trial.getByText("The address must be reachable from the internet.").waitFor()
  await expectAccessible(page)
})

test("the settings are shown without secrets, and the log by its level, each by the process that answers", async () => {
  const page = await openOps()
  await page.getByRole("button", { name: "Settings" }).click()
  const settings = page.getByRole("region", { name: /^Settings of .+:\d+:/ })
  await settings.getByRole("row", { name: "SECRET_KEY (masked) set" }).waitFor()
  await settings.getByRole("row", { name: "HOST 127.0.0.1 default" }).waitFor()
  // The email that the receiver refuses is a warning.
  mail.refuse(550, 1)
  const signup = await fetch(`${site.server.url}/v1/accounts/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", name: "Ada", password: "correct horse battery" }),
  })
  expect(signup.status).toBe(201)
  await page.getByRole("button", { name: "Log" }).click()
  const log = page.getByRole("region", { name: /^Newest lines of the log of .+:\d+:/ })
  await log.getByRole("cell", { name: "an email was not taken" }).first().waitFor()
  await expectAccessible(page)
  await page.getByRole("button", { name: /Least level/ }).click()
  await page.getByRole("option", { name: "errors" }).click()
  await eventually(
    async () => (await log.getByRole("cell", { name: "warn", exact: true }).count()) === 0,
    "errors alone",
  )
  await log.getByRole("cell", { name: "an email was given up" }).first().waitFor()
  const text = await page.evaluate(() => document.body.textContent)
  for (const secret of [SECRET_KEY, PLATFORM_KEY]) expect(text).not.toContain(secret)
})
