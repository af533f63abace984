/**
 * Bytes on their way to a file, copied into blocks that are used again: memory of its own for each chunk would be freed by the
 * garbage collector only, long after it was written.
 */

/** Bytes of a block. */
export const BLOCK = 1_048_576

/** Bytes to write, and the blocks that hold them. */
export interface Taken {
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly blocks: ReadonlyArray<Buffer>
}

export class Blocks {
  readonly #size: number
  #bytes = 0
  /** All but the last one are full. */
  #filled: Buffer[] = []
  /** Bytes in the last one of them. */
  #end: number
  #free: Buffer[] = []

  /** `size`: bytes of a block. */
  constructor(size = BLOCK) {
    this.#size = size
    this.#end = size
  }

  /** Bytes that were added and not taken. */
  get bytes(): number {
    return this.#bytes
  }

  /** Copies the chunk. */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength
    for (let from = 0; from < chunk.byteLength; ) {
      const block = this.#open()
      const some = chunk.subarray(from, from + this.#size - this.#end)
      block.set(some, this.#end)
      this.#end += some.byteLength
      from += some.byteLength
    }
  }

  /** A block that has room. */
  #open(): Buffer {
    const last = this.#filled.at(-1)
    if (last !== undefined && this.#end < this.#size) return last
    const block = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#size)
    this.#filled.push(block)
    this.#end = 0
    return block
  }

  /** The oldest bytes: at most so many full blocks, or the one that is not full. They stay as they are until `give`. */
  take(most: number): Taken {
    const full = this.#end < this.#size ? this.#filled.length - 1 : this.#filled.length
    const blocks = this.#filled.splice(0, full > 0 ? Math.min(most, full) : 1)
    const chunks = full > 0 ? blocks : blocks.map((block) => block.subarray(0, this.#end))
    if (this.#filled.length === 0) this.#end = this.#size
    for (const { byteLength } of chunks) this.#bytes -= byteLength
    return { chunks, blocks }
  }

  /** Their bytes are written. */
  give({ blocks }: Taken): void {
    this.#free.push(...blocks)
  }

  clear(): void {
    this.#bytes = 0
    this.#filled = []
    this.#end = this.#size
    this.#free = []
  }
}
