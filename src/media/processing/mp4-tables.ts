/**
 * Bounds the tables of an MP4 or MOV file by the file's size before the library reads them: the library makes an object for each sample
 * that a table claims, even where the claim takes four bytes. A sample has at least one byte, so no file has more samples than bytes, and a
 * table with a row per entry ends within its box.
 */
import type { MediaSource } from "../storage/storage.ts"
import { type BytesAt, openBytes } from "./source.ts"

const CONTAINERS = new Set("moov trak mdia minf dinf edts stbl mvex moof traf mfra udta meta sinf schi wave".split(" "))
/** Description boxes have nested boxes at many offsets; none of them is a table. */
const DESCRIPTIONS = "stsd"
/** Top-level boxes that have tables. */
const INDEXES = new Set(["moov", "moof", "mfra"])

/** Bytes per entry, by table; the number of entries follows version and flags. */
const ENTRY_BYTES: Readonly<Record<string, number>> = { stts: 8, ctts: 8, stss: 4, stsc: 12, stco: 4, co64: 8 }
/** Tables in which an entry stands for many samples or chunks. */
const COUNTING = new Set(["stts", "ctts", "stsc"])
const TABLES = [...Object.keys(ENTRY_BYTES), "stsz", "stz2", "trun"]

const LARGEST_INDEX = 512 * 1024 ** 2
const MOST_BOXES = 1_000_000
/** Limit for a remote object, where reading each box is a request. */
const MOST_REMOTE_BOXES = 64
const WINDOW = 4096

interface Box {
  readonly name: string
  /** Offset from the start of what was read. */
  readonly content: number
  readonly end: number
}

/** Undefined when no box begins there. `to` is the end of the surrounding bytes. */
const boxAt = (bytes: Buffer, at: number, to: number): Box | undefined => {
  if (at + 8 > to) return undefined
  const size = bytes.readUInt32BE(at)
  const name = bytes.toString("latin1", at + 4, at + 8)
  if (size !== 1) return size < 8 ? undefined : { name, content: at + 8, end: at + size }
  if (at + 16 > to) return undefined
  const large = Number(bytes.readBigUInt64BE(at + 8))
  return large < 16 ? undefined : { name, content: at + 16, end: at + large }
}

/** Sums up what the tables of a file claim. */
class Claims {
  readonly #most: number
  readonly #sums = new Map<string, number>()
  isTooLarge = false

  /** `most` is the file's size in bytes. */
  constructor(most: number) {
    this.#most = most
  }

  /** Checks all boxes of an index. */
  see(bytes: Buffer): void {
    const open: Array<readonly [at: number, to: number]> = [[0, bytes.byteLength]]
    for (let range = open.pop(); range !== undefined && !this.isTooLarge; range = open.pop()) {
      const [from, to] = range
      for (let box = boxAt(bytes, from, to); box !== undefined; box = boxAt(bytes, box.end, to)) {
        const end = Math.min(box.end, to)
        if (CONTAINERS.has(box.name)) open.push([box.content + skippedIn(bytes, box, end), end])
        else this.#look(box.name, bytes.subarray(box.content, end))
      }
    }
  }

  #look(name: string, content: Buffer): void {
    const entryBytes = ENTRY_BYTES[name]
    if (name === DESCRIPTIONS) this.isTooLarge ||= TABLES.some((table) => content.includes(table, 0, "latin1"))
    else if (entryBytes !== undefined) this.#entries(name, content, entryBytes)
    else if (name === "stsz") this.#sizes(content)
    else if (name === "stz2") this.#compactSizes(content)
    else if (name === "trun") this.#run(content)
  }

  #claim(name: string, count: number): void {
    const sum = (this.#sums.get(name) ?? 0) + count
    this.#sums.set(name, sum)
    if (sum > this.#most) this.isTooLarge = true
  }

  #entries(name: string, content: Buffer, entryBytes: number): void {
    const count = content.byteLength < 8 ? 0 : content.readUInt32BE(4)
    if (8 + count * entryBytes > content.byteLength) {
      this.isTooLarge = true
      return
    }
    if (!COUNTING.has(name)) return
    for (let at = 8, before = 0; at < 8 + count * entryBytes; at += entryBytes) {
      const value = content.readUInt32BE(at)
      // An entry of `stsc` applies to all chunks up to the one named by the next entry.
      this.#claim(name, name === "stsc" ? Math.max(0, value - before) : value)
      before = value
    }
  }

  /** Samples of one common size have no entries, and cost nothing. */
  #sizes(content: Buffer): void {
    if (content.byteLength < 12 || content.readUInt32BE(4) !== 0) return
    if (12 + content.readUInt32BE(8) * 4 > content.byteLength) this.isTooLarge = true
  }

  #compactSizes(content: Buffer): void {
    if (content.byteLength < 12) return
    const bits = content.readUInt8(7)
    if (bits === 0 || 12 + (content.readUInt32BE(8) * bits) / 8 > content.byteLength) this.isTooLarge = true
  }

  /** Samples of a fragment, each with the fields that the flags name. */
  #run(content: Buffer): void {
    if (content.byteLength < 8) return
    const flags = content.readUIntBE(1, 3)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length
    const count = content.readUInt32BE(4)
    if (8 + count * fields * 4 > content.byteLength) this.isTooLarge = true
    this.#claim("trun", count)
  }
}

/** Bytes to skip in a `meta` box: MP4 has a version and flags before its boxes, QuickTime does not. */
const skippedIn = (bytes: Buffer, { name, content }: Box, end: number): number =>
  name === "meta" && content + 4 <= end && bytes.readUInt32BE(content) === 0 ? 4 : 0

/** Limit on entries of equal times: for each of them, the library moves all later entries. */
const MOST_OF_ONE_TIME = 10_000

/** Whether the fragment table has few entries of equal times, and no containers: the library would read these as the movie's. */
const isFragmentTableBounded = (bytes: Buffer): boolean => {
  for (let box = boxAt(bytes, 0, bytes.byteLength); box !== undefined; box = boxAt(bytes, box.end, bytes.byteLength)) {
    if (CONTAINERS.has(box.name)) return false
    const content = bytes.subarray(box.content, box.end)
    if (box.name !== "tfra" || content.byteLength < 16) continue
    const timeBytes = content.readUInt8(0) === 1 ? 8 : 4
    const lengths = content.readUInt8(11)
    const entryBytes = 2 * timeBytes + 3 + ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3)
    const count = Math.min(content.readUInt32BE(12), Math.floor((content.byteLength - 16) / entryBytes))
    const times = new Set<string>()
    for (let n = 0; n < count; n++)
      times.add(content.toString("latin1", 16 + n * entryBytes, 16 + n * entryBytes + timeBytes))
    if (count - times.size > MOST_OF_ONE_TIME) return false
  }
  return true
}

/** The fragment table. Like the library, finds it by the last bytes of the file. */
const fragmentTableOf = async ({ size, read }: BytesAt): Promise<Buffer | "none" | "too large"> => {
  if (size < 16) return "none"
  const at = size - (await read(size - 4, size)).readUInt32BE(0)
  const head = at < 0 || at + 16 > size ? undefined : await read(at, at + 16)
  const box = head && boxAt(head, 0, head.byteLength)
  if (box?.name !== "mfra") return "none"
  const end = Math.min(size, at + box.end)
  return end - at > LARGEST_INDEX ? "too large" : read(at + box.content, end)
}

interface Index {
  readonly name: string
  readonly size: number
  readonly content: () => Promise<Buffer>
}

/** Top-level boxes that have tables. */
async function* indexesOf({ size, isNear, read }: BytesAt): AsyncGenerator<Index> {
  let from = 0
  let bytes: Buffer = Buffer.alloc(0)
  for (let at = 0, seen = 0; at + 8 <= size && seen < (isNear ? MOST_BOXES : MOST_REMOTE_BOXES); seen++) {
    if (at < from || at + 16 > from + bytes.byteLength) {
      from = at
      bytes = await read(at, Math.min(size, at + WINDOW))
    }
    const box = boxAt(bytes, at - from, bytes.byteLength)
    // The rest is treated like any file that ends early.
    if (box === undefined) return
    const [start, end] = [from + box.content, Math.min(size, from + box.end)]
    const there = end > from + bytes.byteLength ? undefined : bytes.subarray(box.content, box.end)
    if (INDEXES.has(box.name)) {
      yield { name: box.name, size: end - start, content: async () => there ?? (await read(start, end)) }
    }
    at = end
  }
}

const isBounded = async (file: BytesAt): Promise<boolean> => {
  const claims = new Claims(file.size)
  for await (const { name, size, content } of indexesOf(file)) {
    if (size > LARGEST_INDEX) return false
    const bytes = await content()
    claims.see(bytes)
    if (claims.isTooLarge) return false
    // Samples outside the index are only in fragments.
    if (name === "moov" && !bytes.includes("mvex", 0, "latin1")) return true
  }
  const table = await fragmentTableOf(file)
  return table === "none" || (table !== "too large" && isFragmentTableBounded(table))
}

/** Whether the file can hold what its tables claim. */
export const hasBoundedTables = async (from: MediaSource): Promise<boolean> => {
  const bytes = await openBytes(from)
  try {
    return await isBounded(bytes)
  } finally {
    await bytes.close()
  }
}
