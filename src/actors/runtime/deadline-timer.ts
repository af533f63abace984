/**
 * Wakes an event when its next deadline is due. After a commit that failed because the database was unreachable, it retries until the event
 * can be read again. One timer serves all deadlines (`machine/clock.ts`).
 */
import { Effect } from "effect"
import type { Cancel, Timers } from "../../clock/timers.ts"
import type { Unreachable } from "../commands.ts"
import type { Deadline } from "../domain/activities/activity.ts"

interface Needs {
  readonly timers: Timers
  readonly fork: (effect: Effect.Effect<unknown>) => void
}

/** The event whose deadlines are awaited. */
export interface AwaitedEvent {
  /** The next deadline after `since`, up to which deadlines are handled; none when the event is not in memory. */
  readonly nextDeadline: (since: number) => Deadline | undefined
  /** Handles a due deadline. A deadline that moved meanwhile does nothing: the commit that moved it has reset the timer. */
  readonly meet: (deadline: Deadline, at: number) => Effect.Effect<unknown, Unreachable>
  /** Loads the event into memory again, if its deadlines are to be handled at all. */
  readonly recover: () => Effect.Effect<unknown, Unreachable>
}

/** Limit of Node's timers (31 bits); a later deadline is checked again at that time. */
const LONGEST_WAIT_MS = 2_147_483_647

const RECOVER_EVERY_MS = 500

export class DeadlineTimer {
  readonly #needs: Needs
  readonly #awaited: AwaitedEvent
  #cancel: Cancel | undefined
  #handledTo: number
  #isStopped = false

  constructor(needs: Needs, awaited: AwaitedEvent) {
    this.#needs = needs
    this.#awaited = awaited
    this.#handledTo = needs.timers.now()
  }

  /** Sets the timer to the next deadline. */
  set(): void {
    this.#cancel?.()
    const deadline = this.#isStopped ? undefined : this.#awaited.nextDeadline(this.#handledTo)
    if (deadline === undefined) return
    const { timers } = this.#needs
    const wait = Math.max(0, deadline.at - timers.now())
    this.#cancel = timers.after(Math.min(wait, LONGEST_WAIT_MS), () =>
      wait > LONGEST_WAIT_MS ? this.set() : this.#fire(deadline),
    )
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  #fire(deadline: Deadline): void {
    const at = Math.max(this.#needs.timers.now(), deadline.at)
    this.#fork(
      Effect.map(this.#awaited.meet(deadline, at), () => {
        this.#handledTo = Math.max(this.#handledTo, deadline.at)
        this.set()
      }),
    )
  }

  /** Retries the recovery until it succeeds, which sets the timer again. */
  recoverLater(): void {
    this.#cancel?.()
    if (this.#isStopped) return
    const { timers } = this.#needs
    this.#cancel = timers.after(RECOVER_EVERY_MS, () =>
      this.#fork(Effect.map(this.#awaited.recover(), () => this.set())),
    )
  }

  #fork(work: Effect.Effect<void, Unreachable>): void {
    const later = () => Effect.sync(() => this.recoverLater())
    this.#needs.fork(work.pipe(Effect.catchTags({ StoreUnavailable: later, NotOwner: later }), Effect.ignore))
  }
}
