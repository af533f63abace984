/** Acts of anonymous people over REST: they draw on their address's budget at the event, like acts over the gateway. */
import { Clock, Effect } from "effect"
import type { Caller } from "../../actors/commands.ts"
import { type AnonymousAct, AnonymousBudgets } from "../../identity/callers/anonymous-budgets.ts"
import { RequestCaller } from "../../identity/request-caller.ts"
import { RateLimited } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { signedOut } from "./audience.ts"

/** A signed-out caller under a new participant id. */
export const newcomer: Effect.Effect<Caller> = Effect.map(RequestCaller, ({ address }) =>
  signedOut(`anon:${newId()}`, address),
)

/** Spends one act of the budget; free for a caller with a name. */
export const spend = (
  by: Caller,
  act: AnonymousAct,
  eventId: string,
): Effect.Effect<void, RateLimited, AnonymousBudgets> =>
  Effect.gen(function* () {
    if (by.kind !== "anonymous") return
    const now = yield* Clock.currentTimeMillis
    const waitMs = (yield* AnonymousBudgets).spend(act, eventId, by.address ?? "", now)
    if (waitMs > 0) return yield* new RateLimited({ limit: act, retryAfterSeconds: Math.ceil(waitMs / 1000) })
  })
