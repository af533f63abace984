/**
 * A batch of commands, from the mailbox to its commit. Invariant: each command gets the outcome that it would get alone, in its
 * order. A store refusal or a defect that one command causes does not fail the others.
 */
import { Effect } from "effect"
import type { AnsweredBefore, OverCapacity } from "../../store/live/live-events.ts"
import { type Envelope, type NotOwner, type Outcome, Refused, StoreUnavailable, type Unreachable } from "../commands.ts"
import type { Turn } from "../domain/turn.ts"
import type { PresenceChange } from "../presence/presence.ts"
import type { ActorServices } from "../services.ts"
import { Batch } from "./batch.ts"
import type { CommitRefused } from "./commit-batch.ts"
import { perform, rememberedAnswer, TIMER_SCOPE } from "./execution.ts"
import { publishEphemeral } from "./feed-messages.ts"
import type { LoadedEvent } from "./loaded-event.ts"
import { recallAnswers, recallChat } from "./rehydrate.ts"

/** Why a batch was not written. */
export type NotCommitted = NotOwner | StoreUnavailable | CommitRefused | AnsweredBefore | OverCapacity

interface Needs {
  readonly services: ActorServices & { readonly eventId: string }
  readonly current: Effect.Effect<LoadedEvent, Unreachable>
  readonly turn: (batch: Batch, envelope: Envelope) => Turn
  /** A turn has ended, with any outcome. */
  readonly performed: (turn: Turn) => void
  /** The leaves of everyone present, for a deleted event. */
  readonly finalLeaves: (at: number) => ReadonlyArray<PresenceChange>
  readonly commit: (batch: Batch) => Effect.Effect<LoadedEvent, NotCommitted>
  /** A turn failed after it changed the loaded event, which must not be used again. */
  readonly invalidate: () => void
}

const OVER_CAPACITY = new Refused({ code: "conflict", detail: "More people than that are registered already." })
const FAILED = new Refused({ code: "internal_error", detail: "The command failed unexpectedly." })

export class Executor {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Returns the outcomes in the order of the commands. All accepted commands are committed by then. */
  execute(envelopes: ReadonlyArray<Envelope>): Effect.Effect<ReadonlyArray<Outcome>, Unreachable> {
    return this.#attempt(envelopes).pipe(
      Effect.catchTag("AnsweredBefore", () => this.#withAnswers(envelopes)),
      // The store refused the whole batch because of one command: each command runs alone to find it.
      Effect.catchTags({
        OverCapacity: () => this.#oneByOne(envelopes, () => Effect.succeed(OVER_CAPACITY)),
        CommitRefused: () => this.#oneByOne(envelopes, () => new StoreUnavailable()),
      }),
    )
  }

  #attempt(envelopes: ReadonlyArray<Envelope>): Effect.Effect<ReadonlyArray<Outcome>, NotCommitted | Unreachable> {
    const { services, current } = this.#needs
    return Effect.gen({ self: this }, function* () {
      const of = yield* current
      // Everything that may fail comes before the turns, which change the loaded event.
      yield* recallAnswers(services.database, of, this.#possibleRepeats(of, envelopes))
      yield* recallChat(services.database, of, envelopes)
      return yield* Effect.uninterruptible(this.#performAndKeep(of, envelopes))
    })
  }

  #performAndKeep(
    of: LoadedEvent,
    envelopes: ReadonlyArray<Envelope>,
  ): Effect.Effect<ReadonlyArray<Outcome>, NotCommitted | Unreachable> {
    return Effect.suspend((): Effect.Effect<ReadonlyArray<Outcome>, NotCommitted | Unreachable> => {
      const batch = new Batch(of)
      const outcomes = this.#performAll(batch, envelopes)
      return outcomes === undefined
        ? this.#oneByOne(envelopes, () => Effect.succeed(FAILED))
        : Effect.as(this.#keep(batch), outcomes)
    })
  }

  /** Commands that may be repeats whose answers memory has evicted. */
  #possibleRepeats({ answers }: LoadedEvent, envelopes: ReadonlyArray<Envelope>): ReadonlyArray<Envelope> {
    const now = this.#needs.services.timers.now()
    return envelopes.filter(
      ({ scope, commandId }) =>
        scope !== TIMER_SCOPE &&
        answers.find(scope, commandId, now) === undefined &&
        answers.mayBeMissing(scope, commandId, now),
    )
  }

  /**
   * The commit found a command id that is answered already: the batch is decided again with the answers of the store. A key that
   * is used again after its day may find its old row, which is neither an answer any more nor swept yet: its command waits.
   */
  #withAnswers(
    envelopes: ReadonlyArray<Envelope>,
  ): Effect.Effect<ReadonlyArray<Outcome>, Exclude<NotCommitted, AnsweredBefore> | Unreachable> {
    const { services, current } = this.#needs
    return Effect.gen({ self: this }, function* () {
      yield* recallAnswers(services.database, yield* current, envelopes)
      return yield* Effect.catchTag(this.#attempt(envelopes), "AnsweredBefore", () =>
        this.#oneByOne(envelopes, () => new StoreUnavailable()),
      )
    })
  }

  /** Returns `undefined` after a defect in one command, which must not fail the others. */
  #performAll(batch: Batch, envelopes: ReadonlyArray<Envelope>): ReadonlyArray<Outcome> | undefined {
    const { telemetry, eventId } = this.#needs.services
    try {
      return envelopes.map((envelope) => this.#perform(batch, envelope))
    } catch (error) {
      this.#needs.invalidate()
      if (envelopes.length === 1) telemetry.log.error({ err: error, eventId }, "a command failed unexpectedly")
      return undefined
    }
  }

  #perform(batch: Batch, envelope: Envelope): Outcome {
    const known = rememberedAnswer(batch, envelope)
    if (known !== undefined) return known
    const turn = this.#needs.turn(batch, envelope)
    const outcome = perform(batch, turn, envelope, () => this.#needs.finalLeaves(envelope.at))
    this.#needs.performed(turn)
    return outcome
  }

  /** Commits the batch; ephemeral dispatches are published in any case. */
  #keep(batch: Batch): Effect.Effect<unknown, NotCommitted> {
    if (!batch.isEmpty) return this.#needs.commit(batch)
    batch.settle()
    if (batch.ephemeral.length > 0) publishEphemeral(this.#needs.services, batch.loaded, batch.ephemeral)
    return Effect.void
  }

  /** `alone`: the outcome of the command that fails alone. */
  #oneByOne(
    envelopes: ReadonlyArray<Envelope>,
    alone: (envelope: Envelope) => Effect.Effect<Outcome, Unreachable>,
  ): Effect.Effect<ReadonlyArray<Outcome>, Unreachable> {
    const [only] = envelopes
    if (envelopes.length === 1 && only !== undefined) return Effect.map(alone(only), (outcome) => [outcome])
    const each = (envelope: Envelope) =>
      Effect.catchTag(this.execute([envelope]), "StoreUnavailable", (away) => Effect.succeed([away]))
    return Effect.map(Effect.forEach(envelopes, each), (outcomes) => outcomes.flat())
  }
}
