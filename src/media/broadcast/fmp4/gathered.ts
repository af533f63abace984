/** Buffer that grows up to a known size, so that a claimed size costs its sender as many bytes as it costs memory. */

const FIRST_BYTES = 4096

export class Gathered {
  #bytes = new Uint8Array(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Bytes gathered so far. */
  get view(): DataView {
    return new DataView(this.#bytes.buffer, 0, this.#length)
  }

  /** `total` is the final size, as far as it is known. */
  add(bytes: Uint8Array, total: number): void {
    const length = this.#length + bytes.length
    if (length > this.#bytes.length) {
      const doubled = Math.max(length, this.#bytes.length * 2, FIRST_BYTES)
      const grown = new Uint8Array(Math.max(length, Math.min(total, doubled)))
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(bytes, this.#length)
    this.#length = length
  }

  /** Drops the bytes from that offset on. */
  truncate(length: number): void {
    this.#length = Math.min(length, this.#length)
  }

  /** Returns the bytes and starts over. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return bytes
  }
}
