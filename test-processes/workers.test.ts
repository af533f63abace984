/** Several workers on one port, as an operator runs them: everybody hears everybody, and workers come and go. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { errors } from "undici"
import { expect, test } from "vitest"
import { GatewayClient } from "../packages/client/src/gateway-client.ts"
import { Client } from "../test/gateway/client.ts"
import { joinCall } from "../test/gateway/rtc/call.ts"
import { StreamClient } from "../test/gateway/stream-client.ts"
import { fixture, samplesOf } from "../test/media/broadcast/support.ts"
import { call, createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../test/support/api.ts"
import { bytesAt, filesIn, recordingOf, startBroadcast, textAt } from "../test/support/broadcasts.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { untilSpread } from "../test/support/nodes.ts"
import { refusedStart, startServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"

const WORKERS = 2
const VIEWERS = 8
const WORDS = 40
const PACE_MS = 40

/** The pids of the workers, by the sessions that hold the locks of their rows. */
const workersOf = async (sql: postgres.Sql): Promise<ReadonlyArray<number>> => {
  const rows = await sql<{ node: string }[]>`
    select node from cluster_nodes n join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.objid = n.id::oid
     where l.database = (select oid from pg_database where datname = current_database()) and l.classid = 716092845`
  return rows.map(({ node }) => Number(node.split(":").at(-2)))
}

interface Place {
  readonly url: string
  readonly databaseUrl: string
  readonly sql: postgres.Sql
  readonly server: Awaited<ReturnType<typeof startServerProcess>>
  readonly clients: GatewayClient[]
}

const openPlace = async (use: (place: Place) => Promise<void>): Promise<void> => {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  const sql = postgres(database.url, { max: 2 })
  const server = await startServerProcess({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PORT: String(await freePort()),
    SECRET_KEY: "secret-key-of-the-workers-test-0123456789",
    WORKERS: String(WORKERS),
  })
  const clients: GatewayClient[] = []
  await use({ url: server.url, databaseUrl: database.url, sql, server, clients })
  for (const client of clients) client.close()
  await server.end("SIGKILL")
  await eventually(async () => (await workersOf(sql)).length === 0, "the workers to stop without their supervisor")
  await sql.end()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
}

const workersTest = test.extend<{ readonly place: Place }>({
  // One for all tests that neither kill nor stop workers.
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs from its pattern.
  place: [({}, use) => openPlace(use), { scope: "file" }],
})

const openEvent = async ({ url, clients }: Place) => {
  const { key } = await createWorkspace(url)
  const event = await createLiveEvent(url, key, { phases: [{ modality: "broadcast" }] })
  const host = await createPerson(url, key, event.id, "host")
  const watch = async (session?: string) => {
    const heard: string[] = []
    const client = new GatewayClient({
      token: () => gatewayToken(url, event.id, session),
      backoff: { firstMs: 100, longestMs: 1000 },
    })
    client.on("announcement", ({ text }) => heard.push(text))
    clients.push(client)
    await client.connect()
    return { client, heard }
  }
  const driver = await watch(host.session)
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => watch()))
  return { key, event, driver, viewers }
}

test("people hear each other whichever worker they are on, while workers are killed and started anew; they stop in order", () =>
  openPlace(async (place) => {
    const { url, sql, server } = place
    await expect.poll(() => workersOf(sql)).toHaveLength(WORKERS)
    const before = await workersOf(sql)
    const { key, event, driver, viewers } = await openEvent(place)
    const said: string[] = []
    const announce = async (text: string): Promise<void> => {
      await driver.client.command("announce", { text })
      said.push(text)
    }
    const everybodyHeard = () =>
      eventually(() => viewers.every(({ heard }) => heard.length >= said.length), "every viewer hearing everything")
    for (let n = 0; n < WORDS; n++) await announce(`before ${n}`)
    await everybodyHeard()

    // The owner of the event, without a word.
    const [owner] = await sql<{ node: string }[]>`select node from live_events where event_id = ${event.id}`
    const victim = Number(owner?.node.split(":").at(-2))
    expect(before).toContain(victim)
    const saying = Promise.all(Array.from({ length: WORDS }, (_, n) => announce(`killed ${n}`)))
    process.kill(victim, "SIGKILL")
    await saying
    await everybodyHeard()
    await eventually(async () => {
      const now = await workersOf(sql)
      return now.length === WORKERS && !now.includes(victim)
    }, "the supervisor to start the worker again")

    // A release in place: each worker is replaced while the others serve.
    const old = await workersOf(sql)
    server.child.kill("SIGHUP")
    let n = 0
    const isRolled = async (): Promise<boolean> => {
      // timed: the commands of one person are limited.
      await new Promise((resolve) => setTimeout(resolve, PACE_MS))
      await announce(`rolled ${n++}`)
      // A connection may end with its worker; a request that nobody answers may not be.
      const read = await call(url, "GET", `/v1/events/${event.id}`, { key }).catch(({ cause }: Error) => {
        if (cause instanceof errors.HeadersTimeoutError) throw cause
      })
      if (read !== undefined) expect(read.status).toBe(200)
      const now = await workersOf(sql)
      return now.length === WORKERS && now.every((pid) => !old.includes(pid))
    }
    await eventually(isRolled, "each worker to be replaced")
    await announce("the last word")
    await everybodyHeard()

    for (const { heard } of viewers) expect(heard).toEqual(viewers[0]?.heard)
    expect(viewers[0]?.heard.toSorted()).toEqual(said.toSorted())
    const left = await sql`select 1 from outbox_messages where event_id = ${event.id} and type = 'participant.left'`
    expect(left).toHaveLength(0)
    expect(await server.end("SIGTERM")).toBe(0)
    expect(await workersOf(sql)).toEqual([])
    await expect(fetch(url)).rejects.toThrow()
  }))

workersTest("people of one call signal to each other, whichever worker they are on", async ({ place: { url } }) => {
  const { key } = await createWorkspace(url)
  const event = await createLiveEvent(url, key, { phases: [{ modality: "meeting" }] })
  // So many that they are on both workers, all but surely.
  const names = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay"]
  const callers = await Promise.all(
    names.map(async (name) => {
      const { session } = await createPerson(url, key, event.id, "participant", name)
      const { token, url: address } = await gatewayToken(url, event.id, session)
      const client = new Client(address)
      await client.identify(token)
      return { client, id: (await joinCall(client, event.phases[0].id)).d.connectionId as string }
    }),
  )
  for (const from of callers) {
    for (const to of callers) {
      if (from === to) continue
      const signal = { to: to.id, kind: "offer", data: `${from.id} to ${to.id}`, gen: 0 }
      expect(await from.client.command("rtc.signal", signal)).toMatchObject({ ok: true })
      expect((await to.client.dispatch("rtc.signal")).d).toMatchObject({ from: from.id, data: signal.data })
    }
  }
  for (const { client } of callers) client.socket.terminate()
})

workersTest("frames of a stream come to any worker, and reach the stream", async ({ place: { url } }) => {
  const { key } = await createWorkspace(url)
  const event = await createLiveEvent(url, key, { phases: [{ modality: "meeting" }] })
  const { session } = await createPerson(url, key, event.id, "participant", "Ann")
  const { token, url: address } = await gatewayToken(url, event.id, session)
  const client = new StreamClient(address, { token })
  await client.dispatch("ready")
  // Each request has a connection of its own, so that both workers get some, all but surely.
  for (let t0 = 1; t0 <= 24; t0++) {
    client.send({ op: 1, d: { t0 } })
    expect((await client.next(({ op }) => op === 11, "the heartbeat's answer")).d.t0).toBe(t0)
  }
  expect(await client.command("hand.raise")).toMatchObject({ ok: true })
  const wrong = `${client.stream.session.slice(0, -1)}-`
  for (let n = 0; n < 8; n++) expect((await client.stream.post('{"op":1,"d":{"t0":0}}', wrong)).status).toBe(401)
  await client.cut()
  await eventually(async () => (await client.stream.post('{"op":1,"d":{"t0":0}}')).status === 401, "the session to end")
})

workersTest("a port that another server has is not shared with it", async ({ place }) => {
  const port = new URL(place.url).port
  const refused = await refusedStart({ PORT: port, WORKERS: "2", DATABASE_URL: "postgres://127.0.0.1:1/nothing" })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 cannot be listened on .*\\n$`))
})

workersTest("an encoder's requests come to any worker, and are one broadcast", async ({ place }) => {
  const { url, databaseUrl } = place
  // A broadcast whose event moves goes on in another file.
  await untilSpread(databaseUrl, WORKERS)
  const { key } = await createWorkspace(url)
  const onAir = await startBroadcast(url, key)
  // A connection each, so that the system spreads them.
  const put = async (name: string): Promise<number> => {
    const headers = { connection: "close" }
    return (
      await fetch(onAir.url + name, { method: "PUT", headers, body: Buffer.from(fixture(`ffmpeg-files/${name}`)) })
    ).status
  }
  const names = ["init.mp4", "index0.m4s", "index1.m4s", "index2.m4s"]
  for (const name of [...names, ...names, ...names]) expect(await put(name), name).toBe(204)
  const files = filesIn(await textAt(onAir.playbackUrl))
  expect(files.length).toBe(9)
  for (const file of files) {
    const same = await Promise.all(
      Array.from({ length: 6 }, () => bytesAt(onAir.playbackUrl.replace("index.m3u8", file), { connection: "close" })),
    )
    expect(new Set(same.map((bytes) => Buffer.from(bytes).toString("base64"))).size, file).toBe(1)
  }
  const stopped = await call(url, "POST", `/v1/phases/${onAir.phaseId}/broadcast/stop`, { key })
  expect(stopped.status).toBe(200)
  const recording = await recordingOf(url, key, onAir.eventId)
  const sent = Buffer.concat(names.map((name) => fixture(`ffmpeg-files/${name}`)))
  expect(samplesOf(await bytesAt(recording.downloadUrl), "video")).toBe(3 * samplesOf(sent, "video"))
})
