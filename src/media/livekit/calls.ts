/** Calls of the media server's library. A failure is an expected status of the answer, or an unreachable server. */
import { Effect } from "effect"
import { Unavailable } from "../../model/errors.ts"

const UNREACHABLE = new Unavailable({ detail: "The media server cannot be reached.", retryAfterSeconds: 5 })

/** Status for a missing object. */
export const NOT_FOUND = 404
/** Twirp status of `failed_precondition`. */
export const NOT_RUNNING = 412

const statusOf = (cause: unknown): unknown => (cause as { readonly status?: unknown } | null)?.status

export const asked = <A>(call: () => Promise<A>): Effect.Effect<A, Unavailable> =>
  Effect.tryPromise({ try: call, catch: () => UNREACHABLE })

/** Like `asked`; an answer with one of these statuses gives the other effect. */
export const askedUnless = <A, B, E>(
  statuses: ReadonlyArray<number>,
  otherwise: Effect.Effect<B, E>,
  call: () => Promise<A>,
): Effect.Effect<A | B, E | Unavailable> =>
  Effect.tryPromise({ try: call, catch: statusOf }).pipe(
    Effect.catch(
      (status): Effect.Effect<B, E | Unavailable> =>
        statuses.some((one) => one === status) ? otherwise : Effect.fail(UNREACHABLE),
    ),
  )
