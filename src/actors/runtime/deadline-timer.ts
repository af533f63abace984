/**
 * Wakes an event when its next deadline is due. After a commit that failed because the database was unreachable, it retries until the event
 * can be read again. One timer serves all deadlines (`machine/clock.ts`).
 */
import { Effect } from "effect"
import type { Cancel, Timers } from "../../clock/timers.ts"
import type { Unreachable } from "../commands.ts"
import type { Committer } from "../commit/committer.ts"
import type { Deadline } from "../domain/activities/activity.ts"
import { nextDeadline } from "../machine/clock.ts"
import type { ActorServices, EventActor } from "../services.ts"
import { contextOf } from "../views/snapshots.ts"

interface Needs {
  readonly timers: Timers
  readonly fork: (effect: Effect.Effect<unknown>) => void
}

/** The event whose deadlines are awaited. */
interface Awaited {
  /** The next deadline after `since`, up to which deadlines are handled; none when the event is not in memory. */
  readonly next: (since: number) => Deadline | undefined
  /** Handles a due deadline. A deadline that moved meanwhile does nothing: the commit that moved it has reset the timer. */
  readonly handle: (deadline: Deadline, at: number) => Effect.Effect<unknown, Unreachable>
  /** Loads the event into memory again, if its deadlines are to be handled at all. */
  readonly recover: () => Effect.Effect<unknown, Unreachable>
}

/** Limit of Node's timers (31 bits); a later deadline is checked again at that time. */
const LONGEST_WAIT_MS = 2_147_483_647

const RECOVER_EVERY_MS = 500

/** The deadlines of a live event. */
export class EventDeadlines implements Awaited {
  readonly #services: ActorServices
  readonly #committer: Committer
  readonly #actor: EventActor

  constructor(services: ActorServices, committer: Committer, actor: EventActor) {
    this.#services = services
    this.#committer = committer
    this.#actor = actor
  }

  next(since: number): Deadline | undefined {
    const { loaded, presence } = this.#committer
    return loaded && nextDeadline(contextOf(loaded, presence, this.#services.timers.now()), since)
  }

  handle({ due }: Deadline, at: number): Effect.Effect<unknown, Unreachable> {
    this.#services.telemetry.metrics.timersFired.add()
    const committer = this.#committer
    return this.#actor.turn(Effect.flatMap(committer.current, (of) => committer.act(of, at, due)))
  }

  /** An event that keeps itself in memory has deadlines to handle; any other event is loaded on demand. */
  recover(): Effect.Effect<unknown, Unreachable> {
    return this.#actor.staysInMemory ? this.#actor.turn(this.#committer.current) : Effect.void
  }
}

export class DeadlineTimer {
  readonly #needs: Needs
  readonly #awaited: Awaited
  #cancel: Cancel | undefined
  #handledTo: number
  #isStopped = false

  constructor(needs: Needs, awaited: Awaited) {
    this.#needs = needs
    this.#awaited = awaited
    this.#handledTo = needs.timers.now()
  }

  /** Sets the timer to the next deadline. */
  set(): void {
    this.clear()
    const deadline = this.#isStopped ? undefined : this.#awaited.next(this.#handledTo)
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
    const at = Math.max(this.#needs.timers.now(), deadline.at)
    this.#fork(
      Effect.map(this.#awaited.handle(deadline, at), () => {
        this.#handledTo = Math.max(this.#handledTo, deadline.at)
        this.set()
      }),
    )
  }

  /** Retries the recovery until it succeeds, which sets the timer again. */
  recoverLater(): void {
    this.clear()
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
