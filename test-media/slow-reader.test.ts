/** Players and viewers that read slowly, on a server in its own process, whose memory is looked at. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { createEvent, createWorkspace, type Json } from "../test/support/api.ts"
import { apiOf, startBroadcast, textAt } from "../test/support/broadcasts.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { startServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"
import { noiseOf } from "../test/support/wav.ts"

const MEBIBYTE = 1024 ** 2
const READERS = 50

const residentMebibytes = (pid: number): number =>
  (Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096) / MEBIBYTE

/** Takes a kibibyte a second, and what the system keeps for it. */
const readSlowly = (url: string): Socket => {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("error", () => {})
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`)
  // timed: the reader is slow on purpose.
  const timer = setInterval(() => socket.read(1024), 1000)
  socket.once("close", () => clearInterval(timer))
  // Nothing flows unless it is read.
  socket.pause()
  return socket
}

const openPlace = async (environment: { readonly [key: string]: string } = {}) => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-slow-"))
  const database = await createTestDatabase()
  const server = await startServerProcess({
    PORT: "0",
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
    ...environment,
  })
  onTestFinished(async () => {
    await server.end("SIGTERM")
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const { key } = await createWorkspace(server.url)
  return { server, key, api: apiOf(server.url, key) }
}

test("fifty players that read a kibibyte a second hold neither memory nor other players up", async () => {
  const { server, key, api } = await openPlace()
  const event = await createEvent(server.url, key)
  await api("POST", `/v1/events/${event.id}/publish`)
  const { id, uploadUrl } = (await api("POST", `/v1/events/${event.id}/recordings`, {})).body
  const sound = noiseOf(128 * MEBIBYTE)
  expect((await fetch(uploadUrl, { method: "PUT", body: sound })).status).toBe(204)
  await api("POST", `/v1/recordings/${id}/complete`, {})
  const read = async (): Promise<Json> => (await api("GET", `/v1/recordings/${id}`)).body
  await eventually(async () => (await read()).status === "ready", "the inspection")
  const { playbackUrl } = await read()
  // A first download grows what the process keeps anyway.
  const whole = async () => (await (await fetch(playbackUrl)).arrayBuffer()).byteLength
  expect(await whole()).toBe(sound.byteLength)
  const pid = server.child.pid ?? 0
  const before = residentMebibytes(pid)
  const readers = Array.from({ length: READERS }, () => readSlowly(playbackUrl))
  onTestFinished(() => {
    for (const reader of readers) reader.destroy()
  })
  await eventually(async () => readers.every((reader) => reader.bytesRead > 0), "the first bytes of all")
  let most = 0
  for (let round = 0; round < 5; round++) {
    expect(await whole()).toBe(sound.byteLength)
    most = Math.max(most, residentMebibytes(pid))
  }
  // One piece of 256 KiB each, and what the collector has not taken yet. All of it would be 6 GiB.
  expect(most - before).toBeLessThan(150)
  expect(readers.filter((reader) => reader.destroyed)).toHaveLength(0)
  for (const reader of readers) reader.destroy()
  expect((await api("GET", "/v1/errors/conflict")).status).toBe(200)
})

/** A stream of ffmpeg with segments of some six mebibytes. */
const largeStream = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-large-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const noise = ["-f", "lavfi", "-i", "nullsrc=size=640x360:rate=25,geq=random(1)*255:128:128", "-t", "6"]
  const rate = [
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-g",
    "50",
    "-b:v",
    "25M",
    "-minrate",
    "25M",
    "-maxrate",
    "25M",
    "-bufsize",
    "25M",
  ]
  const form = ["-f", "mp4", "-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "500000"]
  await promisify(execFile)("ffmpeg", ["-v", "error", ...noise, ...rate, ...form, join(folder, "large.mp4")])
  return new Uint8Array(await readFile(join(folder, "large.mp4")))
}

test("a hundred viewers that read a stored segment slowly hold no more than a piece of it each", async () => {
  const { server, key, api } = await openPlace({ BROADCAST_MAX_KBPS: "100000" })
  const onAir = await startBroadcast(server.url, key)
  const stream = await largeStream()
  for (let n = 0; n < 6; n++) {
    const answer = await fetch(onAir.streamUrl, { method: "PUT", body: stream })
    expect(answer.status, await answer.text()).toBe(204)
  }
  const first = onAir.playbackUrl.replace("index.m3u8", "s0.m4s")
  // It has left the playlist, and the memory with it.
  expect(await textAt(onAir.playbackUrl)).not.toContain("s0.m4s")
  const whole = async () => (await (await fetch(first)).arrayBuffer()).byteLength
  const bytes = await whole()
  expect(bytes).toBeGreaterThan(4 * MEBIBYTE)
  const pid = server.child.pid ?? 0
  const before = residentMebibytes(pid)
  const readers = Array.from({ length: 100 }, () => readSlowly(first))
  onTestFinished(() => {
    for (const reader of readers) reader.destroy()
  })
  await eventually(async () => readers.every((reader) => reader.bytesRead > 0), "the first bytes of all")
  let most = 0
  for (let round = 0; round < 5; round++) {
    expect(await whole()).toBe(bytes)
    most = Math.max(most, residentMebibytes(pid))
  }
  // 25 MiB of pieces. All of it would be 600 MiB.
  expect(most - before).toBeLessThan(150)
  expect((await api("GET", "/v1/errors/conflict")).status).toBe(200)
})
