/** Broadcasts of encoders over three nodes: each request of an encoder goes to the next one, and viewers are at all of them. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { Client } from "../test/gateway/client.ts"
import { fixture, samplesOf } from "../test/media/broadcast/support.ts"
import { createPerson, createWorkspace, gatewayToken, type Workspace } from "../test/support/api.ts"
import {
  apiOf,
  bytesAt,
  filesIn,
  mapsIn,
  type OnAir,
  recordingOf,
  startBroadcast,
  textAt,
} from "../test/support/broadcasts.ts"
import { push, pushStream } from "../test/support/encoder.ts"
import { type NodeProcesses, startNodeProcesses } from "../test/support/node-processes.ts"
import { rowsOf } from "../test/support/rows.ts"
import { startS3Server } from "../test/support/s3/s3-server.ts"
import type { ServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"

const STREAM = fixture("ffmpeg-stream.mp4")
const FILES = ["init.mp4", "index0.m4s", "index1.m4s", "index2.m4s"]

let cluster: NodeProcesses
let acme: Workspace
const done: Array<() => unknown> = []
const whenDone = (call: unknown): void => {
  if (typeof call === "function") done.push(() => call())
}

beforeAll(async () => {
  cluster = await startNodeProcesses(whenDone, { BROADCAST_INGESTS: "64" })
  acme = await createWorkspace(cluster.url)
})
afterAll(async () => {
  await cluster.stop()
  for (const call of done) await call()
})

const goLive = (fields: object = {}): Promise<OnAir> => startBroadcast(cluster.url, acme.key, fields)

const encodersOf = async (node: ServerProcess): Promise<number> =>
  Number(/^gathercue_broadcast_encoders (\d+)/m.exec(await textAt(`${node.url}/metrics`))?.[1])

const put = async (url: string, body: Uint8Array): Promise<number> =>
  (await fetch(url, { method: "PUT", body: Buffer.from(body) })).status

const playlistsOf = (onAir: OnAir) =>
  Promise.all(cluster.nodes.map((node) => textAt(cluster.at(node, onAir.playbackUrl))))

test("files that an encoder puts at one node after the other are one broadcast, the same for viewers of all nodes", async () => {
  const onAir = await goLive()
  for (const name of FILES) expect(await put(onAir.url + name, fixture(`ffmpeg-files/${name}`)), name).toBe(204)
  for (const name of FILES) expect(await put(onAir.url + name, fixture(`ffmpeg-files/${name}`)), name).toBe(204)
  await eventually(async () => new Set(await playlistsOf(onAir)).size === 1, "equal playlists")
  const [playlist = ""] = await playlistsOf(onAir)
  const files = [...filesIn(playlist), ...mapsIn(playlist)]
  expect(filesIn(playlist).length).toBeGreaterThan(3)
  for (const file of files) {
    const all = await Promise.all(
      cluster.nodes.map((node) => bytesAt(cluster.at(node, onAir.playbackUrl).replace("index.m3u8", file))),
    )
    for (const bytes of all) expect(Buffer.compare(bytes, all[0] ?? new Uint8Array(0)), file).toBe(0)
  }
  await onAir.control("stop")
  const recording = await recordingOf(cluster.url, acme.key, onAir.eventId)
  const sent = Buffer.concat(FILES.map((name) => fixture(`ffmpeg-files/${name}`)))
  expect(samplesOf(await bytesAt(recording.downloadUrl), "video")).toBe(2 * samplesOf(sent, "video"))
  for (const text of await playlistsOf(onAir)) expect(text).toContain("#EXT-X-ENDLIST")
})

test("a stream that comes by another node is watched part by part at every node, and its next part is waited for", async () => {
  const onAir = await goLive()
  for (const node of cluster.nodes) {
    expect(await push(cluster.at(node, onAir.streamUrl), STREAM)).toMatchObject({ status: 204 })
  }
  await eventually(async () => new Set(await playlistsOf(onAir)).size === 1, "equal playlists")
  const [before = ""] = await playlistsOf(onAir)
  const next = /PRELOAD-HINT:TYPE=PART,URI="p(\d+)\.(\d+)\.m4s"/.exec(before)
  const query = `?_HLS_msn=${next?.[1]}&_HLS_part=${next?.[2]}`
  const waiting = cluster.nodes.map((node) => textAt(cluster.at(node, onAir.playbackUrl) + query))
  const part = `p${next?.[1]}.${next?.[2]}.m4s`
  const parts = cluster.nodes.map((node) => bytesAt(cluster.at(node, onAir.playbackUrl).replace("index.m3u8", part)))
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  for (const text of await Promise.all(waiting)) expect(text).toContain(part)
  const [first = new Uint8Array(0), ...others] = await Promise.all(parts)
  expect(first.byteLength).toBeGreaterThan(0)
  for (const bytes of others) expect(Buffer.compare(bytes, first)).toBe(0)
})

test("a new address at one node cuts the encoder of another one, and staff of all nodes hear of it", async () => {
  const onAir = await goLive()
  const staff = await Promise.all(
    cluster.nodes.map(async (node) => {
      const { session } = await createPerson(cluster.url, acme.key, onAir.eventId, "host")
      const { token, url } = await gatewayToken(cluster.url, onAir.eventId, session)
      const client = new Client(url.replace(cluster.url.replace("http", "ws"), node.url.replace("http", "ws")))
      await client.identify(token)
      return client
    }),
  )
  const isTold = (state: string) => (client: Client) =>
    client.received.some(({ t, d }) => t === "broadcast.stream" && d.state === state)
  await push(onAir.streamUrl, STREAM)
  const stream = pushStream(onAir.streamUrl)
  await stream.write(STREAM.subarray(0, 40_000))
  await eventually(() => staff.every(isTold("receiving")), "the beginning")
  for (const node of cluster.nodes) {
    const { body } = await apiOf(node.url, acme.key)("GET", `/v1/phases/${onAir.phaseId}/broadcast`)
    expect(body.ingest).toMatchObject({ state: "receiving", takes: 1, failure: null })
  }
  expect((await onAir.newIngest()).status).toBe(201)
  expect(await stream.answer).toMatchObject({ status: 401 })
  expect(await put(`${onAir.url}init.mp4`, fixture("ffmpeg-files/init.mp4"))).toBe(401)
  await eventually(
    () => staff.every(({ received }) => received.some(({ d }) => d?.failure?.code === "replaced")),
    "the reason",
  )
})

test("pieces that go to one node after the other are taken once and in their order", async () => {
  const onAir = await goLive()
  const sizes = [0, 10_000, 30_000, STREAM.length]
  const pieces = sizes.slice(1).map((end, index) => STREAM.subarray(sizes[index], end))
  const putPiece = async (seq: number) =>
    await fetch(`${onAir.streamUrl}?seq=${seq}`, { method: "POST", body: Buffer.from(pieces[seq] ?? []) })
  const early = await putPiece(1)
  expect([early.status, early.headers.get("next-seq")]).toEqual([409, "0"])
  for (const seq of [0, 0, 1, 1, 2, 2]) {
    const answer = await putPiece(seq)
    expect([answer.status, answer.headers.get("next-seq")]).toEqual([204, String(Math.max(seq + 1, 0))])
  }
  await onAir.control("stop")
  const recording = await recordingOf(cluster.url, acme.key, onAir.eventId)
  expect(samplesOf(await bytesAt(recording.downloadUrl), "video")).toBe(samplesOf(STREAM, "video"))
})

test("an encoder that goes away at another node is gone for the owner, and what is refused is said there too", async () => {
  const onAir = await goLive()
  await push(onAir.streamUrl, STREAM)
  const stream = pushStream(onAir.streamUrl)
  await stream.write(STREAM.subarray(0, 40_000))
  await eventually(async () => (await Promise.all(cluster.nodes.map(encodersOf))).some((n) => n > 0), "the encoder")
  stream.kill()
  await eventually(
    async () => (await Promise.all(cluster.nodes.map(encodersOf))).every((n) => n === 0),
    "the end of the encoder",
  )
  for (const node of cluster.nodes) {
    const answer = await push(cluster.at(node, onAir.streamUrl), new TextEncoder().encode("no video at all, but text"))
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("MP4")])
  }
  expect((await onAir.state()).ingest.failure).toMatchObject({ code: "not_fmp4" })
})

test("when the owner is killed the encoder comes back, and everything that was acknowledged is recorded", async () => {
  const lone = await startNodeProcesses(onTestFinished)
  onTestFinished(lone.stop)
  const { key } = await createWorkspace(lone.url)
  const onAir = await startBroadcast(lone.url, key)
  const acknowledged: Uint8Array[] = []
  const file = (name: string) => fixture(`ffmpeg-files/${name}`)
  const encode = async (name: string): Promise<void> => {
    await eventually(async () => (await put(onAir.url + name, file(name)).catch(() => 0)) === 204, name)
    acknowledged.push(file(name))
  }
  for (const name of FILES) await encode(name)
  const counts = await Promise.all(lone.nodes.map(encodersOf))
  const owner = lone.nodes[counts.indexOf(1)]
  if (owner === undefined) throw new Error("nobody owns the broadcast")
  const others = lone.nodes.filter((node) => node !== owner)
  const watch = async () => Promise.all(others.map((node) => textAt(lone.at(node, onAir.playbackUrl))))
  const before = await watch()
  const [other = owner] = others
  const stream = pushStream(lone.at(other, onAir.streamUrl))
  await stream.write(STREAM.subarray(0, 20_000))
  const rows = rowsOf(lone.databaseUrl)
  onTestFinished(rows.end)
  await eventually(async () => (await rows.run("select 1 from recording_takes")).length === 2, "the stream's file")
  await owner.end("SIGKILL")
  lone.spread(others)
  // The encoder is told by the node that it is connected to.
  expect(await stream.answer).toMatchObject({ status: 503 })
  const isSame = async () =>
    (await watch()).every((text, index) => filesIn(text)[0] === filesIn(before[index] ?? "")[0])
  expect(await isSame()).toBe(true)
  for (const name of FILES.slice(1)) await encode(name)
  await eventually(
    async () => (await watch()).every((text) => filesIn(text).length > filesIn(before[0] ?? "").length),
    "the rest",
  )
  const [text = ""] = await watch()
  expect(text).toContain("#EXT-X-DISCONTINUITY")
  // The second file is that of the stream, of which nothing was acknowledged.
  expect([mapsIn(text)[0], mapsIn(text).at(-1)]).toEqual(["init1.mp4", "init3.mp4"])
  const control = await apiOf(lone.url, key)("POST", `/v1/phases/${onAir.phaseId}/broadcast/stop`)
  expect(control.status).toBe(200)
  const recording = await recordingOf(lone.url, key, onAir.eventId)
  const takes = await Promise.all([bytesAt(recording.downloadUrl), bytesAt(`${recording.downloadUrl}/take3.mp4`)])
  const recorded = takes.reduce((sum, bytes) => sum + samplesOf(bytes, "video"), 0)
  const init = file("init.mp4")
  const sent = acknowledged
    .filter((bytes) => bytes !== init && bytes.length !== init.length)
    .reduce((sum, bytes) => sum + samplesOf(Buffer.concat([init, bytes]), "video"), 0)
  expect(recorded).toBe(sent)
})

test("nodes without a common disk have the broadcast in their bucket, segment by segment", async () => {
  const s3 = await startS3Server()
  onTestFinished(s3.close)
  const apart = await startNodeProcesses(onTestFinished, s3.environment, false)
  onTestFinished(apart.stop)
  const { key } = await createWorkspace(apart.url)
  const onAir = await startBroadcast(apart.url, key)
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  const all = async (file: string) =>
    Promise.all(apart.nodes.map((node) => bytesAt(apart.at(node, onAir.playbackUrl).replace("index.m3u8", file))))
  const files = filesIn(await textAt(onAir.playbackUrl))
  const segments = await Promise.all(files.map(all))
  await onAir.control("stop")
  const recording = await recordingOf(apart.url, key, onAir.eventId)
  await eventually(() => s3.stored(recording.id).every((name) => !name.includes(".grown/")), "the joined file")
  // Also where another node had it while it grew.
  for (const [index, file] of files.entries()) {
    for (const bytes of await all(file)) expect(Buffer.compare(bytes, segments[index]?.[0] ?? bytes), file).toBe(0)
  }
  expect(samplesOf(await bytesAt(recording.downloadUrl), "video")).toBe(2 * samplesOf(STREAM, "video"))
})

test("an owner that is stopped hands its broadcast over: the encoder's stream goes on at the next node", async () => {
  const lone = await startNodeProcesses(onTestFinished)
  onTestFinished(lone.stop)
  const { key } = await createWorkspace(lone.url)
  const onAir = await startBroadcast(lone.url, key)
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  const counts = async () => Promise.all(lone.nodes.map(encodersOf))
  const stream = pushStream(onAir.streamUrl)
  await stream.write(STREAM)
  await eventually(async () => (await counts()).includes(1), "the encoder")
  const owner = lone.nodes[(await counts()).indexOf(1)]
  const others = lone.nodes.filter((node) => node !== owner)
  const onOther = pushStream(lone.at(others[0] ?? (lone.nodes[0] as ServerProcess), onAir.streamUrl))
  await onOther.write(STREAM)
  await eventually(async () => (await onAir.state()).ingest.durationMs > 7000, "its segments")
  lone.spread(others)
  await owner?.end("SIGTERM")
  // The bytes that had come are stored, and the encoder is told.
  expect(await onOther.answer.catch(() => ({ status: 503 }))).toMatchObject({ status: 503 })
  const before = (await onAir.state()).ingest.durationMs
  expect(before).toBeGreaterThan(3 * 4000)
  expect(await push(onAir.streamUrl, STREAM)).toMatchObject({ status: 204 })
  await onAir.control("stop")
  const recording = await recordingOf(lone.url, key, onAir.eventId)
  expect(recording.durationMs).toBeGreaterThan(4 * 4000 - 200)
})
