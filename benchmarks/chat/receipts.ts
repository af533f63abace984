/**
 * When messages were received, counted by their places in the event's stream: a frame names its last place, and every socket receives all
 * places in order. So a frame is not read for each of its thousands of receivers, and one socket alone reads what stands at which place.
 */

/** Receipts of this many sockets are kept one by one; of the others the last one of each message. */
const SAMPLED_SOCKETS = 20

interface Receipt {
  readonly place: number
  readonly at: number
}

export class Receipts {
  readonly #people: number
  readonly #step: number
  /** Where each socket is in the stream. */
  readonly #places: Int32Array
  #from = 0
  /** By place, from the one after `#from` on: sockets that have received it, and when the latest of them did. */
  #counts: number[] = []
  #lastAt: number[] = []
  #samples: Receipt[] = []
  #placeOf = new Map<number, number>()

  constructor(people: number) {
    this.#people = people
    this.#step = Math.max(1, Math.floor(people / SAMPLED_SOCKETS))
    this.#places = new Int32Array(people)
  }

  /** A socket has been told everything up to this place. */
  joined(index: number, place: number): void {
    this.#places[index] = Math.max(this.#places[index] ?? 0, place)
  }

  /** Counts from here on; all sockets are at the same place, because nothing has been said for a while. */
  begin(): void {
    this.#from = this.#places.reduce((most, place) => Math.max(most, place), 0)
    this.#counts = []
    this.#lastAt = []
    this.#samples = []
    this.#placeOf = new Map()
  }

  /** A socket has received a frame whose last place is this one. */
  heard(index: number, last: number): void {
    const before = this.#places[index] ?? 0
    if (last <= before) return
    this.#places[index] = last
    const at = performance.now()
    for (let place = Math.max(before, this.#from) + 1; place <= last; place++) {
      const offset = place - this.#from
      this.#counts[offset] = (this.#counts[offset] ?? 0) + 1
      this.#lastAt[offset] = at
      if (index % this.#step === 0) this.#samples.push({ place, at })
    }
  }

  /** The message with this number stands at this place. */
  stands(n: number, place: number): void {
    this.#placeOf.set(n, place)
  }

  /** Receipts of the message so far. */
  countOf(n: number): number {
    return this.#counts[(this.#placeOf.get(n) ?? 0) - this.#from] ?? 0
  }

  hasAll(n: number): boolean {
    return this.countOf(n) === this.#people
  }

  /** When the last receiver had it. */
  lastAt(n: number): number {
    return this.#lastAt[(this.#placeOf.get(n) ?? 0) - this.#from] ?? Number.NaN
  }

  /** Milliseconds from `sentAt` of a message to each of its sampled receipts. */
  sampled(sentAt: ReadonlyMap<number, number>): ReadonlyArray<number> {
    const sent = new Map([...sentAt].map(([n, at]) => [this.#placeOf.get(n) ?? 0, at]))
    return this.#samples.flatMap(({ place, at }) => {
      const since = sent.get(place)
      return since === undefined ? [] : [at - since]
    })
  }
}
