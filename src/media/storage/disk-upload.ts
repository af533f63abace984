/**
 * One request's bytes on their way to a file. Chunks are gathered, so that writes are large; above a limit the caller is asked to pause, so
 * that a slow disk does not fill the memory. Each write is on the disk before the next one begins: bytes left in the system's cache would
 * reach the disk all at once at the end, and the commits of the database would wait behind them.
 */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Effect, Semaphore } from "effect"
import { BlockPool, Blocks } from "./blocks.ts"
import { cutReasonOf, type UploadEvents, type UploadSink } from "./storage.ts"

/** A symbolic link in place of a file is refused. */
const { O_CREAT, O_DSYNC, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants

const BLOCK = 1_048_576
/** Least bytes of one write, except for the last. */
const GATHERED = BLOCK
/** Most blocks of one write: a larger one delays commits for longer without being faster. */
const MOST_BLOCKS = 2
const PAUSE_ABOVE = 8 * BLOCK
const RESUME_BELOW = 2 * BLOCK

/** Pool for all uploads; enough for four with most blocks. */
const pool = new BlockPool(BLOCK, 40)

/**
 * Concurrent writes of all uploads. Each holds a thread of Node's pool (four) until its bytes are on the disk; the other threads read media
 * for viewers and check passwords and tokens meanwhile.
 */
const writes = Semaphore.makeUnsafe(2)

const inTurn = <A>(write: () => Promise<A>): Promise<A> =>
  Effect.runPromise(writes.withPermits(1)(Effect.tryPromise({ try: write, catch: (cause) => cause })))

/** Opens a file for `DiskUpload`. */
export const openForUpload = (path: string, isAnew: boolean): Promise<FileHandle> =>
  open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_DSYNC | (isAnew ? O_TRUNC : 0), 0o600)

interface FileEvents {
  readonly onClosed: () => void
  /** Called once, with the disk's error. */
  readonly onFailure: (cause: unknown) => void
  /** Frees the space of the request's bytes after a failure; they were not acknowledged. */
  readonly undo: () => Promise<void>
}

export class DiskUpload implements UploadSink {
  readonly #file: FileHandle
  readonly #request: UploadEvents
  readonly #events: FileEvents
  /** Offset at which the request began. */
  readonly #from: number
  #position: number
  readonly #blocks = new Blocks(pool)
  /** Number of bytes being written. */
  #underWay = 0
  #writing: Promise<void> | undefined
  #isPaused = false
  #isOver = false
  #failure: { readonly cause: unknown } | undefined
  #closed: Promise<void> | undefined

  /** `file` comes from `openForUpload`. `position` is the number of its bytes that are kept. */
  constructor(file: FileHandle, position: number, request: UploadEvents, events: FileEvents) {
    this.#file = file
    this.#from = position
    this.#position = position
    this.#request = request
    this.#events = events
  }

  write = (chunk: Uint8Array): boolean => {
    if (this.#isOver) return false
    this.#blocks.add(chunk)
    if (this.#blocks.bytes >= GATHERED) this.#writing ??= this.#writeAll(GATHERED)
    this.#isPaused ||= this.#queued > PAUSE_ABOVE
    return !this.#isPaused
  }

  get #queued(): number {
    return this.#blocks.bytes + this.#underWay
  }

  finish = async (): Promise<number> => {
    this.#isOver = true
    await this.#flush()
    await this.#close()
    if (this.#failure !== undefined) throw this.#failure.cause
    return this.#position
  }

  abandon = async (): Promise<number> => {
    this.#isOver = true
    await this.#flush()
    await this.#close()
    return this.#position
  }

  discard = async (): Promise<void> => {
    this.#isOver = true
    this.#blocks.clear()
    await this.#writing
    this.#failure ??= { cause: new Error("the bytes were given up") }
    await this.#close()
  }

  /** Called when a newer request takes over the upload. */
  cut = (): Promise<number> => {
    if (!this.#isOver) this.#request.onCut("taken")
    return this.abandon()
  }

  /** Concurrent callers wait for the same writes. */
  async #flush(): Promise<void> {
    while (this.#writing !== undefined || this.#blocks.bytes > 0) {
      this.#writing ??= this.#writeAll(1)
      await this.#writing
    }
  }

  /** Writes gathered bytes until fewer than `atLeast` remain. */
  async #writeAll(atLeast: number): Promise<void> {
    try {
      while (this.#blocks.bytes >= atLeast && this.#failure === undefined) await this.#writeOnce()
    } catch (cause) {
      this.#failed(cause)
      this.#blocks.clear()
      if (!this.#isOver) {
        this.#isOver = true
        this.#request.onCut(cutReasonOf(cause))
      }
    } finally {
      this.#writing = undefined
    }
  }

  #failed(cause: unknown): void {
    if (this.#failure === undefined) this.#events.onFailure(cause)
    this.#failure ??= { cause }
  }

  async #writeOnce(): Promise<void> {
    const taken = this.#blocks.take(MOST_BLOCKS)
    let left = taken.chunks
    while (left.length > 0) {
      this.#underWay = bytesOf(left)
      const { bytesWritten } = await inTurn(() => this.#file.writev(left, this.#position))
      this.#position += bytesWritten
      left = behind(left, bytesWritten)
    }
    this.#underWay = 0
    this.#blocks.give(taken)
    if (!this.#isPaused || this.#queued > RESUME_BELOW) return
    this.#isPaused = false
    if (!this.#isOver) this.#request.onDrain()
  }

  /** Resolves when the bytes are on the disk. If the disk refuses, they are lost. */
  #close(): Promise<void> {
    this.#closed ??= (async () => {
      try {
        if (this.#failure !== undefined) {
          await this.#events.undo()
          this.#position = this.#from
        }
        await this.#file.datasync()
      } catch (cause) {
        this.#failed(cause)
      } finally {
        await this.#file.close()
        this.#events.onClosed()
      }
    })()
    return this.#closed
  }
}

const bytesOf = (chunks: ReadonlyArray<Uint8Array>): number =>
  chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)

/** The chunks without their first bytes. */
const behind = (chunks: ReadonlyArray<Uint8Array>, bytes: number): ReadonlyArray<Uint8Array> => {
  let done = bytes
  const next = chunks.findIndex((chunk) => {
    if (chunk.byteLength > done) return true
    done -= chunk.byteLength
    return false
  })
  if (next < 0) return []
  const [first = new Uint8Array(), ...rest] = chunks.slice(next)
  return [first.subarray(done), ...rest]
}
