/**
 * Output file of a clip with a size limit, because the sample table of a recording may name the same bytes repeatedly. The library cannot be told
 * that a write has failed (mediabunny 1.61 then leaves an unhandled rejection), so further bytes are dropped, and the conversion is
 * cancelled.
 */
import { type FileHandle, open } from "node:fs/promises"
import { type Conversion, ConversionCanceledError, StreamTarget, type StreamTargetChunk } from "mediabunny"

export class FileTooLarge extends Error {
  override readonly name = "FileTooLarge"
}

export class LimitedFile {
  readonly #path: string
  readonly #mostBytes: number
  /** A write that the library no longer awaits may still be opening it. */
  #file: Promise<FileHandle> | undefined
  #isClosed = false
  #failure: unknown
  #stop: (() => void) | undefined

  constructor(path: string, mostBytes: number) {
    this.#path = path
    this.#mostBytes = mostBytes
  }

  target(): StreamTarget {
    const write = (chunk: StreamTargetChunk): Promise<void> => this.#write(chunk)
    return new StreamTarget(new WritableStream({ write }), { chunked: true })
  }

  /** Rejects with `FileTooLarge`, or with the disk's error. `conversion` writes to the target. */
  async take(conversion: Conversion): Promise<void> {
    this.#stop = () => {
      conversion.cancel().catch(() => {})
    }
    await conversion.execute().catch((cause: unknown) => {
      if (!(cause instanceof ConversionCanceledError)) this.#failure ??= cause
    })
    if (this.#failure !== undefined) throw this.#failure
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const file = await this.#file?.catch(() => undefined)
    this.#file = undefined
    await file?.close()
  }

  async #write(chunk: StreamTargetChunk): Promise<void> {
    if (this.#failure !== undefined || this.#isClosed) return
    try {
      await this.#writeAll(chunk)
    } catch (cause) {
      this.#failure = cause
      this.#stop?.()
    }
  }

  async #writeAll({ data, position }: StreamTargetChunk): Promise<void> {
    if (position + data.byteLength > this.#mostBytes) throw new FileTooLarge()
    this.#file ??= open(this.#path, "w", 0o600)
    const file = await this.#file
    for (let written = 0; written < data.byteLength; ) {
      const left = data.byteLength - written
      const { bytesWritten } = await file.write(data, written, left, position + written)
      written += bytesWritten
    }
  }
}
