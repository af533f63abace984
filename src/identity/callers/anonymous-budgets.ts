/**
 * Budgets of acts by people without a name, for an address at an event, by REST and the gateway together. A new anonymous viewer
 * costs one request, so a budget for each viewer bounds nothing; one for the address does. The rates are generous, because a
 * lecture hall is one address. In force in production, beside every participant's own budget.
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

/** Addresses of events that are counted at the same time, for each kind of act. */
const MAX_KEYS = 10_000

const open = (act: AnonymousAct): AddressBuckets => new AddressBuckets(ANONYMOUS_RATES[act], MAX_KEYS)

/** Keys of all budgets at most. */
export const ANONYMOUS_BUDGET_KEYS = Object.keys(ANONYMOUS_RATES)
  .filter(isAnonymousAct)
  .reduce((sum, act) => sum + open(act).most, 0)

export class AnonymousBudgets extends Context.Service<
  AnonymousBudgets,
  {
    /** Takes `count` acts of the address: 0 when they are allowed, else the milliseconds until they are. */
    readonly spend: (act: AnonymousAct, eventId: string, address: string, now: number, count?: number) => number
  }
>()("gathercue/AnonymousBudgets") {
  /** `strict`: as in production; otherwise everything is allowed. `venues`: how many times as much the people of an address may do. */
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
