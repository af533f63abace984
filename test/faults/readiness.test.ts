/** Readiness while the database is in trouble, and the answers that callers and sockets get meanwhile. */
import { randomUUID } from "node:crypto"
import { Layer, ManagedRuntime, Redacted } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type RunningServer, startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { Database } from "../../src/store/database.ts"
import { DatabaseHeartbeat } from "../../src/store/heartbeat.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { Client } from "../gateway/client.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken, type Workspace } from "../support/api.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

const DEADLINE_MS = 3_000

let database: TestDatabase
let proxy: PostgresProxy
let server: RunningServer
let house: Workspace
/** Counters are the process's: files that ran before this one have counted too. */
let inTransactionBefore: number
const IN_TRANSACTION = 'gathercue_database_connections_destroyed_total{reason="in_transaction"}'

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startPostgresProxy(database.url)
  server = await startServer(
    loadConfig({
      PORT: "0",
      DATABASE_URL: proxy.url,
      DATABASE_POOL: "4",
      DATABASE_WAITING: "20",
      DATABASE_DEADLINE_MS: String(DEADLINE_MS),
      SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
      LOG_LEVEL: "silent",
    }),
    () => {},
  )
  house = await createWorkspace(server.url)
  inTransactionBefore = await metric(IN_TRANSACTION)
})
afterAll(async () => {
  await server.stop()
  await proxy.close()
  await database.drop()
})
beforeEach(async () => {
  proxy.heal()
  await eventually(async () => (await readyz()).status === 200)
})

const readyz = () => call(server.url, "GET", "/readyz")
const create = (title: string) => call(server.url, "POST", "/v1/events", { key: house.key, body: { type: "t", title } })
const metric = async (name: string): Promise<number> => {
  const { body } = await call(server.url, "GET", "/metrics")
  return Number(new RegExp(`^${name.replace(/[{}"]/g, "\\$&")} (\\S+)$`, "m").exec(body)?.[1])
}

const host = async () => {
  const event = await createLiveEvent(server.url, house.key, {
    phases: [{ modality: "broadcast", featureSet: ["chat"] }],
  })
  const { session } = await createPerson(server.url, house.key, event.id, "host")
  const { token, url } = await gatewayToken(server.url, event.id, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

test("a full disk is reported as such, also without other writers, and so is its end", async () => {
  const full = proxy.onStatement({
    match: /insert into disk_probes/,
    action: { kind: "fail", code: "53100", message: 'could not extend file "base/1/2": No space left on device' },
  })
  // A busy machine may answer too late before.
  await eventually(async () => (await readyz()).body.reason === "The database's disk is full.", "the reason")
  expect(await readyz()).toMatchObject({ status: 503, body: { status: "unavailable", database: false } })
  expect(await metric("gathercue_database_ready")).toBe(0)
  full.remove()
  await eventually(async () => (await readyz()).status === 200, "ready again")
})

test("a backup, which locks every table against being emptied, keeps nobody from being ready", async () => {
  const backup = postgres(database.url, { max: 1 })
  await backup`begin`
  await backup`lock table disk_probes in access share mode`
  // The first beat is one that empties the probes.
  const runtime = ManagedRuntime.make(
    DatabaseHeartbeat.layer.pipe(
      Layer.provide(Database.layer({ url: Redacted.make(database.url), connections: 2 })),
      Layer.provide(Telemetry.layer("silent")),
    ),
  )
  const heartbeat = await runtime.runPromise(DatabaseHeartbeat)
  const probes = async () => (await backup`select 1 from disk_probes`).length
  const from = await probes()
  await eventually(async () => (await probes()) >= from + 4, "both servers' probes")
  expect([heartbeat.readiness().isReady, (await readyz()).status]).toEqual([true, 200])
  await runtime.dispose()
  await backup`rollback`
  await backup.end()
})

test("a node that is cut off in the middle of its heartbeat keeps no other from being ready", async () => {
  const cutOff = postgres(database.url, { max: 1 })
  let probe = ""
  const looked = proxy.seen(/insert into disk_probes/).then(({ sql }) => {
    probe = sql
  })
  await looked
  await cutOff`begin`
  await cutOff.unsafe(probe, ["7000"])
  const outcomes = new Set<number>()
  const since = performance.now()
  // Longer than a heartbeat counts.
  await eventually(async () => {
    outcomes.add((await readyz()).status)
    // timed: longer than a heartbeat counts, and what must not happen has no signal.
    return performance.now() - since > 3_000
  })
  await cutOff`rollback`
  await cutOff.end()
  expect([...outcomes]).toEqual([200])
})

test("nor does one that is cut off while it empties the probes", async () => {
  const direct = postgres(database.url, { max: 1 })
  // A table that is emptied has another file.
  const file = async () =>
    (await direct<{ file: number }[]>`select pg_relation_filenode('disk_probes') as file`)[0]?.file
  const before = await file()
  const cutOff = proxy.onStatement({ match: /truncate disk_probes/, action: { kind: "delay", ms: 3_500 }, times: 1 })
  // The first beat is one that empties the probes.
  const runtime = ManagedRuntime.make(
    DatabaseHeartbeat.layer.pipe(
      Layer.provide(Database.layer({ url: Redacted.make(proxy.url), connections: 2 })),
      Layer.provide(Telemetry.layer("silent")),
    ),
  )
  await runtime.runPromise(DatabaseHeartbeat)
  await cutOff.reached(1)
  const outcomes = new Set<number>()
  const since = performance.now()
  await eventually(async () => {
    outcomes.add((await readyz()).status)
    // timed: longer than a heartbeat counts, and what must not happen has no signal.
    return performance.now() - since > 3_000
  })
  await runtime.dispose()
  expect([...outcomes]).toEqual([200])
  expect(await file()).not.toBe(before)
  await direct.end()
})

test("a black hole is reported; callers get 503, sockets stay, and commands are acknowledged once it is over", async () => {
  const client = await host()
  expect((await client.command("chat.send", { to: "event", text: "before" })).ok).toBe(true)
  proxy.silence("all")
  const answers = await Promise.all(Array.from({ length: 40 }, () => create(randomUUID())))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  for (const { body, headers } of answers) {
    expect([body.code, Number(headers.get("retry-after")) > 0]).toEqual(["unavailable", true])
  }
  await eventually(async () => (await readyz()).status === 503, "not ready")
  const refused = await client.command("chat.send", { to: "event", text: "into the hole" })
  expect(refused).toMatchObject({ ok: false, e: { code: "unavailable" } })
  proxy.heal()
  await eventually(
    async () => (await client.command("chat.send", { to: "event", text: "after" })).ok === true,
    "a command",
  )
  await client.cut()
})

test("the figures of the pool, the outbox and the process are there from the start, each of its type", async () => {
  const { body } = await call(server.url, "GET", "/metrics")
  const types = new Map(Array.from(body.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => [name, type]))
  expect(Object.fromEntries(types)).toMatchObject({
    gathercue_database_connections_max: "gauge",
    gathercue_database_connections_open: "gauge",
    gathercue_database_connections_in_use: "gauge",
    gathercue_database_waiting: "gauge",
    gathercue_database_oldest_wait_seconds: "gauge",
    gathercue_database_connections_destroyed_total: "counter",
    gathercue_database_past_deadline_total: "counter",
    gathercue_database_refused_total: "counter",
    gathercue_database_ready: "gauge",
    gathercue_webhook_backlog: "gauge",
    gathercue_webhook_overdue_seconds: "gauge",
    gathercue_mail_backlog: "gauge",
    gathercue_mail_overdue_seconds: "gauge",
    gathercue_media_backlog: "gauge",
    gathercue_media_overdue_seconds: "gauge",
    gathercue_webhook_endpoints_failing: "gauge",
    gathercue_media_free_bytes: "gauge",
    gathercue_media_jobs_total: "counter",
    gathercue_gateway_sockets: "gauge",
    process_resident_memory_bytes: "gauge",
    process_max_fds: "gauge",
    nodejs_eventloop_lag_p99_seconds: "gauge",
  })
  expect(await metric("gathercue_database_connections_max")).toBe(4)
  expect(await metric(IN_TRANSACTION)).toBe(inTransactionBefore)
  expect(await metric('gathercue_database_connections_destroyed_total{reason="deadline"}')).toBeGreaterThanOrEqual(0)
  expect(await metric("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
  expect(await metric("process_max_fds")).toBeGreaterThan(await metric("process_open_fds"))
})
