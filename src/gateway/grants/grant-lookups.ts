/** Batched look-ups of grant states: identifying sockets share the statements that look their users up. */
import { Deferred, Duration, Effect, Exit } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { Basis, GrantState } from "../../model/grants.ts"
import { findGrantStates, type GrantQuestion } from "../../store/accounts/grant-states.ts"
import type { GatewayServices } from "../services.ts"

/** Look-ups in one statement. */
export const BATCH = 500
/** From the start of one statement to the start of the next: a statement of 50 look-ups costs a tenth of 50 statements of one. */
const GATHER = Duration.millis(10)

interface Waiting {
  readonly question: GrantQuestion
  readonly answer: Deferred.Deferred<GrantState, Unavailable>
}

/**
 * Batches look-ups. A single look-up runs at once. Look-ups that arrive within `GATHER`, or while a statement runs, share the
 * next one, so that many joins cost few statements.
 */
export class GrantLookups {
  readonly #services: Pick<GatewayServices, "database" | "fork">
  readonly #waiting: Waiting[] = []
  #isAsking = false

  constructor(services: Pick<GatewayServices, "database" | "fork">) {
    this.#services = services
  }

  find(basis: Basis, eventId: string): Effect.Effect<GrantState, Unavailable> {
    return Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<GrantState, Unavailable>()
      this.#waiting.push({ question: { basis, eventId }, answer })
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

  #askFor(batch: ReadonlyArray<Waiting>): Effect.Effect<void> {
    const found = this.#services.database.run((sql) =>
      findGrantStates(
        sql,
        batch.map(({ question }) => question),
      ),
    )
    return Effect.map(Effect.exit(found), (exit) => {
      for (const [index, { answer }] of batch.entries()) {
        Deferred.doneUnsafe(answer, Exit.isSuccess(exit) ? stateAt(exit.value, index) : Exit.failCause(exit.cause))
      }
    })
  }
}

const stateAt = (states: ReadonlyArray<GrantState>, index: number): Exit.Exit<GrantState> => {
  const state = states[index]
  return state === undefined ? Exit.die(new Error("a question was not answered")) : Exit.succeed(state)
}
