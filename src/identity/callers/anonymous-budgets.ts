/**
 * Budgets of anonymous acts for an address at an event, shared by REST and the gateway. A new anonymous viewer costs one request, so a
 * budget for each viewer bounds nothing; one for the address does. The rates are generous, because a lecture hall is one address. They
 * apply in production, in addition to every participant's own budget.
 */
import { Context, Layer } from "effect"
import { AddressBuckets } from "../../model/limits/bounded-buckets.ts"
import type { Rate } from "../../model/limits/token-bucket.ts"

const ANONYMOUS_RATES = {
  questions: { perSecond: 0.5, burst: 10 },
  votes: { perSecond: 30, burst: 300 },
  reactions: { perSecond: 100, burst: 500 },
} as const satisfies { readonly [kind: string]: Rate }

export type AnonymousAct = keyof typeof ANONYMOUS_RATES

export const isAnonymousAct = (kind: string): kind is AnonymousAct => kind in ANONYMOUS_RATES

/** Maximum number of addresses of events counted at a time, for each kind of act. */
const MAX_KEYS = 10_000

const open = (act: AnonymousAct): AddressBuckets => new AddressBuckets(ANONYMOUS_RATES[act], MAX_KEYS)

/** Maximum number of keys of all budgets. */
export const ANONYMOUS_BUDGET_KEYS = Object.keys(ANONYMOUS_RATES)
  .filter(isAnonymousAct)
  .reduce((sum, act) => sum + open(act).most, 0)

export class AnonymousBudgets extends Context.Service<
  AnonymousBudgets,
  {
    /** Spends `count` acts of the address: returns 0 when they are allowed, otherwise the milliseconds until they are. */
    readonly spend: (act: AnonymousAct, eventId: string, address: string, now: number, count?: number) => number
  }
>()("gathercue/AnonymousBudgets") {
  /** `strict` is for production; otherwise everything is allowed. `venues` gives the factor by which an address may do more. */
  static readonly layer = (
    strict: boolean,
    venues: (address: string) => number = () => 1,
  ): Layer.Layer<AnonymousBudgets> =>
    Layer.sync(AnonymousBudgets, () => {
      if (!strict) return { spend: () => 0 }
      const buckets = {
        questions: open("questions"),
        votes: open("votes"),
        reactions: open("reactions"),
      } as const satisfies { readonly [act in AnonymousAct]: AddressBuckets }
      return {
        spend: (act, eventId, address, now, count = 1) =>
          buckets[act].take(`${address} ${eventId}`, now, count / venues(address)).waitMs,
      }
    })
}
