/** Draws from a seeded source, so that a run is repeated by its seed. */
import { type Random, seededRandom } from "../src/model/pairing/seeded-random.ts"

export class Chance {
  readonly random: Random

  constructor(seed: number) {
    this.random = seededRandom(seed)
  }

  /** Milliseconds, or any other number, from `low` up to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.random()
  }

  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number {
    return Math.floor(this.random() * end)
  }

  pick<A>(list: ReadonlyArray<A>): A | undefined {
    return list[this.below(list.length)]
  }

  is(probability: number): boolean {
    return this.random() < probability
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
