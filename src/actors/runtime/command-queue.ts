/**
 * Commands behind the mailbox, which come from the gateways of several nodes: while a batch is under way, the requests that arrive
 * are gathered, and the next batch takes them all. So an event commits once for all nodes, and not once for each.
 */
import { Cause, Effect, Exit } from "effect"
import { NotOwner, type Outcome, type Received, type Unreachable } from "../commands.ts"
import type { Mutex } from "./mutex.ts"

type Outcomes = ReadonlyArray<Outcome>

interface Waiting {
  readonly envelopes: ReadonlyArray<Received>
  /** Set when a batch with these commands is done, or has failed. */
  exit: Exit.Exit<Outcomes, Unreachable> | undefined
}

interface Needs {
  readonly exclusive: Mutex
  readonly execute: (envelopes: ReadonlyArray<Received>) => Effect.Effect<Outcomes, Unreachable>
}

/** Commands in one commit, unless a single request has more. */
export const COMMANDS_PER_COMMIT = 256

export class CommandQueue {
  readonly #needs: Needs
  #waiting: Waiting[] = []

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Returns the outcomes in the order of the commands. All accepted commands are committed by then. */
  execute(envelopes: ReadonlyArray<Received>): Effect.Effect<Outcomes, Unreachable> {
    return Effect.suspend(() => {
      const own: Waiting = { envelopes, exit: undefined }
      this.#waiting.push(own)
      return this.#needs.exclusive(this.#executeUntil(own)).pipe(
        // Its caller has gone: what no batch has taken yet is not done any more.
        Effect.onInterrupt(() => Effect.sync(() => this.#remove(own))),
      )
    })
  }

  /** Nearly always one batch, or none: another request carried these commands. */
  #executeUntil(own: Waiting): Effect.Effect<Outcomes, Unreachable> {
    return Effect.suspend(() => own.exit ?? Effect.andThen(this.#executeNext(), this.#executeUntil(own)))
  }

  #remove(own: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== own)
  }

  /** The requests of the next batch; the first one is always among them. */
  #take(): ReadonlyArray<Waiting> {
    let commands = 0
    const past = this.#waiting.findIndex(({ envelopes }, index) => {
      commands += envelopes.length
      return index > 0 && commands > COMMANDS_PER_COMMIT
    })
    return this.#waiting.splice(0, past === -1 ? this.#waiting.length : past)
  }

  #executeNext(): Effect.Effect<void> {
    const batch = this.#take()
    return this.#needs.execute(batch.flatMap(({ envelopes }) => envelopes)).pipe(
      Effect.onExit((exit) => Effect.sync(() => settle(batch, exit))),
      Effect.exit,
      Effect.asVoid,
    )
  }
}

const settle = (batch: ReadonlyArray<Waiting>, exit: Exit.Exit<Outcomes, Unreachable>): void => {
  let from = 0
  for (const waiting of batch) {
    const to = from + waiting.envelopes.length
    waiting.exit = Exit.isSuccess(exit) ? Exit.succeed(exit.value.slice(from, to)) : shared(exit)
    from = to
  }
}

/** The request that carried the batch was interrupted: the others are made again, under their command ids. */
const shared = (exit: Exit.Failure<Outcomes, Unreachable>): Exit.Exit<Outcomes, Unreachable> =>
  Cause.hasInterruptsOnly(exit.cause) ? Exit.fail(new NotOwner()) : exit
