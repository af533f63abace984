/** Packets of one source in the order of their numbers. A missing one is waited for, not without end. */
import type { RtpPacket } from "../rtp/packet.ts"

/** Packets that wait for a missing one. */
const MOST_WAITING = 1024

export class Reordering {
  readonly #holdMs: number
  readonly #waiting = new Map<number, RtpPacket>()
  #next: number | undefined
  /** Time since which a packet is missing. */
  #missingSince: number | undefined

  /** `holdMs`: time after which a missing packet is lost. */
  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  /** `number` is that of the packet in full; `now` in milliseconds. A copy, and a packet that comes too late, are dropped. */
  add(packet: RtpPacket, number: number): void {
    this.#next ??= number
    if (number >= this.#next) this.#waiting.set(number, packet)
  }

  /** What is due, in order; `lost` stands for packets that are not waited for any more. */
  take(now: number): ReadonlyArray<RtpPacket | "lost"> {
    const due: Array<RtpPacket | "lost"> = []
    this.#follow(due)
    if (this.#waiting.size === 0) {
      this.#missingSince = undefined
      return due
    }
    if (due.length > 0 || this.#missingSince === undefined) this.#missingSince = now
    if (now - this.#missingSince < this.#holdMs && this.#waiting.size < MOST_WAITING) return due
    due.push("lost")
    this.#next = Math.min(...this.#waiting.keys())
    this.#follow(due)
    this.#missingSince = this.#waiting.size === 0 ? undefined : now
    return due
  }

  #follow(due: Array<RtpPacket | "lost">): void {
    if (this.#next === undefined) return
    for (let packet = this.#waiting.get(this.#next); packet !== undefined; packet = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next)
      this.#next += 1
      due.push(packet)
    }
  }
}
