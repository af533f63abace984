/**
 * The same Idempotency-Key never does the work twice, whatever dies in between. The database is reached through a proxy that
 * cuts the statement a test names; another client counts the work done.
 */
import { randomUUID } from "node:crypto"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { type RunningServer, startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { call, createWorkspace, type Workspace } from "../support/api.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"
import { freePort } from "../support/free-port.ts"
import type { Statement } from "../support/postgres-proxy/rules.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { startServerProcess } from "../support/server-process.ts"

const ENVIRONMENT = { SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef", DATABASE_POOL: "4" }

let database: TestDatabase
let direct: postgres.Sql
let proxy: PostgresProxy

beforeAll(async () => {
  database = await createTestDatabase()
  direct = postgres(database.url, { max: 1 })
  proxy = await startPostgresProxy(database.url)
})
afterAll(async () => {
  await proxy.close()
  await direct.end()
  await database.drop()
})

type Answer = Awaited<ReturnType<typeof call>>

const send = (url: string, { key }: Workspace, path: string, body: object, idempotencyKey: string): Promise<Answer> =>
  call(url, "POST", path, { key, body, headers: { "idempotency-key": idempotencyKey } })

/** As a client does it: the same request under the same key, until it is answered with something else than "try again". */
const insist = async (
  again: () => Promise<Answer>,
): Promise<{ readonly last: Answer; readonly statuses: number[] }> => {
  const statuses: number[] = []
  for (let tries = 0; tries < 50; tries++) {
    const answer = await again()
    statuses.push(answer.status)
    if (answer.status !== 503 && answer.status !== 409) return { last: answer, statuses }
    // timed: a client pauses between its tries.
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no answer: ${statuses.join()}`)
}

const eventsTitled = async (title: string): Promise<number> =>
  (await direct`select 1 from events where title = ${title}`).length

const phaseLetters = async (eventId: string): Promise<string> => {
  const rows = await direct<
    { status: string }[]
  >`select status from phases where event_id = ${eventId} order by position`
  return rows.map(({ status }) => status.slice(0, 1)).join("")
}

/** A commit of kept work: the server's heartbeat commits too. */
const keptCommit = ({ sql, connection }: Statement): boolean =>
  sql.startsWith("commit") && connection.statements.slice(-3).some((one) => one.includes("idempotency_keys"))

const FOUR_PHASES = Array.from({ length: 4 }, () => ({ modality: "meeting" }))

const goLive = async (url: string, house: Workspace): Promise<string> => {
  const { body } = await call(url, "POST", "/v1/events", {
    key: house.key,
    body: { type: "t", title: "Live", phases: FOUR_PHASES },
  })
  for (const verb of ["publish", "start"]) await call(url, "POST", `/v1/events/${body.id}/${verb}`, { key: house.key })
  expect(await phaseLetters(body.id)).toBe("appp")
  return body.id
}

describe("with one server", () => {
  let server: RunningServer
  let house: Workspace
  beforeAll(async () => {
    server = await startServer(
      loadConfig({ ...ENVIRONMENT, PORT: "0", DATABASE_URL: proxy.url, LOG_LEVEL: "silent" }),
      () => {},
    )
    house = await createWorkspace(server.url)
  })
  afterAll(() => server.stop())

  test.each([
    ["the reply to the insert", /insert_events/, "cutReply"],
    ["the insert on its way", /insert_events/, "cutBefore"],
    ["the reply to keeping the answer", /insert into idempotency_keys/, "cutReply"],
    ["the commit on its way", keptCommit, "cutBefore"],
    ["the reply to the commit", keptCommit, "cutReply"],
    ["half of the reply to the commit", keptCommit, "cutWithinReply"],
  ] as const)("an event is created once when %s is lost", async (_, match, kind) => {
    const title = randomUUID()
    const cut = proxy.onStatement({ match, action: { kind }, times: 1 })
    const body = { type: "t", title, phases: FOUR_PHASES }
    const { last, statuses } = await insist(() => send(server.url, house, "/v1/events", body, title))
    expect(cut.acted()).toBe(1)
    expect([statuses[0], last.status]).toEqual([503, 201])
    expect(await eventsTitled(title)).toBe(1)
    const [row] = await direct`select id from events where title = ${title}`
    expect(last.body.id).toBe(row?.["id"])
    // It was found when its commit had happened, and done anew when it had not.
    expect(last.headers.get("idempotency-replayed")).toBe(match === keptCommit && kind !== "cutBefore" ? "true" : null)
  })

  test.each([
    ["keeping its answer fails", /insert into idempotency_keys/, "cutBefore", 1],
    ["the reply to keeping its answer is lost", /insert into idempotency_keys/, "cutReply", 1],
    ["the reply to its commit is lost", /commit_live_event/, "cutReply", 1],
    ["its commit is lost", /commit_live_event/, "cutBefore", 1],
    ["the reply to its commit is lost and the store is away for 40 statements", /./, "cutReply", 40],
  ] as const)("an event advances once when %s", async (_, match, kind, times) => {
    const eventId = await goLive(server.url, house)
    const key = randomUUID()
    const first = proxy.onStatement({ match: /commit_live_event|idempotency_keys \(/, action: { kind }, times: 1 })
    if (times === 1) first.remove()
    const cut = proxy.onStatement({ match, action: { kind }, times })
    const { last } = await insist(() => send(server.url, house, `/v1/events/${eventId}/advance`, {}, key))
    cut.remove()
    first.remove()
    expect(times === 1 ? cut.acted() : first.acted()).toBe(1)
    expect(last.status).toBe(200)
    const again = await insist(() => send(server.url, house, `/v1/events/${eventId}/advance`, {}, key))
    expect(again.last.status).toBe(200)
    expect(await phaseLetters(eventId)).toBe("eapp")
  })

  test.each([
    ["keeping its answer fails", /insert into idempotency_keys/, "cutBefore"],
    ["the reply to keeping its answer is lost", /insert into idempotency_keys/, "cutReply"],
    ["the reply to its commit is lost", /commit_live_event/, "cutReply"],
    ["its commit is lost", /commit_live_event/, "cutBefore"],
  ] as const)("an atomic batch of commands is executed once and whole when %s", async (_, match, kind) => {
    const eventId = await goLive(server.url, house)
    const key = randomUUID()
    const commands = [{ t: "announce", d: { text: "one" } }, { t: "phase.next" }, { t: "phase.next" }]
    const cut = proxy.onStatement({ match, action: { kind }, times: 1 })
    const batch = () => send(server.url, house, `/v1/events/${eventId}/commands/batch`, { atomic: true, commands }, key)
    const { last } = await insist(batch)
    cut.remove()
    expect(cut.acted()).toBe(1)
    expect([last.status, last.body.outcomes?.length]).toEqual([200, 3])
    expect((await insist(batch)).last.status).toBe(200)
    expect(await phaseLetters(eventId)).toBe("eeap")
  })

  test("a phase is appended once, and each answer names it, when keeping the answer fails", async () => {
    const eventId = await goLive(server.url, house)
    const key = randomUUID()
    const cut = proxy.onStatement({ match: /insert into idempotency_keys/, action: { kind: "cutBefore" }, times: 1 })
    const append = () => send(server.url, house, `/v1/events/${eventId}/phases`, { modality: "meeting" }, key)
    const [first, second, third] = [await append(), await append(), await append()]
    expect(cut.acted()).toBe(1)
    expect([first.status, second.status, third.status]).toEqual([201, 201, 201])
    expect([second.body.id, third.body.id]).toEqual([first.body.id, first.body.id])
    expect(await phaseLetters(eventId)).toBe("apppp")
  })

  test("a refused request changes nothing, though its handler had written before it was refused", async () => {
    const { body: user } = await call(server.url, "POST", "/v1/users", { key: house.key, body: { externalSub: "x" } })
    const eventId = await goLive(server.url, house)
    const give = (role: string, key: string) =>
      send(server.url, house, `/v1/events/${eventId}/memberships`, { userId: user.id, role }, key)
    const [refused, repeated] = [await give("speaker", "r1"), await give("speaker", "r1")]
    expect([refused.status, repeated.status]).toEqual([400, 400])
    expect(repeated.headers.get("idempotency-replayed")).toBeNull()
    const [given, again] = [await give("host", "r2"), await give("host", "r2")]
    expect([given.status, again.status, again.body.id]).toEqual([201, 201, given.body.id])
  })
})

describe("with a server that is started again", () => {
  test("a command whose answer was never kept is known for a day, also when memory holds minutes; another body is refused", async () => {
    const config = loadConfig({ ...ENVIRONMENT, PORT: "0", DATABASE_URL: proxy.url, LOG_LEVEL: "silent" })
    const first = await startServer(config, () => {})
    onTestFinished(() => first.stop())
    const house = await createWorkspace(first.url)
    const eventId = await goLive(first.url, house)
    const cut = proxy.onStatement({ match: /insert into idempotency_keys/, action: { kind: "cutBefore" }, times: 1 })
    const advance = (url: string, body: object) => send(url, house, `/v1/events/${eventId}/advance`, body, "day")
    expect((await advance(first.url, {})).status).toBe(200)
    expect(cut.acted()).toBe(1)
    await first.stop()
    await direct`update live_commands set at = at - interval '20 hours' where event_id = ${eventId}`
    const second = await startServer(config, () => {})
    onTestFinished(() => second.stop())
    const other = await advance(second.url, { phaseId: randomUUID() })
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"])
    const again = await advance(second.url, {})
    expect([again.status, await phaseLetters(eventId)]).toEqual([200, "eapp"])
  })
})

test("with a server that is killed before it keeps its answers, the next try of an advance that was committed moves nothing, and that of a creation creates once, both at once", async () => {
  const PORT = String(await freePort())
  const start = () => startServerProcess({ ...ENVIRONMENT, PORT, DATABASE_URL: proxy.url })
  const first = await start()
  const house = await createWorkspace(first.url)
  const eventId = await goLive(first.url, house)
  const [key, title] = [randomUUID(), randomUUID()]
  const advance = (url: string) => send(url, house, `/v1/events/${eventId}/advance`, {}, key)
  const create = (url: string) => send(url, house, "/v1/events", { type: "t", title }, title)
  const lost = proxy.onStatement({ match: /insert into idempotency_keys/, action: { kind: "drop" }, times: 2 })
  const unanswered = [advance, create].map((ask) => ask(first.url).catch(() => undefined))
  await lost.reached(2)
  await first.end("SIGKILL")
  expect(await Promise.all(unanswered)).toEqual([undefined, undefined])
  expect(await phaseLetters(eventId)).toBe("eapp")
  const second = await start()
  const created = await create(second.url)
  expect([created.status, await eventsTitled(title)]).toEqual([201, 1])
  const { last, statuses } = await insist(() => advance(second.url))
  expect([last.status, statuses.includes(409)]).toEqual([200, false])
  expect(await phaseLetters(eventId)).toBe("eapp")
  await second.end("SIGTERM")
})
