/** Offers votes at an even pace and measures what becomes of them: the same for our server and for its peer. */
import { percentile, sleep } from "../support/figures.ts"

export interface Offer {
  readonly perSecond: number
  readonly seconds: number
}

export interface Taken {
  readonly accepted: number
  readonly refused: number
  /** From the first vote offered to the last one answered. */
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export const OPTION_COUNT = 4

/** Another choice than the voter's last one, so that no vote is idle; unevenly spread, so that a mistake shows. */
export const choiceOf = (n: number, people: number): number => {
  const person = n % people
  return (Math.floor(n / people) * (1 + (person % 3)) + person * person) % OPTION_COUNT
}

/** Votes that were offered and wait for their answer, by number. */
export class Tally {
  readonly #offeredAt = new Map<number, number>()
  readonly #latencies: number[] = []
  #refused = 0
  #answeredAt = 0
  #news: (() => void) | undefined

  offered(n: number): void {
    this.#offeredAt.set(n, performance.now())
  }

  answered(n: number, ok: boolean): void {
    const offeredAt = this.#offeredAt.get(n)
    if (offeredAt === undefined) return
    this.#offeredAt.delete(n)
    this.#answeredAt = performance.now()
    if (ok) this.#latencies.push(this.#answeredAt - offeredAt)
    else this.#refused += 1
    if (this.#offeredAt.size === 0) this.#news?.()
  }

  /** Offers votes from number `from` on; done when the last one has been answered. */
  async run({ perSecond, seconds }: Offer, from: number, offer: (n: number) => void): Promise<Taken> {
    const startedAt = performance.now()
    const wanted = perSecond * seconds
    for (let n = 0; n < wanted; ) {
      const due = Math.min(wanted, ((performance.now() - startedAt) * perSecond) / 1000)
      for (; n < due; n++) {
        this.offered(from + n)
        offer(from + n)
      }
      await sleep(1)
    }
    while (this.#offeredAt.size > 0) {
      await new Promise<void>((resolve) => {
        this.#news = resolve
      })
    }
    return {
      accepted: this.#latencies.length,
      refused: this.#refused,
      perSecond: this.#latencies.length / ((this.#answeredAt - startedAt) / 1000),
      p50Ms: percentile(this.#latencies, 0.5),
      p99Ms: percentile(this.#latencies, 0.99),
    }
  }
}
