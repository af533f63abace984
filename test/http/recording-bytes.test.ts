/** Bytes of recordings as they go out and come in: any range, readers who leave, titles that are no names of files, and an endless upload. */
import { closeSync, openSync, readSync } from "node:fs"
import { type FileHandle, open, readdir, readlink, stat } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace, type Json, type Workspace } from "../support/api.ts"
import { startMediaServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"
import { noiseOf, wavOf } from "../support/wav.ts"

let server: TestServer
let acme: Workspace
let event: Json

const eventOf = async (base: string, key: string): Promise<Json> => {
  const made = await createEvent(base, key)
  await call(base, "POST", `/v1/events/${made.id}/publish`, { key })
  return made
}

beforeAll(async () => {
  server = await startMediaServer()
  acme = await createWorkspace(server.url)
  event = await eventOf(server.url, acme.key)
})
afterAll(() => server.stop())

const api = (method: string, path: string, body?: object) =>
  call(server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })

const begin = (fields: object) => api("POST", `/v1/events/${event.id}/recordings`, fields)

const recorded = async (bytes: Uint8Array, fields: object = {}): Promise<Json> => {
  const { id, uploadUrl } = (await begin(fields)).body
  await fetch(uploadUrl, { method: "PUT", body: bytes })
  await api("POST", `/v1/recordings/${id}/complete`, {})
  const read = async (): Promise<Json> => (await api("GET", `/v1/recordings/${id}`)).body
  await eventually(async () => (await read()).status === "ready", "the end of the inspection")
  return read()
}

const pathOf = (id: string): string => join(server.folder, "media", acme.id, id.slice(-2), id)

test("any range of a recording has the bytes of the file", async () => {
  const { id, playbackUrl, sizeBytes } = await recorded(noiseOf(1_500_000))
  const file = openSync(pathOf(id), "r")
  onTestFinished(() => closeSync(file))
  const place = fc.nat(sizeBytes + 1000)
  const range = fc.oneof(
    fc.tuple(place, place).map(([a, b]) => ({
      header: `${Math.min(a, b)}-${Math.max(a, b)}`,
      from: Math.min(a, b),
      to: Math.max(a, b) + 1,
    })),
    place.map((from) => ({ header: `${from}-`, from, to: sizeBytes })),
    fc
      .integer({ min: 1, max: sizeBytes + 1000 })
      .map((last) => ({ header: `-${last}`, from: Math.max(0, sizeBytes - last), to: sizeBytes })),
  )
  await fc.assert(
    fc.asyncProperty(range, async ({ header, from, to }) => {
      const answer = await fetch(playbackUrl, { headers: { range: `bytes=${header}` } })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (from >= sizeBytes) {
        expect([answer.status, answer.headers.get("content-range")]).toEqual([416, `bytes */${sizeBytes}`])
        return
      }
      const end = Math.min(to, sizeBytes)
      const expected = Buffer.alloc(end - from)
      readSync(file, expected, 0, expected.byteLength, from)
      expect([answer.status, answer.headers.get("content-range")]).toEqual([
        206,
        `bytes ${from}-${end - 1}/${sizeBytes}`,
      ])
      expect(bytes.equals(expected)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

/** Where the system lists the files that this process has open, in which the server runs. */
const openHandles = async (path: string): Promise<number> => {
  const entries = await readdir("/proc/self/fd").catch(() => [])
  const targets = await Promise.all(entries.map((entry) => readlink(`/proc/self/fd/${entry}`).catch(() => "")))
  return targets.filter((target) => target === path).length
}

test("readers who leave half-way leave no file open", async () => {
  const { id, playbackUrl } = await recorded(noiseOf(24_000_000))
  const { hostname, port, pathname } = new URL(playbackUrl)
  let begun = 0
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect(Number(port), hostname)
    // It reads the head and no more.
    socket.once("data", () => {
      begun += 1
      socket.pause()
    })
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`)
    return socket
  })
  await eventually(() => begun === sockets.length, "the beginning of all answers")
  if (process.platform === "linux") expect(await openHandles(pathOf(id))).toBe(10)
  for (const socket of sockets) socket.destroy()
  await eventually(async () => (await openHandles(pathOf(id))) === 0, "the end of all handles")
})

test.each(["one\r\nx-injected: yes", "one\nx-injected: yes", "\0", "one\u2028two"])(
  "a title of more than a line is refused: %j",
  async (title) => {
    expect((await begin({ title })).status).toBe(400)
  },
)

test.each([
  "../../../../etc/passwd",
  'a"; filename="b.html',
  "%0d%0ax-injected: yes",
  "..\\..\\x",
  "a/b\u202egnp.exe",
  "x; y=z",
])("a title leads nowhere: %j", async (title) => {
  const { id, downloadUrl, title: stored } = await recorded(wavOf(0.1), { title })
  const answer = await fetch(downloadUrl)
  const disposition = answer.headers.get("content-disposition") ?? ""
  expect(answer.headers.get("x-injected")).toBeNull()
  expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[\w%.~!$&+-]*\.wav$/)
  expect(decodeURIComponent(disposition.slice(disposition.indexOf("''") + 2))).toBe(`${stored}.wav`)
  expect((await stat(pathOf(id))).size).toBe((await answer.arrayBuffer()).byteLength)
})

test("an upload that claims to be small and goes on is stopped at the quota, and keeps no more", async () => {
  const quota = 3_000_000
  const own = await startMediaServer({ MEDIA_QUOTA_BYTES: String(quota) })
  onTestFinished(own.stop)
  const { key } = await createWorkspace(own.url)
  const { id: eventId } = await eventOf(own.url, key)
  const { uploadUrl } = (await call(own.url, "POST", `/v1/events/${eventId}/recordings`, { key, body: {} })).body
  const { hostname, port, pathname } = new URL(uploadUrl)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let answer = ""
  socket.on("data", (chunk) => {
    answer += String(chunk)
  })
  socket.on("error", () => {})
  socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`)
  const chunk = Buffer.alloc(1_000_000)
  // Five gigabytes, if nothing stops it.
  for (let sent = 0; sent < 5000 && answer === "" && socket.writable; sent++) {
    socket.write(`${chunk.byteLength.toString(16)}\r\n`)
    socket.write(chunk)
    await new Promise<void>((resolve) => void socket.write("\r\n", () => resolve()))
  }
  await eventually(() => answer !== "" || socket.destroyed, "the refusal")
  expect(answer === "" ? "HTTP/1.1 413" : answer).toContain("HTTP/1.1 413")
  const stored = async (): Promise<number> => {
    const entries = await readdir(join(own.folder, "media"), { recursive: true, withFileTypes: true }).catch(() => [])
    const files = entries.filter((entry) => entry.isFile())
    const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))))
    return sizes.reduce((sum, { size }) => sum + size, 0)
  }
  await eventually(async () => (await stored()) <= quota, "the end of what was too much")
})

test("an upload whose bytes came at once is answered, however long the disk takes", async () => {
  const { uploadUrl } = (await begin({})).body
  const file = await open("/dev/null", "r")
  const handle: FileHandle = Object.getPrototypeOf(file)
  await file.close()
  const { writev } = handle
  onTestFinished(() => {
    handle.writev = writev
  })
  // Longer than the engine lets a silent connection be.
  handle.writev = async function (this: FileHandle, ...given: Parameters<FileHandle["writev"]>) {
    // timed: the disk is late on purpose.
    await new Promise((resolve) => setTimeout(resolve, 13_000))
    return writev.apply(this, given)
  } as FileHandle["writev"]
  const answer = await fetch(uploadUrl, { method: "PUT", body: noiseOf(100) })
  expect([answer.status, answer.headers.get("upload-offset")]).toEqual([204, "100"])
})
