/** A broadcast whose database or process goes away in the middle. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { loadConfig } from "../../src/config/config.ts"
import { type RunningServer, startServer } from "../../src/server.ts"
import { fixture, samplesOf } from "../media/broadcast/support.ts"
import { createWorkspace, type Json } from "../support/api.ts"
import { apiOf, bytesAt, type OnAir, recordingOf, startBroadcast } from "../support/broadcasts.ts"
import { createTestDatabase } from "../support/database.ts"
import { push, pushStream } from "../support/encoder.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { type Rows, rowsOf } from "../support/rows.ts"
import { eventually } from "../support/wait.ts"

const STREAM = fixture("ffmpeg-stream.mp4")

interface Place {
  readonly proxy: PostgresProxy
  readonly rows: Rows
  readonly start: () => Promise<RunningServer>
}

const openPlace = async (): Promise<Place> => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const proxy = await startPostgresProxy(database.url)
  onTestFinished(() => proxy.close())
  const rows = rowsOf(database.url)
  onTestFinished(rows.end)
  const start = () =>
    startServer(
      loadConfig({
        PORT: "0",
        DATABASE_URL: proxy.url,
        DATA_DIR: folder,
        SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
        LOG_LEVEL: "silent",
      }),
      () => {},
    )
  return { proxy, rows, start }
}

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

const pushUntilTaken = async (onAir: OnAir): Promise<void> => {
  await eventually(async () => {
    const answer = await push(onAir.streamUrl, STREAM).catch(() => ({ status: 0 }))
    return answer.status === 204
  }, "the encoder to be taken")
}

const LOST = [
  ["insert into recordings", /insert into recordings /],
  ["insert into recording_takes", /insert into recording_takes/],
  ["insert into recording_segments", /insert into recording_segments/],
] as const

const WAYS = [
  { kind: "cutBefore" },
  { kind: "cutReply" },
  { kind: "fail", code: "53100", message: "disk full" },
] as const

test.each(LOST.flatMap(([name, match]) => WAYS.map((action) => ({ name, match, action, way: action.kind }))))(
  "the encoder comes back after the database lost `$name` by $way, and the recording is sound",
  async ({ match, action }) => {
    const place = await openPlace()
    const server = await place.start()
    onTestFinished(() => server.stop())
    const { key } = await createWorkspace(server.url)
    const onAir = await startBroadcast(server.url, key)
    const rule = place.proxy.onStatement({ match, action, times: 1 })
    await push(onAir.streamUrl, STREAM).catch(() => {})
    await rule.reached(1)
    await pushUntilTaken(onAir)
    await onAir.control("stop")
    const file = await expectSound(place, await recordingOf(server.url, key, onAir.eventId))
    expect(samplesOf(file, "video")).toBeGreaterThanOrEqual(samplesOf(STREAM, "video"))
  },
)

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
