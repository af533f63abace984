/**
 * Growing files in the bucket, for nodes that share no disk: each addition is an object whose name has its position in the file. A complete
 * file is joined into one object.
 */
import { LRUCache } from "lru-cache"
import type { GrowingFile, StoredFile } from "../storage.ts"
import { TurnsByKey } from "../turns.ts"
import { type S3Bucket, S3Failed } from "./s3-bucket.ts"

/** Most cached pieces of recently read files. They stay valid, because a file only grows. */
const MOST_KNOWN = 200_000
/** Time for which a bucket that does not answer is retried. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 500
/** Fixed width, so that positions sort like numbers. */
const DIGITS = 15

interface Piece {
  readonly key: string
  readonly offset: number
  readonly bytes: number
}

const folderOf = (key: string): string => `${key}.grown/`
const keyAt = (key: string, offset: number): string => `${folderOf(key)}${String(offset).padStart(DIGITS, "0")}`
const endOf = (pieces: ReadonlyArray<Piece>): number => {
  const last = pieces.at(-1)
  return last === undefined ? 0 : last.offset + last.bytes
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether an error may be temporary: a refusal is final, while no answer, or that of a busy storage, is not. */
const mayPass = (cause: unknown): boolean =>
  cause instanceof S3Failed && (cause.status === 0 || cause.status === 429 || cause.status >= 500)

const patiently = async (work: () => Promise<void>): Promise<void> => {
  const until = performance.now() + PATIENCE_MS
  while (true) {
    try {
      await work()
      return
    } catch (cause) {
      if (!mayPass(cause) || performance.now() > until) throw cause
      await pause(AGAIN_MS)
    }
  }
}

export class GrownFiles {
  readonly #bucket: S3Bucket
  readonly #turns = new TurnsByKey()
  readonly #known = new LRUCache<string, ReadonlyArray<Piece>>({
    maxSize: MOST_KNOWN,
    sizeCalculation: (pieces) => pieces.length + 1,
  })

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  /** Removes the pieces after the first `keep` bytes. */
  async grow(key: string, keep: number): Promise<GrowingFile> {
    this.#known.delete(key)
    const pieces = await this.#pieces(key)
    const kept = pieces.filter(({ offset }) => offset < keep)
    if (endOf(kept) !== keep) throw new Error(`a file has ${endOf(kept)} bytes where its rows name ${keep}`)
    this.#known.delete(key)
    await this.#bucket.removeAll(pieces.slice(kept.length).map((piece) => piece.key))
    let position = keep
    return {
      append: async (chunks) => {
        const bytes = Buffer.concat(chunks)
        // A retry replaces what was stored, because it uses the same name.
        await patiently(() => this.#bucket.put(keyAt(key, position), bytes))
        position += bytes.byteLength
      },
      close: () => Promise.resolve(),
    }
  }

  /** Null when there is no such file, or it is already one object. */
  async open(key: string): Promise<StoredFile | null> {
    const pieces = await this.#pieces(key)
    if (pieces.length === 0) return null
    return {
      size: endOf(pieces),
      read: (into, position) => this.#read(pieces, into, position),
      close: () => Promise.resolve(),
    }
  }

  /**
   * Joins a complete file into one object. Returns false when there is no such file. May be repeated, even concurrently on another node.
   */
  join(key: string): Promise<boolean> {
    return this.#turns.take(key, async () => {
      const pieces = await this.#pieces(key)
      if (pieces.length === 0) return false
      const bytes = endOf(pieces)
      // When another node has joined them, some of the pieces may be gone.
      const joined = await this.#bucket.size(key)
      if (joined === null || joined < bytes) {
        await this.#bucket.storeFrom(key, bytes, async (position, count) => {
          const into = Buffer.allocUnsafe(count)
          const read = await this.#read(pieces, into, position)
          if (read < count) throw new Error("a file became shorter while it was joined")
          return into
        })
        const size = await this.#bucket.size(key)
        if (size !== bytes) throw new Error(`a joined file has ${size} bytes, not ${bytes}`)
      }
      await this.remove(key)
      return true
    })
  }

  async remove(key: string): Promise<void> {
    this.#known.delete(key)
    await this.#bucket.removeFolder(folderOf(key))
  }

  /** Pieces from the first on, without a gap. Known ones are not listed again. */
  async #pieces(key: string): Promise<ReadonlyArray<Piece>> {
    const before = this.#known.get(key) ?? []
    const listed = await this.#bucket.list(folderOf(key), before.at(-1)?.key)
    const pieces = [...before]
    for (const { key: name, bytes } of listed) {
      const offset = endOf(pieces)
      if (name === keyAt(key, offset)) pieces.push({ key: name, offset, bytes })
    }
    if (pieces.length > 0) this.#known.set(key, pieces)
    return pieces
  }

  async #read(pieces: ReadonlyArray<Piece>, into: Uint8Array, position: number): Promise<number> {
    let read = 0
    let index = indexAt(pieces, position)
    while (read < into.byteLength) {
      const piece = pieces[index++]
      if (piece === undefined) break
      const from = position + read - piece.offset
      const to = Math.min(piece.bytes, from + into.byteLength - read)
      into.set((await this.#bucket.read(piece.key, from, to)).subarray(0, to - from), read)
      read += to - from
    }
    return read
  }
}

/** Index of the piece with that position; past the end for none. */
const indexAt = (pieces: ReadonlyArray<Piece>, position: number): number => {
  if (position >= endOf(pieces)) return pieces.length
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pieces[middle]?.offset ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
