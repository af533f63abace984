/** Viewer requests that wait for a part or playlist that does not exist yet. */
import type { Cancel, Timers } from "../../../clock/timers.ts"
import type { LiveBroadcast } from "../../../media/live/live-broadcast.ts"
import { Unavailable } from "../../../model/errors.ts"
import type { Exchange } from "../../transport/uws-exchange.ts"

/** Maximum hold time of a request; players and proxies wait longer. */
const HOLD_MS = 15_000
/** Maximum number of held requests, over all broadcasts. */
const MOST_HELD = 20_000

export const early = new Unavailable({ detail: "The broadcast has not begun to arrive.", retryAfterSeconds: 2 })
export const tooManyHeld = new Unavailable({ detail: "Too many players wait for this server.", retryAfterSeconds: 2 })

export interface HeldRequest {
  /** Whether to go on waiting; called after each change of the broadcast. */
  readonly mayWait: () => boolean
  /** Answers a request that need not wait any more. */
  readonly answer: () => void
  /** Answers a request whose hold time is over. */
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
    // A client may also leave while its answer is prepared or sent.
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
