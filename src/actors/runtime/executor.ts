/**
 * Runs a batch of commands, from the mailbox to its commit. Invariant: each command gets the outcome that it would get alone, in order. A
 * store refusal or a defect caused by one command does not fail the others.
 */
import { Effect } from "effect"
import type { AnsweredBefore } from "../../store/live/live-commit.ts"
import { isNewestActivation } from "../../store/live/live-events.ts"
import {
  type Answer,
  type Command,
  isAgendaCommand,
  NotOwner,
  type Outcome,
  type Received,
  Refused,
  StoreUnavailable,
  type Unreachable,
} from "../commands.ts"
import { Batch } from "../commit/batch.ts"
import type { NotCommitted } from "../commit/commit-batch.ts"
import type { Committer } from "../commit/committer.ts"
import { publishNote } from "../commit/feed-messages.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { recallAnswers, recallChat } from "../commit/rehydrate.ts"
import type { Turn } from "../domain/turn.ts"
import { decide } from "../machine/decide.ts"
import type { ActorServices } from "../services.ts"
import { type LiveState, restEvent } from "../state/state.ts"
import { presenceNotice } from "../views/presence-view.ts"

const OVER_CAPACITY = new Refused({ code: "conflict", detail: "More people than that are registered already." })
const PHASE_RECORDED = new Refused({
  code: "conflict",
  detail: "A recording belongs to the phase. Delete the recording first.",
})
const FAILED = new Refused({ code: "internal_error", detail: "The command failed unexpectedly." })

/** Scope of the server's own commands. They need no idempotency key: when they are repeated, their result already holds. */
export const TIMER_SCOPE = "timer"

/** The refusal of an id that is reused with another body. */
export const ID_USED_BEFORE = "This command id was used with another body."

const answerOf = (state: LiveState, command: Command, fields: Omit<Answer, "event">): Answer => ({
  ...fields,
  event: isAgendaCommand(command) ? restEvent(state) : null,
})

/** The stored answer of an accepted command id, or a refusal if the id is reused with another body. */
const rememberedAnswer = (batch: Batch, envelope: Received): Outcome | undefined => {
  const known = batch.answered(envelope)
  if (known === undefined) return undefined
  if (known.bodyHash !== envelope.bodyHash) {
    return new Refused({ code: "conflict", detail: ID_USED_BEFORE })
  }
  const { result, version } = known.reply as Pick<Answer, "result" | "version">
  return answerOf(batch.state, envelope.command, { result, version, duplicate: true })
}

/** Runs one command in a batch: it is refused, has no effect, or is added as a step. */
const perform = (batch: Batch, turn: Turn, envelope: Received, event: Committer): Outcome => {
  const { scope, commandId, bodyHash, command } = envelope
  const result = decide(turn, envelope)
  if (result instanceof Refused) {
    turn.undo()
    return result
  }
  if (turn.isIdle) {
    batch.addEphemeral(turn.ephemeral, turn.now)
    if (scope !== TIMER_SCOPE) batch.rememberIdle({ scope, commandId, bodyHash, result }, turn.at)
    return answerOf(batch.state, command, { result, version: batch.version, duplicate: false })
  }
  if (turn.state.deleted) {
    const leaves = event.finalLeaves(envelope.at).map((change) => presenceNotice(turn.state, change))
    turn.occurrences.push(...leaves)
  }
  const version = batch.add(turn, scope === TIMER_SCOPE ? undefined : { scope, commandId, bodyHash, result })
  return answerOf(batch.state, command, { result, version, duplicate: false })
}

type Outcomes<E> = Effect.Effect<ReadonlyArray<Outcome>, E>

export class Executor {
  readonly #services: ActorServices & { readonly eventId: string }
  readonly #committer: Committer

  constructor(services: ActorServices & { readonly eventId: string }, committer: Committer) {
    this.#services = services
    this.#committer = committer
  }

  /** Returns the outcomes in the order of the commands, once all accepted commands are committed. */
  execute(envelopes: ReadonlyArray<Received>): Outcomes<Unreachable> {
    return this.#attempt(envelopes).pipe(
      Effect.catchTag("AnsweredBefore", () => this.#withAnswers(envelopes)),
      // The store refused the whole batch because of one command: each command is run alone to find it.
      Effect.catchTags({
        OverCapacity: () => this.#oneByOne(envelopes, () => Effect.succeed(OVER_CAPACITY)),
        PhaseRecorded: () => this.#oneByOne(envelopes, () => Effect.succeed(PHASE_RECORDED)),
        CommitRefused: () => this.#oneByOne(envelopes, () => new StoreUnavailable()),
      }),
    )
  }

  #attempt(envelopes: ReadonlyArray<Received>): Outcomes<NotCommitted | Unreachable> {
    const { database } = this.#services
    return Effect.gen({ self: this }, function* () {
      const of = yield* this.#committer.current
      // Everything that may fail comes before the turns, which change the loaded event.
      const recalled = yield* recallAnswers(database, of, this.#possibleRepeats(of, envelopes))
      if (recalled.length > 0) yield* this.#requireNewest(of)
      yield* recallChat(database, of, envelopes)
      return yield* Effect.uninterruptible(this.#performAndKeep(of, envelopes))
    })
  }

  #performAndKeep(of: LoadedEvent, envelopes: ReadonlyArray<Received>): Outcomes<NotCommitted | Unreachable> {
    return Effect.suspend((): Outcomes<NotCommitted | Unreachable> => {
      const batch = new Batch(of)
      const outcomes = this.#performAll(batch, envelopes)
      return outcomes === undefined
        ? this.#oneByOne(envelopes, () => Effect.succeed(FAILED))
        : Effect.as(this.#keep(batch), outcomes)
    })
  }

  /**
   * Fails if a newer activation exists, which may have stored the answer and left again. A repeat commits nothing, so no fence would refuse
   * it: it would be answered from a state without the effect of the first attempt.
   */
  #requireNewest({ fencingToken }: LoadedEvent): Effect.Effect<void, NotOwner | StoreUnavailable> {
    const { database, eventId } = this.#services
    return database
      .readLive((sql) => isNewestActivation(sql, eventId, fencingToken))
      .pipe(
        Effect.mapError(() => new StoreUnavailable()),
        Effect.flatMap((isNewest) => {
          if (isNewest) return Effect.void
          this.#committer.invalidate()
          return Effect.fail(new NotOwner())
        }),
      )
  }

  /** Commands that may be repeats whose answers memory has evicted. */
  #possibleRepeats({ answers }: LoadedEvent, envelopes: ReadonlyArray<Received>): ReadonlyArray<Received> {
    const now = this.#services.timers.now()
    return envelopes.filter(
      ({ scope, commandId }) =>
        scope !== TIMER_SCOPE &&
        answers.find(scope, commandId, now) === undefined &&
        answers.mayBeMissing(scope, commandId, now),
    )
  }

  /**
   * Handles a commit that found an already answered command id: the batch is decided again with the stored answers. A key reused after its
   * day may find its old row, which is no longer an answer and not yet swept: its command waits.
   */
  #withAnswers(envelopes: ReadonlyArray<Received>): Outcomes<Exclude<NotCommitted, AnsweredBefore> | Unreachable> {
    return Effect.gen({ self: this }, function* () {
      yield* recallAnswers(this.#services.database, yield* this.#committer.current, envelopes)
      return yield* Effect.catchTag(this.#attempt(envelopes), "AnsweredBefore", () =>
        this.#oneByOne(envelopes, () => new StoreUnavailable()),
      )
    })
  }

  /** Returns `undefined` after a defect in one command, which must not fail the others. */
  #performAll(batch: Batch, envelopes: ReadonlyArray<Received>): ReadonlyArray<Outcome> | undefined {
    const { telemetry, eventId } = this.#services
    try {
      return envelopes.map((envelope) => this.#perform(batch, envelope))
    } catch (error) {
      this.#committer.invalidate()
      if (envelopes.length === 1) telemetry.log.error({ err: error, eventId }, "a command failed unexpectedly")
      return undefined
    }
  }

  #perform(batch: Batch, envelope: Received): Outcome {
    const known = rememberedAnswer(batch, envelope)
    if (known !== undefined) return known
    const turn = this.#committer.turn(batch.loaded, batch.state, envelope)
    const outcome = perform(batch, turn, envelope, this.#committer)
    this.#committer.performed(turn)
    return outcome
  }

  /** Commits the batch. Ephemeral dispatches are published in any case. */
  #keep(batch: Batch): Effect.Effect<unknown, NotCommitted> {
    if (!batch.isEmpty) return this.#committer.commit(batch)
    batch.settle()
    const { loaded, ephemeral } = batch
    if (ephemeral.length > 0) publishNote(this.#services, loaded, { ephemeral })
    return Effect.void
  }

  /** `alone`: the outcome of a command that fails when run alone. */
  #oneByOne(
    envelopes: ReadonlyArray<Received>,
    alone: (envelope: Received) => Effect.Effect<Outcome, Unreachable>,
  ): Outcomes<Unreachable> {
    const [only] = envelopes
    if (envelopes.length === 1 && only !== undefined) return Effect.map(alone(only), (outcome) => [outcome])
    const each = (envelope: Received) =>
      Effect.catchTag(this.execute([envelope]), "StoreUnavailable", (away) => Effect.succeed([away]))
    return Effect.map(Effect.forEach(envelopes, each), (outcomes) => outcomes.flat())
  }
}
