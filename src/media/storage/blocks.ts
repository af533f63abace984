/**
 * Buffers for bytes on their way to a file, copied into reusable blocks: separate memory for each chunk would be freed only by the garbage
 * collector, long after it was written.
 */

/** Bytes to write, and the blocks that hold them. */
export interface TakenBlocks {
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly blocks: ReadonlyArray<Buffer>
}

/** Pool of blocks for reuse. */
export class BlockPool {
  readonly size: number
  readonly #kept: number
  readonly #free: Buffer[] = []

  /** `size` is a block's size in bytes. `kept` is the number of unused blocks that are kept. */
  constructor(size: number, kept: number) {
    this.size = size
    this.#kept = kept
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size)
  }

  give(blocks: ReadonlyArray<Buffer>): void {
    this.#free.push(...blocks.slice(0, this.#kept - this.#free.length))
  }
}

export class Blocks {
  readonly #pool: BlockPool
  #bytes = 0
  /** Blocks, full except for the last one. */
  #filled: Buffer[] = []
  /** Number of bytes in the last block. */
  #end: number

  constructor(pool: BlockPool) {
    this.#pool = pool
    this.#end = pool.size
  }

  /** Number of bytes added and not taken. */
  get bytes(): number {
    return this.#bytes
  }

  /** Copies the chunk. */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength
    for (let from = 0; from < chunk.byteLength; ) {
      const block = this.#open()
      const some = chunk.subarray(from, from + this.#pool.size - this.#end)
      block.set(some, this.#end)
      this.#end += some.byteLength
      from += some.byteLength
    }
  }

  /** A block with free space. */
  #open(): Buffer {
    const last = this.#filled.at(-1)
    if (last !== undefined && this.#end < this.#pool.size) return last
    const block = this.#pool.take()
    this.#filled.push(block)
    this.#end = 0
    return block
  }

  /** The oldest bytes: at most this many full blocks, or the one that is not full. They stay unchanged until `give`. */
  take(most: number): TakenBlocks {
    const { size } = this.#pool
    const full = this.#end < size ? this.#filled.length - 1 : this.#filled.length
    const blocks = this.#filled.splice(0, full > 0 ? Math.min(most, full) : 1)
    const chunks = full > 0 ? blocks : blocks.map((block) => block.subarray(0, this.#end))
    if (this.#filled.length === 0) this.#end = size
    for (const { byteLength } of chunks) this.#bytes -= byteLength
    return { chunks, blocks }
  }

  /** Returns the blocks after their bytes are written, for use by another upload. */
  give({ blocks }: TakenBlocks): void {
    this.#pool.give(blocks)
  }

  clear(): void {
    this.#pool.give(this.#filled)
    this.#bytes = 0
    this.#filled = []
    this.#end = this.#pool.size
  }
}
