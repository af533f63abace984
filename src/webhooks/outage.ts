/** Outlives a database that is away: waits and tries again, and says once that it went and once that it is back. */
import { Cause, Effect } from "effect"
import type { Logger } from "pino"

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Repeats a statement until it succeeds. Also an unexpected error is waited out: a dispatcher that ended would be worse. */
export type Outliving = <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A>

/** All statements of one dispatcher share one, so that an outage is one outage. */
export const makeOutliving = (log: Logger): Outliving => {
  let away = false
  const returned = () => {
    if (away) log.warn("webhooks: the database answers again")
    away = false
  }
  const failed = (cause: Cause.Cause<unknown>) => {
    if (!away) log.error({ err: Cause.squash(cause) }, "webhooks: the database does not answer; deliveries wait")
    away = true
  }
  const outlive = <A, E>(statement: Effect.Effect<A, E>, pauseMs: number): Effect.Effect<A> =>
    statement.pipe(
      Effect.tap(() => Effect.sync(returned)),
      Effect.catchCause((cause) => {
        if (Cause.hasInterrupts(cause)) return Effect.interrupt
        failed(cause)
        return Effect.andThen(
          Effect.sleep(pauseMs),
          Effect.suspend(() => outlive(statement, Math.min(pauseMs * 2, LONGEST_PAUSE_MS))),
        )
      }),
    )
  return (statement) => outlive(statement, FIRST_PAUSE_MS)
}
