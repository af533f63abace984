/** Batched look-ups: identifying sockets share the statements that check their grants. */
import { Deferred, Duration, Effect, Exit } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { Queryable } from "../../store/database.ts"
import type { GatewayServices } from "../services.ts"

/** Most look-ups in one statement. */
export const BATCH = 500
/** Time from the start of one statement to the start of the next: a statement of 50 look-ups costs a tenth of 50 statements of one. */
const GATHER = Duration.millis(10)

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly answer: Deferred.Deferred<Answer, Unavailable>
}

/**
 * Batches look-ups. A single look-up runs at once. Look-ups that arrive within `GATHER`, or while a statement runs, share the next one, so
 * that many joins cost few statements.
 */
export class SharedLookups<Question, Answer> {
  readonly #services: Pick<GatewayServices, "database" | "fork">
  readonly #statement: (sql: Queryable, questions: ReadonlyArray<Question>) => Promise<ReadonlyArray<Answer>>
  readonly #waiting: Waiting<Question, Answer>[] = []
  #isAsking = false

  /** `statement` answers the questions in their order. */
  constructor(
    services: Pick<GatewayServices, "database" | "fork">,
    statement: (sql: Queryable, questions: ReadonlyArray<Question>) => Promise<ReadonlyArray<Answer>>,
  ) {
    this.#services = services
    this.#statement = statement
  }

  find(question: Question): Effect.Effect<Answer, Unavailable> {
    return Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<Answer, Unavailable>()
      this.#waiting.push({ question, answer })
      if (!this.#isAsking) {
        this.#isAsking = true
        this.#services.fork(this.#askAll)
      }
      return Deferred.await(answer)
    })
  }

  readonly #askAll = Effect.gen({ self: this }, function* () {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH)
      const [lasted] = yield* Effect.timed(this.#askFor(batch))
      yield* Effect.sleep(Duration.subtract(GATHER, lasted))
    }
    this.#isAsking = false
  })

  #askFor(batch: ReadonlyArray<Waiting<Question, Answer>>): Effect.Effect<void> {
    const found = this.#services.database.run((sql) =>
      this.#statement(
        sql,
        batch.map(({ question }) => question),
      ),
    )
    return Effect.map(Effect.exit(found), (exit) => {
      for (const [index, { answer }] of batch.entries()) {
        Deferred.doneUnsafe(answer, Exit.isSuccess(exit) ? answerAt(exit.value, index) : Exit.failCause(exit.cause))
      }
    })
  }
}

const answerAt = <Answer>(answers: ReadonlyArray<Answer>, index: number): Exit.Exit<Answer> => {
  const answer = answers[index]
  return answer === undefined ? Exit.die(new Error("a question was not answered")) : Exit.succeed(answer)
}
