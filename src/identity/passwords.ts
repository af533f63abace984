/**
 * Passwords: argon2id (RFC 9106) in a bounded pool, so that a burst of logins queues here and never starves the loop or the
 * thread pool that file and DNS calls share. An unknown address costs the same hash as a known one.
 */
import { availableParallelism } from "node:os"
import argon2 from "argon2"
import { Context, Effect, Layer, Semaphore } from "effect"

/** OWASP's second recommended setting: 19 MiB, two passes, one lane; about 25 ms of one core. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string) => Effect.Effect<string>
    /** `null`: no such account or no password; takes as long as a real comparison and is always false. */
    readonly verify: (hash: string | null, password: string) => Effect.Effect<boolean>
  }
>()("gathercue/Passwords") {
  static readonly layer: Layer.Layer<Passwords> = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const pool = yield* Semaphore.make(Math.max(1, Math.min(4, availableParallelism() - 1)))
      const hash = (password: string) => pool.withPermits(1)(Effect.promise(() => argon2.hash(password, PARAMETERS)))
      const dummy = yield* hash("a password that no account has")
      return {
        hash,
        verify: (stored, password) =>
          pool
            .withPermits(1)(Effect.promise(() => argon2.verify(stored ?? dummy, password)))
            .pipe(Effect.map((matches) => matches && stored !== null)),
      }
    }),
  )
}
