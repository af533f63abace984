/** Requests of viewers that wait for a part or a playlist which is not there yet. */
import type { Cancel, Timers } from "../../../clock/timers.ts"
import type { LiveBroadcast } from "../../../media/live/live-broadcast.ts"
import { Unavailable } from "../../../model/errors.ts"
import type { Exchange } from "../../transport/uws-exchange.ts"

/** A request is held so long; players and proxies wait longer. */
const HOLD_MS = 15_000
/** At once, of all broadcasts. */
const MOST_HELD = 20_000

export const early = new Unavailable({ detail: "The broadcast has not begun to arrive.", retryAfterSeconds: 2 })
export const tooManyHeld = new Unavailable({ detail: "Too many players wait for this server.", retryAfterSeconds: 2 })

export interface HeldRequest {
  /** Asked after each change of the broadcast. */
  readonly mayWait: () => boolean
  /** It need not wait any more. */
  readonly answer: () => void
  /** Its time is over. */
  readonly tooLate: () => void
}

export class HeldRequests {
  readonly #timers: Timers
  #held = 0

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get isFull(): boolean {
    return this.#held >= MOST_HELD
  }

  hold(
    exchange: Exchange,
    changes: Pick<LiveBroadcast["changes"], "subscribe">,
    { mayWait, answer, tooLate }: HeldRequest,
  ): void {
    this.#held += 1
    let stopTime: Cancel
    let isHeld = true
    // A client may also go while its answer is made or sent.
    const leave = (): void => {
      if (!isHeld) return
      isHeld = false
      this.#held -= 1
      silence()
      stopTime()
    }
    const silence = changes.subscribe(() => {
      if (!isHeld || mayWait()) return
      leave()
      answer()
    })
    stopTime = this.#timers.after(HOLD_MS, () => {
      leave()
      tooLate()
    })
    exchange.whenAborted(leave)
  }
}
