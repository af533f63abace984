/** Packets of one source in the order of their numbers. A missing one is waited for, not without end. */
import type { RtpPacket } from "../rtp/packet.ts"

/** Packets that wait for a missing one. */
const MOST_WAITING = 1024

interface Waiting {
  readonly packet: RtpPacket
  /** Time of its arrival. */
  readonly since: number
}

export class Reordering {
  readonly #holdMs: number
  /** Packets behind a missing one, in the order of their arrival. */
  readonly #waiting = new Map<number, Waiting>()
  #next: number | undefined

  /** `holdMs`: time after which a missing packet is lost, from the arrival of the first one behind it. */
  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  /** `number` is that of the packet in full; `now` in milliseconds. A copy, and a packet that comes too late, are dropped. */
  add(packet: RtpPacket, number: number, now: number): void {
    this.#next ??= number
    if (number >= this.#next && !this.#waiting.has(number)) this.#waiting.set(number, { packet, since: now })
  }

  /** The packets that are due, in order; `lost` stands for packets that are not waited for any more. */
  take(now: number): ReadonlyArray<RtpPacket | "lost"> {
    const due: Array<RtpPacket | "lost"> = []
    this.#follow(due)
    while (this.#isLost(now)) {
      due.push("lost")
      this.#next = Math.min(...this.#waiting.keys())
      this.#follow(due)
    }
    return due
  }

  /** Whether the next packet is missing and not waited for any more. */
  #isLost(now: number): boolean {
    const [first] = this.#waiting.values()
    if (first === undefined) return false
    return now - first.since >= this.#holdMs || this.#waiting.size >= MOST_WAITING
  }

  #follow(due: Array<RtpPacket | "lost">): void {
    if (this.#next === undefined) return
    for (let found = this.#waiting.get(this.#next); found !== undefined; found = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next)
      this.#next += 1
      due.push(found.packet)
    }
  }
}
