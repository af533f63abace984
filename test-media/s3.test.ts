/** Recordings in a bucket on an S3 server of others, which verifies every signature and request as it sees fit. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { DEADLINES, S3Bucket } from "../src/media/storage/s3/s3-bucket.ts"
import { call, createEvent, createWorkspace, type Json, type Workspace } from "../test/support/api.ts"
import { bytesAt } from "../test/support/broadcasts.ts"
import { houseOn, type StorageHouse } from "../test/support/media-storages.ts"
import { describeParts } from "../test/support/parts-suite.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"
import { noiseOf } from "../test/support/wav.ts"
import { startSwift } from "./swift/swift-bucket.ts"

describeParts("Swift", async () => Object.assign(await houseOn(await startSwift()), { endsAddresses: false }))

let house: StorageHouse
let acme: Workspace

beforeAll(async () => {
  house = await houseOn(await startSwift())
  acme = await createWorkspace(house.server.url)
})
afterAll(() => house.close())

const api = (method: string, path: string, body?: object) =>
  call(house.server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })

const settled = async (path: string): Promise<Json> => {
  const read = async (): Promise<Json> => (await api("GET", path)).body
  await eventually(async () => ["ready", "failed"].includes((await read()).status), "the end of the work")
  return read()
}

test("a folder is removed with all that is in it, and nothing beside it", async () => {
  const swift = await startSwift()
  try {
    const { S3_URL: url = "", S3_REGION: region = "us-east-1", S3_ACCESS_KEY_ID = "", ...rest } = swift.environment
    const secretAccessKey = Redacted.make(rest["S3_SECRET_ACCESS_KEY"] ?? "")
    const bucket = new S3Bucket({ url, region, accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey }, DEADLINES)
    const file = join(await temporaryFolder(), "file")
    await writeFile(file, "bytes")
    const inside = Array.from({ length: 40 }, (_, index) => `w/aa/one.mp4.hls/segment_${index}.ts`)
    for (const key of [...inside, "w/aa/one.mp4", "w/aa/one.mp4.hlsx/other.ts"]) await bucket.store(key, file)
    await bucket.removeFolder("w/aa/one.mp4.hls/")
    await bucket.removeFolder("w/aa/nothing/")
    expect([...(await swift.stored("w/aa/"))].toSorted()).toEqual(["w/aa/one.mp4", "w/aa/one.mp4.hlsx/other.ts"])
  } finally {
    await swift.close()
  }
})

test("a recording is uploaded whole, watched in ranges and under its name, cut, and removed", async () => {
  const event = await createEvent(house.server.url, acme.key)
  await api("POST", `/v1/events/${event.id}/publish`)
  const sound = noiseOf(20 * 1024 ** 2)
  const title = `It's – “all” (*)!`
  const begun = await api("POST", `/v1/events/${event.id}/recordings`, { sizeBytes: sound.byteLength, title })
  const { id, uploadUrl } = begun.body
  expect((await fetch(uploadUrl, { method: "PUT", body: sound.subarray(2) })).ok).toBe(false)
  expect((await fetch(uploadUrl, { method: "PUT", body: sound })).status).toBe(200)
  expect((await api("POST", `/v1/recordings/${id}/complete`, {})).status).toBe(202)
  const ready = await settled(`/v1/recordings/${id}`)
  expect(ready).toMatchObject({ status: "ready", contentType: "audio/wav" })
  const part = await fetch(ready.downloadUrl, { headers: { range: "bytes=1000-1999" } })
  expect([part.status, part.headers.get("content-range"), part.headers.get("content-type")]).toEqual([
    206,
    `bytes 1000-1999/${sound.byteLength}`,
    "audio/wav",
  ])
  expect(part.headers.get("content-disposition")).toBe(
    "attachment; filename*=UTF-8''It%27s%20%E2%80%93%20%E2%80%9Call%E2%80%9D%20%28%2A%29%21.wav",
  )
  expect(Buffer.from(await part.arrayBuffer()).equals(sound.subarray(1000, 2000))).toBe(true)
  expect((await fetch(ready.playbackUrl, { method: "HEAD" })).status).toBe(200)
  const made = await api("POST", `/v1/recordings/${id}/clips`, { startMs: 60_000, endMs: 61_000 })
  const clip = await settled(`/v1/clips/${made.body.id}`)
  expect(clip).toMatchObject({ status: "ready" })
  expect((await bytesAt(clip.playbackUrl)).byteLength).toBe(clip.sizeBytes)
  await api("DELETE", `/v1/recordings/${id}`)
  const left = async () => [...(await house.stored(id)), ...(await house.stored(clip.id))]
  await eventually(async () => (await left()).length === 0, "the removal of the objects")
})
