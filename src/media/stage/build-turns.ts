/** Limits the building of whole playlists, which are long: few are built at once, and few callers wait. */
import { Effect, Semaphore } from "effect"
import { Unavailable } from "../../model/errors.ts"

const AT_ONCE = 2
/** Maximum number of builds and waiting callers. */
const MOST_UNDER_WAY = 16

export const TOO_MANY_BUILDS = new Unavailable({
  detail: "Too many long broadcasts are asked for at once.",
  retryAfterSeconds: 2,
})

export class BuildTurns {
  readonly #places = Semaphore.makeUnsafe(AT_ONCE)
  #underWay = 0

  /** Runs the work in its turn. Fails at once if too many wait. */
  take<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> {
    return Effect.suspend((): Effect.Effect<A, E | Unavailable, R> => {
      if (this.#underWay >= MOST_UNDER_WAY) return Effect.fail(TOO_MANY_BUILDS)
      this.#underWay += 1
      const left = Effect.sync(() => {
        this.#underWay -= 1
      })
      return Effect.ensuring(this.#places.withPermits(1)(work), left)
    })
  }
}
