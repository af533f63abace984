/** A disk that is really full: a small file system in memory, for which the tests need the rights of root. */
import { execFile } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtemp, readdir, rm, stat, statfs, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { fixture } from "../test/media/broadcast/support.ts"
import { call, createEvent, createWorkspace, type Json, type Workspace } from "../test/support/api.ts"
import { bytesAt, filesIn, recordingOf, startBroadcast, textAt } from "../test/support/broadcasts.ts"
import { push } from "../test/support/encoder.ts"
import { startMediaServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { noiseOf } from "../test/support/wav.ts"

const run = promisify(execFile)
const MEBIBYTE = 1024 ** 2
const DISK = 96 * MEBIBYTE

let disk: string
let server: TestServer
let acme: Workspace
let event: Json

beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), "gathercue-full-"))
  await run("mount", ["-t", "tmpfs", "-o", `size=${DISK}`, "tmpfs", disk])
  // Nothing stays free: the disk itself refuses bytes.
  server = await startMediaServer({ DATA_DIR: disk, MEDIA_MIN_FREE_BYTES: "0", BROADCAST_INGESTS: "8" })
  acme = await createWorkspace(server.url)
  event = await createEvent(server.url, acme.key)
  await api("POST", `/v1/events/${event.id}/publish`)
})
// After the server, and also when that did not start.
afterAll(async () => {
  await run("umount", [disk])
  await rm(disk, { recursive: true, force: true })
})
afterAll(() => server.stop())

const api = (method: string, path: string, body?: object) =>
  call(server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })
const begin = async (sizeBytes?: number): Promise<Json> =>
  (await api("POST", `/v1/events/${event.id}/recordings`, sizeBytes === undefined ? {} : { sizeBytes })).body
type Body = RequestInit["body"] & {}
const put = (url: string, body: Body, headers: { readonly [name: string]: string } = {}) =>
  fetch(url, { method: "PUT", body, headers, duplex: "half" } as RequestInit)
const offsetOf = async (url: string) => Number((await fetch(url, { method: "HEAD" })).headers.get("upload-offset"))

const files = async (): Promise<ReadonlyArray<string>> =>
  (await readdir(join(disk, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Leaves so many bytes. */
const fill = async (left: number): Promise<() => Promise<void>> => {
  const { bavail, bsize } = await statfs(disk)
  const path = join(disk, `ballast-${randomUUID()}`)
  const empty = () => rm(path, { force: true })
  onTestFinished(empty)
  await writeFile(path, Buffer.alloc(Math.max(0, bavail * bsize - left)))
  return empty
}

/** Without a length, so that nothing is refused before the disk refuses it. */
const endless = (bytes: Uint8Array): Body => {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.byteLength) return controller.close()
      controller.enqueue(bytes.subarray(at, at + 262_144))
      at += 262_144
    },
  })
}

test("an upload keeps what was acknowledged, gives back the room of what was not, and goes on when there is room", async () => {
  const sound = noiseOf(12 * MEBIBYTE)
  const acknowledged = 2 * MEBIBYTE
  const { id, uploadUrl } = await begin()
  expect((await put(uploadUrl, sound.subarray(0, acknowledged))).status).toBe(204)
  const other = await begin()
  // Others take the room while the bytes come: it was there when the request began.
  const empty = await fill(11 * MEBIBYTE)
  const rest = sound.subarray(acknowledged)
  const range = { "content-range": `bytes ${acknowledged}-${sound.byteLength - 1}/*` }
  const ends = await Promise.all([
    put(uploadUrl, endless(rest), range).catch(() => null),
    put(other.uploadUrl, endless(sound)).catch(() => null),
  ])
  const refused = ends.filter((answer) => answer?.status !== 204)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) {
    // A client that is still sending may see the connection close instead.
    if (answer === null) continue
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: "unavailable", detail: "The disk for media is full." })
  }
  // The refusal comes before the room is given back.
  await eventually(
    async () =>
      [acknowledged, sound.byteLength].includes(await offsetOf(uploadUrl)) &&
      [0, sound.byteLength].includes(await offsetOf(other.uploadUrl)),
    "the end of the bytes that were not acknowledged",
  )
  await empty()
  const at = await offsetOf(uploadUrl)
  if (at < sound.byteLength) {
    const onward = { "content-range": `bytes ${at}-${sound.byteLength - 1}/${sound.byteLength}` }
    expect((await put(uploadUrl, sound.subarray(at), onward)).status).toBe(204)
  }
  expect((await api("POST", `/v1/recordings/${id}/complete`, {})).status).toBe(202)
  await eventually(async () => (await api("GET", `/v1/recordings/${id}`)).body.status === "ready", "the inspection")
  const { playbackUrl } = (await api("GET", `/v1/recordings/${id}`)).body
  expect(Buffer.from(await bytesAt(playbackUrl)).equals(sound)).toBe(true)
  for (const recording of [id, other.id]) await api("DELETE", `/v1/recordings/${recording}`)
  await eventually(async () => (await files()).length === 0, "the removal of all files")
})

test("parts that were acknowledged stay, those that were not give their room back, and come again", async () => {
  const sound = noiseOf(66 * MEBIBYTE)
  const { id } = await begin(sound.byteLength)
  const { parts } = (await api("POST", `/v1/recordings/${id}/parts`, { from: 1, to: 5 })).body
  const bytesOf = (number: number) => sound.subarray((number - 1) * 16 * MEBIBYTE, number * 16 * MEBIBYTE)
  const send = async ({ number, url }: Json) =>
    (await put(url, endless(bytesOf(number))).catch(() => null))?.status ?? 503
  expect(await send(parts[0])).toBe(204)
  const empty = await fill(20 * MEBIBYTE)
  const statuses = await Promise.all(parts.slice(1, 4).map((part: Json) => send(part)))
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0)
  const last = 2 + statuses.lastIndexOf(204)
  const path = join(disk, "media", acme.id, id.slice(-2), `${id}.parts`)
  await eventually(
    async () => (await stat(path)).size === Math.max(1, last) * 16 * MEBIBYTE,
    "the end of the bytes that were not stored",
  )
  await empty()
  const missing = await api("POST", `/v1/recordings/${id}/complete`, {})
  expect([missing.status, missing.body.detail]).toEqual([409, expect.not.stringMatching(/Parts? 1\b/)])
  for (const { number, url } of parts) {
    const answer = await put(url, bytesOf(number))
    expect([answer.status, await answer.text()]).toEqual([204, ""])
  }
  expect((await api("POST", `/v1/recordings/${id}/complete`, {})).status).toBe(202)
  await eventually(async () => (await api("GET", `/v1/recordings/${id}`)).body.status === "ready", "the inspection")
  const { playbackUrl } = (await api("GET", `/v1/recordings/${id}`)).body
  expect(Buffer.from(await bytesAt(playbackUrl)).equals(sound)).toBe(true)
  await api("DELETE", `/v1/recordings/${id}`)
  await eventually(async () => (await files()).length === 0, "the removal of all files")
})

test("a broadcast goes on live, its recording has what was stored and says that it was cut off", async () => {
  const stream = fixture("ffmpeg-stream.mp4")
  const onAir = await startBroadcast(server.url, acme.key)
  for (const name of ["ffmpeg-stream.mp4", "ffmpeg-stream.mp4"]) await push(onAir.streamUrl, fixture(name))
  const before = filesIn(await textAt(onAir.playbackUrl)).length
  // Less than the next segment has.
  const empty = await fill(8192)
  for (let again = 0; again < 3; again++) expect((await push(onAir.streamUrl, stream)).status).toBe(204)
  expect(filesIn(await textAt(onAir.playbackUrl)).length).toBeGreaterThan(before)
  await onAir.control("stop")
  const recording = await recordingOf(server.url, acme.key, onAir.eventId)
  expect(recording.failure).toMatchObject({ code: "cut_off" })
  const base = recording.playbackUrl.replace(/[^/]*$/, "")
  for (const name of filesIn(await textAt(recording.playbackUrl))) {
    expect((await bytesAt(base + name)).byteLength).toBeGreaterThan(0)
  }
  await empty()
  await api("DELETE", `/v1/events/${onAir.eventId}`)
  await eventually(async () => (await files()).length === 0, "the removal of all files")
})

test("a full disk refuses an upload that says its length at once, and the rest of the server goes on", async () => {
  const { id, uploadUrl } = await begin()
  const empty = await fill(0)
  const answer = await put(uploadUrl, randomBytes(1000))
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"])
  expect(await answer.json()).toMatchObject({ code: "unavailable", detail: "The disk for media is full." })
  expect((await api("GET", `/v1/events/${event.id}`)).status).toBe(200)
  await empty()
  expect((await put(uploadUrl, randomBytes(1000))).status).toBe(204)
  await api("DELETE", `/v1/recordings/${id}`)
  await eventually(async () => (await files()).length === 0, "the removal of all files")
})
