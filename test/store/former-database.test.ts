/** A database that a build of before the baseline made, with its events, people and secrets, and a live event: this build carries on with it. */
import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { verifySignature } from "../../src/webhooks/signature.ts"
import { Client, type Frame } from "../gateway/client.ts"
import { call, createEvent, gatewayToken, type Json } from "../support/api.ts"
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../support/database.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { runScript } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

/** Puts the dump's moment at now: what it holds would otherwise be as old as the dump, and sweeps would remove it. */
const SHIFT = (madeAt: string) => `
  set session_replication_role = replica;
  do $$ declare of_table record; begin
    for of_table in
      select table_name as name, string_agg(format('%1$I = %1$I + (now() - %2$L::timestamptz)', column_name, '${madeAt}'), ', ') as moved
        from information_schema.columns where table_schema = 'public' and data_type = 'timestamp with time zone' group by 1
    loop execute format('update public.%I set %s', of_table.name, of_table.moved); end loop;
  end $$`

let dumped: Readonly<
  Record<"madeAt" | "email" | "password" | "key" | "webhookSecret" | "past" | "coming" | "live", string>
>
let database: TestDatabase
let rows: Rows
let server: TestServer
/** Everything of the dump is older. */
let beganAt: string
beforeAll(async () => {
  const dump = await readFile(new URL("./dumps/schema-37.sql", import.meta.url), "utf8")
  dumped = JSON.parse(/^-- (\{.*\})$/m.exec(dump)?.[1] ?? "")
  database = await createEmptyDatabase()
  await runScript(database.url, dump)
  await runScript(database.url, SHIFT(dumped.madeAt))
  rows = rowsOf(database.url)
  beganAt = new Date().toISOString()
  server = await startTestServer({ DATABASE_URL: database.url })
})
afterAll(async () => {
  await server.stop()
  await rows.end()
  await database.drop()
})

const api = async (method: string, path: string, body?: object): Promise<Json> => {
  const answer = await call(server.url, method, path, { key: dumped.key, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const listed = async (path: string): Promise<ReadonlyArray<Json>> => {
  const body = await api("GET", path)
  return Object.values(body).find(Array.isArray) as ReadonlyArray<Json>
}

/** Everything that defines the tables and what belongs to them; columns by their order, and the rest by name. */
const SCHEMA = `
  select format('%s column %s: %s', c.relname, row_number() over (partition by c.oid order by a.attnum),
           concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
             pg_get_expr(d.adbin, d.adrelid), 'identity ' || nullif(a.attidentity::text, ''), 'generated ' || nullif(a.attgenerated::text, ''),
             a.attstorage, col_description(c.oid, a.attnum))) as it
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on (d.adrelid, d.adnum) = (c.oid, a.attnum)
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  union all
  select concat_ws(' ', relkind, relname, relpersistence, array_to_string(reloptions, ','), obj_description(oid, 'pg_class'))
    from pg_class where relnamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
   where connamespace = 'public'::regnamespace
  union all select indexdef from pg_indexes where schemaname = 'public'
  union all
  select concat_ws(' ', sequencename, data_type, start_value, min_value, max_value, increment_by, cache_size) from pg_sequences
  union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
   order by 1`

test("its schema is then that of a new database", async () => {
  const made = await createTestDatabase()
  onTestFinished(() => made.drop())
  const fresh = rowsOf(made.url)
  onTestFinished(fresh.end)
  const schema = (await rows.run(SCHEMA)).map(({ it }) => it)
  expect(schema.length).toBeGreaterThan(900)
  expect(schema).toEqual((await fresh.run(SCHEMA)).map(({ it }) => it))
  const versions = "select version from schema_migrations order by version"
  expect(await rows.run(versions)).toEqual(await fresh.run(versions))
})

test("its account signs in, and sees its workspaces", async () => {
  const { email, password } = dumped
  const { status, body } = await call(server.url, "POST", "/v1/accounts/login", { body: { email, password } })
  expect([status, body.account.email]).toEqual([200, email])
  expect(body.workspaces.map(({ name }: Json) => name).toSorted()).toEqual(["Acme", "Ada's workspace"])
})

test("its events, their phases and people are read", async () => {
  const events = await listed("/v1/events")
  // Other tests of this file add events.
  const former = events.filter(({ createdAt }) => createdAt < beganAt)
  expect(former.map(({ title, status }) => `${title} ${status}`).toSorted()).toEqual([
    "Coming scheduled",
    "Live live",
    "Past ended",
  ])
  const { phases } = await api("GET", `/v1/events/${dumped.past}`)
  expect(phases.map(({ modality, status }: Json) => `${modality} ${status}`)).toEqual(
    ["broadcast", "meeting", "breakout", "rotation"].map((modality) => `${modality} ended`),
  )
  const people = await listed(`/v1/events/${dumped.past}/memberships`)
  expect(people.map(({ role }) => role).toSorted()).toEqual(["host", "participant", "participant"])
  const attended = await listed(`/v1/events/${dumped.past}/attendance`)
  expect(attended.map(({ name }) => name).toSorted()).toEqual(["Ann", "Bob", "Hana"])
})

test("what was said, asked, chosen and recorded at the event that has ended is read", async () => {
  const of = (what: string) => listed(`/v1/events/${dumped.past}/${what}`)
  expect((await of("chat")).map(({ text }) => text).toSorted()).toEqual(["All are here", "Good evening", "Here in red"])
  expect(await of("questions")).toMatchObject([{ text: "When do we begin?", status: "answered", answer: "Now." }])
  expect(await of("polls")).toMatchObject([{ question: "Tea?" }])
  expect(await of("rounds")).toHaveLength(1)
  expect(await of("recordings")).toMatchObject([{ title: "The evening", status: "ready", durationMs: 1000 }])
  const { segments } = await api("GET", `/v1/events/${dumped.past}/transcript`)
  expect(segments).toMatchObject([{ speaker: "Ann", text: "Hello there" }])
})

test("its registration counts towards the capacity of the event, and more people register", async () => {
  const { coming } = dumped
  const body = { name: "Ria", email: "ria@example.com" }
  expect((await call(server.url, "POST", `/v1/public/events/${coming}/register`, { body })).status).toBeLessThan(300)
  const names = (await listed(`/v1/events/${coming}/registrations`)).map(({ name }) => name)
  expect(names.toSorted()).toEqual(["Ria", "Rita"])
  expect(await api("GET", `/v1/events/${coming}`)).toMatchObject({ capacity: 10 })
  expect(await rows.run("select registered from events where id = $1", [coming])).toEqual([{ registered: 2 }])
})

test("its webhook endpoint goes on, with the secret that it was given then", async () => {
  const receiver = await startReceiver()
  const [endpoint] = await listed("/v1/webhooks")
  const past = await listed(`/v1/webhooks/${endpoint.id}/deliveries`)
  expect(past.filter(({ status }) => status === "delivered")).toHaveLength(17)
  await api("PATCH", `/v1/webhooks/${endpoint.id}`, { url: receiver.url })
  const { id } = await createEvent(server.url, dumped.key)
  await api("POST", `/v1/events/${id}/publish`)
  await api("POST", `/v1/events/${id}/start`)
  await eventually(() => receiver.received.some(({ body }) => JSON.parse(body).eventId === id), "the webhook event")
  const [request] = receiver.received
  const signature = String(request?.headers["x-gc-signature"])
  expect(verifySignature(signature, request?.body ?? "", dumped.webhookSecret, Date.now() / 1000)).toBe(true)
})

/** A participant of the live event, with a session of this build. */
const enter = async (name: string): Promise<{ readonly client: Client; readonly ready: Frame }> => {
  const people = await listed(`/v1/events/${dumped.live}/memberships`)
  const userId = people.find((one) => one.name === name || one.user?.name === name)?.userId
  const { sessionToken } = await api("POST", `/v1/users/${userId}/session`)
  const { token, url } = await gatewayToken(server.url, dumped.live, sessionToken)
  const client = new Client(url)
  onTestFinished(() => client.socket.terminate())
  return { client, ready: await client.identify(token) }
}

test("its live event carries on: people come back to their rooms and to what was said, and the host goes to the next phase", async () => {
  const { client: host } = await enter("Hana")
  const { client: ada, ready } = await enter("Ada")
  expect(ready.d).toMatchObject({
    epoch: expect.stringMatching(/^01a2255b-/),
    phase: { modality: "breakout" },
    assignment: { name: "Red" },
    roomChat: [{ text: "Here in red" }],
    mine: { questions: [{ text: "When do we begin?" }] },
    polls: [{ question: "Tea?", status: "open", counts: [1, 0] }],
  })
  // Sent again, it is the message of then, also where it may not be sent any more.
  const again = await ada.command("chat.send", { to: "event", text: "Good evening" }, { id: "c0" })
  expect(again).toMatchObject({ ok: true, dup: true, d: { message: { id: ready.d.chat.last[0].id } } })
  expect(await ada.command("chat.send", { to: "room", text: "Still here" }, { id: "now-1" })).toMatchObject({
    ok: true,
  })
  expect(await host.command("phase.next", {}, { id: "now-1" })).toMatchObject({ ok: true })
  const { d } = await ada.dispatch("phase.started")
  expect(d.phase).toMatchObject({ modality: "meeting", status: "active" })
  expect(d.phase.id).not.toBe(ready.d.phase.id)
  expect((await api("GET", `/v1/events/${dumped.live}`)).activePhaseId).toBe(d.phase.id)
})
