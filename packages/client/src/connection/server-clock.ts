/**
 * The server's time, estimated from heartbeats as NTP does: offset = ((t1−t0)+(t2−t3))/2, taken from the sample with the
 * shortest round trip of the last eight (RFC 5905 §8 and §10).
 */
import type { TimerView } from "../contract/types.ts"

interface Sample {
  /** Time of the sample by the client's clock. */
  readonly at: number
  readonly offset: number
  readonly roundTrip: number
}

const KEPT = 8

export class ServerClock {
  #samples: Sample[] = []
  #rate = 1

  /** Forgets the samples. `rate` is the server's milliseconds per millisecond of the client, which is not 1 in a replay. */
  restart(rate: number): void {
    this.#samples = []
    this.#rate = rate
  }

  /** `t0` and `t3` are the client's clock at sending and receipt, `t1` and `t2` the server's, in milliseconds. */
  add(t0: number, t1: number, t2: number, t3: number): void {
    const sample = { at: t3, offset: (t1 - t0 + (t2 - t3)) / 2, roundTrip: t3 - t0 - (t2 - t1) }
    this.#samples = [...this.#samples, sample].slice(-KEPT)
  }

  /** Server time minus client time in milliseconds; 0 until the first sample. */
  get offset(): number {
    let best: Sample | undefined
    for (const sample of this.#samples) if (best === undefined || sample.roundTrip < best.roundTrip) best = sample
    return best === undefined ? 0 : best.offset + (this.#rate - 1) * (Date.now() - best.at)
  }

  get samples(): number {
    return this.#samples.length
  }

  /** Unix time of the server in milliseconds. */
  now(): number {
    return Date.now() + this.offset
  }

  /** Remaining milliseconds of a timer, by the server's clock; a paused one keeps its remainder. */
  remaining({ state, endsAt, remainingMs }: TimerView): number {
    if (state === "paused") return remainingMs ?? 0
    return state === "running" ? Math.max(0, Date.parse(endsAt) - this.now()) : 0
  }
}
