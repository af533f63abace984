/**
 * The highest position of each stream, as far as it is in memory. Heads of the shared streams are always known. Streams of rooms and
 * participants are many and rarely published to: the latest heads are kept, and others are read from the store before use. Invariant: no
 * position is assigned in a stream whose head is unknown.
 */
import type { StreamHead } from "../../store/live/live-history.ts"

/** Streams per generation. There are at most two generations, about 2 MB in all. */
const GENERATION = 10_000

export class Heads {
  readonly #shared: Map<string, number>
  /** Created by the first stream of a room or a participant. */
  #young: Map<string, number> | undefined
  #old: ReadonlyMap<string, number> | undefined
  /** True: a stream that is not found here has no publications. */
  #isWhole: boolean
  readonly #generation: number

  /** `hasOthers`: whether streams other than these have publications. */
  constructor(shared: ReadonlyArray<StreamHead>, hasOthers: boolean, generation: number = GENERATION) {
    this.#shared = new Map(shared.map(({ stream, s }) => [stream, s]))
    this.#isWhole = !hasOthers
    this.#generation = generation
  }

  /** Returns the streams whose heads must be read back; the others stay known until the next call. */
  unknown(streams: Iterable<string>): ReadonlyArray<string> {
    const unknown: string[] = []
    if ((this.#young?.size ?? 0) >= this.#generation) this.#turn()
    for (const stream of streams) {
      const known = this.#find(stream)
      if (known === undefined) unknown.push(stream)
      else if (!this.#shared.has(stream) && (known > 0 || !this.#isWhole)) this.#keep(stream, known)
    }
    return unknown
  }

  /** Adds heads that were read back. */
  learn(found: ReadonlyArray<StreamHead>): void {
    for (const { stream, s } of found) this.#keep(stream, s)
  }

  /** The head of a known stream; 0: it has no publications. */
  of(stream: string): number {
    const head = this.#find(stream)
    if (head === undefined) throw new Error(`the head of the stream ${stream} was not read back`)
    return head
  }

  /** Advances a known stream and returns its next position. */
  next(stream: string): number {
    const s = this.of(stream) + 1
    if (this.#shared.has(stream)) this.#shared.set(stream, s)
    else this.#keep(stream, s)
    return s
  }

  #find(stream: string): number | undefined {
    const known = this.#shared.get(stream) ?? this.#young?.get(stream) ?? this.#old?.get(stream)
    return known === undefined && this.#isWhole ? 0 : known
  }

  #keep(stream: string, s: number): void {
    this.#young ??= new Map()
    this.#young.set(stream, s)
  }

  /** Begins a generation, and discards the oldest. */
  #turn(): void {
    if (this.#old !== undefined) this.#isWhole = false
    this.#old = this.#young
    this.#young = undefined
  }
}
