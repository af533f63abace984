/**
 * Commands for one event on their way to its mailbox. The first is sent at once; commands that arrive while it is under way are
 * sent together when it is done. An idle event answers without delay, and a busy one commits once for all of them.
 */
import { type Cause, Effect } from "effect"
import { type NotFound, Unavailable } from "../../model/errors.ts"
import type { Envelope, Outcome } from "../commands.ts"
import { COMMANDS_PER_COMMIT } from "./command-queue.ts"

type Failure = NotFound | Unavailable

interface Waiting {
  readonly envelope: Envelope
  readonly resume: (outcome: Effect.Effect<Outcome, Failure>) => void
}

interface Needs {
  /** Commands that may queue. */
  readonly most: number
  readonly send: (envelopes: ReadonlyArray<Envelope>) => Effect.Effect<ReadonlyArray<Outcome>, Failure>
  readonly fork: (effect: Effect.Effect<void>) => void
  /** The queue is empty. */
  readonly emptied: () => void
}

const FULL = new Unavailable({ detail: "The event has too much to do right now.", retryAfterSeconds: 1 })

export class CommandBatcher {
  readonly #needs: Needs
  #waiting: Waiting[] = []
  #isSending = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  put(envelope: Envelope): Effect.Effect<Outcome, Failure> {
    return Effect.callback((resume) => {
      if (this.#waiting.length >= this.#needs.most) {
        resume(Effect.fail(FULL))
        return
      }
      this.#waiting.push({ envelope, resume })
      if (!this.#isSending) this.#send()
    })
  }

  #send(): void {
    const batch = this.#waiting.slice(0, COMMANDS_PER_COMMIT)
    this.#waiting = this.#waiting.slice(COMMANDS_PER_COMMIT)
    this.#isSending = batch.length > 0
    if (!this.#isSending) {
      this.#needs.emptied()
      return
    }
    const answer = (given: (index: number) => Effect.Effect<Outcome, Failure>): void => {
      for (const [index, { resume }] of batch.entries()) resume(given(index))
      this.#send()
    }
    this.#needs.fork(
      this.#needs.send(batch.map(({ envelope }) => envelope)).pipe(
        Effect.matchCause({
          onSuccess: (outcomes) =>
            answer((index) => {
              const outcome = outcomes[index]
              return outcome === undefined
                ? Effect.die(new Error("a command without outcome"))
                : Effect.succeed(outcome)
            }),
          // A defect reaches the callers of the batch as their own.
          onFailure: (cause) => answer(() => Effect.failCause(cause as Cause.Cause<Failure>)),
        }),
      ),
    )
  }
}
