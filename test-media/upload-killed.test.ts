/** A server that is killed while parts come: those that it acknowledged are there. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace, type Json } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"
import { noiseOf } from "../test/support/wav.ts"

const MEBIBYTE = 1024 ** 2
const PART = 16 * MEBIBYTE
const COUNT = 12

test("no part that was acknowledged is lost by three kills, and the recording has every byte", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-killed-"))
  const database = await createTestDatabase()
  const environment = {
    PORT: String(await freePort()),
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
  }
  let server: ServerProcess = await startServerProcess(environment)
  onTestFinished(async () => {
    await server.end("SIGKILL")
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const { key } = await createWorkspace(server.url)
  const api = (method: string, path: string, body?: object) =>
    call(server.url, method, path, { key, ...(body === undefined ? {} : { body }) })
  const event = await createEvent(server.url, key)
  await api("POST", `/v1/events/${event.id}/publish`)
  const sound = noiseOf(COUNT * PART)
  const { id } = (await api("POST", `/v1/events/${event.id}/recordings`, { sizeBytes: sound.byteLength })).body
  const { parts } = (await api("POST", `/v1/recordings/${id}/parts`, { from: 1, to: COUNT })).body
  const acknowledged = new Set<number>()
  const send = async ({ number, url }: Json) => {
    const body = sound.subarray((number - 1) * PART, number * PART)
    const answer = await fetch(url, { method: "PUT", body }).catch(() => undefined)
    if (answer?.status === 204) acknowledged.add(number)
  }
  for (let kills = 0; kills < 3; kills++) {
    const wanted = Math.min(COUNT - 1, acknowledged.size + 2)
    const sending = Promise.all(parts.filter(({ number }: Json) => !acknowledged.has(number)).map(send))
    await eventually(async () => acknowledged.size >= wanted, "some parts")
    await server.end("SIGKILL")
    await sending
    server = await startServerProcess(environment)
    const { status, body } = await api("POST", `/v1/recordings/${id}/complete`, {})
    // More may be stored than was acknowledged, never less.
    if (status === 202) break
    expect(status).toBe(409)
    const missing = new Set<number>()
    for (const [, first, last] of String(body.detail).matchAll(/(\d+)(?: to (\d+))?/g)) {
      for (let number = Number(first); number <= Number(last ?? first); number++) missing.add(number)
    }
    expect([...acknowledged].filter((number) => missing.has(number))).toEqual([])
  }
  const isOpen = async () => (await api("GET", `/v1/recordings/${id}`)).body.status === "uploading"
  while ((await isOpen()) && acknowledged.size < COUNT) {
    await Promise.all(parts.filter(({ number }: Json) => !acknowledged.has(number)).map(send))
  }
  await api("POST", `/v1/recordings/${id}/complete`, {})
  await eventually(async () => (await api("GET", `/v1/recordings/${id}`)).body.status === "ready", "the inspection")
  const { playbackUrl } = (await api("GET", `/v1/recordings/${id}`)).body
  const stored = Buffer.from(await (await fetch(playbackUrl)).arrayBuffer())
  expect(stored.equals(sound)).toBe(true)
})
