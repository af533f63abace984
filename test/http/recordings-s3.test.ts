/** Recordings in a bucket: where clients are sent, what moves there, and a bucket that is away. */
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { type CallOptions, call, createEvent, createWorkspace, type Json, type Workspace } from "../support/api.ts"
import { bytesAt, filesIn, recordingOf, startBroadcast, textAt } from "../support/broadcasts.ts"
import { push } from "../support/encoder.ts"
import { openStorageHouse, type StorageHouse } from "../support/media-storages.ts"
import { rowsOf } from "../support/rows.ts"
import type { Fault, S3TestServer } from "../support/s3/s3-server.ts"
import { eventually } from "../support/wait.ts"
import { noiseOf, wavOf } from "../support/wav.ts"

let house: StorageHouse
let s3: S3TestServer
let acme: Workspace
let event: Json

const bucketOf = (of: StorageHouse): S3TestServer => {
  if (of.s3 === null) throw new Error("the house has no bucket")
  return of.s3
}

beforeAll(async () => {
  house = await openStorageHouse("S3")
  s3 = bucketOf(house)
  acme = await createWorkspace(house.server.url)
  event = await published()
})
afterAll(() => house.close())
afterEach(() => {
  s3.fault = undefined
})

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(house.server.url, method, path, { key: acme.key, ...options })

const published = async (): Promise<Json> => {
  const made = await createEvent(house.server.url, acme.key)
  await api("POST", `/v1/events/${made.id}/publish`)
  return made
}

const begin = async (body: object = {}, at: Json = event): Promise<Json> => {
  const answer = await api("POST", `/v1/events/${at.id}/recordings`, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const put = (url: string, body: Uint8Array) => fetch(url, { method: "PUT", body })
const complete = (id: string, body: object = {}) => api("POST", `/v1/recordings/${id}/complete`, { body })
const get = async (id: string): Promise<Json> => (await api("GET", `/v1/recordings/${id}`)).body
const settled = async (id: string): Promise<Json> => {
  await eventually(async () => ["ready", "failed"].includes((await get(id)).status), "the end of the inspection")
  return get(id)
}

const uploaded = async (bytes: Uint8Array, fields: object = {}, at: Json = event): Promise<Json> => {
  const { id, uploadUrl } = await begin({ sizeBytes: bytes.byteLength, ...fields }, at)
  expect((await put(uploadUrl, bytes)).status).toBe(200)
  expect((await complete(id)).status).toBe(202)
  return settled(id)
}

test("a recording is watched and downloaded from the bucket, under its type and name, and in ranges", async () => {
  const sound = wavOf(3)
  const ready = await uploaded(sound, { title: `It's – “all” (*)!` })
  expect(ready).toMatchObject({ status: "ready", durationMs: 3000, sizeBytes: sound.byteLength })
  const redirected = await fetch(ready.playbackUrl, { redirect: "manual" })
  const location = redirected.headers.get("location") ?? ""
  expect([redirected.status, new URL(location).origin]).toEqual([302, new URL(s3.environment["S3_URL"] ?? "").origin])
  expect(redirected.headers.get("access-control-allow-origin")).toBe("*")
  expect(location).not.toContain(encodeURIComponent(s3.credentials.secretAccessKey))
  const played = await fetch(ready.playbackUrl)
  expect([played.status, played.headers.get("content-type")]).toEqual([200, "audio/wav"])
  expect(Buffer.from(await played.arrayBuffer()).equals(sound)).toBe(true)
  const part = await fetch(ready.downloadUrl, { headers: { range: "bytes=100-199" } })
  expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-199/${sound.byteLength}`])
  expect(Buffer.from(await part.arrayBuffer()).equals(sound.subarray(100, 200))).toBe(true)
  expect(part.headers.get("content-disposition")).toBe(
    "attachment; filename*=UTF-8''It%27s%20%E2%80%93%20%E2%80%9Call%E2%80%9D%20%28%2A%29%21.wav",
  )
  expect((await fetch(ready.playbackUrl, { method: "HEAD" })).status).toBe(200)
  expect((await fetch(`${ready.playbackUrl}A`, { redirect: "manual" })).status).toBe(401)
  await api("DELETE", `/v1/recordings/${ready.id}`)
  expect((await fetch(ready.playbackUrl, { redirect: "manual" })).status).toBe(404)
  await eventually(async () => (await house.stored(ready.id)).length === 0, "the removal of the object")
})

test("an upload takes as many bytes as were announced, and no other ones after it was completed", async () => {
  const sound = wavOf(1)
  const { id, uploadUrl } = await begin({ sizeBytes: sound.byteLength })
  expect((await put(uploadUrl, wavOf(2))).status).toBe(403)
  expect((await put(uploadUrl, sound)).status).toBe(200)
  expect((await complete(id)).status).toBe(202)
  expect((await settled(id)).status).toBe("ready")
  expect((await put(uploadUrl, Buffer.alloc(sound.byteLength))).status).toBe(404)
})

test("of a large recording the server reads what the inspection needs, and a clip is cut out of it", async () => {
  const ready = await uploaded(noiseOf(40 * 1024 ** 2))
  expect(ready.status).toBe("ready")
  s3.operations.length = 0
  const clip = await api("POST", `/v1/recordings/${ready.id}/clips`, { body: { startMs: 60_000, endMs: 61_000 } })
  expect(clip.status).toBe(202)
  const clipOf = async (): Promise<Json> => (await api("GET", `/v1/clips/${clip.body.id}`)).body
  await eventually(async () => (await clipOf()).status !== "processing", "the cut")
  const cut = await clipOf()
  expect(cut).toMatchObject({ status: "ready", contentType: "audio/wav" })
  expect(s3.operations.filter((operation) => operation === "GetObject").length).toBeLessThan(10)
  expect(await house.stored(cut.id)).toHaveLength(1)
  expect((await fetch(cut.playbackUrl, { redirect: "manual" })).status).toBe(302)
  expect((await bytesAt(cut.playbackUrl)).byteLength).toBe(cut.sizeBytes)
})

test("more bytes than a recording may have, which nobody announced, fail it and are removed", async () => {
  const small = await openStorageHouse("S3", { MEDIA_MAX_BYTES: "50000", MEDIA_QUOTA_BYTES: "120000" })
  onTestFinished(small.close)
  const { key } = await createWorkspace(small.server.url)
  const ask = (method: string, path: string, body?: object) =>
    call(small.server.url, method, path, body === undefined ? { key } : { key, body })
  const { id: eventId } = await createEvent(small.server.url, key)
  await ask("POST", `/v1/events/${eventId}/publish`)
  const start = () => ask("POST", `/v1/events/${eventId}/recordings`, {})
  const [one, two] = [await start(), await start()]
  // Each counts as the largest that it may be.
  expect([one.status, two.status, (await start()).status]).toEqual([201, 201, 409])
  expect((await put(one.body.uploadUrl, wavOf(4))).status).toBe(200)
  expect((await ask("POST", `/v1/recordings/${one.body.id}/complete`, {})).status).toBe(413)
  const failed = (await ask("GET", `/v1/recordings/${one.body.id}`)).body
  expect(failed).toMatchObject({ status: "failed", failure: { code: "too_large" } })
  await eventually(async () => (await small.stored(one.body.id)).length === 0, "the removal of the bytes")
  expect((await put(two.body.uploadUrl, wavOf(1))).status).toBe(200)
  expect((await ask("POST", `/v1/recordings/${two.body.id}/complete`, {})).status).toBe(202)
  expect((await start()).status).toBe(201)
})

test("a broadcast is recorded here and moved to the bucket, and can be watched all the time", async () => {
  const onAir = await startBroadcast(house.server.url, acme.key)
  for (const name of ["ffmpeg-stream.mp4", "ffmpeg-other-size.mp4"]) await push(onAir.streamUrl, fixture(name))
  await onAir.control("stop")
  const recording = await recordingOf(house.server.url, acme.key, onAir.eventId)
  const inBucket = () => s3.stored(recording.id)
  await eventually(async () => inBucket().length === 2 && (await house.stored(recording.id)).length === 2, "the move")
  const playlist = await textAt(recording.playbackUrl)
  const base = recording.playbackUrl.replace(/[^/]*$/, "")
  const segments = await Promise.all(filesIn(playlist).map((name) => bytesAt(base + name)))
  expect(segments.length).toBeGreaterThan(2)
  const whole = await bytesAt(recording.downloadUrl)
  expect(Buffer.from(whole).includes(Buffer.from(segments[0] ?? []))).toBe(true)
  const clip = await api("POST", `/v1/recordings/${recording.id}/clips`, { body: { startMs: 0, endMs: 1500 } })
  const clipOf = async (): Promise<Json> => (await api("GET", `/v1/clips/${clip.body.id}`)).body
  await eventually(async () => (await clipOf()).status === "ready", "the cut")
  await api("DELETE", `/v1/events/${onAir.eventId}`)
  await eventually(async () => [...inBucket(), ...s3.stored(clip.body.id)].length === 0, "the removal of all objects")
})

const FAULTS: ReadonlyArray<readonly [string, Fault]> = [
  ["answers with errors", 500],
  ["refuses the key", 403],
  ["closes connections", "cut"],
]

test.each(FAULTS)(
  "while the bucket %s, requests are answered 503, jobs wait, and nothing is lost",
  async (_, fault) => {
    const sound = wavOf(1)
    const ready = await uploaded(sound)
    const waiting = await begin({ sizeBytes: sound.byteLength })
    await put(waiting.uploadUrl, sound)
    const count = async () => (await api("GET", `/v1/events/${event.id}/recordings`)).body.recordings.length
    const before = await count()
    s3.fault = () => fault
    const refused = await api("POST", `/v1/events/${event.id}/recordings`, { body: { sizeBytes: 1000 } })
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } })
    expect(JSON.stringify(refused.body)).not.toContain(s3.credentials.accessKeyId)
    expect(await count()).toBe(before)
    expect((await complete(waiting.id)).status).toBe(503)
    expect((await get(waiting.id)).status).toBe("uploading")
    expect((await fetch(ready.playbackUrl, { redirect: "manual" })).status).toBe(503)
    // Its row goes now, its object when the bucket is back.
    expect((await api("DELETE", `/v1/recordings/${ready.id}`)).status).toBe(204)
    s3.fault = undefined
    expect((await complete(waiting.id)).status).toBe(202)
    expect(await settled(waiting.id)).toMatchObject({ status: "ready", durationMs: 1000 })
    await eventually(async () => (await house.stored(ready.id)).length === 0, "the removal of the object")
  },
)

test("an inspection that the bucket interrupts is tried until it succeeds", async () => {
  const rows = rowsOf(house.server.databaseUrl)
  onTestFinished(rows.end)
  const sound = wavOf(1)
  const { id, uploadUrl } = await begin({ sizeBytes: sound.byteLength })
  await put(uploadUrl, sound)
  s3.fault = (operation) => (operation === "GetObject" ? 500 : undefined)
  expect((await complete(id)).status).toBe(202)
  const job = async () =>
    (await rows.run("select attempts, leased_until from media_jobs where recording_id = $1", [id]))[0]
  await eventually(async () => (await job())?.["leased_until"] === null, "the end of the first try")
  // As after a day without the bucket.
  await rows.run("update media_jobs set attempts = 20, due_at = now() where recording_id = $1", [id])
  await eventually(async () => {
    const now = await job()
    return Number(now?.["attempts"]) > 20 && now?.["leased_until"] === null
  }, "the end of another try")
  expect((await get(id)).status).toBe("processing")
  s3.fault = undefined
  await rows.run("update media_jobs set due_at = now() where recording_id = $1", [id])
  expect(await settled(id)).toMatchObject({ status: "ready" })
})

test("an answer to the joining of parts that is lost does no harm: the upload is completed again", async () => {
  const sound = wavOf(1)
  const { id, uploadUrl } = await begin({ sizeBytes: sound.byteLength })
  await put(uploadUrl, sound)
  // Joined by another caller, whose own request to this server never came to its row.
  s3.fault = (operation) => (operation === "HeadObject" ? "cut" : undefined)
  expect((await complete(id)).status).toBe(503)
  expect(s3.stored(id)).toHaveLength(1)
  s3.fault = undefined
  expect((await complete(id)).status).toBe(202)
  expect(await settled(id)).toMatchObject({ status: "ready" })
})

test("what was not begun at the bucket because it was away is removed with its row", async () => {
  s3.fault = (operation) => (operation === "CreateMultipartUpload" ? "cut" : undefined)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => api("POST", `/v1/events/${event.id}/recordings`, { body: {} })),
  )
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  s3.fault = undefined
  expect((await begin()).status).toBe("uploading")
})

const keyed = (method: string, path: string, body: object, key: string) =>
  api(method, path, { body, headers: { "idempotency-key": key } })

test("with a key too, a bucket that does not answer keeps no other caller of the workspace waiting", async () => {
  let isHanging = false
  s3.fault = (operation) => {
    if (operation !== "CreateMultipartUpload" || isHanging) return undefined
    isHanging = true
    return "hang"
  }
  // Its answer comes when the deadline of the bucket is over, and is of no interest.
  keyed("POST", `/v1/events/${event.id}/recordings`, {}, "hanging").catch(() => {})
  await eventually(() => Promise.resolve(isHanging), "the call that hangs")
  const other = await keyed("POST", `/v1/events/${event.id}/recordings`, {}, "not hanging")
  expect(other.status).toBe(201)
  expect((await keyed("POST", `/v1/recordings/${other.body.id}/complete`, {}, "nothing came")).status).toBe(409)
})

test("with a key too, an upload that has too many bytes fails, and they are removed", async () => {
  const small = await openStorageHouse("S3", { MEDIA_MAX_BYTES: "50000" })
  onTestFinished(small.close)
  const { key } = await createWorkspace(small.server.url)
  const { id: eventId } = await createEvent(small.server.url, key)
  const ask = (path: string, body: object = {}) =>
    call(small.server.url, "POST", path, { key, body, headers: { "idempotency-key": "one" } })
  await ask(`/v1/events/${eventId}/publish`)
  const { id, uploadUrl } = (await ask(`/v1/events/${eventId}/recordings`)).body
  expect((await put(uploadUrl, wavOf(4))).status).toBe(200)
  expect((await ask(`/v1/recordings/${id}/complete`)).status).toBe(413)
  const failed = (await call(small.server.url, "GET", `/v1/recordings/${id}`, { key })).body
  expect(failed).toMatchObject({ status: "failed", failure: { code: "too_large" } })
  await eventually(async () => (await small.stored(id)).length === 0, "the removal of the bytes")
})

test("a recording whose answer was lost before it was kept is begun once, and so is one that the bucket refused", async () => {
  const rows = rowsOf(house.server.databaseUrl)
  onTestFinished(rows.end)
  const at = await published()
  const create = (body: object = {}) => keyed("POST", `/v1/events/${at.id}/recordings`, body, "lost")
  s3.fault = (operation) => (operation === "CreateMultipartUpload" ? 500 : undefined)
  expect((await create()).status).toBe(503)
  s3.fault = undefined
  const first = await create()
  expect(first.status).toBe(201)
  await rows.run("delete from idempotency_keys")
  const repeat = await create()
  expect([repeat.status, repeat.body.id, repeat.body.expiresAt]).toEqual([201, first.body.id, first.body.expiresAt])
  expect((await keyed("POST", `/v1/events/${at.id}/recordings`, { title: "Other" }, "lost")).status).toBe(422)
  await put(first.body.uploadUrl, wavOf(1))
  await complete(first.body.id)
  await settled(first.body.id)
  // As a day later: the key is good for another recording.
  await rows.run("delete from idempotency_keys")
  const later = await create()
  expect([later.status, later.body.id === first.body.id]).toEqual([201, false])
})
