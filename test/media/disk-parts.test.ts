/** Parts on a real disk: what counts after a crash, and several who put the same part. */
import { randomBytes } from "node:crypto"
import { appendFile, readdir, readFile, truncate } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { DiskParts } from "../../src/media/storage/disk-parts.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const quiet = { onDrain: () => {}, onCut: () => {} }
const PART = 3_000_000
const partAt = (number: number) => ({ number, position: (number - 1) * PART, sizeBytes: PART })

const openParts = (folder: string) =>
  new DiskParts(
    (key) => join(folder, key),
    () => {},
  )

const put = async (parts: DiskParts, number: number, bytes: Uint8Array) => {
  const sink = await parts.open("one", partAt(number), quiet)
  for (let at = 0; at < bytes.byteLength; at += 65_536) sink.write(bytes.subarray(at, at + 65_536))
  return sink.finish()
}

test("parts that were stored are there after a crash, and a line that it cut off does not count", async () => {
  const folder = await temporaryFolder()
  const before = openParts(folder)
  const [first, third] = [randomBytes(PART), randomBytes(PART)]
  const etags = await Promise.all([put(before, 3, third), put(before, 1, first)])
  // Bytes of a request that never ended.
  const sink = await before.open("one", partAt(2), quiet)
  onTestFinished(() => sink.abandon())
  sink.write(randomBytes(2_000_000))
  await appendFile(join(folder, "one.parts.log"), `2 ${PART} ${PART} 0123abcd-30`)
  const after = openParts(folder)
  expect(await after.stored("one")).toEqual([
    { number: 1, etag: etags[1], sizeBytes: PART },
    { number: 3, etag: etags[0], sizeBytes: PART },
  ])
  const second = randomBytes(PART)
  await put(after, 2, second)
  expect((await after.stored("one"))?.map(({ number }) => number)).toEqual([1, 2, 3])
  const file = await readFile(after.dataPath("one"))
  expect(Buffer.compare(file, Buffer.concat([first, second, third]))).toBe(0)
  await after.remove("one")
  expect(await readdir(folder)).toEqual([])
})

test("a stored part is not written again: the same bytes are fine, others are refused", async () => {
  const parts = openParts(await temporaryFolder())
  const bytes = randomBytes(PART)
  const etag = await put(parts, 1, bytes)
  expect(await put(parts, 1, bytes)).toBe(etag)
  await expect(put(parts, 1, randomBytes(PART))).rejects.toMatchObject({ _tag: "Conflict" })
  expect(Buffer.compare(await readFile(parts.dataPath("one")), bytes)).toBe(0)
  const again = await parts.open("one", partAt(1), quiet)
  again.write(bytes.subarray(0, 10))
  await again.abandon()
  expect(await parts.stored("one")).toHaveLength(1)
})

test("however a part is divided, with empty chunks too, its etag is the same", async () => {
  const parts = openParts(await temporaryFolder())
  const bytes = randomBytes(PART)
  const etag = await put(parts, 1, bytes)
  for (const number of [1, 2]) {
    const sink = await parts.open("one", partAt(number), quiet)
    for (const [from, to] of [
      [0, 1],
      [1, 1],
      [1, PART],
      [PART, PART],
    ] as const) {
      sink.write(bytes.subarray(from, to))
    }
    expect(await sink.finish()).toBe(etag)
  }
})

test("too few bytes are refused, and the part does not count", async () => {
  const parts = openParts(await temporaryFolder())
  await expect(put(parts, 1, randomBytes(PART - 1))).rejects.toMatchObject({ _tag: "Conflict" })
  expect(await parts.stored("one")).toEqual([])
})

test("of many who put one part at once the file has the bytes of the one that was acknowledged", async () => {
  const parts = openParts(await temporaryFolder())
  for (let number = 1; number <= 5; number++) {
    const offers = Array.from({ length: 8 }, () => randomBytes(PART))
    const ends = await Promise.allSettled(offers.map((bytes) => put(parts, number, bytes)))
    const won = offers.filter((_, index) => ends[index]?.status === "fulfilled")
    expect(won).toHaveLength(1)
    const { position } = partAt(number)
    const file = await readFile(parts.dataPath("one"))
    expect(Buffer.compare(file.subarray(position, position + PART), won[0] ?? Buffer.alloc(0))).toBe(0)
  }
})

test("a journal that lost its end by a crash of the machine names no part that it does not have", async () => {
  const folder = await temporaryFolder()
  const before = openParts(folder)
  for (const number of [1, 2]) await put(before, number, randomBytes(PART))
  const { byteLength } = await readFile(join(folder, "one.parts.log"))
  await truncate(join(folder, "one.parts.log"), byteLength - 3)
  const after = openParts(folder)
  await put(after, 3, randomBytes(PART))
  expect((await after.stored("one"))?.map(({ number }) => number)).toEqual([1, 3])
})
