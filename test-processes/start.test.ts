/** A start that cannot go on says why in one sentence and exits with 1; one that goes on answers nothing wrong meanwhile. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { call, createWorkspace } from "../test/support/api.ts"
import { compiled } from "../test/support/compiled.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { startPostgresProxy } from "../test/support/postgres-proxy.ts"
import { refusedStart, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

const SECRET_KEY = "secret-key-of-the-tests-0123456789abcdef"

const externalDatabase = async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

/** The one line a refused start writes. */
const refusal = async (environment: { readonly [key: string]: string }): Promise<string> => {
  const { code, stderr } = await refusedStart({ PORT: "0", ...environment })
  expect([code, stderr.trim().split("\n").length]).toEqual([1, 1])
  return stderr.trim()
}

const statusLine = (port: number, request: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request))
    let answer = ""
    socket.on("data", (chunk) => {
      answer += chunk
    })
    socket.on("error", () => resolve(""))
    socket.on("close", () => resolve(answer))
  })

test("every request during the start is answered that the server starts, and requests are taken once it is up", async () => {
  const database = await externalDatabase()
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  // The start waits for a database that does not answer.
  proxy.silence("all")
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const starting = startServerProcess({ DATABASE_URL: proxy.url, SECRET_KEY, PORT: String(port) })
  onTestFinished(async () => void (await starting).child.kill("SIGKILL"))
  await eventually(async () => (await fetch(url).catch(() => undefined)) !== undefined, "the port to be open")
  for (const [method, path] of [
    ["GET", "/healthz"],
    ["GET", "/readyz"],
    ["GET", "/v1/events/019a0000-0000-7000-8000-000000000000"],
    ["POST", "/v1/events"],
    ["POST", "/v1/auth/gateway-token"],
    ["GET", "/v1/gateway"],
    ["GET", "/nothing"],
  ] as const) {
    const response = await fetch(url + path, { method, ...(method === "POST" && { body: "{}" }) })
    expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 503, "1"])
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect(await response.json()).toMatchObject({ code: "unavailable" })
  }
  const upgrade =
    "GET /v1/gateway HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
  expect(await statusLine(port, upgrade)).toMatch(/^HTTP\/1.1 503 /)
  proxy.heal()
  const server = await starting
  // The write that proves it may be older than two seconds on a slow machine.
  await eventually(async () => (await call(server.url, "GET", "/readyz")).status === 200, "the server to be ready")
  expect((await call(server.url, "GET", "/nothing")).status).toBe(404)
  await createWorkspace(server.url)
  expect(await server.end("SIGTERM")).toBe(0)
})

test("a port in use is noticed before the database is made", async () => {
  const DATA_DIR = await temporaryFolder()
  const database = await externalDatabase()
  const first = await startServerProcess({ DATABASE_URL: database.url, SECRET_KEY, PORT: "0" })
  const { port } = new URL(first.url)
  expect(await refusal({ PORT: port, DATA_DIR })).toBe(
    `Port ${port} on 127.0.0.1 cannot be listened on; is another server using it, or is the address not one of this machine?`,
  )
  expect(await readdir(DATA_DIR)).toEqual(["secret-key"])
  await first.end("SIGTERM")
})

test.each([
  ["is empty", ""],
  ["was cut short", "c2hvcnQ"],
])("a key file that %s is refused, not used", async (_, content) => {
  const DATA_DIR = await temporaryFolder()
  await writeFile(join(DATA_DIR, "secret-key"), content)
  const sentence = await refusal({ DATA_DIR })
  expect(sentence).toContain(join(DATA_DIR, "secret-key"))
  expect(sentence).toContain("is empty or cut short")
})

test("a key that is lost beside sealed secrets is not replaced by a new one", async () => {
  const database = await externalDatabase()
  const DATA_DIR = await temporaryFolder()
  const first = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR, PORT: "0" })
  const { key } = await createWorkspace(first.url)
  const hook = await call(first.url, "POST", "/v1/webhooks", { key, body: { url: "http://127.0.0.1:9/hook" } })
  expect(hook.status).toBe(201)
  await first.end("SIGTERM")
  expect(await readdir(DATA_DIR)).toEqual(["secret-key"])
  await rm(join(DATA_DIR, "secret-key"))
  expect(await refusal({ DATABASE_URL: database.url, DATA_DIR })).toMatch(/^The secrets .* another key; /)
  expect(await refusal({ DATABASE_URL: database.url, SECRET_KEY })).toMatch(/^The secrets .* another key; /)
})

test("a data folder without its PG_VERSION is refused, and nothing in it is touched", async () => {
  const DATA_DIR = await temporaryFolder()
  const data = join(DATA_DIR, "postgres", "data")
  await mkdir(data, { recursive: true })
  await writeFile(join(data, "precious"), "rows")
  const sentence = await refusal({ DATA_DIR, SECRET_KEY })
  expect(sentence).toContain("PG_VERSION is missing")
  expect(await readdir(data)).toEqual(["precious"])
})

test("a key that cannot be read, or a file where the data folder would be, is refused", async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, "secret-key"))
  expect(await refusal({ DATA_DIR: folder })).toMatch(/^The key in .* cannot be read /)
  const file = join(await temporaryFolder(), "file")
  await writeFile(file, "")
  expect(await refusal({ DATA_DIR: file })).toMatch(/^DATA_DIR cannot be written to /)
})

test("a database that is damaged, or will not let the server in, is refused", async () => {
  const database = await externalDatabase()
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  proxy.onStatement({
    match: /schema_migrations/,
    action: { kind: "fail", code: "XX001", message: "could not read block 0 of relation base/1/2" },
  })
  expect(await refusal({ DATABASE_URL: proxy.url, SECRET_KEY })).toBe(
    "The database at DATABASE_URL cannot be used (could not read block 0 of relation base/1/2).",
  )
  const wrong = new URL(database.url)
  wrong.pathname = "/no_such_database"
  expect(await refusal({ DATABASE_URL: wrong.href, SECRET_KEY })).toContain("no_such_database")
})

test("a database that fails in the middle of the start is refused in one sentence", async () => {
  const database = await externalDatabase()
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  for (const [match, code] of [
    [/sealing_checks/, "53100"],
    [/sealing_checks/, "25006"],
    [/pg_try_advisory_lock/, "57014"],
  ] as const) {
    const rule = proxy.onStatement({ match, action: { kind: "fail", code, message: "no luck today" } })
    expect(await refusal({ DATABASE_URL: proxy.url, SECRET_KEY })).toBe(
      "The database at DATABASE_URL cannot be used (no luck today).",
    )
    expect(rule.acted()).toBeGreaterThan(0)
    rule.remove()
  }
})

test("a process that may open too few files prints that", async () => {
  const script = `ulimit -n 400 && exec "${process.execPath}" "${await compiled("src/main.ts")}"`
  const child = spawn("/bin/sh", ["-c", script], { env: { PORT: "0", SECRET_KEY } })
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, "exit")
  expect([code, stderr]).toEqual([
    1,
    "The process may open 400 files at once and needs at least 512; raise the limit (ulimit -n).\n",
  ])
})
