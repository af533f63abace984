/**
 * One request's bytes on their way to a file. Chunks are gathered, so that a write is large; above a limit the caller is asked to
 * pause, so that a slow disk does not fill the memory.
 */
import type { FileHandle } from "node:fs/promises"
import { cutReasonOf, type UploadEvents, type UploadSink } from "./storage.ts"

/** Bytes of one write. */
const GATHERED = 1_048_576
const PAUSE_ABOVE = 8 * 1_048_576
const RESUME_BELOW = 2 * 1_048_576

export interface FileEvents {
  readonly onClosed: () => void
  /** Called once, with the disk's error. */
  readonly onFailure: (cause: unknown) => void
  /** After a failure: gives back the room that the request's bytes took. They were not acknowledged. */
  readonly undo: () => Promise<void>
}

export class DiskUpload implements UploadSink {
  readonly #file: FileHandle
  readonly #request: UploadEvents
  readonly #events: FileEvents
  #position: number
  #chunks: Uint8Array[] = []
  #queued = 0
  #writing: Promise<void> | undefined
  #isPaused = false
  #isOver = false
  #failure: { readonly cause: unknown } | undefined
  #closed: Promise<void> | undefined

  /** `position`: bytes of the file that are kept. */
  constructor(file: FileHandle, position: number, request: UploadEvents, events: FileEvents) {
    this.#file = file
    this.#position = position
    this.#request = request
    this.#events = events
  }

  write = (chunk: Uint8Array): boolean => {
    if (this.#isOver) return false
    this.#chunks.push(chunk)
    this.#queued += chunk.byteLength
    if (this.#queued >= GATHERED) this.#writing ??= this.#writeAll(GATHERED)
    this.#isPaused ||= this.#queued > PAUSE_ABOVE
    return !this.#isPaused
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
    this.#chunks = []
    this.#queued = 0
    await this.#writing
    this.#failure ??= { cause: new Error("the bytes were given up") }
    await this.#close()
  }

  /** A newer request takes the upload over. */
  cut = (): Promise<number> => {
    if (!this.#isOver) this.#request.onCut("taken")
    return this.abandon()
  }

  /** May be called by several at once: all wait for the same writes. */
  async #flush(): Promise<void> {
    while (this.#writing !== undefined || this.#queued > 0) {
      this.#writing ??= this.#writeAll(1)
      await this.#writing
    }
  }

  /** Writes what has gathered, until it is less than `atLeast` bytes. */
  async #writeAll(atLeast: number): Promise<void> {
    try {
      while (this.#queued >= atLeast && this.#failure === undefined) await this.#writeOnce()
    } catch (cause) {
      this.#failed(cause)
      this.#chunks = []
      this.#queued = 0
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
    let left: ReadonlyArray<Uint8Array> = this.#chunks
    this.#chunks = []
    while (left.length > 0) {
      const { bytesWritten } = await this.#file.writev(left, this.#position)
      this.#position += bytesWritten
      this.#queued -= bytesWritten
      left = behind(left, bytesWritten)
    }
    if (!this.#isPaused || this.#queued > RESUME_BELOW) return
    this.#isPaused = false
    if (!this.#isOver) this.#request.onDrain()
  }

  /** The bytes are on the disk when it resolves. A disk that refuses that has lost them. */
  #close(): Promise<void> {
    this.#closed ??= (async () => {
      try {
        if (this.#failure !== undefined) await this.#events.undo()
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
