/** Files that are made to hurt the code that reads them. Each ends soon, with a reason. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { inspect } from "../../../src/media/processing/inspect.ts"
import { hasBoundedTables } from "../../../src/media/processing/mp4-tables.ts"
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
/** The file with boxes behind those of its table, whose number of entries or samples is forged. */
const withTables = (...tables: ReadonlyArray<Buffer>): Buffer => {
  const more = Buffer.concat(tables)
  const table = movie.indexOf("stco", 0, "latin1") - 4
  const at = table + movie.readUInt32BE(table)
  const file = Buffer.concat([movie.subarray(0, at), more, movie.subarray(at)])
  for (const name of ["moov", "trak", "mdia", "minf", "stbl"]) {
    const size = file.indexOf(name, 0, "latin1") - 4
    file.writeUInt32BE(file.readUInt32BE(size) + more.byteLength, size)
  }
  return file
}
const u32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}
const table = (name: string, ...numbers: ReadonlyArray<number>): Buffer => box(name, u32(0), ...numbers.map(u32))
/** A fragment with as many samples as are claimed, none of which has a field of its own. */
const fragmentOf = (samples: number): Buffer =>
  box("moof", box("traf", box("tfhd", u32(0x20), u32(1), u32(0)), box("trun", u32(0), u32(samples))))
const fragmented = (...fragments: ReadonlyArray<Buffer>): Buffer => {
  const at = movie.indexOf("moov", 0, "latin1") - 4
  const end = at + movie.readUInt32BE(at)
  const extension = box("mvex", box("trex", u32(0), u32(1), u32(1), u32(20), u32(0), u32(0)))
  const file = Buffer.concat([movie.subarray(0, end), extension, ...fragments, Buffer.alloc(200)])
  file.writeUInt32BE(end - at + extension.byteLength, at)
  return file
}

/** A description that holds a table of times, which the library would take for one of the track. */
const forgedDescription = (): Buffer => {
  const file = Buffer.from(movie)
  file.write("stts", file.indexOf("dOps", 0, "latin1"), "latin1")
  return file
}

/** Behind the fragments, the table that leads to them: where the last four bytes say. */
const withFragmentTable = (...content: ReadonlyArray<Buffer>): Buffer => {
  const mfra = box("mfra", ...content, box("mfro", u32(0), u32(0)))
  mfra.writeUInt32BE(mfra.byteLength, mfra.byteLength - 4)
  return Buffer.concat([fragmented(fragmentOf(1)), box("mdat", mfra)])
}
const entriesOf = (count: number, timeOf: (n: number) => number): Buffer => {
  const entries = Array.from({ length: count }, (_, n) => Buffer.concat([u32(timeOf(n)), u32(0), Buffer.alloc(3)]))
  return box("tfra", u32(0), u32(1), u32(0), u32(count), ...entries)
}

const EBML = Buffer.from("1a45dfa3", "hex")
const REASONS = ["unreadable_media", "too_long"]

test("a table of sizes that claims four billion samples costs no more than the file", async () => {
  expect(await inspected(forged("stsz", 8, 0xffff_ffff))).toMatchObject({ durationMs: expect.any(Number) })
})

test("the file that the others are made from is sound", async () => {
  expect(await inspected(movie)).toMatchObject({ contentType: "audio/mp4", durationMs: 2000 })
})

test("what is no sound or picture is refused", async () => {
  const rows: ReadonlyArray<readonly [string, Buffer]> = [
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
  ]
  for (const [name, file] of rows) {
    const found = await inspected(file)
    expect(REASONS, name).toContain("code" in found ? found.code : found)
  }
})

const MANY = 0x7fff_ffff
/** The library would make an object of each claimed sample, for seconds, until its process is killed for its memory. */
test("a claim of too many samples is refused before the library reads it", async () => {
  const rows: ReadonlyArray<readonly [string, Buffer]> = [
    ["times of pictures in another order", withTables(table("stts", 1, MANY, 0), table("ctts", 1, 1, 0))],
    ["times of order", withTables(table("ctts", 1, MANY, 0))],
    ["times of order in many entries", withTables(table("ctts", 3, 5000, 0, 5000, 0, 5000, 0))],
    ["chunks that are alike", withTables(table("stsc", 3, 1, 1, 1, MANY, 1, 1, MANY, 1, 1))],
    ["sizes of no bits", withTables(table("stz2", 0, MANY))],
    ["sizes of four bits", withTables(table("stz2", 4, MANY))],
    ["sizes in entries", withTables(table("stsz", 0, MANY))],
    ["key pictures", withTables(table("stss", MANY, 1))],
    ["far places", withTables(table("co64", MANY, 0, 1))],
    ["a table in a description", forgedDescription()],
    ["samples of a fragment", fragmented(fragmentOf(MANY))],
    // Of these the library moves those that follow, for each: a megabyte took a minute.
    ["fragments of one time", withFragmentTable(entriesOf(100_000, () => 7))],
    ["tracks in the table of fragments", withFragmentTable(box("trak"))],
    ["samples of many fragments", fragmented(...Array.from({ length: 50 }, () => fragmentOf(1000)))],
  ]
  for (const [name, file] of rows) {
    const path = join(await temporaryFolder(), "recording")
    await writeFile(path, file)
    expect(await hasBoundedTables({ path }), name).toBe(false)
    expect(await inspect({ path }, () => {}), name).toMatchObject({
      code: "unreadable_media",
      detail: expect.stringContaining("claim"),
    })
  }
})

test("tables that are as long as the file allows are read", async () => {
  const path = join(await temporaryFolder(), "recording")
  for (const file of [
    movie,
    bombOf(5),
    withTables(table("ctts", 1, 100, 0)),
    fragmented(fragmentOf(3), fragmentOf(3)),
    withFragmentTable(entriesOf(100_000, (n) => n)),
  ]) {
    await writeFile(path, file)
    expect(await hasBoundedTables({ path })).toBe(true)
  }
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
