/** Live events come back into memory by themselves after a start, also when the database is away at that moment. */
import { expect, onTestFinished, test } from "vitest"
import { type RunningServer, startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { Client, type Frame } from "../gateway/client.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../support/api.ts"
import { createTestDatabase } from "../support/database.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { rowsOf } from "../support/rows.ts"
import { eventually } from "../support/wait.ts"

const enter = async (
  server: RunningServer,
  eventId: string,
  session: string,
): Promise<{ readonly client: Client; readonly ready: Frame }> => {
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  return { client, ready: await client.identify(token) }
}

const startOn = (databaseUrl: string): Promise<RunningServer> =>
  startServer(
    loadConfig({
      PORT: "0",
      DATABASE_URL: databaseUrl,
      SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
      LOG_LEVEL: "silent",
    }),
    () => {},
  )

const AWAY = { kind: "fail", code: "57P03", message: "the database system is starting up" } as const

test("a role that a host gave no longer counts when the event's list differs after a restart", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const rows = rowsOf(database.url)
  onTestFinished(() => rows.end())
  const start = () => startOn(database.url)
  const first = await start()
  const { key } = await createWorkspace(first.url)
  const { id } = await createLiveEvent(first.url, key, { phases: [{ modality: "broadcast" }] })
  const people = [await createPerson(first.url, key, id, "host"), await createPerson(first.url, key, id, "viewer")]
  const [host, guest] = await Promise.all(people.map(({ session }) => enter(first, id, session)))
  const given = await host?.client.command("role.set", { id: people[1]?.userId, role: "host" })
  expect(given).toMatchObject({ ok: true })
  for (const one of [host, guest]) await one?.client.cut()
  await first.stop()
  // The workspace changes the list, and the server dies before the event is notified.
  await rows.run("update memberships set role = 'viewer' where user_id = $1", [people[1]?.userId ?? ""])

  const second = await start()
  onTestFinished(() => second.stop())
  const again = await enter(second, id, people[1]?.session ?? "")
  expect(again.ready.d.me.role).toBe("viewer")
  await again.client.cut()
})

test("a timer that nobody watches fires after a start at which neither the list of live events nor an event can be read for a while", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const rows = rowsOf(database.url)
  onTestFinished(() => rows.end())
  const start = () => startOn(proxy.url)
  const first = await start()
  const { key } = await createWorkspace(first.url)
  const config = { durationSeconds: 10, onTimerEnd: "advance" }
  const { id } = await createLiveEvent(first.url, key, {
    phases: [{ modality: "broadcast", config }, { modality: "broadcast" }],
  })
  await first.stop()
  await rows.run("update phases set timer_ends_at = now() where event_id = $1 and status = 'active'", [id])

  const away = [/from events where status = 'live'/, /insert into live_events/].map((match) =>
    proxy.onStatement({ match, action: AWAY, times: 3 }),
  )
  const second = await start()
  onTestFinished(() => second.stop())
  for (const rule of away) await rule.reached(3)
  const active = async () =>
    (await rows.run("select position from phases where event_id = $1 and status = 'active'", [id]))[0]?.["position"]
  await eventually(async () => (await active()) === 1, "the second phase")
  expect(await active()).toBe(1)
})
