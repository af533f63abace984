/** Requests that wait for something new before they answer. All waits end when the server stops. */
import { Clock, Context, Deferred, Effect, Layer } from "effect"

/** Maximum number of waiting polls; a further one answers at once. */
const MOST_WAITING = 200
/** Another process may have stored what a poll waits for, so each poll looks again after this time. */
const LOOK_EVERY_MS = 1_000

export class LongPolls extends Context.Service<
  LongPolls,
  {
    /** Repeats `look` until it finds something, for at most `waitMs` milliseconds. Resolves to the last result, `undefined` for nothing. */
    readonly until: <A, E, R>(
      look: Effect.Effect<A | undefined, E, R>,
      waitMs: number,
    ) => Effect.Effect<A | undefined, E, R>
    /** Ends all waits, now and later. */
    readonly end: Effect.Effect<void>
  }
>()("gathercue/LongPolls") {
  static readonly layer: Layer.Layer<LongPolls> = Layer.effect(
    LongPolls,
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      let waiting = 0

      const wait = <A, E, R>(look: Effect.Effect<A | undefined, E, R>, waitMs: number) =>
        Effect.gen(function* () {
          const until = (yield* Clock.currentTimeMillis) + waitMs
          while (true) {
            const leftMs = until - (yield* Clock.currentTimeMillis)
            if (leftMs > 0) {
              yield* Effect.raceFirst(Deferred.await(ended), Effect.sleep(Math.min(LOOK_EVERY_MS, leftMs)))
            }
            const found = yield* look
            if (found !== undefined || leftMs <= LOOK_EVERY_MS || (yield* Deferred.isDone(ended))) return found
          }
        })

      return {
        until: (look, waitMs) =>
          Effect.gen(function* () {
            const found = yield* look
            if (found !== undefined || waitMs === 0 || waiting >= MOST_WAITING) return found
            waiting++
            return yield* Effect.ensuring(
              wait(look, waitMs),
              Effect.sync(() => waiting--),
            )
          }),
        end: Effect.asVoid(Deferred.succeed(ended, undefined)),
      }
    }),
  )
}
