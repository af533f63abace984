/** The storage in a bucket by itself: deadlines, files of this server, and what was on the disk before. */
import { randomBytes } from "node:crypto"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { S3Deadlines } from "../../src/media/storage/s3/s3-bucket.ts"
import { s3Storage } from "../../src/media/storage/s3/s3-storage.ts"
import { type MediaStorage, storageKeyOf } from "../../src/media/storage/storage.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { type S3TestServer, startS3Server } from "../support/s3/s3-server.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const KEY = storageKeyOf("workspace", "recording-0f")
const MEBIBYTE = 1024 ** 2

let s3: S3TestServer
let folder: string
let storage: MediaStorage["Service"]

const openStorage = (deadlines?: S3Deadlines, growsInBucket = false): Promise<MediaStorage["Service"]> => {
  const { accessKeyId, secretAccessKey, region } = s3.credentials
  const url = s3.environment["S3_URL"] ?? ""
  const settings = { url, region, accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) }
  return Effect.runPromise(
    s3Storage({ disk: { folder, minFreeBytes: 0 }, growsInBucket }, settings, deadlines).pipe(
      Effect.provide(Telemetry.layer("silent")),
    ),
  )
}

beforeEach(async () => {
  s3 = await startS3Server()
  folder = await temporaryFolder()
  storage = await openStorage()
})
afterEach(() => s3.close())

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

test("a bucket that never answers is given up: every operation has a deadline", async () => {
  const upload = { key: KEY, uploadId: await run(storage.begin(KEY)) }
  const hasty = await openStorage({ shortMs: 300, longMs: 500 })
  s3.fault = () => "hang"
  const operations = [
    hasty.begin(KEY),
    hasty.arrived(upload),
    hasty.seal(upload, [{ number: 1, etag: "x", sizeBytes: 1 }]),
    hasty.open(KEY),
    hasty.source(KEY),
    hasty.remove(KEY),
  ]
  const ends = await Promise.all(operations.map((operation) => run(Effect.flip<unknown, unknown, never>(operation))))
  for (const end of ends) expect(end).toMatchObject({ _tag: "Unavailable" })
})

test.each([
  ["small", 1000],
  ["large", 40 * MEBIBYTE],
])("a %s file of this server is read from the disk until it is in the bucket, and then from there", async (_, size) => {
  const bytes = randomBytes(size)
  await writeFile(await run(storage.newPath(KEY)), bytes)
  s3.fault = () => 500
  expect(await run(Effect.flip(storage.keep(KEY)))).toMatchObject({ _tag: "Unavailable" })
  const read = async () => {
    const file = await run(storage.open(KEY))
    const into = new Uint8Array(200)
    const count = await file?.read(into, size - 100)
    await file?.close()
    expect([count, Buffer.compare(into.subarray(0, 100), bytes.subarray(size - 100))]).toEqual([100, 0])
    return file?.addressFor === undefined ? "disk" : "bucket"
  }
  expect(await read()).toBe("disk")
  s3.fault = undefined
  await run(storage.keep(KEY))
  await run(storage.keep(KEY))
  expect(await read()).toBe("bucket")
  expect(await files()).toEqual([])
  expect(s3.stored(KEY)).toHaveLength(1)
  await run(storage.remove(KEY))
  await run(storage.remove(KEY))
  expect(s3.stored(KEY)).toEqual([])
  expect(await run(storage.open(KEY))).toBeNull()
})

test("what was stored on the disk before the bucket was configured is read and removed there", async () => {
  await mkdir(dirname(join(folder, KEY)), { recursive: true })
  await writeFile(join(folder, KEY), "before")
  const file = await run(storage.open(KEY))
  expect([file?.size, file?.addressFor]).toEqual([6, undefined])
  await file?.close()
  expect(await run(storage.source(KEY))).toEqual({ path: join(folder, KEY) })
  await run(storage.remove(KEY))
  expect(await files()).toEqual([])
})

test("removal ends every upload of the object, and of no other one", async () => {
  const other = storageKeyOf("workspace", "recording-0f2")
  const uploads = await Promise.all([storage.begin(KEY), storage.begin(KEY), storage.begin(other)].map(run))
  await run(storage.remove(KEY))
  const arrived = await Promise.all(
    uploads.map((uploadId, index) => run(storage.arrived({ key: index === 2 ? other : KEY, uploadId }))),
  )
  expect(arrived.map(({ kind }) => kind)).toEqual(["nothing", "nothing", "nothing"])
  const put = async (uploadId: string | null, key: string) => {
    const url = storage.uploadAddress({ key, uploadId }, { number: 1, sizeBytes: null }, 60) ?? ""
    return (await fetch(url, { method: "PUT", body: "x" })).status
  }
  expect([await put(uploads[0] ?? "", KEY), await put(uploads[2] ?? "", other)]).toEqual([404, 200])
})

const read = async (of: MediaStorage["Service"], key: string): Promise<Buffer | null> => {
  const file = await run(of.open(key))
  if (file === null) return null
  const into = Buffer.alloc(file.size + 10)
  const bytes = await file.read(into, 0)
  return into.subarray(0, bytes)
}

test("a file that grows in the bucket is read at every node while it grows, and is one object when it is whole", async () => {
  const [here, there] = [await openStorage(undefined, true), await openStorage(undefined, true)]
  const key = `${KEY}-1-7`
  const parts = [randomBytes(100), randomBytes(3 * MEBIBYTE), randomBytes(17 * MEBIBYTE), randomBytes(5)]
  const file = await run(here.grow(key, 0))
  expect(await read(there, key)).toBeNull()
  for (const [index, part] of parts.entries()) {
    await file.append([part.subarray(0, 50), part.subarray(50)])
    expect((await read(there, key))?.equals(Buffer.concat(parts.slice(0, index + 1)))).toBe(true)
  }
  const whole = Buffer.concat(parts)
  const some = Buffer.alloc(300)
  const open = await run(there.open(key))
  expect(await open?.read(some, 3 * MEBIBYTE)).toBe(300)
  expect(some.equals(whole.subarray(3 * MEBIBYTE, 3 * MEBIBYTE + 300))).toBe(true)
  expect(await files()).toEqual([])

  // As the end of a broadcast does it, here where another node made the file: bytes without a row are cut off.
  const kept = 100 + 20 * MEBIBYTE
  await (await run(there.grow(key, kept))).close()
  expect((await read(here, key))?.byteLength).toBe(kept)
  await expect(run(there.grow(key, kept + 1))).rejects.toMatchObject({ _tag: "Unavailable" })
  await Promise.all([run(here.keep(key)), run(here.keep(key))])
  await run(there.keep(key))
  expect(s3.stored("")).toEqual([key])
  expect((await read(there, key))?.equals(whole.subarray(0, kept))).toBe(true)
})

test("a file that grows in the bucket is joined for the process for media, and all of it is removed", async () => {
  const storageOfNode = await openStorage(undefined, true)
  const bytes = randomBytes(1000)
  const file = await run(storageOfNode.grow(KEY, 0))
  await file.append([bytes])
  expect(await run(storageOfNode.source(KEY))).toMatchObject({ sizeBytes: 1000 })
  expect(s3.stored("")).toEqual([KEY])
  const other = await run(storageOfNode.grow(`${KEY}-2-7`, 0))
  await other.append([bytes])
  for (const key of [KEY, `${KEY}-2-7`]) await run(storageOfNode.remove(key))
  expect(s3.stored("")).toEqual([])
})

test("a bucket that does not answer for a moment costs a file that grows nothing", async () => {
  const storageOfNode = await openStorage(undefined, true)
  const file = await run(storageOfNode.grow(KEY, 0))
  await file.append([Buffer.from("one")])
  let refused = 0
  s3.fault = () => (refused++ < 2 ? 503 : undefined)
  await file.append([Buffer.from("two")])
  expect(refused).toBeGreaterThan(2)
  expect((await read(storageOfNode, KEY))?.toString()).toBe("onetwo")
})
