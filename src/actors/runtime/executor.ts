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
  type Together,
  type Unreachable,
} from "../commands.ts"
import { Batch } from "../commit/batch.ts"
import type { NotCommitted } from "../commit/commit-batch.ts"
import type { Committer } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { recallAnswers, recallChat } from "../commit/rehydrate.ts"
import type { Turn } from "../domain/turn.ts"
import { decide } from "../machine/decide.ts"
import { isDeleted, type LiveState, restEvent } from "../state/state.ts"
import { presenceOccurrence } from "../views/presence-view.ts"

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
const rememberedAnswer = (batch: Batch, envelope: Received): Answer | Refused | undefined => {
  const known = batch.answered(envelope)
  if (known === undefined) return undefined
  if (known.bodyHash !== envelope.bodyHash) {
    return new Refused({ code: "conflict", detail: ID_USED_BEFORE })
  }
  const { result, version } = known.reply as Pick<Answer, "result" | "version">
  return answerOf(batch.state, envelope.command, { result, version, duplicate: true })
}

/** An accepted command with its turn, and the data of its reply. */
interface Decided {
  readonly turn: Turn
  readonly envelope: Received
  readonly result: Answer["result"]
}

/** Adds the turn of an accepted command to its batch. */
const keep = (batch: Batch, { turn, envelope, result }: Decided, event: Committer): Answer => {
  const { scope, commandId, bodyHash, command } = envelope
  event.performed(turn)
  if (turn.isIdle) {
    batch.addEphemeral(turn.ephemeral, turn.now)
    if (scope !== TIMER_SCOPE) batch.rememberIdle({ scope, commandId, bodyHash, result }, turn.at)
    return answerOf(batch.state, command, { result, version: batch.version, duplicate: false })
  }
  if (isDeleted(turn.state)) {
    const leaves = event.finalLeaves(envelope.at).map((change) => presenceOccurrence(turn.state, change))
    turn.occurrences.push(...leaves)
  }
  const version = batch.add(turn, scope === TIMER_SCOPE ? undefined : { scope, commandId, bodyHash, result })
  return answerOf(batch.state, command, { result, version, duplicate: false })
}

type Outcomes<E> = Effect.Effect<ReadonlyArray<Outcome>, E>

export class Executor {
  readonly #committer: Committer

  constructor(committer: Committer) {
    this.#committer = committer
  }

  /** Returns the outcomes in the order of the commands, once all accepted commands are committed. */
  execute(envelopes: ReadonlyArray<Received>): Outcomes<Unreachable> {
    return this.#attempt(envelopes, (of) => this.#performAndKeep(of, envelopes)).pipe(
      Effect.catchTag("AnsweredBefore", () => this.#withAnswers(envelopes)),
      // The store refused the whole batch because of one command: each command is run alone to find it.
      Effect.catchTags({
        OverCapacity: () => this.#oneByOne(envelopes, () => Effect.succeed(OVER_CAPACITY)),
        PhaseRecorded: () => this.#oneByOne(envelopes, () => Effect.succeed(PHASE_RECORDED)),
        CommitRefused: () => this.#oneByOne(envelopes, () => new StoreUnavailable()),
      }),
    )
  }

  /** Executes all commands in one commit, or none: the first refusal undoes the commands before it. */
  executeTogether(envelopes: ReadonlyArray<Received>): Effect.Effect<Together, Unreachable> {
    const attempt = this.#attempt(envelopes, (of) => this.#performTogether(of, envelopes))
    const recall = Effect.flatMap(this.#committer.current, (of) =>
      recallAnswers(this.#committer.services.database, of, envelopes),
    )
    return attempt.pipe(
      Effect.catchTag("AnsweredBefore", () => Effect.andThen(recall, attempt)),
      Effect.catchTag(
        ["AnsweredBefore", "OverCapacity", "PhaseRecorded", "CommitRefused"],
        () => new StoreUnavailable(),
      ),
    )
  }

  /** Decides a command and undoes it. A refusal that only the commit would meet is not found. */
  rehearse(envelope: Received): Effect.Effect<Outcome, Unreachable> {
    const { database } = this.#committer.services
    return Effect.gen({ self: this }, function* () {
      const of = yield* this.#committer.current
      yield* recallChat(database, of, [envelope])
      const one = this.#decide(of, of.state, envelope)
      if (one instanceof Refused) return one
      const { turn, result } = one
      const answer = answerOf(turn.state, envelope.command, { result, version: of.version, duplicate: false })
      turn.undo()
      return answer
    })
  }

  #performTogether(of: LoadedEvent, envelopes: ReadonlyArray<Received>): Effect.Effect<Together, NotCommitted> {
    return Effect.suspend((): Effect.Effect<Together, NotCommitted> => {
      const batch = new Batch(of)
      const known = envelopes.map((envelope) => rememberedAnswer(batch, envelope))
      const decided = this.#decideTogether(of, envelopes, known)
      if ("refused" in decided) return Effect.succeed(decided)
      const answers = decided.map((one) => ("turn" in one ? keep(batch, one, this.#committer) : one))
      return Effect.as(this.#keep(batch), { answers })
    })
  }

  /** Decides the commands in order, each on the state after those before it. A repeated command keeps its known answer. */
  #decideTogether(
    of: LoadedEvent,
    envelopes: ReadonlyArray<Received>,
    known: ReadonlyArray<Answer | Refused | undefined>,
  ): ReadonlyArray<Decided | Answer> | { readonly index: number; readonly refused: Refused } {
    const decided: Array<Decided | Answer> = []
    let { state } = of
    for (const [index, envelope] of envelopes.entries()) {
      const answer = known[index]
      const one = answer ?? this.#decide(of, state, envelope)
      if (one instanceof Refused) {
        for (const before of decided.toReversed()) if ("turn" in before) before.turn.undo()
        return { index, refused: one }
      }
      decided.push(one)
      if ("turn" in one && !one.turn.isIdle) state = one.turn.state
    }
    return decided
  }

  #decide(of: LoadedEvent, state: LiveState, envelope: Received): Decided | Refused {
    const turn = this.#committer.turn(of, state, envelope)
    try {
      const result = decide(turn, envelope)
      return result instanceof Refused ? result : { turn, envelope, result }
    } catch (error) {
      // The turns before this one are undone in an event that is not used again.
      this.#committer.invalidate()
      this.#committer.services.telemetry.log.error(
        { err: error, eventId: this.#committer.actor.eventId },
        "a command failed unexpectedly",
      )
      return FAILED
    }
  }

  #attempt<A>(
    envelopes: ReadonlyArray<Received>,
    perform: (of: LoadedEvent) => Effect.Effect<A, NotCommitted | Unreachable>,
  ): Effect.Effect<A, NotCommitted | Unreachable> {
    const { database } = this.#committer.services
    return Effect.gen({ self: this }, function* () {
      const of = yield* this.#committer.current
      // Everything that may fail comes before the turns, which change the loaded event.
      const recalled = yield* recallAnswers(database, of, this.#possibleRepeats(of, envelopes))
      if (recalled.length > 0) yield* this.#requireNewest(of)
      yield* recallChat(database, of, envelopes)
      return yield* Effect.uninterruptible(perform(of))
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
    return this.#committer.services.database
      .readLive((sql) => isNewestActivation(sql, this.#committer.actor.eventId, fencingToken))
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
    const now = this.#committer.now
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
      yield* recallAnswers(this.#committer.services.database, yield* this.#committer.current, envelopes)
      const attempt = this.#attempt(envelopes, (of) => this.#performAndKeep(of, envelopes))
      return yield* Effect.catchTag(attempt, "AnsweredBefore", () =>
        this.#oneByOne(envelopes, () => new StoreUnavailable()),
      )
    })
  }

  /** Returns `undefined` after a defect in one command, which must not fail the others. */
  #performAll(batch: Batch, envelopes: ReadonlyArray<Received>): ReadonlyArray<Outcome> | undefined {
    const { log } = this.#committer.services.telemetry
    try {
      return envelopes.map((envelope) => this.#perform(batch, envelope))
    } catch (error) {
      this.#committer.invalidate()
      if (envelopes.length === 1)
        log.error({ err: error, eventId: this.#committer.actor.eventId }, "a command failed unexpectedly")
      return undefined
    }
  }

  #perform(batch: Batch, envelope: Received): Outcome {
    const known = rememberedAnswer(batch, envelope)
    if (known !== undefined) return known
    const turn = this.#committer.turn(batch.loaded, batch.state, envelope)
    const result = decide(turn, envelope)
    return result instanceof Refused ? result : keep(batch, { turn, envelope, result }, this.#committer)
  }

  /** Commits the batch. Ephemeral dispatches are published in any case. */
  #keep(batch: Batch): Effect.Effect<unknown, NotCommitted> {
    if (!batch.isEmpty) return this.#committer.commit(batch)
    batch.settle()
    const { loaded, ephemeral } = batch
    if (ephemeral.length > 0) this.#committer.note(loaded, { ephemeral })
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
