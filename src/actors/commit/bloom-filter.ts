/**
 * Remembers ids in a Bloom filter (Bloom, 1970) of two generations, so that it forgets old ids. It never denies an id within the
 * last generation's time. It may report a new id as seen; the probability grows with the number of ids.
 */

/** 2^21 bits: of 150,000 ids it mistakes less than one in a hundred; 256 KiB a generation. */
const WORDS = 65_536
const MASK = WORDS * 32 - 1
const HASHES = 4

/** Two hashes of a text (FNV-1a, and the same with its halves mixed); all other hashes are combined from them. */
const hashesOf = (text: string): readonly [number, number] => {
  let hash = 0x811c_9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193)
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d)
  return [hash, (mixed ^ (mixed >>> 12)) | 1]
}

export class BloomFilter {
  readonly #keepMs: number
  #bits = new Uint32Array(WORDS)
  #before: Uint32Array | undefined
  /** Unix milliseconds. */
  #since: number

  /** `keepMs`: the minimum time for which an id is remembered. */
  constructor(keepMs: number, now: number) {
    this.#keepMs = keepMs
    this.#since = now
  }

  add(id: string, now: number): void {
    this.#turn(now)
    const [first, step] = hashesOf(id)
    for (let n = 0; n < HASHES; n++) {
      const bit = (first + Math.imul(n, step)) & MASK
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31))
    }
  }

  has(id: string): boolean {
    return hasIn(this.#bits, id) || (this.#before !== undefined && hasIn(this.#before, id))
  }

  #turn(now: number): void {
    if (now - this.#since < this.#keepMs) return
    this.#before = now - this.#since < 2 * this.#keepMs ? this.#bits : undefined
    this.#bits = new Uint32Array(WORDS)
    this.#since = now
  }
}

const hasIn = (bits: Uint32Array, id: string): boolean => {
  const [first, step] = hashesOf(id)
  for (let n = 0; n < HASHES; n++) {
    const bit = (first + Math.imul(n, step)) & MASK
    if ((((bits[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 0) return false
  }
  return true
}
