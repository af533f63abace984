/** What the operator and the container engine ask of real workers: each answers for itself, and is reached by itself. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { promisify } from "node:util"
import { parseYaml } from "@redocly/openapi-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, createLiveEvent, createWorkspace, type Json } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { type MailServer, startMailServer } from "../test/support/mail-server.ts"
import { untilSpread } from "../test/support/nodes.ts"
import { PLATFORM_KEY, SECRET_KEY } from "../test/support/server.ts"
import { type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

/** The first of two ports that follow each other and are free. */
const freePair = async (): Promise<number> => {
  const port = await freePort()
  return (await isFree(port + 1)) ? port : freePair()
}

let server: ServerProcess
let mail: MailServer
let adminPort: number
const done: Array<() => unknown> = []
beforeAll(async () => {
  const database = await createTestDatabase()
  mail = await startMailServer()
  adminPort = await freePair()
  server = await startServerProcess({
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder((work) => void done.push(work as () => unknown)),
    PORT: String(await freePort()),
    ADMIN_PORT: String(adminPort),
    SECRET_KEY,
    PLATFORM_KEY,
    SMTP_URL: mail.url,
    LOG_LEVEL: "info",
    WORKERS: "2",
  })
  done.push(
    () => database.drop(),
    () => mail.close(),
    () => server.end("SIGTERM"),
  )
  // A worker registers after it listens: until then the other one does not name it.
  await untilSpread(database.url, 2)
})
afterAll(async () => {
  for (const work of done.toReversed()) await work()
})

const ask = (base: string, method: string, path: string, body?: object) =>
  call(base, method, `/v1/platform/${path}`, { headers: { "x-platform-key": PLATFORM_KEY }, ...(body && { body }) })

/** The workers at ports of their own. */
const each = () => [0, 1].map((n) => `http://127.0.0.1:${adminPort + n}`)

test("each worker names itself, and shows its own settings and log", async () => {
  const [first, second] = await Promise.all(
    each().map(async (base) => {
      const status = await ask(base, "GET", "status")
      const log = async () => (await ask(base, "GET", "log")).body
      const isOwn = ({ fields }: Json) => fields.requestId === status.headers.get("x-request-id")
      await eventually(async () => (await log()).lines.some(isOwn), "the request to be in the log")
      const settings = (await ask(base, "GET", "settings")).body
      return { node: status.body.process.node, status: status.body, log: await log(), settings, isOwn }
    }),
  )
  if (first === undefined || second === undefined) throw new Error("there are two workers")
  expect(first.node).not.toBe(second.node)
  for (const { node, status, log, settings } of [first, second]) {
    expect([log.node, settings.node]).toEqual([node, node])
    expect(status.nodes.map((one: Json) => one.node).toSorted()).toEqual([first.node, second.node].toSorted())
    expect(settings.settings.find(({ name }: Json) => name === "SMTP_URL")).toMatchObject({ value: "(masked)" })
  }
  // Neither has the lines of the other.
  expect([first.log.lines.some(second.isOwn), second.log.lines.some(first.isOwn)]).toEqual([false, false])
  // Behind the shared port one of them answers, and says which.
  const { body } = await ask(server.url, "GET", "log")
  expect([first.node, second.node]).toContain(body.node)
})

test("each worker tells of the requests that both got", async () => {
  const house = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, house.key)
  /** Load of both workers: on a busy machine a second may be too short for the other one. */
  const busiest = async (base: string): Promise<Json> => {
    let found: Json
    await eventually(async () => {
      found = (await ask(base, "GET", "status")).body.busiest
      return found.missing.length === 0
    }, "the other worker to answer")
    return found
  }
  const requestsIn = ({ events }: Json) => events.find(({ eventId }: Json) => eventId === event.id)?.requests
  const before = requestsIn(await busiest(server.url))
  const [first = "", second = ""] = each()
  for (let n = 0; n < 3; n++) await call(first, "GET", `/v1/events/${event.id}`, { key: house.key })
  for (let n = 0; n < 4; n++) await call(second, "GET", `/v1/events/${event.id}`, { key: house.key })
  for (const base of each()) {
    const found = await busiest(base)
    expect(requestsIn(found)).toBe(before + 7)
    expect(found.workspaces).toContainEqual(expect.objectContaining({ workspaceId: house.id }))
  }
})

test("any worker sends the email and the ping of a test", async () => {
  for (const [n, base] of each().entries()) {
    const to = `worker${n}@example.com`
    expect((await ask(base, "POST", "mail-test", { to })).body.problem).toBeNull()
    expect(mail.received.filter((one) => one.to === to)).toHaveLength(1)
    const { status, body } = await ask(base, "POST", "webhook-test", { url: "https://webhooks.invalid/hook" })
    expect([status, body.status, body.problem]).toEqual([
      200,
      null,
      expect.stringContaining("could not be called (dns"),
    ])
  }
})

const textOf = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8")

const CHECKS: { readonly [file: string]: () => ReadonlyArray<string> } = {
  Dockerfile: () => JSON.parse(/^HEALTHCHECK .*\\\n\s*CMD (\[.*\])$/m.exec(textOf("Dockerfile"))?.[1] ?? "[]"),
  "deploy/compose.yaml": () => {
    const compose = parseYaml(textOf("deploy/compose.yaml")) as Json
    return compose.services.node1.healthcheck.test.slice(1)
  },
}

test.each(Object.keys(CHECKS))("the health check of %s finds the port that the environment names", async (file) => {
  const [command, ...args] = CHECKS[file]?.() ?? []
  expect(command).toBe("node")
  const exitCode = (environment: { readonly [key: string]: string }): Promise<number> =>
    promisify(execFile)(process.execPath, args, { env: environment }).then(
      () => 0,
      ({ code }: { readonly code: number }) => code,
    )
  const { port } = new URL(server.url)
  const nowhere = String(await freePort())
  expect(await exitCode({ PORT: port })).toBe(0)
  expect(await exitCode({ ADMIN_PORT: String(adminPort) })).toBe(0)
  expect(await exitCode({ PORT: nowhere, ADMIN_PORT: String(adminPort) })).toBe(0)
  expect(await exitCode({ PORT: port, ADMIN_PORT: "" })).toBe(0)
  expect(await exitCode({ PORT: nowhere })).toBe(1)
})
