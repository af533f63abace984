/** The access log of a server as operators read it: lines on its standard output. */
import { request } from "undici"
import { expect, onTestFinished, test } from "vitest"
import { call, createLiveEvent, createPerson, createWorkspace } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { startPostgresProxy } from "../test/support/postgres-proxy.ts"
import { type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"

interface Line {
  readonly [field: string]: unknown
}

const SECRET_KEY = "secret-key-of-the-tests-0123456789abcdef"

const serverWith = async (environment: { readonly [key: string]: string }): Promise<ServerProcess> => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const server = await startServerProcess({
    DATABASE_URL: database.url,
    SECRET_KEY,
    PORT: "0",
    LOG_LEVEL: "info",
    ...environment,
  })
  onTestFinished(async () => void (await server.end("SIGTERM")))
  return server
}

const linesOf = ({ written }: ServerProcess): ReadonlyArray<Line> =>
  written()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)

/** The line of the request with this id. */
const lineOf = async (server: ServerProcess, requestId: string): Promise<Line> => {
  const find = () => linesOf(server).find((line) => line["requestId"] === requestId)
  await eventually(() => find() !== undefined, `the line of ${requestId}`)
  return find() ?? {}
}

test("each request is a line with its route, caller, time and bytes, and nothing secret", async () => {
  const server = await serverWith({})
  const { id: workspaceId, key, owner } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key)
  const { session } = await createPerson(server.url, key, event.id, "host")
  const id = (requestId: string) => ({ headers: { "x-request-id": requestId } })
  const read = await call(server.url, "GET", `/v1/events/${event.id}`, { key, ...id("by-key") })
  await call(server.url, "GET", "/v1/workspaces", { cookie: owner.cookie, ...id("by-cookie") })
  const keys = `/v1/workspaces/${workspaceId}/api-keys`
  const listed = await call(server.url, "GET", keys, { cookie: owner.cookie, ...id("by-member") })
  const [{ id: keyId }] = listed.body.apiKeys
  await call(server.url, "GET", `/v1/public/events/${event.id}`, id("by-nobody"))
  await call(server.url, "POST", "/v1/auth/gateway-token", {
    bearer: session,
    body: { eventId: event.id },
    ...id("by-session"),
  })
  await call(server.url, "GET", `/v1/events/${event.id}`, { key: "wrong", ...id("refused") })
  await call(server.url, "GET", "/v1/nothing?token=hidden", id("absent"))
  await request(`${server.url}/v1/events/${event.id}`, {
    method: "HEAD",
    headers: { "x-api-key": key, "x-request-id": "head" },
  })
  const route = "/v1/events/:id"
  const bytes = Buffer.byteLength(JSON.stringify(read.body))
  const some = expect.any(Number)
  expect(await lineOf(server, "by-key")).toEqual({
    level: 30,
    time: expect.stringMatching(/Z$/),
    requestId: "by-key",
    method: "GET",
    route,
    status: 200,
    ms: some,
    bytes,
    caller: "key",
    workspaceId,
    keyId,
    msg: "request",
  })
  expect(await lineOf(server, "by-cookie")).toMatchObject({
    route: "/v1/workspaces",
    caller: "account",
    workspaceId: null,
  })
  expect(await lineOf(server, "by-member")).toMatchObject({ caller: "account", workspaceId })
  expect(await lineOf(server, "by-nobody")).toMatchObject({ status: 200, caller: "anonymous", workspaceId })
  expect(await lineOf(server, "by-session")).toMatchObject({ status: 200, caller: "session", workspaceId })
  expect(await lineOf(server, "refused")).toMatchObject({ route, status: 401, caller: null, workspaceId: null })
  const withKey = linesOf(server).filter((line) => "keyId" in line)
  expect(withKey.filter(({ caller }) => caller !== "key")).toEqual([])
  expect(await lineOf(server, "absent")).toMatchObject({ route: "/*", status: 404, caller: null })
  expect(await lineOf(server, "head")).toMatchObject({ method: "HEAD", status: 200, bytes: 0 })
  await call(server.url, "GET", "/readyz", id("probe"))
  await call(server.url, "POST", `/v1/events/${event.id}/end`, { key, ...id("last") })
  await lineOf(server, "last")
  expect(linesOf(server).filter(({ requestId }) => requestId === "probe")).toEqual([])
  expect(linesOf(server).filter((line) => "address" in line)).toEqual([])
  const changes = linesOf(server).filter(({ eventId }) => eventId === event.id)
  expect(changes.map(({ msg, status }) => [msg, status])).toEqual([
    ["an event is scheduled", "scheduled"],
    ["an event is live", "live"],
    ["an event is ended", "ended"],
  ])
  for (const secret of [key, session, owner.cookie.split("=")[1] ?? key, "hidden"]) {
    expect(server.written()).not.toContain(secret)
  }
})

test("addresses are logged by choice, in production as lines of JSON alone, and nothing is when it is off", async () => {
  const named = await serverWith({
    NODE_ENV: "production",
    PUBLIC_URL: "https://events.example.com",
    ACCESS_LOG: "addresses",
  })
  await call(named.url, "POST", "/v1/accounts/login", {
    body: { email: "nobody@example.com", password: "no password at all" },
    headers: { "x-request-id": "login" },
  })
  await call(named.url, "GET", "/nothing", { headers: { "x-request-id": "absent" } })
  expect(await lineOf(named, "login")).toMatchObject({ status: 401, address: "127.0.0.1" })
  expect(await lineOf(named, "absent")).toMatchObject({ status: 404, address: "127.0.0.1" })
  expect(await named.end("SIGTERM")).toBe(0)
  const lines = named.written().trim().split("\n")
  expect(lines.length).toBeGreaterThan(2)
  const messages = lines.map((line) => (JSON.parse(line) as Line)["msg"])
  expect(messages).toEqual(expect.arrayContaining([expect.stringContaining("listens on"), "request", "stopping"]))
  const silent = await serverWith({ ACCESS_LOG: "off" })
  await createWorkspace(silent.url)
  expect(linesOf(silent).filter(({ msg }) => msg === "request")).toEqual([])
})

test("a slow request is a warning, also where the log of requests is off", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const server = await startServerProcess({
    DATABASE_URL: proxy.url,
    SECRET_KEY,
    PORT: "0",
    LOG_LEVEL: "warn",
    ACCESS_LOG: "off",
    DATABASE_DEADLINE_MS: "3000",
  })
  onTestFinished(async () => void (await server.end("SIGKILL")))
  const { key } = await createWorkspace(server.url)
  proxy.silence("all")
  const answer = await call(server.url, "GET", "/v1/events", { key, headers: { "x-request-id": "slow" } })
  expect(answer.status).toBe(503)
  expect(await lineOf(server, "slow")).toMatchObject({
    level: 40,
    msg: "slow request",
    route: "/v1/events",
    status: 503,
  })
})
