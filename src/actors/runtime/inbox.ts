/**
 * The inbox of a live event: requests to its actor queue here and get their turns in the order of arrival, one at a time. Commands are
 * batched: one turn takes all that are waiting, including those of other nodes, so that an idle event answers without delay and a busy one
 * commits once for many. Commands for an event that is not in this process's memory queue in an inbox of the same kind, which forwards them
 * to the owner's inbox (`actors/live-events.ts`).
 */
import { Cause, Effect, Exit, type Fiber, type Tracer } from "effect"
import { Unavailable } from "../../model/errors.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { type Envelope, NotOwner, type Outcome } from "../commands.ts"

type Outcomes = ReadonlyArray<Outcome>

/** Bounds, fork and metrics that all inboxes of a kind share. */
export interface InboxNeeds {
  /** Most waiting commands from this process, and most other waiting requests. */
  readonly most: number
  /** How long a command from this process may take, in milliseconds; by default as long as `perform` does. */
  readonly answersWithinMs?: number
  /** Forks a turn, so that a caller that stops waiting does not wait for a commit, which cannot be interrupted. */
  readonly fork: <A, F>(effect: Effect.Effect<A, F>) => Fiber.Fiber<A, F>
  readonly metrics: Pick<Telemetry["Service"]["metrics"], "inboxWaiting" | "inboxRefused">
}

/** The owner of an inbox performs its commands. */
interface Owner<E> {
  /** Returns the outcomes in the order of the commands. `links`: the spans of the commands. */
  readonly perform: (
    envelopes: ReadonlyArray<Envelope>,
    links: ReadonlyArray<Tracer.AnySpan>,
  ) => Effect.Effect<Outcomes, E>
  /** Reports the seconds that a turn took. */
  readonly spent?: (seconds: number) => void
  /** Called when a turn ended with a defect. */
  readonly broken?: () => void
  /** Called when nothing waits and no turn is running. */
  readonly emptied?: () => void
}

/** Commands of one caller that wait for their turn, or have it. */
interface Commands<E> {
  readonly envelopes: ReadonlyArray<Envelope>
  readonly span: Tracer.AnySpan | undefined
  readonly answer: (exit: Exit.Exit<Outcomes, E | NotOwner>) => void
}

interface Turn {
  readonly body: Effect.Effect<unknown, unknown>
  readonly done: (exit: Exit.Exit<unknown, unknown>) => void
  /** Callers waiting for the turn; it is interrupted when there are none. */
  readonly callers: Set<object>
}

/** The turn of all commands that are waiting when it begins. */
const GATHERED = Symbol("commands")

/** Most commands of one turn, and so of one commit, unless a single caller sends more. */
const COMMANDS_PER_TURN = 256

/** How long the engine waits for the requests that it delivered. */
const LEAVES_WITHIN = "2 seconds"

export const FULL = new Unavailable({ detail: "The event has too much to do right now.", retryAfterSeconds: 1 })

const isMoving = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof NotOwner

export class Inbox<E> {
  readonly #needs: InboxNeeds
  readonly #owner: Owner<E>
  readonly #commands: Commands<E>[] = []
  readonly #turns: Array<Turn | typeof GATHERED> = []
  #underWay: Turn | undefined
  #fiber: Fiber.Fiber<unknown, unknown> | undefined
  #isAdvancing = false
  /** Set when the event leaves memory; called when nothing is left to do. */
  #left: (() => void) | undefined

  constructor(needs: InboxNeeds, owner: Owner<E>) {
    this.#needs = needs
    this.#owner = owner
  }

  get isLeaving(): boolean {
    return this.#left !== undefined
  }

  /** Whether the limit of waiting requests is reached. */
  get isFull(): boolean {
    const isFull = this.#turns.length >= this.#needs.most
    if (isFull) this.#needs.metrics.inboxRefused.add()
    return isFull
  }

  /**
   * Queues commands of one caller in this process, for one turn. They are executed even if the caller is interrupted, unless their time is
   * over first. `NotOwner`: the event leaves memory, or has another owner; then all waiting commands fail with it, so that they keep their
   * order when they are sent again.
   */
  commands(
    envelopes: ReadonlyArray<Envelope>,
    span?: Tracer.AnySpan,
  ): Effect.Effect<Outcomes, E | NotOwner | Unavailable | Cause.TimeoutError> {
    return Effect.callback((resume) => {
      const { most, answersWithinMs, metrics } = this.#needs
      if (this.isLeaving || this.#commands.length >= most) {
        if (!this.isLeaving) metrics.inboxRefused.add()
        resume(Effect.fail(this.isLeaving ? new NotOwner() : FULL))
        return
      }
      const late = (): void => {
        resume(Effect.fail(new Cause.TimeoutError()))
        this.#withdraw(commands)
      }
      // A plain timer: `Effect.timeout` takes two more fibers, for which a command that comes alone would wait.
      const deadline = answersWithinMs === undefined ? undefined : setTimeout(late, answersWithinMs)
      const commands: Commands<E> = {
        envelopes,
        span,
        answer: (exit) => {
          clearTimeout(deadline)
          resume(exit)
        },
      }
      this.#put(commands)
    })
  }

  /** Queues commands of another process, whose engine limits them. Abandoned commands are dropped, unless their turn is running. */
  execute(envelopes: ReadonlyArray<Envelope>): Effect.Effect<Outcomes, E | NotOwner> {
    return Effect.callback((resume) => {
      const commands: Commands<E> = { envelopes, span: undefined, answer: resume }
      this.#put(commands)
      return Effect.sync(() => this.#withdraw(commands))
    })
  }

  /** Runs any other request in a turn of its own. A caller that stops waiting interrupts the turn and does not wait for its end. */
  turn<A, F>(body: Effect.Effect<A, F>): Effect.Effect<A, F> {
    return Effect.callback<A, F>((resume) => {
      const turn: Turn = { body, done: (exit) => resume(exit as Exit.Exit<A, F>), callers: new Set() }
      turn.callers.add(turn)
      this.#turns.push(turn)
      this.#advance()
      return Effect.sync(() => {
        const index = this.#turns.indexOf(turn)
        if (index === -1) this.#forget(turn)
        else this.#turns.splice(index, 1)
      })
    })
  }

  /** Stops accepting requests from this process, and completes when all turns are over. Turns that take too long are interrupted. */
  get leave(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      this.#left = () => resume(Effect.void)
      this.#advance()
    }).pipe(Effect.timeoutOption(LEAVES_WITHIN), Effect.andThen(Effect.sync(() => this.#end())))
  }

  #put(commands: Commands<E>): void {
    this.#commands.push(commands)
    this.#needs.metrics.inboxWaiting.add(commands.envelopes.length)
    // If all commands were withdrawn, their turn still waits.
    if (this.#commands.length === 1 && !this.#turns.includes(GATHERED)) this.#turns.push(GATHERED)
    this.#advance()
  }

  #withdraw(commands: Commands<E>): void {
    const index = this.#commands.indexOf(commands)
    if (index === -1) {
      this.#forget(commands)
      return
    }
    this.#commands.splice(index, 1)
    this.#needs.metrics.inboxWaiting.add(-commands.envelopes.length)
  }

  #forget(caller: object): void {
    const { callers } = this.#underWay ?? {}
    if (callers?.delete(caller) === true && callers.size === 0) this.#fiber?.interruptUnsafe()
  }

  #advance(): void {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    while (this.#underWay === undefined && this.#turns.length > 0) this.#begin()
    this.#isAdvancing = false
    if (this.#underWay !== undefined) return
    this.#left?.()
    this.#owner.emptied?.()
  }

  #begin(): void {
    const next = this.#turns.shift()
    const turn = next === GATHERED ? this.#gather() : next
    if (turn === undefined) return
    this.#underWay = turn
    const begunAt = performance.now()
    this.#fiber = this.#needs.fork(turn.body)
    this.#fiber.addObserver((exit) => {
      this.#owner.spent?.((performance.now() - begunAt) / 1000)
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) this.#owner.broken?.()
      turn.done(exit)
      this.#underWay = undefined
      // A finished fiber would keep its result and its context.
      this.#fiber = undefined
      this.#advance()
    })
  }

  /**
   * Takes the waiting commands for one turn; those of the first caller are always included. The remaining ones queue again behind
   * everything else.
   */
  #gather(): Turn | undefined {
    let commands = 0
    const past = this.#commands.findIndex(({ envelopes }, index) => {
      commands += envelopes.length
      return index > 0 && commands > COMMANDS_PER_TURN
    })
    const batch = this.#commands.splice(0, past === -1 ? this.#commands.length : past)
    if (this.#commands.length > 0) this.#turns.push(GATHERED)
    if (batch.length === 0) return undefined
    const envelopes = batch.flatMap((one) => one.envelopes)
    this.#needs.metrics.inboxWaiting.add(-envelopes.length)
    const links = batch.flatMap(({ span }) => span ?? [])
    return {
      body: this.#owner.perform(envelopes, links),
      done: (exit) => this.#answer(batch, exit as Exit.Exit<Outcomes, E>),
      callers: new Set(batch),
    }
  }

  #answer(batch: ReadonlyArray<Commands<E>>, exit: Exit.Exit<Outcomes, E>): void {
    let from = 0
    for (const { envelopes, answer } of batch) {
      const to = from + envelopes.length
      answer(Exit.isSuccess(exit) ? Exit.succeed(exit.value.slice(from, to)) : whole(exit))
      from = to
    }
    if (isMoving(exit)) this.#refuseWaiting()
  }

  #refuseWaiting(): void {
    for (const { envelopes, answer } of this.#commands.splice(0)) {
      this.#needs.metrics.inboxWaiting.add(-envelopes.length)
      answer(Exit.fail(new NotOwner()))
    }
  }

  #end(): void {
    this.#refuseWaiting()
    for (const turn of this.#turns.splice(0)) if (turn !== GATHERED) turn.done(Exit.interrupt())
    this.#fiber?.interruptUnsafe()
  }
}

/** A turn is interrupted when the event leaves: its commands are sent again, under their ids. */
const whole = <E>({ cause }: Exit.Failure<Outcomes, E>): Exit.Exit<never, E | NotOwner> =>
  Cause.hasInterruptsOnly(cause) ? Exit.fail(new NotOwner()) : Exit.failCause(cause)
