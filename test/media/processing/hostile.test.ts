/** Files that are made to hurt the code that reads them. Each ends soon, with a reason. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { inspect } from "../../../src/media/processing/inspect.ts"
import { bombOf, box, mp4Of } from "../../support/mp4.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { wavOf } from "../../support/wav.ts"

const inspected = async (file: Uint8Array) => {
  const path = join(await temporaryFolder(), "recording")
  await writeFile(path, file)
  return inspect({ path }, () => {})
}

const sound = { entry: "opus", sampleBytes: 100, samples: 100, at: 0, sampleMs: 20 } as const
const movie = mp4Of([sound], Buffer.alloc(10_000))

/** The file with a number of four bytes written behind the name of a box. */
const forged = (name: string, offset: number, value: number): Buffer => {
  const file = Buffer.from(movie)
  file.writeUInt32BE(value, file.indexOf(name, 0, "latin1") + 4 + offset)
  return file
}

const nested = (depth: number): Buffer => {
  let inner = box("udta")
  for (let n = 0; n < depth; n++) inner = box("moov", inner)
  return inner
}

const u64 = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64BE(value)
  return buffer
}

const type = box("ftyp", "isom", Buffer.alloc(4), "isom")
const EBML = Buffer.from("1a45dfa3", "hex")
const REASONS = ["unreadable_media", "too_long"]

test("a table of sizes that claims four billion samples costs no more than the file", async () => {
  expect(await inspected(forged("stsz", 8, 0xffff_ffff))).toMatchObject({ durationMs: expect.any(Number) })
})

test("the file that the others are made from is sound", async () => {
  expect(await inspected(movie)).toMatchObject({ contentType: "audio/mp4", durationMs: 2000 })
})

test.each<readonly [string, Buffer]>([
  ["nothing", Buffer.alloc(0)],
  ["zeroes", Buffer.alloc(100_000)],
  ["MP4 without an index", Buffer.concat([type, box("mdat", Buffer.alloc(10_000))])],
  ["MP4 that was cut off in its index", movie.subarray(0, 300)],
  ["a table of times that claims centuries", forged("stts", 12, 0xffff_ffff)],
  ["a table of places with four billion entries", forged("stco", 4, 0xffff_ffff)],
  ["tables of times with four billion entries", forged("stts", 4, 0xffff_ffff)],
  ["boxes within boxes", Buffer.concat([type, nested(5000)])],
  [
    "a box that is larger than any file",
    Buffer.concat([type, Buffer.from([0, 0, 0, 1]), Buffer.from("moov"), u64(2n ** 62n)]),
  ],
  ["a box of no size", Buffer.concat([type, Buffer.from([0, 0, 0, 2]), Buffer.from("moov"), Buffer.alloc(100)])],
  ["EBML that ends at once", EBML],
  [
    "EBML of an unknown size",
    Buffer.concat([EBML, Buffer.from([0x01, 255, 255, 255, 255, 255, 255, 255]), Buffer.alloc(1000, 0xff)]),
  ],
  ["EBML with lengths that are none", Buffer.concat([EBML, Buffer.alloc(5000, 0)])],
  ["a page", Buffer.from("<!doctype html><script>alert(1)</script>")],
])("%s is refused", async (_, file) => {
  const found = await inspected(file)
  expect(REASONS).toContain("code" in found ? found.code : found)
})

// The same changes in each run: the library may go on for ever with some, for which the process for media is killed.
test("whatever bytes of a sound file are changed, its inspection ends, with facts or a reason", async () => {
  const folder = await temporaryFolder()
  const files = [movie, Buffer.from(wavOf(0.2)), bombOf(5).subarray(0, 900)]
  const change = fc.tuple(fc.nat(1200), fc.integer({ min: 0, max: 255 }))
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(change, { minLength: 1, maxLength: 12 }),
      async (file, changes) => {
        const path = join(folder, String(count++))
        const changed = Buffer.from(file)
        for (const [at, value] of changes) changed[at % changed.byteLength] = value
        await writeFile(path, changed)
        const found = await inspect({ path }, () => {})
        expect("code" in found || found.durationMs > 0).toBe(true)
      },
    ),
    { numRuns: 300, seed: 20_261_123 },
  )
})
