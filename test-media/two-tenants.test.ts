/**
 * One tenant drips into all places for uploads, has forty recordings queued and pushes with all the encoders it can. Another uploads, has a
 * recording made and goes on the air meanwhile. The times are printed; what is asserted is the order of the work.
 */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { fixture } from "../test/media/broadcast/support.ts"
import { createLiveEvent, createWorkspace, type Json, untilTaken, type Workspace } from "../test/support/api.ts"
import { apiOf, startBroadcast } from "../test/support/broadcasts.ts"
import { push, pushStream } from "../test/support/encoder.ts"
import { type Rows, rowsOf } from "../test/support/rows.ts"
import { startMediaServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { wavOf } from "../test/support/wav.ts"

const run = promisify(execFile)

const QUEUED = 40
const FORGED = 10
const DRIPS = 4
/** 20 kB a second. */
const DRIP_BYTES = 2000
const DRIP_EVERY_MS = 100

let folder: string
let server: TestServer
let rows: Rows
let greedy: Workspace
let modest: Workspace

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gathercue-tenants-"))
  server = await startMediaServer()
  rows = rowsOf(server.databaseUrl)
  greedy = await createWorkspace(server.url)
  modest = await createWorkspace(server.url)
  // The order in which recordings are done.
  await rows.run("create table done (n bigint generated always as identity, recording_id uuid, workspace_id uuid)")
  await rows.run(`
    create function note_done() returns trigger language plpgsql as $$
    begin
      insert into done (recording_id, workspace_id) values (new.id, new.workspace_id);
      return new;
    end $$`)
  await rows.run(`
    create trigger note_done after update of status on recordings for each row
      when (old.status = 'processing' and new.status in ('ready', 'failed')) execute function note_done()`)
})
afterAll(async () => {
  await rows.end()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const made = async (name: string, ...args: ReadonlyArray<string>): Promise<Uint8Array<ArrayBuffer>> => {
  const path = join(folder, name)
  await run("ffmpeg", ["-v", "error", "-y", ...args, path])
  return new Uint8Array(await readFile(path))
}

/** Its container has to be read from the first frame to the last, which takes most of a second. */
const expensive = () => made("long.mp3", "-f", "lavfi", "-i", "sine=duration=1200", "-b:a", "64k")

/** Pictures in another order, of which a table claims two billion. */
const forged = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const input = ["-f", "lavfi", "-i", "testsrc2=size=64x36:duration=2"]
  const file = await made("forged.mp4", ...input, "-c:v", "libx264", "-bf", "3")
  const at = Buffer.from(file.buffer).indexOf("stts", 0, "latin1")
  new DataView(file.buffer).setUint32(at + 12, 0x7fff_ffff)
  return file
}

const begin = async ({ key }: Workspace, count: number): Promise<ReadonlyArray<Json>> => {
  const event = await createLiveEvent(server.url, key)
  const api = apiOf(server.url, key)
  const one = async () => {
    const answer = await untilTaken(() => api("POST", `/v1/events/${event.id}/recordings`, {}))
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }
  return Promise.all(Array.from({ length: count }, one))
}

const complete = async ({ key }: Workspace, { id }: Json): Promise<void> => {
  const answer = await untilTaken(() => apiOf(server.url, key)("POST", `/v1/recordings/${id}/complete`, {}))
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

const upload = async (workspace: Workspace): Promise<Json> => {
  const [recording] = await begin(workspace, 1)
  const answer = await fetch(recording.uploadUrl, { method: "PUT", body: wavOf(20) })
  expect(answer.status, await answer.text()).toBe(204)
  return recording
}

/** Resolves to the milliseconds until the recording is ready. */
const finish = async (workspace: Workspace, recording: Json): Promise<number> => {
  const from = performance.now()
  await complete(workspace, recording)
  const read = async () => (await apiOf(server.url, workspace.key)("GET", `/v1/recordings/${recording.id}`)).body
  await eventually(async () => (await read()).status !== "processing", "the recording to be inspected")
  expect((await read()).status).toBe("ready")
  return performance.now() - from
}

/** Sends for as long as it is taken. */
const drip = ({ uploadUrl }: Json): void => {
  const { hostname, port, pathname } = new URL(uploadUrl)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 50000000\r\n\r\n`)
  // timed: it is the pace of the upload.
  const timer = setInterval(() => socket.write(Buffer.alloc(DRIP_BYTES)), DRIP_EVERY_MS)
  socket.on("close", () => clearInterval(timer))
  onTestFinished(() => void socket.destroy())
}

test("the other tenant is never refused, its recording is made second, and its encoder is taken", async () => {
  const alone = await finish(modest, await upload(modest))
  const [long, fake] = [await expensive(), await forged()]
  const queued = await begin(greedy, QUEUED)
  for (const [n, recording] of queued.entries()) {
    const answer = await fetch(recording.uploadUrl, { method: "PUT", body: n < FORGED ? fake : long })
    expect(answer.status).toBe(204)
  }
  const dripping = await begin(greedy, DRIPS)
  for (const recording of dripping) drip(recording)
  const uploads = async () =>
    Number(/^gathercue_media_uploads (\d+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1])
  await eventually(async () => (await uploads()) === DRIPS, "all places to be taken")
  const stream = fixture("ffmpeg-stream.mp4")
  const onAir = await Promise.all(Array.from({ length: 10 }, () => startBroadcast(server.url, greedy.key, {})))
  const encoders = onAir.map(({ streamUrl }) => pushStream(streamUrl))
  onTestFinished(() => {
    for (const encoder of encoders) encoder.kill()
  })
  await Promise.all(encoders.map((encoder) => encoder.write(stream.subarray(0, 20_000)).catch(() => {})))
  const live = async () =>
    (await Promise.all(onAir.map((one) => one.state()))).filter((one) => one.ingest.state === "receiving")
  await eventually(async () => (await live()).length === 4, "half of the encoders")
  // The bytes are there before the queue is: a slow upload would let it pass by.
  const recording = await upload(modest)
  await Promise.all(queued.map((one) => complete(greedy, one)))
  const doneBefore = Number((await rows.run("select count(*)::int as n from done"))[0]?.["n"])
  const meanwhile = await finish(modest, recording)
  const order = await rows.run("select recording_id from done order by n offset $1", [doneBefore])
  const left = await rows.run(
    "select count(*)::int as n from media_jobs where workspace_id = $1 and kind = 'inspect'",
    [greedy.id],
  )
  await upload(modest)
  expect((await push((await startBroadcast(server.url, modest.key, {})).streamUrl, stream)).status).toBe(204)
  expect(await live()).toHaveLength(4)
  const place = order.findIndex((row) => row["recording_id"] === recording.id)
  process.stdout.write(
    `alone ${Math.round(alone)} ms, beside the other ${Math.round(meanwhile)} ms, in place ${place + 1}; ${left[0]?.["n"]} of ${QUEUED} still wait\n`,
  )
  // The jobs that ended while it was being completed, the one that was running, and the one after, at most.
  expect(place).toBeLessThan(FORGED + 6)
  expect(Number(left[0]?.["n"])).toBeGreaterThan(QUEUED / 4)
})
