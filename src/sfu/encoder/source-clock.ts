/**
 * The clock of one source: timestamps that go on where their 32 bits begin again, on a common clock with the other source. The common clock
 * is that of the sender, from its reports (RFC 3550, 6.4.1), and before them that of the packets' arrival.
 */

import type { SenderTime } from "../rtp/rtcp.ts"

/** A larger step is none of the media: the source began anew. */
const LONGEST_STEP_S = 10
/** Sources that are farther apart have no common clock, whatever their reports say. */
const MOST_APART_S = 8
/** Part of the time between two pictures by which the second may be moved: so much is not seen. */
const SLEW = 0.1
const REPORTS = 5

export class SourceClock {
  readonly rate: number
  #last: { readonly timestamp: number; readonly ticks: number } | undefined
  /** Seconds of the common clock at tick 0. */
  #offset: number | undefined
  /** Seconds of the sender's clock at tick 0, by the latest reports. */
  readonly #reported: Array<number> = []
  #heeded: SenderTime | undefined

  /** `rate`: ticks in a second. */
  constructor(rate: number) {
    this.rate = rate
  }

  /** Whether the timestamp is that of a source that began anew. */
  isJump(timestamp: number): boolean {
    return this.#last !== undefined && Math.abs(this.#stepTo(timestamp)) > LONGEST_STEP_S * this.rate
  }

  /** Notes a packet's timestamp; `arrivedAt` in seconds. Returns its time in ticks of the common clock. */
  hear(timestamp: number, arrivedAt: number): number {
    const ticks = this.#ticksOf(timestamp)
    this.#last = { timestamp, ticks }
    this.#offset ??= arrivedAt - ticks / this.rate
    return this.time
  }

  /** Time of the latest timestamp in ticks of the common clock. */
  get time(): number {
    return (this.#last?.ticks ?? 0) + (this.#offset ?? 0) * this.rate
  }

  /** Seconds of the source's own clock at the latest timestamp. */
  get own(): number | undefined {
    return this.#last === undefined ? undefined : this.#last.ticks / this.rate
  }

  /** Notes the sender's latest report, once there is a timestamp. */
  report(report: SenderTime | undefined): void {
    if (report === undefined || report === this.#heeded || this.#last === undefined) return
    this.#heeded = report
    this.#reported.push(report.seconds - this.#ticksOf(report.timestamp) / this.rate)
    if (this.#reported.length > REPORTS) this.#reported.shift()
  }

  /** Seconds by which the clock has to be moved so that it agrees with that of the other source. */
  missingTo(other: SourceClock): number {
    const [own, wanted] = [this.#reportedOffset, other.#reportedOffset]
    if (own === undefined || wanted === undefined || this.#offset === undefined || other.#offset === undefined) return 0
    const missing = own - wanted + other.#offset - this.#offset
    return Math.abs(missing) > MOST_APART_S ? 0 : missing
  }

  /** Moves the clock towards that of the other source, by a part of `step` in seconds, or at once. */
  approach(other: SourceClock, step: number | "at once"): void {
    const most = step === "at once" ? MOST_APART_S : Math.max(0, step) * SLEW
    if (this.#offset !== undefined) this.#offset += Math.max(-most, Math.min(most, this.missingTo(other)))
  }

  /** Some senders report the timestamp of their last packet with the time of the report, so that the earliest is the best. */
  get #reportedOffset(): number | undefined {
    return this.#reported.length === 0 ? undefined : Math.min(...this.#reported)
  }

  #stepTo(timestamp: number): number {
    return (timestamp - (this.#last?.timestamp ?? timestamp)) | 0
  }

  #ticksOf(timestamp: number): number {
    return this.#last === undefined ? timestamp : this.#last.ticks + this.#stepTo(timestamp)
  }
}
