/**
 * How often somebody may ask: one table of limits, counted in memory by rate-limiter-flexible. In force in production; the
 * help chat always. The answer says what is left in the fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers).
 */
import { Context, Effect, Layer } from "effect"
import { RateLimiterRes } from "rate-limiter-flexible"
import { NETWORK_FACTOR, networkOf } from "../model/client-address.ts"
import { RateLimited } from "../model/errors.ts"
import { BoundedLimiter } from "./bounded-limiter.ts"
import type { HttpResponse } from "./message.ts"

interface Limit {
  /** Requests in a window. */
  readonly quota: number
  readonly windowSeconds: number
  /** So many more at once, given back over as many windows as they would fill. */
  readonly burst?: number
  /** In force in every profile. */
  readonly always?: true
  /** Keys begin with a client's address, alone or before a space: the /48 of an IPv6 address is counted too. */
  readonly byAddress?: true
}

export const LIMITS = {
  apiKey: { quota: 100, windowSeconds: 1, burst: 100 },
  accountSession: { quota: 20, windowSeconds: 1, burst: 40 },
  /** A signed-in participant's requests, whatever address they come from. */
  participant: { quota: 20, windowSeconds: 1, burst: 40 },
  /** A lecture hall is one address. */
  publicRead: { quota: 200, windowSeconds: 1, burst: 800, byAddress: true },
  login: { quota: 60, windowSeconds: 60, byAddress: true },
  /** Wrong passwords for one account from one address. */
  loginFailure: { quota: 10, windowSeconds: 900, byAddress: true },
  /** Wrong passwords from one address, whatever the accounts. */
  loginFailureByAddress: { quota: 100, windowSeconds: 900, byAddress: true },
  /** Wrong passwords for one account from anywhere: more are slowed down and not refused, so that nobody can be locked out. */
  loginFailureByEmail: { quota: 10, windowSeconds: 900 },
  signup: { quota: 20, windowSeconds: 3600, byAddress: true },
  /** Letters of one kind to one address that somebody may ask for. */
  mailPerMinute: { quota: 3, windowSeconds: 60 },
  mailPerDay: { quota: 10, windowSeconds: 86_400 },
  /** To one address: an evening has many tables, and their notes come together. */
  tableNotesPerDay: { quota: 60, windowSeconds: 86_400 },
  /** Letters that one client causes without a name, to whomever. Signups and registrations have limits of their own. */
  anonymousMail: { quota: 30, windowSeconds: 3600, byAddress: true },
  /** 120 a minute, never more than sixty at once. */
  register: { quota: 60, windowSeconds: 30, byAddress: true },
  /** Gateway tokens of people without a name: 600 a minute, never more than 300 at once. */
  anonymousToken: { quota: 300, windowSeconds: 30, byAddress: true },
  /** Of a signed-in participant. */
  question: { quota: 30, windowSeconds: 60 },
  /** Twenty a minute, never more than ten at once. */
  helpChat: { quota: 10, windowSeconds: 30, always: true, byAddress: true },
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof LIMITS

/** Others are counted elsewhere, without fields of their own. */
export const isLimitName = (name: string): name is LimitName => name in LIMITS

/** What a letter is about. Each kind is counted alone, so that none keeps another from its reader. */
export type LetterKind = "verification" | "reset" | "invitation" | "entry" | "tableNotes"

const HEADERS = { policy: "ratelimit-policy", state: "ratelimit" } as const

/** The fields that say which limit there is and what is left of it. */
export const quotaHeaders = (
  name: string,
  { quota, windowSeconds }: Pick<Limit, "quota" | "windowSeconds">,
  remaining: number,
  resetSeconds: number,
): HttpResponse["headers"] => [
  [HEADERS.policy, `"${name}";q=${quota};w=${windowSeconds}`],
  [HEADERS.state, `"${name}";r=${remaining};t=${resetSeconds}`],
]

export const limitHeaders = (name: LimitName, remaining: number, resetSeconds: number): HttpResponse["headers"] =>
  quotaHeaders(name, LIMITS[name], remaining, resetSeconds)

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** Keys that one limit counts at the same time. All limits together stay below 64 MB, at some 500 bytes a key. */
const MAX_KEYS = 6_000
const MAX_NETWORKS = 2_000

/** One limit's counts. A wider net catches callers with many addresses of one /48. */
class Counted {
  readonly #narrow: BoundedLimiter
  readonly #wide: BoundedLimiter | undefined

  constructor(name: LimitName) {
    const { quota, windowSeconds, burst = 0, byAddress }: Limit = LIMITS[name]
    const wide = { name: `${name}/48`, quota: quota * NETWORK_FACTOR, windowSeconds, burst: burst * NETWORK_FACTOR }
    this.#narrow = new BoundedLimiter({ name, quota, windowSeconds, burst }, MAX_KEYS)
    this.#wide = byAddress ? new BoundedLimiter(wide, MAX_NETWORKS) : undefined
  }

  /** Counts one. Rejects with a `RateLimiterRes` when there are too many. */
  async consume(key: string): Promise<RateLimiterRes> {
    const left = await this.#narrow.consume(key)
    const network = networkKey(key)
    if (network !== undefined) await this.#wide?.consume(network)
    return left
  }

  async reward(key: string): Promise<void> {
    await this.#narrow.reward(key)
    const network = networkKey(key)
    if (network !== undefined) await this.#wide?.reward(network)
  }
}

/** The key with the address's network in its place; `undefined` when it has none of its own. */
const networkKey = (key: string): string | undefined => {
  const [address = "", ...rest] = key.split(" ")
  const network = networkOf(address)
  return network === undefined ? undefined : [network, ...rest].join(" ")
}

export class RateLimits extends Context.Service<
  RateLimits,
  {
    readonly isOn: (name: LimitName) => boolean
    /** Counts one for `key`; resolves to the headers of the answer. */
    readonly take: (name: LimitName, key: string) => Effect.Effect<HttpResponse["headers"], RateLimited>
    /** Gives one back: what was counted turned out to be harmless. */
    readonly giveBack: (name: LimitName, key: string) => Effect.Effect<void>
    /** One letter of this kind to this address. */
    readonly mail: (kind: LetterKind, address: string) => Effect.Effect<void, RateLimited>
  }
>()("gathercue/RateLimits") {
  static readonly layer = (strict: boolean): Layer.Layer<RateLimits> =>
    Layer.sync(RateLimits, () => {
      const isOn = (name: LimitName): boolean => strict || "always" in LIMITS[name]
      const names = Object.keys(LIMITS) as ReadonlyArray<LimitName>
      const limiters = new Map(names.filter(isOn).map((name) => [name, new Counted(name)]))

      const limited = (name: LimitName, { msBeforeNext }: RateLimiterRes) =>
        new RateLimited({ limit: name, retryAfterSeconds: seconds(msBeforeNext) })

      const take = (name: LimitName, key: string): Effect.Effect<HttpResponse["headers"], RateLimited> =>
        Effect.suspend(() => {
          const limiter = limiters.get(name)
          if (limiter === undefined) return Effect.succeed([])
          return Effect.tryPromise({
            try: () => limiter.consume(key),
            catch: (cause) => {
              if (cause instanceof RateLimiterRes) return limited(name, cause)
              throw cause
            },
          }).pipe(
            Effect.map(({ remainingPoints, msBeforeNext }) =>
              limitHeaders(name, Math.max(0, remainingPoints), seconds(msBeforeNext)),
            ),
          )
        })

      return {
        isOn,
        take,
        giveBack: (name, key) =>
          Effect.promise(async () => {
            await limiters.get(name)?.reward(key)
          }),
        mail: (kind, address) =>
          kind === "tableNotes"
            ? Effect.asVoid(take("tableNotesPerDay", address))
            : Effect.andThen(
                take("mailPerMinute", `${kind} ${address}`),
                Effect.asVoid(take("mailPerDay", `${kind} ${address}`)),
              ),
      }
    })
}
