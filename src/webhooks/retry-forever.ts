/** Retries the dispatcher's statements through a database outage, with one log line at its beginning and one at its end. */
import { Cause, Effect, Schedule } from "effect"
import type { Logger } from "pino"

/** Pauses of 100 ms, then twice as long each time, up to 5 seconds. */
const PAUSES = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/** Repeats a statement until it succeeds. An unexpected error is retried as well: the dispatcher must not end. */
export type RetryForever = <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A>

/** All statements of one dispatcher share one instance, so that an outage is reported once. */
export const makeRetryForever = (log: Logger): RetryForever => {
  let isAway = false
  const returned = Effect.sync(() => {
    if (isAway) log.warn("webhooks: the database answers again")
    isAway = false
  })
  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.sync(() => {
      if (!isAway) log.error({ err: Cause.squash(cause) }, "webhooks: the database does not answer; deliveries wait")
      isAway = true
    })
  return (statement) =>
    statement.pipe(
      Effect.tap(() => returned),
      Effect.tapCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : failed(cause))),
      Effect.sandbox,
      Effect.retry({ schedule: PAUSES, while: (cause) => !Cause.hasInterrupts(cause) }),
      // The retries end only by interruption.
      Effect.catch(() => Effect.interrupt),
    )
}
