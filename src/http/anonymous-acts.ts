/** What people without a name do by REST draws on what their address may do at the event, as by the gateway. */
import { Effect } from "effect"
import { type AnonymousAct, AnonymousBudgets } from "../identity/anonymous-budgets.ts"
import { RequestCaller } from "../identity/request-caller.ts"
import { RateLimited } from "../model/errors.ts"

export const spendAnonymously = (
  act: AnonymousAct,
  eventId: string,
): Effect.Effect<void, RateLimited, AnonymousBudgets> =>
  Effect.gen(function* () {
    const { address } = yield* RequestCaller
    const waitMs = (yield* AnonymousBudgets).spend(act, eventId, address, Date.now())
    if (waitMs > 0) return yield* new RateLimited({ limit: act, retryAfterSeconds: Math.ceil(waitMs / 1000) })
  })
