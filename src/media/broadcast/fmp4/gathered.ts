/** Bytes that gather up to a known count, so that claims cost their sender as many bytes as they cost memory. */

const FIRST_BYTES = 4096

export class Gathered {
  #bytes = new Uint8Array(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The bytes so far. */
  get view(): DataView {
    return new DataView(this.#bytes.buffer, 0, this.#length)
  }

  /** `total`: how many there will be, as far as that is known. */
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

  /** Forgets the bytes from there on. */
  truncate(length: number): void {
    this.#length = Math.min(length, this.#length)
  }

  /** Hands the bytes over and begins anew. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return bytes
  }
}
