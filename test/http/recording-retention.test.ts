/** How long recordings, uploads and their files are kept. */
import { randomUUID } from "node:crypto"
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace, type Json, type Workspace } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { startMediaServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

let server: TestServer
let acme: Workspace
let rows: ReturnType<typeof rowsOf>

beforeAll(async () => {
  server = await startMediaServer()
  acme = await createWorkspace(server.url)
  rows = rowsOf(server.databaseUrl)
})
afterAll(async () => {
  await rows.end()
  await server.stop()
})

const api = (method: string, path: string, body?: object) =>
  call(server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })

const published = async (): Promise<Json> => {
  const event = await createEvent(server.url, acme.key)
  await api("POST", `/v1/events/${event.id}/publish`)
  return event
}

const begin = async (eventId: string): Promise<Json> => (await api("POST", `/v1/events/${eventId}/recordings`, {})).body

const put = (url: string, body: Uint8Array) => fetch(url, { method: "PUT", body })

const uploaded = async (eventId: string): Promise<Json> => {
  const { id, uploadUrl } = await begin(eventId)
  await put(uploadUrl, wavOf(1))
  await api("POST", `/v1/recordings/${id}/complete`, {})
  const read = async (): Promise<Json> => (await api("GET", `/v1/recordings/${id}`)).body
  await eventually(async () => (await read()).status === "ready", "the end of the inspection")
  return read()
}

const filesOf = async (): Promise<ReadonlyArray<string>> =>
  (await readdir(join(server.folder, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

test("files that no recording names go at a start once they are a day old, if their workspace is known", async () => {
  const event = await published()
  const { id } = await uploaded(event.id)
  const media = join(server.folder, "media")
  const own = join(media, acme.id, id.slice(-2), id)
  const write = async (name: string, workspace: string = acme.id): Promise<string> => {
    const path = join(media, workspace, "0f", name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, "x")
    return path
  }
  const stray = randomUUID()
  const strays = await Promise.all(["", ".part", ".parts", ".parts.log", "-2"].map((end) => write(stray + end)))
  const young = await write(randomUUID())
  const others = [await write(randomUUID(), randomUUID()), await write("notes.txt"), own]
  const old = new Date("2020-01-01")
  for (const path of [...strays, ...others]) await utimes(path, old, old)
  server = await server.restart()
  const there = async (path: string) => (await stat(path).catch(() => null)) !== null
  await eventually(async () => (await Promise.all(strays.map(there))).every((is) => !is), "the removal of the files")
  expect(await Promise.all([young, ...others].map(there))).toEqual([true, true, true, true])
})

test("recordings are deleted after the days for which they are kept, with their bytes", async () => {
  const event = await published()
  const old = await uploaded(event.id)
  const young = await uploaded(event.id)
  const running = await begin(event.id)
  for (const { id } of [old, running]) {
    await rows.run("update recordings set created_at = now() - interval '3 days' where id = $1", [id])
  }
  server = await server.restart()
  expect((await api("GET", `/v1/recordings/${old.id}`)).status).toBe(200)
  server = await server.restart({ MEDIA_RETENTION_DAYS: "2" })
  const statusOf = async ({ id }: Json) => (await api("GET", `/v1/recordings/${id}`)).status
  await eventually(async () => (await statusOf(old)) === 404, "the end of the recording")
  expect([await statusOf(young), await statusOf(running)]).toEqual([200, 200])
  await eventually(async () => !(await filesOf()).includes(old.id), "the removal of the bytes")
})

test("an upload that nobody completes fails after a day, also while no server runs, and its bytes go", async () => {
  const event = await published()
  const { id, uploadUrl } = await begin(event.id)
  await put(uploadUrl, wavOf(1))
  expect((await filesOf()).some((name) => name.startsWith(id))).toBe(true)
  await rows.run("update recordings set upload_expires_at = now() - interval '1 second' where id = $1", [id])
  server = await server.restart()
  await eventually(async () => (await api("GET", `/v1/recordings/${id}`)).body.status === "failed", "the end")
  await eventually(async () => !(await filesOf()).some((name) => name.startsWith(id)), "the removal of the bytes")
})

test("whether media can be stored is told with the readiness, which does not need it", async () => {
  const own = await startMediaServer()
  onTestFinished(own.stop)
  const readiness = async (base: string): Promise<Json> => {
    await eventually(async () => (await call(base, "GET", "/readyz")).body.storage !== null, "the first look")
    return call(base, "GET", "/readyz")
  }
  expect(await readiness(own.url)).toMatchObject({ status: 200, body: { storage: true } })
  const media = join(own.folder, "media")
  await rm(media, { recursive: true, force: true })
  // Nothing can be written below a file.
  await writeFile(media, "")
  const next = await own.restart()
  onTestFinished(next.stop)
  expect(await readiness(next.url)).toMatchObject({ status: 200, body: { status: "ready", storage: false } })
})

test("bytes that cannot be read for a while are neither judged nor removed", async () => {
  const event = await published()
  const { id } = await uploaded(event.id)
  const path = join(server.folder, "media", acme.id, id.slice(-2), id)
  await rename(path, `${path}.elsewhere`)
  // The recording is ready a moment before its job is gone.
  const jobs = "select from media_jobs where recording_id = $1 and kind = 'inspect'"
  await eventually(async () => (await rows.run(jobs, [id])).length === 0, "the end of the job")
  await rows.run("update recordings set status = 'processing' where id = $1", [id])
  await rows.run("insert into media_jobs (kind, recording_id) values ('inspect', $1)", [id])
  const tried = "select last_error from media_jobs where recording_id = $1 and last_error is not null"
  await eventually(async () => (await rows.run(tried, [id])).length === 1, "the first try")
  await rename(`${path}.elsewhere`, path)
  const read = async (): Promise<Json> => (await api("GET", `/v1/recordings/${id}`)).body
  await eventually(async () => (await read()).status === "ready", "the next try")
})
