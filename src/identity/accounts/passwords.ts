/**
 * Passwords: argon2id (RFC 9106). A hash is the most expensive work that a stranger may ask for, so few run at once and at most two seconds
 * of work wait; further callers are refused at once. The queue is fair by address. Addresses with a recent wrong password come after all
 * others, and those from which the same account signed in before come first: a flood from thousands of addresses does not delay people at
 * their usual address. An unknown account costs the same hash as a known one.
 */
import { createHash } from "node:crypto"
import { availableParallelism } from "node:os"
import argon2 from "argon2"
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { Unavailable } from "../../model/errors.ts"
import { passwordForm } from "../../model/text/compared.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { RequestCaller } from "../request-caller.ts"
import { FairQueue } from "./fair-queue.ts"
import { PasswordCallers } from "./password-callers.ts"

/** A hash of no password: 16 bytes of salt and 32 of hash, all zero. Comparing with it takes as long as with a real one. */
const nobodysHash = ({ memoryCost, timeCost }: HashCost): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${"A".repeat(22)}$${"A".repeat(43)}`
/** Maximum amount of waiting work, in milliseconds. */
const WAITING_MS = 2_000
/** Assumed duration of one hash, until some have been measured. */
const FIRST_GUESS_MS = 50
/** Weight of the newest hash in the average. */
const NEWEST_SHARE = 0.1
const BUSY = new Unavailable({ detail: "Too many people are signing in right now.", retryAfterSeconds: 2 })

/**
 * Compares the password as normalised, and as typed, because older hashes were made of the typed text. Where the two differ, both are
 * compared, so that the time depends only on what was typed.
 */
const matchesAny = async (hash: string, password: string): Promise<boolean> => {
  const matches: boolean[] = []
  for (const form of new Set([passwordForm(password), password])) matches.push(await argon2.verify(hash, form))
  return matches.includes(true)
}

/** Stands for a caller without an account. */
const NOBODY = ""
/** Identifies an account by the hash of its password: a new password makes the account unknown again. */
const accountOf = (stored: string): string => createHash("sha256").update(stored).digest("base64url").slice(0, 22)

export interface HashCost {
  /** Memory in KiB. */
  readonly memoryCost: number
  /** Passes over that memory. */
  readonly timeCost: number
}

/** OWASP's second recommended setting, with one lane: 19 MiB, two passes; about 25 ms of one core. Tests choose less. */
export const HashCost = Context.Reference<HashCost>("gathercue/HashCost", {
  defaultValue: () => ({ memoryCost: 19_456, timeCost: 2 }),
})

export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string) => Effect.Effect<string, Unavailable>
    /** `null` means no such account or no password; it takes as long as a real comparison and is always false. */
    readonly verify: (hash: string | null, password: string) => Effect.Effect<boolean, Unavailable>
    /** Whether the account with this hash recently signed in from the caller's address, without a later failure there. */
    readonly knows: (hash: string | null) => Effect.Effect<boolean>
  }
>()("gathercue/Passwords") {
  static readonly layer: Layer.Layer<Passwords, never, Telemetry> = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const cost = yield* HashCost
      const parameters = { type: argon2.argon2id, parallelism: 1, ...cost } as const
      const nobodys = nobodysHash(cost)
      const { metrics, sample } = yield* Telemetry
      const timers = yield* currentTimers
      const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1))
      const callers = new PasswordCallers(timers)
      let averageMs = FIRST_GUESS_MS
      const queue = new FairQueue({ atOnce, waiting: () => Math.ceil((WAITING_MS / averageMs) * atOnce) })
      sample(() => {
        metrics.passwordsRunning.set(queue.running)
        metrics.passwordsWaiting.set(queue.waiting)
      })

      const timed = async <A>(work: () => Promise<A>): Promise<A> => {
        const since = timers.elapsed()
        const result = await work()
        averageMs += NEWEST_SHARE * (timers.elapsed() - since - averageMs)
        return result
      }

      /** Waits for its turn, and leaves the queue when its caller is interrupted. */
      const inTurn = <A>(account: string, work: () => Promise<A>): Effect.Effect<A, Unavailable> =>
        Effect.flatMap(RequestCaller, ({ address, isGone }) =>
          Effect.callback<A, Unavailable>((resume) => {
            const refuse = (): void => {
              metrics.passwords.add(1, "refused")
              resume(Effect.fail(BUSY))
            }
            const begin = (): void => {
              // The caller has left, so its work is skipped.
              if (isGone()) {
                metrics.passwords.add(1, "abandoned")
                resume(Effect.fail(BUSY))
                queue.ended()
                return
              }
              metrics.passwords.add(1, "hashed")
              timed(work)
                .then(
                  (result) => resume(Effect.succeed(result)),
                  (cause: unknown) => resume(Effect.die(cause)),
                )
                .finally(() => queue.ended())
            }
            const callerClass = callers.callerClass(address, account)
            // An account that signed in from many addresses has one turn, like an address.
            const caller = callerClass === "known" ? account : address
            const takeBack = queue.enter({ caller, callerClass, begin, refuse })
            if (takeBack === undefined) refuse()
            return Effect.sync(() => takeBack?.())
          }),
        )

      return {
        knows: (stored) =>
          Effect.map(
            RequestCaller,
            ({ address }) => stored !== null && callers.callerClass(address, accountOf(stored)) === "known",
          ),
        hash: (password) => inTurn(NOBODY, () => argon2.hash(passwordForm(password), parameters)),
        verify: (stored, password) =>
          Effect.gen(function* () {
            const { address } = yield* RequestCaller
            const account = stored === null ? NOBODY : accountOf(stored)
            const matches = (yield* inTurn(account, () => matchesAny(stored ?? nobodys, password))) && stored !== null
            callers.gave(address, account, matches)
            return matches
          }),
      }
    }),
  )
}
