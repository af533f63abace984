/** A broadcast whose database or process goes away in the middle. */
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest"
import { type RunningServer, startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { Client } from "../gateway/client.ts"
import { fixture, samplesOf } from "../media/broadcast/support.ts"
import { createPerson, createWorkspace, gatewayToken, type Json } from "../support/api.ts"
import { apiOf, bytesAt, recordingOf, startBroadcast } from "../support/broadcasts.ts"
import { createTestDatabase } from "../support/database.ts"
import { push, pushStream } from "../support/encoder.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { eventually } from "../support/wait.ts"

const STREAM = fixture("ffmpeg-stream.mp4")

const FILES = ["init.mp4", "index0.m4s", "index1.m4s", "index2.m4s"]

interface Place {
  readonly proxy: PostgresProxy
  readonly rows: Rows
  readonly start: (changed?: Readonly<Record<string, string>>) => Promise<RunningServer>
}

const openPlace = async (whenOver: (end: () => Promise<void>) => unknown = onTestFinished): Promise<Place> => {
  const database = await createTestDatabase()
  whenOver(() => database.drop())
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  whenOver(() => rm(folder, { recursive: true, force: true }))
  const proxy = await startPostgresProxy(database.url)
  whenOver(() => proxy.close())
  const rows = rowsOf(database.url)
  whenOver(rows.end)
  const start = (changed: Readonly<Record<string, string>> = {}) =>
    startServer(
      loadConfig({
        PORT: "0",
        DATABASE_URL: proxy.url,
        DATA_DIR: folder,
        SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
        LOG_LEVEL: "silent",
        ...changed,
      }),
      () => {},
    )
  return { proxy, rows, start }
}

/** Of all tests that neither stop their server nor give it settings. */
let place: Place
let server: RunningServer
const ends: Array<() => Promise<void>> = []
beforeAll(async () => {
  place = await openPlace((end) => void ends.unshift(end))
  server = await place.start()
  ends.unshift(() => server.stop())
})
afterAll(async () => {
  for (const end of ends) await end()
})
// Rules of a test act on no other one.
afterEach(() => place.proxy.heal())

/** Every byte of the file has a row, and every row its bytes. */
const expectSound = async ({ rows }: Place, recording: Json): Promise<Uint8Array> => {
  const file = await bytesAt(recording.downloadUrl)
  expect(file.byteLength).toBe(recording.sizeBytes)
  const segments = await rows.run(
    "select number, file_offset::int as at, bytes from recording_segments where recording_id = $1 order by number",
    [recording.id],
  )
  expect(segments.map(({ number }) => number)).toEqual(segments.map((_, index) => index))
  for (const { at, bytes } of segments) {
    expect(Buffer.from(file.subarray(at + 4, at + 8)).toString()).toBe("moof")
    expect(at + bytes).toBeLessThanOrEqual(file.byteLength)
  }
  return file
}

const hostOf = async (base: string, key: string, eventId: string): Promise<Client> => {
  const { session } = await createPerson(base, key, eventId, "host")
  const { token, url } = await gatewayToken(base, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

const LOST = [/insert into recordings /, /insert into recording_takes/, /insert into recording_segments/]

const WAYS = [
  { kind: "cutBefore" },
  { kind: "cutReply" },
  { kind: "fail", code: "53100", message: "disk full" },
] as const

test.each(WAYS)(
  "an encoder's stream goes on when the database loses each of its statements by $kind, and all of it is recorded once",
  async (action) => {
    const { key } = await createWorkspace(server.url)
    const onAir = await startBroadcast(server.url, key)
    const rules = LOST.map((match) => place.proxy.onStatement({ match, action, times: 1 }))
    expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
    for (const rule of rules) await rule.reached(1)
    expect((await onAir.state()).ingest).toMatchObject({ takes: 1, failure: null })
    await onAir.control("stop")
    const file = await expectSound(place, await recordingOf(server.url, key, onAir.eventId))
    expect(samplesOf(file, "video")).toBe(samplesOf(STREAM, "video"))
  },
)

/** How links stand is read at an encoder's admission, and by the looks at links. */
const LINKS_STAND = /a\.everything/

test("a piece whose address ends while it comes is refused, however late the look at addresses is answered", async () => {
  const { key } = await createWorkspace(server.url)
  const onAir = await startBroadcast(server.url, key)
  const piece = pushStream(`${onAir.streamUrl}?seq=0`)
  const admitted = place.proxy.answered(LINKS_STAND)
  await piece.write(STREAM.subarray(0, 20_000))
  await admitted
  let release: () => void = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const looks = place.proxy.onStatement({ match: LINKS_STAND, action: { kind: "hold", until } })
  expect((await onAir.newIngest()).status).toBe(201)
  // The look that would cut the encoder.
  await looks.reached(1)
  await piece.write(STREAM.subarray(20_000))
  const answer = piece.end()
  await Promise.race([answer, looks.reached(2)])
  release()
  expect((await answer).status).toBe(401)
  expect((await onAir.state()).ingest).toMatchObject({ takes: 0 })
})

test("a piece whose address ended at another node, which this one did not hear of, is refused", async () => {
  const place = await openPlace()
  const server = await place.start()
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const onAir = await startBroadcast(server.url, key)
  expect(await push(`${onAir.streamUrl}?seq=0`, STREAM.subarray(0, 20_000))).toMatchObject({ status: 204 })
  const piece = pushStream(`${onAir.streamUrl}?seq=1`)
  const admitted = place.proxy.answered(LINKS_STAND)
  await piece.write(STREAM.subarray(20_000, 21_000))
  await admitted
  let release: () => void = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const looks = place.proxy.onStatement({ match: LINKS_STAND, action: { kind: "hold", until } })
  await place.rows.run("update bearer_links set ended_at = now() where kind = 'ingest'")
  // Looks come every four seconds: the one that counted is over a second old.
  await looks.reached(2)
  await piece.write(STREAM.subarray(21_000))
  const answer = piece.end()
  // A piece that is taken without a look is answered before this.
  await onAir.state()
  await onAir.state()
  release()
  expect((await answer).status).toBe(401)
})

/** An encoder's address is read at the head of each of its requests. */
const ADMISSION = /from broadcast_ingests i join/

/** Sends a whole file and closes the connection behind it without an answer, as ffmpeg does. */
const putAndClose = async (url: string, body: Uint8Array): Promise<void> => {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(
    Buffer.concat([
      Buffer.from(`PUT ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${body.byteLength}\r\n\r\n`),
      body,
    ]),
  )
  await once(socket, "finish")
  onTestFinished(() => void socket.destroy())
}

test("a file is taken in its turn though its encoder is gone and the database answers the next one first", async () => {
  const { key } = await createWorkspace(server.url)
  const onAir = await startBroadcast(server.url, key)
  const put = async (name: string): Promise<number> =>
    (await fetch(onAir.url + name, { method: "PUT", body: fixture(`ffmpeg-files/${name}`) })).status
  expect([await put("init.mp4"), await put("index0.m4s")]).toEqual([204, 204])
  let release: () => void = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const held = place.proxy.onStatement({ match: ADMISSION, action: { kind: "hold", until }, times: 1 })
  await putAndClose(`${onAir.url}index1.m4s`, fixture("ffmpeg-files/index1.m4s"))
  await held.reached(1)
  const passed = place.proxy.answered(ADMISSION)
  const next = put("index2.m4s")
  await passed
  // A file that does not wait for its turn is answered before these.
  await onAir.state()
  await onAir.state()
  release()
  expect(await next).toBe(204)
  expect((await onAir.state()).ingest).toMatchObject({ takes: 1, failure: null })
  await onAir.control("stop")
  const recording = await expectSound(place, await recordingOf(server.url, key, onAir.eventId))
  const places = FILES.slice(1).map((name) =>
    Buffer.from(recording).indexOf(fixture(`ffmpeg-files/${name}`).slice(-500)),
  )
  expect(places.every((at) => at > 0)).toBe(true)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test("encoders of all forms outlast a standstill of the database, and staff are told", async () => {
  const place = await openPlace()
  const server = await place.start({ DATABASE_DEADLINE_MS: "3000" })
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const streamed = await startBroadcast(server.url, key)
  const filed = await startBroadcast(server.url, key)
  const stream = pushStream(streamed.streamUrl)
  await stream.write(STREAM.subarray(0, 40_000))
  const put = async (name: string): Promise<number> =>
    (await fetch(filed.url + name, { method: "PUT", body: fixture(`ffmpeg-files/${name}`) })).status
  expect([await put("init.mp4"), await put("index0.m4s")]).toEqual([204, 204])
  await eventually(async () => (await streamed.state()).ingest.durationMs > 0, "the first segment")
  const staff = await hostOf(server.url, key, filed.eventId)
  place.proxy.silence("all")
  await stream.write(STREAM.subarray(40_000))
  const file = put("index1.m4s")
  const isToldWhy = () =>
    staff.received.some(({ t, d }) => t === "broadcast.stream" && d.failure?.code === "not_stored")
  await eventually(isToldWhy, "the reason")
  place.proxy.heal()
  expect(await file).toBe(204)
  expect((await stream.end()).status).toBe(204)
  expect(await put("index2.m4s")).toBe(204)
  const sent = Buffer.concat(FILES.map((name) => fixture(`ffmpeg-files/${name}`)))
  const frames = [STREAM, new Uint8Array(sent)].map((bytes) => samplesOf(bytes, "video"))
  for (const [index, onAir] of [streamed, filed].entries()) {
    expect((await onAir.state()).ingest).toMatchObject({ takes: 1, failure: null })
    await onAir.control("stop")
    const recording = await expectSound(place, await recordingOf(server.url, key, onAir.eventId))
    expect(samplesOf(recording, "video")).toBe(frames[index])
  }
})

test("a stream that is open when the server stops is recorded to its last whole fragment", async () => {
  const place = await openPlace()
  const first = await place.start()
  const { key } = await createWorkspace(first.url)
  const onAir = await startBroadcast(first.url, key)
  const stream = pushStream(onAir.streamUrl)
  await stream.write(STREAM)
  await eventually(async () => (await onAir.state()).ingest.durationMs > 0, "the first segment")
  await first.stop()
  await stream.answer.catch(() => {})
  const second = await place.start()
  onTestFinished(() => second.stop())
  await apiOf(second.url, key)("POST", `/v1/phases/${onAir.phaseId}/broadcast/stop`)
  const file = await expectSound(place, await recordingOf(second.url, key, onAir.eventId))
  expect(samplesOf(file, "video")).toBe(samplesOf(STREAM, "video"))
})
