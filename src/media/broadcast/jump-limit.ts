/** Limit on starts of an encoder and jumps of its clock: each costs a segment and a row, and maybe a file, however little media comes. */
import { EncoderRefused } from "./fmp4/refusal.ts"

const WINDOW_MS = 60_000
const MOST_JUMPS = 60

export class JumpLimit {
  #since = 0
  #jumps = 0

  /** `now`: Unix milliseconds. Throws `EncoderRefused`. */
  count(now: number): void {
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now
      this.#jumps = 0
    }
    this.#jumps += 1
    if (this.#jumps > MOST_JUMPS)
      throw new EncoderRefused(
        "clock",
        `The encoder began anew, or its clock jumped, more than ${MOST_JUMPS} times in a minute.`,
      )
  }
}
