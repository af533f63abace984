/**
 * How much people without a name may do at an event from one address, by REST and the gateway together. A new anonymous viewer
 * costs one request, so that what each of them may do bounds nothing; their address does. The rates are generous, because a
 * lecture hall is one address. In force in production, beside every participant's own budget.
 */
import { Context, Layer } from "effect"
import { NETWORK_FACTOR, networkOf } from "../model/client-address.ts"
import { type Bucket, fullBucket, type Rate, takeToken } from "../model/token-bucket.ts"

export const ANONYMOUS_RATES = {
  questions: { perSecond: 0.5, burst: 10 },
  votes: { perSecond: 30, burst: 300 },
  reactions: { perSecond: 100, burst: 500 },
} as const satisfies { readonly [kind: string]: Rate }

export type AnonymousAct = keyof typeof ANONYMOUS_RATES

export const isAnonymousAct = (kind: string): kind is AnonymousAct => kind in ANONYMOUS_RATES

/** Buckets kept at the same time; the one used longest ago goes first. Some 250 bytes each. */
const MAX_BUCKETS = 20_000

export class AnonymousBudgets extends Context.Service<
  AnonymousBudgets,
  {
    /** Takes one act of somebody at the address: 0 when it is allowed, else the milliseconds until one is. */
    readonly spend: (act: AnonymousAct, eventId: string, address: string, now: number) => number
  }
>()("gathercue/AnonymousBudgets") {
  /** `strict`: as in production; otherwise everything is allowed. */
  static readonly layer = (strict: boolean): Layer.Layer<AnonymousBudgets> =>
    Layer.sync(AnonymousBudgets, () => {
      if (!strict) return { spend: () => 0 }
      const buckets = new Map<string, Bucket>()

      const take = (act: AnonymousAct, key: string, now: number, factor: number): number => {
        const rate = ANONYMOUS_RATES[act]
        const bucket = buckets.get(key) ?? fullBucket(rate, now, factor)
        // Used last, forgotten last.
        buckets.delete(key)
        buckets.set(key, bucket)
        const oldest = buckets.size > MAX_BUCKETS ? buckets.keys().next().value : undefined
        if (oldest !== undefined) buckets.delete(oldest)
        return takeToken(bucket, rate, now, factor)
      }

      return {
        spend: (act, eventId, address, now) => {
          const keyOf = (place: string): string => `${act} ${eventId} ${place}`
          const network = networkOf(address)
          const waitMs = take(act, keyOf(address), now, 1)
          return waitMs > 0 || network === undefined ? waitMs : take(act, keyOf(network), now, NETWORK_FACTOR)
        },
      }
    })
}
