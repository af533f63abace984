/** The trials of mail and webhooks that operators make, the settings and the log. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { CONFIG_KEYS } from "../../src/config/keys.ts"
import { Egress } from "../../src/egress/egress.ts"
import { testEmail } from "../../src/mail/emails.ts"
import { trySending } from "../../src/mail/smtp.ts"
import { answerDeadlines } from "../../src/model/limits/answer-deadlines.ts"
import { LogTail, TAIL_LINES } from "../../src/telemetry/log-tail.ts"
import { verifySignature } from "../../src/webhooks/signature.ts"
import { tryWebhook } from "../../src/webhooks/trial.ts"
import { type Answer, call, type Json } from "../support/api.ts"
import { createTestDatabase } from "../support/database.ts"
import { freePort } from "../support/free-port.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { type MailServer, startMailServer } from "../support/mail-server.ts"
import { rowsOf } from "../support/rows.ts"
import { PLATFORM_KEY, SECRET_KEY, startTestServer, type TestServer } from "../support/server.ts"
import { type ServerProcess, startServerProcess } from "../support/server-process.ts"
import { sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const PLANTED = "planted-password-of-the-tests"

let mail: MailServer
let server: TestServer
beforeAll(async () => {
  mail = await startMailServer()
  server = await startTestServer({ SMTP_URL: mail.url, MAIL_FROM: "Gathercue <events@example.com>" })
})
afterAll(async () => {
  await server.stop()
  await mail.close()
})

/** Without mail, and with webhooks to the public alone. */
const strict = sharedServer(() => startTestServer({ ALLOW_LOOPBACK_TARGETS: "false" }))

const ask = (url: string, method: string, path: string, body?: object, key = PLATFORM_KEY): Promise<Answer> =>
  call(url, method, `/v1/platform/${path}`, { headers: { "x-platform-key": key }, ...(body && { body }) })

describe("the mail test", () => {
  const send = (body: object, url = server.url) => ask(url, "POST", "mail-test", body)

  test("sends an email at once, and answers that the server took it", async () => {
    const answer = await send({ to: "Ops@Example.com" })
    expect([answer.status, answer.body]).toEqual([200, { problem: null, durationMs: expect.any(Number) }])
    const letter = mail.received.find(({ to }) => to === "ops@example.com")
    expect(letter?.raw).toContain("From: Gathercue <events@example.com>")
    expect(letter?.raw).toContain("Subject: Test of the mail server")
  })

  test("answers the mail server's own words when it refuses", async () => {
    mail.refuse(550, 1)
    const { body } = await send({ to: "refused@example.com" })
    expect(body.problem).toMatch(/^The mail server 127\.0\.0\.1:\d+ did not take the email \(.*550.*not now\)\.$/)
    expect(mail.received.some(({ to }) => to === "refused@example.com")).toBe(false)
  })

  test("refuses what is no address", async () => {
    expect((await send({ to: "a@example.com\r\nbcc: b@example.com" })).status).toBe(400)
  })

  test("names the server that is away, and a wrong password, without it", async () => {
    const port = await freePort()
    for (const [url, reason] of [
      [`smtp://mailer:${PLANTED}@127.0.0.1:${port}`, "ECONNREFUSED"],
      [mail.url.replace("//", `//mailer:${PLANTED}@`), "refuses the user or the password of SMTP_URL"],
    ] as const) {
      const other = await server.restart({ SMTP_URL: url })
      server = other
      const { body } = await send({ to: "ada@example.com" })
      expect(body.problem).toContain(reason)
      expect(JSON.stringify(body)).not.toContain(PLANTED)
    }
    server = await server.restart()
  })

  test("waits no longer than it says for a server that says nothing", async () => {
    const mute = createServer(() => {})
    mute.listen(0, "127.0.0.1")
    await once(mute, "listening")
    onTestFinished(() => void mute.close())
    const url = Redacted.make(`smtp://127.0.0.1:${(mute.address() as AddressInfo).port}`)
    const letter = testEmail("ada@example.com", "https://events.example.com")
    expect(await trySending(url, "ops@example.com", letter, 300)).toContain("no answer within 0.3 seconds")
  })

  test("says that no mail is configured", async () => {
    const { status: code, body } = await send({ to: "ada@example.com" }, strict.url)
    expect([code, body.code, body.detail]).toEqual([409, "conflict", "SMTP_URL is not set: this server sends no mail."])
  })
})

describe("the webhook test", () => {
  const send = (url: unknown, base = server.url) => ask(base, "POST", "webhook-test", { url })

  test("sends a ping that is signed with the secret of the answer, and says how it was answered", async () => {
    const receiver = await startReceiver((response) => void response.writeHead(204).end())
    const { status: code, body } = await send(`${receiver.url}/hook?token=${PLANTED}`)
    expect([code, body]).toEqual([
      200,
      { status: 204, problem: null, durationMs: expect.any(Number), secret: expect.stringMatching(/^whsec_/) },
    ])
    expect(JSON.stringify(body)).not.toContain(PLANTED)
    const [ping] = receiver.received
    expect([ping?.path, JSON.parse(ping?.body ?? "{}").type]).toEqual([`/hook?token=${PLANTED}`, "ping"])
    const signature = String(ping?.headers["x-gc-signature"])
    expect(verifySignature(signature, ping?.body ?? "", body.secret, Date.now() / 1000)).toBe(true)
  })

  test("says what failed, follows no redirect, and shows nothing of the answer", async () => {
    const elsewhere = await startReceiver()
    const receiver = await startReceiver(
      (response) => void response.writeHead(302, { location: elsewhere.url }).end(PLANTED),
    )
    const moved = (await send(receiver.url)).body
    expect([moved.status, moved.problem]).toEqual([302, "The address did not take the ping (status 302)."])
    expect([elsewhere.received.length, JSON.stringify(moved).includes(PLANTED)]).toEqual([0, false])
    receiver.answer = status(503)
    expect((await send(receiver.url)).body).toMatchObject({ status: 503, problem: expect.stringContaining("503") })
    const closed = (await send(`http://127.0.0.1:${await freePort()}/hook`)).body
    expect([closed.status, closed.problem]).toEqual([
      null,
      expect.stringMatching(/^The address could not be called \(connect: .*ECONNREFUSED.*\)\.$/),
    ])
  })

  test("refuses addresses that webhooks may not have", async () => {
    const receiver = await startReceiver()
    const local = receiver.url.replace("127.0.0.1", "localhost")
    for (const url of [receiver.url, local, "https://169.254.169.254/", "https://10.0.0.1/", "ftp://example.com", 7]) {
      const { status: code, body } = await send(url, strict.url)
      expect([url, code, body.code]).toEqual([url, 400, "bad_request"])
    }
    expect(receiver.received).toEqual([])
  })
})

test("neither test sends anything while the database is a copy", async () => {
  const receiver = await startReceiver()
  const rows = rowsOf(server.databaseUrl)
  onTestFinished(() => rows.end())
  const isQuiet = async () => (await ask(server.url, "GET", "status")).body.quiet !== null
  await rows.run("update instances set quiet_since = now(), quiet_signs = '{QUIET is set.}', is_held = true")
  await eventually(isQuiet, "the server to be quiet")
  const before = mail.received.length
  for (const [path, body] of [
    ["mail-test", { to: "ada@example.com" }],
    ["webhook-test", { url: receiver.url }],
  ] as const) {
    const answer = await ask(server.url, "POST", path, body)
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining("The database is a copy")])
  }
  expect([mail.received.length, receiver.received.length]).toEqual([before, 0])
  await ask(server.url, "POST", "promote")
  await eventually(async () => !(await isQuiet()), "the server to send again")
})

describe("of a process that was given secrets", () => {
  let child: ServerProcess
  let drop: () => Promise<void>
  const secrets = {
    SECRET_KEY,
    PLATFORM_KEY,
    METRICS_TOKEN: "metrics-token-of-the-tests-0123456789",
    SMTP_URL: `smtp://mailer:${PLANTED}@127.0.0.1:9`,
  }
  beforeAll(async () => {
    const database = await createTestDatabase()
    drop = database.drop
    child = await startServerProcess({
      ...secrets,
      PORT: "0",
      DATABASE_URL: database.url,
      LOG_LEVEL: "info",
      TRUSTED_PROXY: "10.0.0.1",
    })
  })
  afterAll(async () => {
    await child.end("SIGTERM")
    await drop()
  })

  const expectNone = (body: Json): void => {
    const text = JSON.stringify(body)
    for (const secret of [SECRET_KEY, PLATFORM_KEY, secrets.METRICS_TOKEN, PLANTED]) expect(text).not.toContain(secret)
  }

  test("the settings name every key, and mask what is secret", async () => {
    const { body } = await ask(child.url, "GET", "settings")
    expect(body.settings.map(({ name }: Json) => name)).toEqual(CONFIG_KEYS.map(({ name }) => name))
    const of = (wanted: string) => body.settings.find(({ name }: Json) => name === wanted)
    expect(of("LOG_LEVEL")).toEqual({ name: "LOG_LEVEL", value: "info", isSet: true })
    expect(of("HOST")).toEqual({ name: "HOST", value: "127.0.0.1", isSet: false })
    for (const name of Object.keys(secrets)) expect(of(name)).toMatchObject({ isSet: true, value: "(masked)" })
    expect(body.node).toContain(`:${child.child.pid}:`)
    expectNone(body)
  })

  test("the log has the newest lines of its process, by level and number, without secrets", async () => {
    const log = async (query = ""): Promise<Json> => (await ask(child.url, "GET", `log${query}`)).body
    const isRequest = ({ fields }: Json) => fields.route === "/v1/platform/settings"
    await call(child.url, "GET", "/v1/platform/settings", {
      headers: { "x-platform-key": PLATFORM_KEY, "x-request-id": PLANTED },
    })
    await eventually(async () => (await log()).lines.some(isRequest), "the request to be logged")
    const { node, lines } = await log()
    expect(node).toContain(`:${child.child.pid}:`)
    const line = lines.findLast(isRequest)
    expect(line).toMatchObject({ fields: { method: "GET", status: 200, requestId: "(masked)" } })
    expect(child.written()).toContain(PLANTED)
    // The settings are looked at before the server is made, and are in the same log.
    const warnings = await log("?level=warn")
    expect(warnings.lines.map(({ message }: Json) => message)).toContainEqual(expect.stringContaining("TRUSTED_PROXY"))
    expect(warnings.lines.filter(({ level }: Json) => level === "info")).toEqual([])
    expect((await log("?level=error")).lines).toEqual([])
    const later = await log(`?after=${line.number}`)
    expect(later.lines.every(({ number }: Json) => number > line.number)).toBe(true)
    expect(lines.map(({ number }: Json) => number)).toEqual(
      lines.map(({ number }: Json) => number).toSorted((a: number, b: number) => a - b),
    )
    for (const body of [lines, warnings, later]) expectNone(body)
    for (const query of ["?level=debug", "?after=-1", "?after=x"]) {
      expect((await ask(child.url, "GET", `log${query}`)).status).toBe(400)
    }
  })
})

test("the tail has a bound, and requests do not push warnings out of it", () => {
  const tail = new LogTail()
  const add = (level: number, msg: string) =>
    tail.add(level, JSON.stringify({ level, time: "2026-11-20T18:29:00.000Z", msg }))
  add(20, "debug")
  add(40, "warning")
  for (let n = 0; n < TAIL_LINES * 2; n++) add(30, `request ${n}`)
  add(50, "e".repeat(100_000))
  const read = (level: "info" | "warn" | "error") => tail.read(level, 0, (text) => text)
  expect(read("info")).toHaveLength(TAIL_LINES)
  expect(read("info").some(({ message }) => message === "debug")).toBe(false)
  expect(read("warn").map(({ level }) => level)).toEqual(["warn", "error"])
  expect(read("error")[0]?.message.length).toBeLessThan(300)
})

describe("deadlines", () => {
  const MAIL_MS = 15_000
  const WEBHOOK_MS = 10_000

  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  /** Expects that the work goes on until so much time has passed, and no longer. */
  const resultAfter = async <A>(ms: number, work: Promise<A>): Promise<A> => {
    let isOver = false
    void work.finally(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    // Time in which this process stood still is given back once, up to the deadline.
    if (!isOver) await vi.advanceTimersByTimeAsync(ms)
    return work
  }

  test("a mail server that says nothing after its greeting is waited for 15 seconds", async () => {
    const mute = createServer((socket) => {
      socket.write("220 mute.example.com ESMTP\r\n")
      socket.once("data", () => mute.emit("spoken"))
    })
    mute.listen(0, "127.0.0.1")
    await once(mute, "listening")
    onTestFinished(() => void mute.close())
    const { port } = mute.address() as AddressInfo
    const letter = testEmail("ada@example.com", "https://events.example.com")
    const sending = trySending(Redacted.make(`smtp://127.0.0.1:${port}`), "ops@example.com", letter)
    await once(mute, "spoken")
    expect(await resultAfter(MAIL_MS, sending)).toBe(
      `The mail server 127.0.0.1:${port} did not take the email (no answer within 15 seconds).`,
    )
  })

  test("a receiver that never answers is waited for 10 seconds, and its connection is closed", async () => {
    const receiver = await startReceiver(() => {})
    const trying = Effect.runPromise(
      Effect.provide(tryWebhook(`${receiver.url}/hook`), Egress.layer({ allowLoopback: true })),
    )
    await receiver.count(1)
    expect(await resultAfter(WEBHOOK_MS, trying)).toMatchObject({
      status: null,
      problem: "The address could not be called (timeout: No complete answer within 10000 ms.).",
    })
    await vi.waitFor(() => expect(receiver.open()).toBe(0))
  })

  test.each([500, 5_000, 60_000])(
    "with a database deadline of %i ms the request waits longer than both",
    (deadlineMs) => {
      expect(answerDeadlines(deadlineMs, null).requestMs).toBeGreaterThan(Math.max(MAIL_MS, WEBHOOK_MS))
    },
  )
})
