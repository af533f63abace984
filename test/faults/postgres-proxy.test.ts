/** The proxy itself: that each fault does to a client and to the server what its name says, and nothing else. */
import { once } from "node:events"
import { connect } from "node:net"
import postgres from "postgres"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { TEST_CERTIFICATE } from "../support/test-certificate.ts"
import { eventually } from "../support/wait.ts"

let database: TestDatabase
let direct: postgres.Sql
let proxy: PostgresProxy
const clients: Array<postgres.Sql> = []

const client = (options: postgres.Options<Record<string, never>> = {}): postgres.Sql => {
  const sql = postgres(proxy.url, { max: 1, onnotice: () => undefined, backoff: () => 0.05, ...options })
  clients.push(sql)
  return sql
}

const notesLike = async (text: string): Promise<number> => {
  const [row] = await direct<{ n: number }[]>`select count(*)::int as n from notes where note = ${text}`
  return row?.n ?? 0
}

const codeOf = (query: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(query).then(
    () => "answered",
    (cause: unknown) => (cause as { readonly code?: unknown }).code,
  )

/** Whether it is still unanswered after so long. Silence has no signal, so this is the one place that waits for time. */
const staysSilent = async (query: PromiseLike<unknown>, ms = 300): Promise<boolean> => {
  const settled = Promise.resolve(query).then(
    () => false,
    () => false,
  )
  // timed: silence has no signal; a slow machine is silent for longer.
  return Promise.race([settled, new Promise<boolean>((resolve) => setTimeout(() => resolve(true), ms))])
}

beforeAll(async () => {
  database = await createEmptyDatabase()
  direct = postgres(database.url, { max: 2 })
  await direct`create table notes (id serial primary key, note text not null)`
})

afterAll(async () => {
  await direct.end()
  await database.drop()
})

const open = async (options: Parameters<typeof startPostgresProxy>[1] = {}): Promise<void> => {
  proxy = await startPostgresProxy(database.url, options)
}

afterEach(async () => {
  await proxy.close()
  for (const sql of clients.splice(0)) await sql.end({ timeout: 0 })
})

test("bytes pass unchanged, and the SQL and the transaction of each connection are known", async () => {
  await open()
  const sql = client({ connection: { application_name: "reader" } })
  const long = "x".repeat(300_000)
  const inserted = proxy.seen(/insert into notes/)
  await sql.begin(async (tx) => {
    await tx`insert into notes (note) values (${long})`
    const [report] = proxy.connections()
    expect(report).toMatchObject({ application: "reader", transaction: "open" })
    expect(report?.statements.some((text) => text.startsWith("begin"))).toBe(true)
  })
  expect((await inserted).sql).toBe("insert into notes (note) values ($1)")
  expect((await inserted).connection.transaction).toBe("open")
  const [row] = await sql<{ note: string }[]>`select note from notes where length(note) = ${long.length}`
  expect(row?.note).toBe(long)
  expect(proxy.connections()).toMatchObject([{ transaction: "idle", unanswered: 0 }])
  expect(await codeOf(sql`select 1 / ${0}::int`)).toBe("22012")
  expect(proxy.connections()).toMatchObject([{ transaction: "idle", unanswered: 0 }])
})

test("many statements in a pipeline keep their order and their answers", async () => {
  await open()
  const sql = client({ max: 3 })
  const numbers = Array.from({ length: 400 }, (_, n) => n)
  const answers = await Promise.all(numbers.map((n) => sql<{ n: number }[]>`select ${n}::int as n`))
  expect(answers.map(([row]) => row?.n)).toEqual(numbers)
})

test("a statement that is cut before it is forwarded is not done", async () => {
  await open()
  const sql = client()
  await sql`select 1`
  const rule = proxy.onStatement({ match: /insert/, action: { kind: "cutBefore" }, times: 1 })
  expect(await codeOf(sql`insert into notes (note) values ('cut before')`)).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  await rule.reached(1)
  expect(await notesLike("cut before")).toBe(0)
  await sql`insert into notes (note) values ('cut before')`
  expect(await notesLike("cut before")).toBe(1)
})

test("a statement whose reply is cut is done, and the client does not know", async () => {
  await open()
  const sql = client()
  proxy.onStatement({ match: /insert/, action: { kind: "cutReply" }, times: 1 })
  const answered = proxy.answered(/insert/)
  expect(await codeOf(sql`insert into notes (note) values (${"reply cut"})`)).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  await answered
  expect(await notesLike("reply cut")).toBe(1)
})

test("a commit whose reply is cut is a commit, also as a simple query", async () => {
  await open()
  const sql = client()
  proxy.onStatement({ match: /^commit/, action: { kind: "cutReply" }, times: 2 })
  const begun = sql.begin((tx) => tx`insert into notes (note) values ('committed')`)
  expect(await codeOf(begun)).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  const simple = sql.unsafe("begin; insert into notes (note) values ('committed'); commit").simple()
  await simple
  expect(await codeOf(sql.unsafe("commit").simple())).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  expect(await notesLike("committed")).toBe(2)
})

test("a reply that is cut in its middle arrives in part", async () => {
  await open()
  const sql = client()
  proxy.onStatement({ match: /generate_series/, action: { kind: "cutWithinReply" }, times: 1 })
  const seen: Array<number> = []
  const query = sql`select n from generate_series(1, 1000) n`
  // biome-ignore lint/complexity/noForEach: the query is no array; this is how its rows are had one by one.
  const read = query.forEach((row) => {
    seen.push(row["n"])
  })
  expect(await codeOf(read)).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.length).toBeLessThan(1000)
})

test("a dropped statement is never answered, and its transaction stays open on the server", async () => {
  await open()
  const sql = client({ connection: { application_name: "dropped" } })
  const rule = proxy.onStatement({ match: /^commit/, action: { kind: "drop" }, times: 1 })
  const begun = sql.begin((tx) => tx`insert into notes (note) values ('dropped')`)
  await rule.reached(1)
  expect(await staysSilent(begun)).toBe(true)
  const [row] = await direct`select state from pg_stat_activity where application_name = 'dropped'`
  expect(row?.["state"]).toBe("idle in transaction")
  expect(proxy.connections()).toMatchObject([{ transaction: "open" }])
  proxy.reset()
  expect(await codeOf(begun)).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  await eventually(async () => {
    const left = await direct`select 1 from pg_stat_activity where application_name = 'dropped' and state <> 'idle'`
    return left.length === 0
  }, "the end of the dropped session")
  expect(await notesLike("dropped")).toBe(0)
})

test("a statement fails with the error that was asked for, and so does its transaction", async () => {
  await open()
  const sql = client()
  const action = { kind: "fail", code: "53100", message: "could not extend file: No space left" } as const
  proxy.onStatement({ match: /insert/, action, times: 2 })
  const failed = sql`insert into notes (note) values (${"full"})`
  await expect(failed).rejects.toMatchObject({ code: "53100", message: action.message })
  const begun = sql.begin(async (tx) => {
    expect(await codeOf(tx`insert into notes (note) values (${"full"})`)).toBe("53100")
    expect(proxy.connections()).toMatchObject([{ transaction: "failed" }])
    expect(await codeOf(tx`select 1`)).toBe("25P02")
  })
  expect(await codeOf(begun)).toBe("53100")
  expect(await notesLike("full")).toBe(0)
  await sql`insert into notes (note) values (${"full"})`
  expect(await notesLike("full")).toBe(1)
  expect(proxy.counts().actions).toEqual({ fail: 2 })
})

test("a rule skips, counts and draws by chance as it is configured", async () => {
  const dice = [0.9, 0.05, 0.5]
  await open({ random: () => dice.shift() ?? 1 })
  const sql = client()
  const action = { kind: "fail", code: "53100", message: "full" } as const
  const rule = proxy.onStatement({ match: ({ sql: text }) => text.includes("as n"), action, probability: 0.1, skip: 1 })
  const codes: Array<unknown> = []
  for (const n of [1, 2, 3, 4]) codes.push(await codeOf(sql`select ${n}::int as n`))
  expect(codes).toEqual(["answered", "answered", "53100", "answered"])
  expect(rule.acted()).toBe(1)
  rule.remove()
  expect(await codeOf(sql`select 5 as n`)).toBe("answered")
})

test("delayed replies come late and in order", async () => {
  await open()
  const sql = client()
  await sql`select 1`
  proxy.delayReplies(150)
  const before = performance.now()
  const order: Array<number> = []
  await Promise.all([1, 2, 3].map((n) => sql`select ${n}::int`.then(() => order.push(n))))
  // timed: a slow machine is later still.
  expect(performance.now() - before).toBeGreaterThan(140)
  expect(order).toEqual([1, 2, 3])
})

test("silence on the open connections leaves new ones alone, and ends without a loss", async () => {
  await open()
  const old = client()
  await old`select 1`
  proxy.silence("open")
  const stuck = old`insert into notes (note) values ('stuck')`.execute()
  expect(await staysSilent(stuck)).toBe(true)
  const fresh = client()
  expect(await codeOf(fresh`select 1`)).toBe("answered")
  expect(proxy.connections().map(({ silent }) => silent)).toEqual([true, false])
  proxy.heal()
  expect(await codeOf(stuck)).toBe("answered")
  expect(await notesLike("stuck")).toBe(1)
})

test("total silence takes new connections too, which the kernel accepts", async () => {
  await open()
  const old = client()
  await old`select 1`
  proxy.silence("all")
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1")
  await once(socket, "connect")
  const fresh = client()`select 1`.execute()
  expect(await staysSilent(Promise.race([fresh, old`select 1`.execute(), once(socket, "close")]))).toBe(true)
  proxy.heal()
  expect(await codeOf(fresh)).toBe("answered")
  socket.destroy()
})

test("a half-close towards the client ends its connection; towards the server it ends the session", async () => {
  await open()
  const sql = client({ connection: { application_name: "half" } })
  const sessionOf = async () => {
    const [row] = await sql`select pg_backend_pid() as pid`
    return row?.["pid"] as number
  }
  const first = await sessionOf()
  expect(proxy.halfClose("client")).toBe(1)
  await eventually(() => proxy.connections().length === 0, "the end of the connection")
  const second = await sessionOf()
  expect(second).not.toBe(first)
  expect(proxy.halfClose("server", ({ application }) => application === "half")).toBe(1)
  await eventually(() => proxy.connections().length === 0, "the end of the connection")
  expect(await sessionOf()).not.toBe(second)
  expect(proxy.counts()).toMatchObject({ connections: 3, halfCloses: 2 })
})

test("a reset is a reset, and a target that is gone is one too", async () => {
  await open()
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1")
  await once(socket, "connect")
  await eventually(() => proxy.connections().length === 1, "the connection")
  const failed = once(socket, "error")
  expect(proxy.reset()).toBe(1)
  expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" })
  proxy.retarget("postgres://127.0.0.1:1/nowhere")
  expect(await codeOf(client()`select 1`)).toMatch(/CONNECTION_CLOSED|ECONNRESET/)
  proxy.retarget(database.url)
  expect(await codeOf(client()`select 1`)).toBe("answered")
})

test("TLS is refused without a key, and ends at the proxy with one", async () => {
  await open()
  expect(await codeOf(client({ ssl: "prefer" })`select 1`)).toBe("answered")
  await proxy.close()
  await open({ tls: TEST_CERTIFICATE })
  const secured = client({ ssl: { rejectUnauthorized: false } })
  const [row] = await secured<{ n: number }[]>`select ${7}::int as n`
  expect(row?.n).toBe(7)
  proxy.silence("open")
  const stuck = secured`select 1`.execute()
  expect(await staysSilent(stuck)).toBe(true)
  proxy.heal()
  expect(await codeOf(stuck)).toBe("answered")
  expect(proxy.reset()).toBe(1)
  await eventually(async () => (await codeOf(secured`select 1`)) === "answered", "a new connection")
})
