/**
 * The highest number of each stream, as far as it is in memory. The shared streams are always known. Those of rooms and of
 * participants are many, and most are never spoken to again: the latest are remembered, and the others are read back from
 * the store before they are needed. Invariant: no number is given in a stream whose head is not known.
 */
import type { StreamHead } from "../../store/live-history.ts"

/** Streams a generation holds; there are two at most, about 2 MB in all. */
const GENERATION = 10_000

export class Heads {
  readonly #shared: Map<string, number>
  #young = new Map<string, number>()
  #old: ReadonlyMap<string, number> = new Map()
  /** Nothing was said on a stream that is not found here. */
  #isWhole: boolean
  readonly #generation: number

  /** `hasOthers`: something was said on other streams than these before. */
  constructor(shared: ReadonlyArray<StreamHead>, hasOthers: boolean, generation: number = GENERATION) {
    this.#shared = new Map(shared.map(({ stream, s }) => [stream, s]))
    this.#isWhole = !hasOthers
    this.#generation = generation
  }

  /** Those of the streams whose heads have to be read back; the others stay known until the next call. */
  unknown(streams: Iterable<string>): ReadonlyArray<string> {
    const unknown: string[] = []
    if (this.#young.size >= this.#generation) this.#turn()
    for (const stream of streams) {
      const known = this.#find(stream)
      if (known === undefined) unknown.push(stream)
      else if (!this.#shared.has(stream) && (known > 0 || !this.#isWhole)) this.#young.set(stream, known)
    }
    return unknown
  }

  /** The publications that were read back. */
  learn(found: ReadonlyArray<StreamHead>): void {
    for (const { stream, s } of found) this.#young.set(stream, s)
  }

  /** 0: nothing was ever said there. Only of a stream that is known. */
  of(stream: string): number {
    const head = this.#find(stream)
    if (head === undefined) throw new Error(`the head of the stream ${stream} was not read back`)
    return head
  }

  /** The next number of a stream that is known. */
  next(stream: string): number {
    const s = this.of(stream) + 1
    if (this.#shared.has(stream)) this.#shared.set(stream, s)
    else this.#young.set(stream, s)
    return s
  }

  #find(stream: string): number | undefined {
    const known = this.#shared.get(stream) ?? this.#young.get(stream) ?? this.#old.get(stream)
    return known === undefined && this.#isWhole ? 0 : known
  }

  /** Lets go of the older generation. */
  #turn(): void {
    if (this.#old.size > 0) this.#isWhole = false
    this.#old = this.#young
    this.#young = new Map()
  }
}
