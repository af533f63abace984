/**
 * Takes the pictures of `docs/pages`: starts the built server on a database of its own, plays a small event, and looks at each page in
 * Chromium. Run it after a change of how the pages look, and look at what it wrote. Needs a font with emoji, such as Debian's
 * `fonts-noto-color-emoji`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "docs/pages")
const PLATFORM_KEY = "platform-key-of-the-screenshots-0123"
const PASSWORD = "a horse of the staple battery"
const WIDE = { width: 1280, height: 760 }
const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true }

const dataDir = mkdtempSync(join(tmpdir(), "gathercue-screenshots-"))
const server = spawn(process.execPath, [join(root, "dist/src/main.js")], {
  env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: dataDir, PLATFORM_KEY },
  stdio: ["ignore", "pipe", "inherit"],
})
const addressOf = async () => {
  for await (const line of createInterface({ input: server.stdout })) {
    const address = /listens on (\S+)/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error("the server did not start")
}
const url = await addressOf()
server.stdout.resume()

const post = async (path, body = {}, headers = {}) => {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return { body: await answer.json(), cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] }
}

const email = "hanna@example.com"
const { body: account, cookie } = await post("/v1/accounts/signup", { email, password: PASSWORD, name: "Hanna Host" })
const workspace = account.workspaces[0].id
const key = {
  "x-api-key": (await post(`/v1/workspaces/${workspace}/api-keys`, { name: "docs" }, { cookie })).body.secret,
}
const event = (
  await post(
    "/v1/events",
    {
      type: "meeting",
      title: "Spring launch",
      visibility: "public",
      description: "An hour about the **new release**, with questions and a poll.",
      scheduledAt: new Date(Date.now() + 3 * 86_400_000).toISOString(),
      timeZone: "Europe/Berlin",
      phases: [
        { modality: "meeting", featureSet: ["qa", "chat", "polls", "reactions"], config: { durationSeconds: 1800 } },
        { modality: "breakout", config: { roomSize: 4 } },
        { modality: "rotation" },
      ],
    },
    key,
  )
).body
await post(`/v1/events/${event.id}/publish`, {}, key)
const { code } = (await post(`/v1/events/${event.id}/join-code`, {}, key)).body

const browser = await chromium.launch({
  executablePath: ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"].find((path) => existsSync(path)),
  args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
})
const open = async (path, options = {}) => {
  const page = await (await browser.newContext({ locale: "en-GB", viewport: WIDE, ...options })).newPage()
  await page.goto(url + path)
  return page
}
mkdirSync(folder, { recursive: true })
const shoot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) })
const enter = async (name, options) => {
  const address = `${name.toLowerCase()}@example.com`
  await post(`/v1/public/events/${event.id}/register`, { name, email: address })
  const { mails } = await (await fetch(`${url}/v1/dev/outbox?to=${address}`)).json()
  const link = new URL(mails[0].links[0])
  const page = await open(link.pathname + link.hash, options)
  await page.getByRole("button", { name: "Enter now" }).click()
  await page.getByText(/people? here|person here/).waitFor()
  return page
}

try {
  const before = await open(`/e/${event.id}`)
  await before.getByRole("button", { name: "Register" }).waitFor()
  await shoot(before, "event")
  await post(`/v1/events/${event.id}/start`, {}, key)
  const ada = await enter("Ada")
  const ben = await enter("Ben", PHONE)
  const cyd = await enter("Cyd")
  for (const page of [ada, ben, cyd]) await page.getByRole("button", { name: "Join without devices" }).click()
  await ada.getByRole("list", { name: "People in the call" }).getByText("Cyd").waitFor()
  await ada.getByRole("tab", { name: "Questions" }).click()
  await ada.getByRole("textbox", { name: "Question" }).fill("When does it ship?")
  await ada.getByRole("button", { name: "Ask", exact: true }).click()
  await ada.getByRole("tab", { name: "Chat" }).click()
  for (const [page, text] of [
    [ada, "Hello from Ada"],
    [cyd, "Good to see you all!"],
  ]) {
    await page.getByRole("textbox", { name: "Message" }).fill(text)
    await page.getByRole("button", { name: "Send" }).click()
  }
  await ben.getByText("Hello from Ada").first().waitFor()
  await shoot(ada, "attendee")
  await shoot(ben, "phone")
  const host = await open(`/host/live/${event.id}/people`)
  await host.getByLabel("E-mail address").fill(email)
  await host.getByLabel("Password").fill(PASSWORD)
  await host.getByLabel("Password").press("Enter")
  await host.getByRole("row", { name: "Ada" }).waitFor()
  await host.getByRole("button", { name: "Close" }).click()
  await host.getByRole("button", { name: "Join without devices" }).click()
  await host.getByRole("list", { name: "People in the call" }).getByText("Cyd").waitFor()
  await host.getByText("(connecting)").first().waitFor({ state: "detached" })
  await shoot(host, "host")
  const session = (await post(`/v1/workspaces/${workspace}/session`, {}, { cookie })).body.sessionToken
  const screen = await open("/ops")
  await screen.evaluate(
    ([name, kept]) => localStorage.setItem(name, kept),
    [`gathercue.session.screen:${event.id}`, JSON.stringify({ token: session, name: null })],
  )
  await screen.goto(`${url}/screen/${event.id}?code=${code}`)
  await screen.getByText("When does it ship?").waitFor()
  await shoot(screen, "screen")
  const ops = await open("/ops")
  await ops.getByLabel("Platform key").fill(PLATFORM_KEY)
  await ops.getByRole("button", { name: "Show" }).click()
  await ops.getByRole("cell", { name: "Spring launch" }).first().waitFor()
  await shoot(ops, "ops")
  const play = await open("/play", { colorScheme: "dark", viewport: { width: 1500, height: 900 } })
  await play.getByRole("button", { name: "Make an event" }).click()
  await play.getByText("4 people here").first().waitFor()
  await shoot(play, "playground")
} finally {
  await browser.close()
  server.kill("SIGTERM")
  await once(server, "exit")
  rmSync(dataDir, { recursive: true, force: true })
}
