/**
 * The rate limits: one table, counted in memory by token buckets, or by all nodes of a cluster together. In force in
 * production; the help chat always. The answer states the remaining quota in the fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers).
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { RateLimited, type Unavailable } from "../../model/errors.ts"
import { AddressBuckets, BoundedBuckets, networkKey, type Taken } from "../../model/limits/bounded-buckets.ts"
import { NETWORK_FACTOR, networkOf } from "../../model/limits/client-address.ts"
import type { SharedBucket } from "../../store/limits/shared-buckets.ts"

interface Limit {
  /** Requests in a window, evenly. */
  readonly quota: number
  readonly windowSeconds: number
  /** Requests that may come at once; default: the quota. */
  readonly burst?: number
  /** In force in every profile. */
  readonly always?: true
  /** All nodes count it together: a caller who is spread over them would have several times as many otherwise. */
  readonly shared?: true
  /** Keys begin with a client's address, alone or before a space: the /48 of an IPv6 address is counted too. */
  readonly byAddress?: true
  /** People of one venue come through one address, and all at once. */
  readonly isOfVenues?: true
  /** Keys that are counted at the same time; default: `MOST_KEYS`. A key beyond them makes the one used longest ago forgotten. */
  readonly keys?: number
}

const LETTERS_PER_DAY = { quota: 10, windowSeconds: 86_400, shared: true } as const

const LIMITS = {
  apiKey: { quota: 100, windowSeconds: 1, burst: 200 },
  accountSession: { quota: 20, windowSeconds: 1, burst: 60 },
  /** A signed-in participant's requests, from any address. */
  participant: { quota: 20, windowSeconds: 1, burst: 60 },
  /** A lecture hall is one address. */
  publicRead: { quota: 200, windowSeconds: 1, burst: 1000, byAddress: true, isOfVenues: true },
  login: { quota: 60, windowSeconds: 60, byAddress: true, shared: true, isOfVenues: true },
  /** Wrong passwords for one account from one address. */
  loginFailure: { quota: 10, windowSeconds: 900, byAddress: true, shared: true },
  /** Wrong passwords from one address, for all accounts together. */
  loginFailureByAddress: { quota: 100, windowSeconds: 900, byAddress: true, shared: true },
  /**
   * Wrong passwords for one account from anywhere: further tries are slowed down, not refused, so that no account is locked out.
   */
  loginFailureByEmail: { quota: 10, windowSeconds: 900, shared: true },
  /** Wrong codes for one account from anywhere. Only those who know its password can use it up. */
  codeFailure: { quota: 30, windowSeconds: 3600, shared: true },
  signup: { quota: 20, windowSeconds: 3600, byAddress: true, shared: true },
  /** Letters of one kind to one address, at a caller's request. */
  mailPerMinute: { quota: 3, windowSeconds: 60, shared: true },
  /*
   * The same in a day. Each kind has its own keys, so that the readers of one kind make nobody forgotten in another. One client may
   * register 120 readers a minute, who fill the keys of entry letters in eight hours.
   */
  verificationsPerDay: { ...LETTERS_PER_DAY, keys: 20_000 },
  invitationsPerDay: { ...LETTERS_PER_DAY, keys: 20_000 },
  entryLettersPerDay: { ...LETTERS_PER_DAY, keys: 60_000 },
  clientResetsPerDay: { ...LETTERS_PER_DAY, keys: 20_000 },
  /** Requests for a new password for one address by all clients; one client has the limits of letters. */
  resetsPerDay: { quota: 60, windowSeconds: 86_400, keys: 20_000, shared: true },
  /** To one address: an evening has many tables, and their notes come together. */
  tableNotesPerDay: { quota: 60, windowSeconds: 86_400, keys: 20_000, shared: true },
  /** Letters that one client without a name causes, to any address. Signups and registrations have limits of their own. */
  anonymousMail: { quota: 30, windowSeconds: 3600, byAddress: true, shared: true },
  register: { quota: 120, windowSeconds: 60, burst: 60, byAddress: true, isOfVenues: true },
  /** Gateway tokens of people without a name. */
  anonymousToken: { quota: 600, windowSeconds: 60, burst: 300, byAddress: true, isOfVenues: true },
  /** Codes that people type: a hall at once, and too few to find one by trying. */
  joinCode: { quota: 600, windowSeconds: 60, burst: 300, byAddress: true, isOfVenues: true },
  /** Of a signed-in participant. */
  question: { quota: 30, windowSeconds: 60 },
  helpChat: { quota: 20, windowSeconds: 60, burst: 10, always: true, byAddress: true, isOfVenues: true },
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof LIMITS

/** Other limits are counted elsewhere, without fields of their own. */
export const isLimitName = (name: string): name is LimitName => name in LIMITS

/** The subject of a letter. Each kind is counted alone, so that none uses up the limit of another. */
type LetterKind = "verification" | "invitation" | "entry" | "tableNotes"

const PER_DAY = {
  verification: "verificationsPerDay",
  invitation: "invitationsPerDay",
  entry: "entryLettersPerDay",
  tableNotes: "tableNotesPerDay",
} as const satisfies { readonly [kind in LetterKind]: LimitName }

type LimitHeaders = ReadonlyArray<readonly [name: string, value: string]>

const HEADERS = { policy: "ratelimit-policy", state: "ratelimit" } as const

/** The fields with the limit and its remaining quota. */
export const quotaHeaders = (
  name: string,
  { quota, windowSeconds }: Pick<Limit, "quota" | "windowSeconds">,
  remaining: number,
  resetSeconds: number,
): LimitHeaders => [
  [HEADERS.policy, `"${name}";q=${quota};w=${windowSeconds}`],
  [HEADERS.state, `"${name}";r=${remaining};t=${resetSeconds}`],
]

export const limitHeaders = (name: LimitName, remaining: number, resetSeconds: number): LimitHeaders =>
  quotaHeaders(name, LIMITS[name], remaining, resetSeconds)

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

const MOST_KEYS = 6_000

const open = (name: LimitName): BoundedBuckets | AddressBuckets => {
  const { quota, windowSeconds, burst = quota, byAddress, keys = MOST_KEYS }: Limit = LIMITS[name]
  const rate = { perSecond: quota / windowSeconds, burst }
  return byAddress ? new AddressBuckets(rate, keys) : new BoundedBuckets(rate, keys)
}

/** How many times as much the client of a key may do. */
type Factor = (key: string) => number

const factorOf = (name: LimitName, venues: Factor): Factor => {
  const { isOfVenues }: Limit = LIMITS[name]
  return isOfVenues === true ? (key) => venues(key.split(" ")[0] ?? "") : () => 1
}

/** How one limit is counted. */
interface Limiter {
  readonly take: (key: string, now: number) => Effect.Effect<Taken>
  readonly giveBack: (key: string) => Effect.Effect<void>
}

/** The other nodes, for limits. */
export interface ClusterLimits {
  /** Nodes that live. */
  readonly nodes: () => number
  readonly take: (buckets: ReadonlyArray<SharedBucket>) => Effect.Effect<Taken, Unavailable>
  readonly giveBack: (buckets: ReadonlyArray<SharedBucket>) => Effect.Effect<void, Unavailable>
}

/** Counts in memory. Of several nodes each gives its share: a token costs as many as there are nodes, and a part of that in a venue. */
const countsHere = (name: LimitName, nodes: () => number, factor: Factor): Limiter => {
  const buckets = open(name)
  const { quota, burst = quota }: Limit = LIMITS[name]
  const price = (key: string): number => Math.min(nodes(), burst) / factor(key)
  return {
    take: (key, now) => Effect.sync(() => buckets.take(key, now, price(key))),
    giveBack: (key) => Effect.sync(() => buckets.giveBack(key, price(key))),
  }
}

/** The network comes first, as in `AddressBuckets`. */
const sharedBuckets = (name: LimitName, key: string, factor: number): ReadonlyArray<SharedBucket> => {
  const { quota, windowSeconds, burst = quota, byAddress }: Limit = LIMITS[name]
  const rate = { perSecond: (quota * factor) / windowSeconds, burst: burst * factor }
  const network = byAddress ? networkKey(key) : undefined
  const wide = { perSecond: rate.perSecond * NETWORK_FACTOR, burst: rate.burst * NETWORK_FACTOR }
  return [
    ...(network === undefined ? [] : [{ key: `${name} ${network}`, rate: wide }]),
    { key: `${name} ${key}`, rate },
  ]
}

/** Counts in the database, and here alone while the database cannot answer. */
const countsTogether = (name: LimitName, cluster: ClusterLimits, factor: Factor): Limiter => {
  const here = countsHere(name, cluster.nodes, factor)
  const bucketsOf = (key: string) => sharedBuckets(name, key, factor(key))
  return {
    take: (key, now) => Effect.catch(cluster.take(bucketsOf(key)), () => here.take(key, now)),
    giveBack: (key) => Effect.catch(cluster.giveBack(bucketsOf(key)), () => here.giveBack(key)),
  }
}

const limiterOf = (name: LimitName, cluster: ClusterLimits | null, venues: Factor): Limiter => {
  const { shared }: Limit = LIMITS[name]
  const factor = factorOf(name, venues)
  if (cluster === null) return countsHere(name, () => 1, factor)
  return shared ? countsTogether(name, cluster, factor) : countsHere(name, cluster.nodes, factor)
}

const NAMES = Object.keys(LIMITS) as ReadonlyArray<LimitName>

/** Keys of all limits at most. With those of anonymous budgets they hold less than 64 MB, which a test measures. */
export const RATE_LIMIT_KEYS = NAMES.reduce((sum, name) => sum + open(name).most, 0)

export class RateLimits extends Context.Service<
  RateLimits,
  {
    readonly isOn: (name: LimitName) => boolean
    /** Counts one for `key`; resolves to the headers of the answer. */
    readonly take: (name: LimitName, key: string) => Effect.Effect<LimitHeaders, RateLimited>
    /** Counts one for each, or none where one of them refuses. Resolves to an effect that gives all of them back. */
    readonly takeAll: (
      counts: ReadonlyArray<readonly [LimitName, string]>,
    ) => Effect.Effect<Effect.Effect<void>, RateLimited>
    /** Gives one back, when the counted act turned out to be harmless. */
    readonly giveBack: (name: LimitName, key: string) => Effect.Effect<void>
    /** One letter of this kind to this address. Resolves to an effect that gives the count back, for an unsent letter. */
    readonly mail: (kind: LetterKind, address: string) => Effect.Effect<Effect.Effect<void>, RateLimited>
    /**
     * One letter with a new password to this address, at the client's request. Any client may ask, so clients are counted apart:
     * the requests of one client do not keep the reader from asking.
     */
    readonly resetLetter: (client: string, address: string) => Effect.Effect<void, RateLimited>
  }
>()("gathercue/RateLimits") {
  /** `cluster`: null: this process runs alone. `venues`: how many times as much the people of an address may do. */
  static readonly layer = (
    strict: boolean,
    cluster: ClusterLimits | null = null,
    venues: Factor = () => 1,
  ): Layer.Layer<RateLimits> =>
    Layer.effect(RateLimits)(
      Effect.map(currentTimers, (timers) => {
        const isOn = (name: LimitName): boolean => strict || "always" in LIMITS[name]
        const limiters = new Map(NAMES.filter(isOn).map((name) => [name, limiterOf(name, cluster, venues)]))

        const take = (name: LimitName, key: string): Effect.Effect<LimitHeaders, RateLimited> =>
          Effect.suspend(() => {
            const limiter = limiters.get(name)
            if (limiter === undefined) return Effect.succeed([])
            return Effect.flatMap(limiter.take(key, timers.elapsed()), ({ waitMs, left, fullInMs }) =>
              waitMs === 0
                ? Effect.succeed(limitHeaders(name, left, seconds(fullInMs)))
                : Effect.fail(new RateLimited({ limit: name, retryAfterSeconds: seconds(waitMs) })),
            )
          })

        const giveBack = (name: LimitName, key: string): Effect.Effect<void> =>
          Effect.suspend(() => limiters.get(name)?.giveBack(key) ?? Effect.void)
        /** Counts one for each; the counts before a refusal are given back. */
        const takeAll = (counts: ReadonlyArray<readonly [LimitName, string]>) =>
          Effect.gen(function* () {
            const taken: (typeof counts)[number][] = []
            const undo = Effect.suspend(() =>
              Effect.forEach(taken, ([name, key]) => giveBack(name, key), { discard: true }),
            )
            for (const [name, key] of counts) {
              yield* Effect.tapError(take(name, key), () => undo)
              taken.push([name, key])
            }
            return undo
          })

        return {
          isOn,
          take,
          giveBack,
          takeAll,
          mail: (kind, address) =>
            takeAll([
              ...(kind === "tableNotes" ? [] : [["mailPerMinute", `${kind} ${address}`] as const]),
              [PER_DAY[kind], address],
            ]),
          resetLetter: (client, address) =>
            Effect.asVoid(
              takeAll([
                ["mailPerMinute", `reset ${networkOf(client) ?? client} ${address}`],
                ["clientResetsPerDay", `${networkOf(client) ?? client} ${address}`],
                ["resetsPerDay", address],
              ]),
            ),
        }
      }),
    )
}
