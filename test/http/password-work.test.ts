/** The bound of password work, over HTTP: when too much waits some are refused at once, and clients that hung up cost nothing. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Account, type Answer, call, PASSWORD, signup } from "../support/api.ts"
import { startServerWithRealHashes, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

let server: TestServer
let account: Account
beforeAll(async () => {
  server = await startServerWithRealHashes()
  account = await signup(server.url)
})
afterAll(() => server.stop())

const login = () =>
  call(server.url, "POST", "/v1/accounts/login", { body: { email: account.email, password: PASSWORD } })

const METRIC = {
  hashed: 'passwords_total{outcome="hashed"}',
  refused: 'passwords_total{outcome="refused"}',
  abandoned: 'passwords_total{outcome="abandoned"}',
  running: "passwords_running",
  waiting: "passwords_waiting",
} as const

const work = async (): Promise<{ readonly [name in keyof typeof METRIC]: number }> => {
  const text: string = (await call(server.url, "GET", "/metrics")).body
  const value = (name: string): number =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`gathercue_${name} `))
        ?.split(" ")[1],
    )
  return {
    hashed: value(METRIC.hashed),
    refused: value(METRIC.refused),
    abandoned: value(METRIC.abandoned),
    running: value(METRIC.running),
    waiting: value(METRIC.waiting),
  }
}
const isIdle = async () => {
  const { running, waiting } = await work()
  return running + waiting === 0
}

test("when too many sign in, some are sent away before those that wait have been served", async () => {
  const before = await work()
  const answers: Answer[] = []
  // The database may be crowded as well, where the machine is busy.
  const isRefused = ({ status, body }: Answer) => status === 503 && body.detail.includes("signing in")
  const refused = () => answers.filter(isRefused)
  const asked: Promise<unknown>[] = []
  while (refused().length === 0) {
    for (let n = 0; n < 50; n++) asked.push(login().then((answer) => answers.push(answer)))
    await work()
  }
  await Promise.all(asked)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  for (const { body, headers } of refused()) {
    expect([body.code, Number(headers.get("retry-after"))]).toEqual(["unavailable", 2])
  }
  // In the order of the answers: refusals come while other callers still wait.
  expect(answers.at(-1)?.status).toBe(200)
  const after = await work()
  expect(after.refused - before.refused).toBe(refused().length)
  expect(after.hashed - before.hashed).toBe(answers.filter(({ status }) => status === 200).length)
})

test("the passwords of clients that hung up are not hashed", async () => {
  await eventually(isIdle, "no password is hashed")
  const before = await work()
  const body = JSON.stringify({ email: account.email, password: PASSWORD })
  const head = `POST /v1/accounts/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const { port, hostname } = new URL(server.url)
  const clients: Socket[] = []
  for (let n = 0; n < 300; n++) {
    const client = connect(Number(port), hostname)
    client.on("error", () => {})
    client.write(head + body)
    clients.push(client)
  }
  await eventually(async () => (await work()).refused > before.refused, "as many wait as may")
  for (const client of clients) client.destroy()
  const whenTheyLeft = await work()
  await Promise.all(clients.map((client) => (client.closed ? undefined : once(client, "close"))))
  await eventually(async () => (await login()).status === 200, "an honest client signs in")
  await eventually(isIdle, "no password is hashed")
  const after = await work()
  // Of those that waited when their clients left, the ones that began meanwhile are hashed.
  expect(after.abandoned - before.abandoned).toBeGreaterThan(whenTheyLeft.waiting / 2)
  expect(after.hashed - whenTheyLeft.hashed).toBeLessThan(Math.max(6, whenTheyLeft.waiting / 2))
})
