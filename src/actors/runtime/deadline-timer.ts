/**
 * Wakes an event when its next deadline is due. After a commit that failed because the database was unreachable, it retries until the event
 * can be read again. One timer serves all deadlines.
 */
import { Effect } from "effect"
import type { Cancel, Timers } from "../../clock/timers.ts"
import type { Unreachable } from "../commands.ts"
import type { Committer } from "../commit/committer.ts"
import type { Deadline } from "../domain/activities/activity.ts"
import { nextDeadline } from "../machine/clock.ts"
import type { EventNeeds } from "../services.ts"
import { contextOf } from "../views/snapshots.ts"

interface Needs {
  readonly timers: Timers
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** The next deadline after `since`, up to which deadlines are handled; none when the event is not in memory. */
  readonly next: (since: number) => Deadline | undefined
  /** Handles a due deadline. A deadline that moved meanwhile does nothing: the commit that moved it has reset the timer. */
  readonly handle: (deadline: Deadline, at: number) => Effect.Effect<unknown, Unreachable>
  /** Loads the event into memory again, if its deadlines are to be handled at all. */
  readonly recover: Effect.Effect<unknown, Unreachable>
}

/** Limit of Node's timers (31 bits); a later deadline is checked again at that time. */
const LONGEST_WAIT_MS = 2_147_483_647

const RECOVER_EVERY_MS = 500

export class DeadlineTimer {
  readonly #needs: Needs
  #cancel: Cancel | undefined
  #handledTo: number
  #isStopped = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#handledTo = needs.timers.now()
  }

  /** The timer of a live event. `isAwaited`: the event is to be loaded again after a failure, because its deadlines are to be handled. */
  static of(
    { timers, fork, telemetry }: EventNeeds & Pick<Needs, "fork">,
    committer: Committer,
    {
      turn,
      isAwaited,
    }: {
      readonly turn: <A>(body: Effect.Effect<A, Unreachable>) => Effect.Effect<A, Unreachable>
      readonly isAwaited: () => boolean
    },
  ): DeadlineTimer {
    return new DeadlineTimer({
      timers,
      fork,
      next: (since) => {
        const { loaded, presence } = committer
        return loaded === undefined ? undefined : nextDeadline(contextOf(loaded, presence, timers.now()), since)
      },
      handle: ({ due }, at) => {
        telemetry.metrics.timersFired.add()
        return turn(Effect.flatMap(committer.current, (of) => committer.act(of, at, due)))
      },
      recover: Effect.suspend(() => (isAwaited() ? Effect.asVoid(turn(committer.current)) : Effect.void)),
    })
  }

  /** Sets the timer to the next deadline. */
  set(): void {
    this.clear()
    const deadline = this.#isStopped ? undefined : this.#needs.next(this.#handledTo)
    if (deadline === undefined) return
    const { timers } = this.#needs
    const wait = Math.max(0, deadline.at - timers.now())
    this.#cancel = timers.after(Math.min(wait, LONGEST_WAIT_MS), () =>
      wait > LONGEST_WAIT_MS ? this.set() : this.#fire(deadline),
    )
  }

  clear(): void {
    this.#cancel?.()
  }

  stop(): void {
    this.#isStopped = true
    this.clear()
  }

  #fire(deadline: Deadline): void {
    const { timers, handle } = this.#needs
    this.#fork(
      Effect.map(handle(deadline, Math.max(timers.now(), deadline.at)), () => {
        this.#handledTo = Math.max(this.#handledTo, deadline.at)
        this.set()
      }),
    )
  }

  /** Retries the recovery until it succeeds, which sets the timer again. */
  recoverLater(): void {
    this.clear()
    if (this.#isStopped) return
    const { timers, recover } = this.#needs
    this.#cancel = timers.after(RECOVER_EVERY_MS, () => this.#fork(Effect.map(recover, () => this.set())))
  }

  #fork(work: Effect.Effect<void, Unreachable>): void {
    const later = () => Effect.sync(() => this.recoverLater())
    this.#needs.fork(work.pipe(Effect.catchTags({ StoreUnavailable: later, NotOwner: later }), Effect.ignore))
  }
}
