/** Reading of bytes that strangers send: each read is checked against the end. */

/** The bytes are not what the protocol says. The packet is dropped. */
export class Malformed extends Error {
  override readonly name = "Malformed"
}

export class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** Unsigned big-endian integer of 1 to 6 bytes. */
  uint(size: number): number {
    return this.#bytes.readUIntBE(this.#step(size), size)
  }

  /** A view, not a copy. */
  take(size: number): Buffer {
    const from = this.#step(size)
    return this.#bytes.subarray(from, from + size)
  }

  /** A vector whose length stands before it, in `prefix` bytes. */
  vector(prefix: number): Buffer {
    return this.take(this.uint(prefix))
  }

  #step(size: number): number {
    if (size > this.left) throw new Malformed("The packet ends early.")
    const from = this.#at
    this.#at += size
    return from
  }
}

/** Unsigned big-endian integer of 1 to 6 bytes. */
export const uint = (value: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

/** A vector with its length before it, in `prefix` bytes. */
export const vector = (prefix: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([uint(body.length, prefix), body])
}
