/** The command as an operator meets it: start, refusals in one sentence, a clean stop, and a start after kill -9. */
import postgres from "postgres"
import { describe, expect, test as one, type TestContext } from "vitest"
import { call, createEvent, createLiveEvent, createWorkspace } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { refusedStart, type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

/** They wait for timers and processes most of the time, so that they run side by side. */
const test = one.concurrent

type Environment = { readonly [key: string]: string }

/** Starts servers that end with the test. */
const starter =
  ({ onTestFinished }: TestContext) =>
  async (environment: Environment): Promise<ServerProcess> => {
    const server = await startServerProcess(environment)
    onTestFinished(async () => {
      await server.end("SIGKILL")
    })
    return server
  }

describe.concurrent("on the embedded database", () => {
  test("stored data is there after SIGTERM and after SIGKILL, and a second server on the folder is refused", async (context) => {
    const started = starter(context)
    const DATA_DIR = await temporaryFolder(context.onTestFinished)
    const first = await started({ DATA_DIR, PORT: "0", LOG_LEVEL: "info" })
    const { key } = await createWorkspace(first.url)
    const event = await createEvent(first.url, key)
    const refused = await refusedStart({ DATA_DIR, PORT: "0" })
    expect([refused.code, refused.stderr.trim().split("\n")]).toEqual([1, [expect.stringContaining(DATA_DIR)]])
    const begun = Date.now()
    expect(await first.end("SIGTERM")).toBe(0)
    // timed: a stop that waits for something is ended after nine seconds.
    expect(Date.now() - begun).toBeLessThan(10_000)
    await eventually(() => first.written().includes('"msg":"stopped"'), "the last line")
    expect(first.written()).toMatch(/"from":0,"to":\d+,"msg":"the database has the schema of this release now"/)
    const second = await started({ DATA_DIR, PORT: "0" })
    expect((await call(second.url, "GET", `/v1/events/${event.id}`, { key })).status).toBe(200)
    await second.end("SIGKILL")
    const third = await started({ DATA_DIR, PORT: "0" })
    expect((await call(third.url, "GET", `/v1/events/${event.id}`, { key })).status).toBe(200)
    expect(await third.end("SIGINT")).toBe(0)
  })
})

describe.concurrent("on an external database", () => {
  test("a timer armed before kill -9 fires on time after the restart, without any traffic", async (context) => {
    const started = starter(context)
    const database = await createTestDatabase()
    const environment = { DATABASE_URL: database.url, PORT: "0", SECRET_KEY: "k".repeat(40) }
    const sql = postgres(database.url, { max: 1 })
    context.onTestFinished(async () => {
      await sql.end()
      await database.drop()
    })
    const before = await started(environment)
    const { key } = await createWorkspace(before.url)
    const config = { durationSeconds: 12, onTimerEnd: "advance" }
    const event = await createLiveEvent(before.url, key, { phases: [{ modality: "breakout", config }] })
    await before.end("SIGKILL")
    const after = await started(environment)
    const back = Date.now()
    const due = Date.parse(event.phases[0].timerEndsAt)
    const ended = async () => (await sql`select 1 from events where id = ${event.id} and status = 'ended'`).length === 1
    await eventually(ended, "the timer ending the event")
    const [row] = await sql`select ended_at from events where id = ${event.id}`
    // On time, or soon when a loaded machine was not back before it was due; no other look at the event comes within a minute.
    expect(row?.["ended_at"].getTime() - Math.max(due, back)).toBeLessThan(15_000)
    expect(row?.["ended_at"].getTime()).toBeGreaterThanOrEqual(due)
    expect(await after.end("SIGTERM")).toBe(0)
  })

  test("a second server on it is refused while the first one runs", async (context) => {
    const started = starter(context)
    const database = await createTestDatabase()
    const environment = { DATABASE_URL: database.url, PORT: "0", SECRET_KEY: "k".repeat(40) }
    context.onTestFinished(() => database.drop())
    const first = await started(environment)
    const refused = await refusedStart(environment)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      "Another Gathercue server is running on this database; stop it first, or run each of them as a node (CLUSTER_ADDRESS).\n",
    ])
    await eventually(async () => (await call(first.url, "GET", "/readyz")).status === 200, "readiness")
    await first.end("SIGKILL")
  })
})
