/** Uploads in parts, over real sockets, as each storage has to take them. */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CallOptions, call, createEvent, createWorkspace, type Json, type Workspace } from "./api.ts"
import type { StorageHouse } from "./media-storages.ts"
import { rowsOf } from "./rows.ts"
import { eventually } from "./wait.ts"
import { noiseOf } from "./wav.ts"

const MEBIBYTE = 1024 ** 2
/** Five parts, of which the last is short. */
const FILE = noiseOf(66 * MEBIBYTE)
const PART = 16 * MEBIBYTE
const COUNT = 5

const bytesOf = (number: number): Uint8Array => FILE.subarray((number - 1) * PART, number * PART)

interface PartAddress {
  readonly number: number
  readonly sizeBytes: number
  readonly url: string
}

export const describeParts = (storage: string, open: () => Promise<StorageHouse>): void => {
  describe(`parts on ${storage}`, () => tests(open))
}

const tests = (open: () => Promise<StorageHouse>): void => {
  let house: StorageHouse
  let acme: Workspace
  let rows: ReturnType<typeof rowsOf>
  let event: Json

  const api = (method: string, path: string, options: CallOptions = {}) =>
    call(house.server.url, method, path, { key: acme.key, ...options })

  beforeAll(async () => {
    house = await open()
    acme = await createWorkspace(house.server.url)
    rows = rowsOf(house.server.databaseUrl)
    event = await createEvent(house.server.url, acme.key)
    await api("POST", `/v1/events/${event.id}/publish`)
  })
  afterAll(async () => {
    await rows.end()
    await house.close()
  })

  const begin = async (body: object = { sizeBytes: FILE.byteLength }): Promise<Json> => {
    const answer = await api("POST", `/v1/events/${event.id}/recordings`, { body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }
  const ask = (id: string, from = 1, to = COUNT) => api("POST", `/v1/recordings/${id}/parts`, { body: { from, to } })
  const addresses = async (id: string): Promise<ReadonlyArray<PartAddress>> => (await ask(id)).body.parts
  const put = (url: string, body: Uint8Array) => fetch(url, { method: "PUT", body })
  const complete = (id: string, body: object = {}) => api("POST", `/v1/recordings/${id}/complete`, { body })
  const putParts = async (parts: ReadonlyArray<PartAddress>) =>
    Promise.all(
      parts.map(async ({ number, url }) => {
        const answer = await put(url, bytesOf(number))
        return { number, status: answer.status, etag: answer.headers.get("etag") ?? "" }
      }),
    )
  const settled = async (id: string): Promise<Json> => {
    let recording: Json
    await eventually(async () => {
      recording = (await api("GET", `/v1/recordings/${id}`)).body
      return recording.status === "ready" || recording.status === "failed"
    }, "the end of the inspection")
    return recording
  }

  test("parts that come at once and in any order become the recording, and of fifty that complete them one begins its inspection", async () => {
    const { id, parts: announced } = await begin()
    expect(announced).toEqual({ sizeBytes: PART, maxParts: COUNT })
    const given = await addresses(id)
    expect(given.map(({ number, sizeBytes }) => [number, sizeBytes])).toEqual([
      [1, PART],
      [2, PART],
      [3, PART],
      [4, PART],
      [5, 2 * MEBIBYTE],
    ])
    const late = await putParts(given.slice(3).toReversed())
    const incomplete = await complete(id)
    expect(incomplete).toMatchObject({ status: 409, body: { detail: "Parts 1 to 3 are missing." } })
    const early = await putParts(given.slice(0, 3))
    // A part that is stored twice counts once.
    const twice = await putParts(given.slice(4))
    expect([...early, ...late, ...twice].map(({ status }) => status)).toEqual(
      Array.from({ length: COUNT + 1 }, () => house.putStatus),
    )
    const parts = [...early, ...late].map(({ number, etag }) => ({ number, etag }))
    const other = (etag: string) => `"${etag[1] === "0" ? "1" : "0"}${etag.slice(2)}`
    const wrong = parts.map(({ number, etag }) => ({ number, etag: number === 3 ? other(etag) : etag }))
    expect(await complete(id, { parts: wrong })).toMatchObject({
      status: 409,
      body: { detail: "Part 3 is stored with another etag." },
    })
    expect((await complete(id, { sizeBytes: FILE.byteLength - 1 })).status).toBe(409)
    const many = Array.from({ length: 10_000 }, (_, index) => ({ number: index + 1, etag: "0".repeat(64) }))
    expect((await complete(id, { parts: many })).status).toBe(409)
    const sha256 = createHash("sha256").update(FILE).digest("hex")
    let refused = 0
    // A caller who is told to come back does so.
    const completed = async (): ReturnType<typeof complete> => {
      const answer = await complete(id, { parts, sizeBytes: FILE.byteLength, sha256 })
      if (answer.status !== 503) return answer
      refused++
      // timed: the caller comes back when it is told to.
      await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get("retry-after")) * 1000))
      return completed()
    }
    const answers = await Promise.all(Array.from({ length: 50 }, completed))
    const begun = answers.filter(({ status }) => status === 202)
    expect(answers.filter(({ status }) => status !== 200 && status !== 202)).toEqual([])
    expect(begun.filter(({ body }) => body.status !== "processing")).toEqual([])
    // One that was begun may be answered with 503, where the database took longer than the answer could wait.
    if (refused === 0) expect(begun).toHaveLength(1)
    else expect(begun.length).toBeLessThan(2)
    const ready = await settled(id)
    expect(ready).toMatchObject({ status: "ready", sizeBytes: FILE.byteLength, contentType: "audio/wav" })
    const bytes = Buffer.from(await (await fetch(ready.playbackUrl)).arrayBuffer())
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256)
    if (house.endsAddresses) expect((await put(given[4]?.url ?? "", bytesOf(5))).ok).toBe(false)
    expect((await ask(id)).status).toBe(409)
  })

  test("a part of another size, or at an altered address, is refused", async () => {
    const { id } = await begin()
    const [first] = await addresses(id)
    const url = first?.url ?? ""
    expect((await put(url, bytesOf(5))).ok).toBe(false)
    // Few bytes: a refusal may close the connection before a client has sent many.
    const altered = await put(url.replace(/.$/, url.endsWith("A") ? "B" : "A"), Buffer.from("bytes"))
    expect([401, 403]).toContain(altered.status)
    expect(await complete(id)).toMatchObject({ status: 409 })
  })

  test("the same file is uploaded whole instead", async () => {
    const { id, uploadUrl } = await begin()
    expect((await put(uploadUrl, FILE)).status).toBe(house.putStatus)
    expect((await complete(id)).status).toBe(202)
    expect(await settled(id)).toMatchObject({ status: "ready", sizeBytes: FILE.byteLength })
  })

  test("addresses are refused for small and unannounced files, bad ranges, and other workspaces", async () => {
    const { id, parts } = await begin({ sizeBytes: 64 * MEBIBYTE })
    expect(parts).toBeNull()
    expect((await ask(id)).status).toBe(409)
    expect((await ask((await begin({})).id)).status).toBe(409)
    const large = await begin()
    for (const [from, to] of [
      [0, 1],
      [2, 1],
      [1, 6],
      [1.5, 2],
    ] as const) {
      expect((await ask(large.id, from, to)).status, `${from} to ${to}`).toBe(400)
    }
    const huge = await begin({ sizeBytes: 5 * 1024 ** 3 - 1 })
    expect(huge.parts).toEqual({ sizeBytes: PART, maxParts: 320 })
    expect((await ask(huge.id, 1, 320)).body.parts).toHaveLength(320)
    const { key } = await createWorkspace(house.server.url)
    const foreign = await api("POST", `/v1/recordings/${large.id}/parts`, { key, body: { from: 1, to: 1 } })
    expect(foreign.status).toBe(404)
    for (const recording of [large, huge]) await api("DELETE", `/v1/recordings/${recording.id}`)
    expect((await ask(large.id)).status).toBe(404)
  })

  test("an upload that is deleted, or not completed within a day, leaves no bytes", async () => {
    const { id } = await begin()
    const given = await addresses(id)
    await putParts(given.slice(4))
    expect((await house.stored(id)).length).toBeGreaterThan(0)
    expect((await api("DELETE", `/v1/recordings/${id}`)).status).toBe(204)
    await eventually(async () => (await house.stored(id)).length === 0, "the removal of the bytes")
    expect((await put(given[4]?.url ?? "", bytesOf(5))).status).toBe(404)
    const expiring = (await begin()).id
    await putParts((await addresses(expiring)).slice(4))
    await rows.run("update recordings set upload_expires_at = now() - interval '1 second' where id = $1", [expiring])
    house.server = await house.server.restart()
    expect(await settled(expiring)).toMatchObject({ status: "failed", failure: { code: "upload_expired" } })
    await eventually(async () => (await house.stored(expiring)).length === 0, "the removal of the bytes")
    expect((await complete(expiring)).status).toBe(409)
  })

  test("a delete while an upload is completed leaves no bytes", async () => {
    const { id } = await begin()
    await putParts(await addresses(id))
    const [completed, deleted] = await Promise.all([complete(id), api("DELETE", `/v1/recordings/${id}`)])
    expect(deleted.status).toBe(204)
    expect([202, 404, 409]).toContain(completed.status)
    await eventually(async () => (await house.stored(id)).length === 0, "the removal of the bytes")
  })
}
