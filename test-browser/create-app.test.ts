/** The project of `create-gathercue-app` as its user makes, builds and opens it, with the packed client. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../packages/client/src/entry.ts"
import { pack } from "../test/client/consumers/packed.ts"
import {
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Workspace,
} from "../test/support/api.ts"
import { installCreateApp } from "../test/support/create-app.ts"
import { startTestServer, type TestServer } from "../test/support/server.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { launchChromium } from "./chromium.ts"
import { complaintsOf } from "./complaints.ts"
import { type Site, startStaticSite } from "./static-site.ts"

let server: TestServer
let acme: Workspace
let browser: Browser
let site: Site

const npm = (cwd: string, ...args: ReadonlyArray<string>): Promise<unknown> =>
  promisify(execFile)("npm", args, { cwd }).catch(({ message, stdout }: { message: string; stdout: string }) => {
    // The compiler writes what it finds to the output.
    throw new Error(`${message}${stdout}`)
  })

/** One installation for all tests. */
const makeSite = async (): Promise<Site> => {
  const parent = await temporaryFolder(afterAll)
  const [{ tarball }, createApp] = await Promise.all([pack(), installCreateApp()])
  const made = await createApp(parent, "event-page", "--url", server.url, "--client", tarball)
  expect(made).toMatchObject({ code: 0, stderr: "" })
  const folder = join(parent, "event-page")
  await npm(folder, "install", "--prefer-offline", "--no-audit", "--no-fund")
  // The compiler and Vite.
  await npm(folder, "run", "build")
  return startStaticSite((path) => readFile(join(folder, "dist", path === "/" ? "index.html" : path)))
}

beforeAll(async () => {
  server = await startTestServer()
  acme = await createWorkspace(server.url)
  site = await makeSite()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
  await server?.stop()
})

const FEATURES = ["chat", "qa"]
const liveEvent = (): Promise<{ readonly id: string }> =>
  createLiveEvent(server.url, acme.key, {
    title: "Launch day",
    phases: [
      { modality: "broadcast", config: { durationSeconds: 600 }, featureSet: FEATURES },
      { modality: "meeting", featureSet: FEATURES },
    ],
  })

const hostOf = async (eventId: string): Promise<GatewayClient> => {
  const { session } = await createPerson(server.url, acme.key, eventId, "host", "Hilda")
  const client = new GatewayClient({ token: () => gatewayToken(server.url, eventId, session) })
  onTestFinished(() => client.close())
  await client.connect()
  return client
}

/** The page at `?event=…#session=…`. Whatever it complains of fails the test, but for what is expected. */
const open = async (address: string, expected = /^$/): Promise<Page> => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  onTestFinished(async () => {
    await context.close()
    expect(complaints.filter((text) => !expected.test(text))).toEqual([])
  })
  await page.goto(`${site.url}/${address}`)
  return page
}

test("a viewer sees the phase with its time, the host's announcement, and the next phase", async () => {
  const event = await liveEvent()
  const host = await hostOf(event.id)
  const page = await open("")
  await page.getByLabel("Id of the event").fill(event.id)
  await page.getByRole("button", { name: "Join" }).click()
  await page.getByRole("heading", { name: "Launch day" }).waitFor()
  expect(new URL(page.url()).searchParams.get("event")).toBe(event.id)
  await page.getByText("2 here").waitFor()
  await page.getByText(/^Now: broadcast, (?:10:00|9:\d\d) left$/).waitFor()
  await host.command("announce", { text: "We begin in a minute" })
  await page.getByRole("status").getByText("We begin in a minute").waitFor()
  await host.command("phase.next", {})
  await page.getByText(/^Now: meeting$/).waitFor()
  // A viewer without a session reads along.
  await host.command("chat.send", { to: "event", text: "Welcome" })
  await page.getByRole("region", { name: "Chat" }).getByText("Hilda Welcome").waitFor()
  expect(await page.getByLabel("Message").count()).toBe(0)
})

test("a participant chats, asks, votes, and is told in plain words why something is refused", async () => {
  const event = await liveEvent()
  const host = await hostOf(event.id)
  const { session, userId } = await createPerson(server.url, acme.key, event.id, "participant", "Ann")
  const page = await open(`?event=${event.id}#session=${session}`)
  await page.getByLabel("Message").fill("Hello from Ann")
  await page.getByRole("button", { name: "Send" }).click()
  await page.getByText("Ann Hello from Ann").waitFor()
  expect(await page.getByLabel("Message").inputValue()).toBe("")
  await host.command("qa.settings", { moderated: false })
  await page.getByRole("textbox", { name: "Question" }).fill("When do we start?")
  await page.getByRole("button", { name: "Ask" }).click()
  const vote = page.getByRole("button", { name: "Vote for: When do we start?" })
  await vote.waitFor()
  const { question } = (await host.command("question.ask", { text: "Who is here?" })).d
  await page.getByRole("button", { name: "Vote for: Who is here?" }).click()
  await page.getByRole("button", { name: "Vote for: Who is here?", pressed: true }).getByText("▲ 1").waitFor()
  expect(host.state?.questions.all.find(({ id }) => id === question.id)?.votes).toBe(1)
  await host.command("participant.mute", { id: userId })
  await page.getByLabel("Message").fill("Still here")
  await page.getByRole("button", { name: "Send" }).click()
  await page.getByRole("alert").getByText("A host has muted you.").waitFor()
  expect(await page.getByLabel("Message").inputValue()).toBe("Still here")
})

test("a host who removes a participant, and an event that ends, are told in plain words", async () => {
  const event = await liveEvent()
  const host = await hostOf(event.id)
  const { session, userId } = await createPerson(server.url, acme.key, event.id, "participant", "Ann")
  const removed = await open(`?event=${event.id}#session=${session}`)
  const watching = await open(`?event=${event.id}`)
  await watching.getByText("3 here").waitFor()
  await host.command("participant.remove", { id: userId })
  await removed.getByRole("alert").getByText("A host has removed you from the event.").waitFor()
  await call(server.url, "POST", `/v1/events/${event.id}/end`, { key: acme.key })
  await watching.getByRole("alert").getByText("The event is over. Thank you for being here.").waitFor()
})

test("an unknown event is told in plain words, and may be tried again", async () => {
  // Chromium itself reports each answer of 404.
  const page = await open("?event=00000000-0000-7000-8000-000000000000", /404/)
  const alert = page.getByRole("alert")
  await alert.getByText("There is no such event, or it is not open to you. Check the id.").waitFor()
  const asked = page.waitForResponse((response) => response.url().endsWith("/v1/auth/gateway-token"))
  await page.getByRole("button", { name: "Try again" }).click()
  expect((await asked).status()).toBe(404)
  await alert.getByText("There is no such event").waitFor()
})
