/**
 * The rate limits: one table, counted by token buckets in memory or across all nodes of a cluster. They apply in production; the help
 * chat's limit always applies. The answer states the remaining quota in the fields of the IETF draft
 * (draft-ietf-httpapi-ratelimit-headers).
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import { RateLimited, type Unavailable } from "../../model/errors.ts"
import { AddressBuckets, BoundedBuckets, networkKey, type Taken } from "../../model/limits/bounded-buckets.ts"
import { NETWORK_FACTOR, networkOf } from "../../model/limits/client-address.ts"
import type { SharedBucket } from "../../store/limits/shared-buckets.ts"

interface Limit {
  /** Requests per window, refilled evenly. */
  readonly quota: number
  readonly windowSeconds: number
  /** Maximum burst of requests; defaults to the quota. */
  readonly burst?: number
  /** Whether the limit applies in every profile. */
  readonly always?: true
  /** Counted across all nodes: a caller spread over them would otherwise have the quota of each. */
  readonly shared?: true
  /** Keys begin with a client's address, alone or before a space: the /48 of an IPv6 address is counted too. */
  readonly byAddress?: true
  /** People of one venue share an address and arrive all at once. */
  readonly isOfVenues?: true
  /** Maximum number of keys counted at a time; defaults to `MOST_KEYS`. A further key evicts the least recently used one. */
  readonly keys?: number
}

const EMAILS_PER_DAY = { quota: 10, windowSeconds: 86_400, shared: true } as const

const LIMITS = {
  apiKey: { quota: 100, windowSeconds: 1, burst: 200 },
  accountSession: { quota: 20, windowSeconds: 1, burst: 60 },
  /** Requests of a signed-in participant, from any address. */
  participant: { quota: 20, windowSeconds: 1, burst: 60 },
  /** A lecture hall shares one address. */
  publicRead: { quota: 200, windowSeconds: 1, burst: 1000, byAddress: true, isOfVenues: true },
  login: { quota: 60, windowSeconds: 60, byAddress: true, shared: true, isOfVenues: true },
  /** Wrong passwords for one account from one address. */
  loginFailure: { quota: 10, windowSeconds: 900, byAddress: true, shared: true },
  /** Wrong passwords from one address, summed over all accounts. */
  loginFailureByAddress: { quota: 100, windowSeconds: 900, byAddress: true, shared: true },
  /** Wrong passwords for one account from any address: further attempts are slowed down, not refused, so that no account is locked out. */
  loginFailureByEmail: { quota: 10, windowSeconds: 900, shared: true },
  /** Wrong codes for one account from any address. Only callers who know its password can use it up. */
  codeFailure: { quota: 30, windowSeconds: 3600, shared: true },
  signup: { quota: 20, windowSeconds: 3600, byAddress: true, shared: true },
  /** Emails of one kind to one address, requested by callers. */
  mailPerMinute: { quota: 3, windowSeconds: 60, shared: true },
  /*
   * Emails of one kind to one address per day. Each kind has its own keys, so that the readers of one kind evict nobody from another. One
   * client may register 120 readers a minute, who fill the keys of entry emails in eight hours.
   */
  verificationsPerDay: { ...EMAILS_PER_DAY, keys: 20_000 },
  invitationsPerDay: { ...EMAILS_PER_DAY, keys: 20_000 },
  entryEmailsPerDay: { ...EMAILS_PER_DAY, keys: 60_000 },
  clientResetsPerDay: { ...EMAILS_PER_DAY, keys: 20_000 },
  /** Password reset requests for one address by all clients; each client also has the limits of emails. */
  resetsPerDay: { quota: 60, windowSeconds: 86_400, keys: 20_000, shared: true },
  /** Emails to one address: an evening has many tables, and their notes are sent together. */
  tableNotesPerDay: { quota: 60, windowSeconds: 86_400, keys: 20_000, shared: true },
  /** Emails caused by one anonymous client, to any address. Signups and registrations have limits of their own. */
  anonymousMail: { quota: 30, windowSeconds: 3600, byAddress: true, shared: true },
  register: { quota: 120, windowSeconds: 60, burst: 60, byAddress: true, isOfVenues: true },
  /** One registration for a series takes up to a hundred places. */
  registerForSeries: { quota: 20, windowSeconds: 3600, burst: 20, byAddress: true, isOfVenues: true },
  /** Gateway tokens of anonymous people. */
  anonymousToken: { quota: 600, windowSeconds: 60, burst: 300, byAddress: true, isOfVenues: true },
  /** Codes that people type: enough for a hall at once, too few for guessing one. */
  joinCode: { quota: 600, windowSeconds: 60, burst: 300, byAddress: true, isOfVenues: true },
  /** Questions of a signed-in participant. */
  question: { quota: 30, windowSeconds: 60 },
  helpChat: { quota: 20, windowSeconds: 60, burst: 10, always: true, byAddress: true, isOfVenues: true },
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof LIMITS

/** Whether a limit is counted here; other limits are counted elsewhere, without quota headers of their own. */
export const isLimitName = (name: string): name is LimitName => name in LIMITS

/** Kind of an email. Each kind is counted separately, so that none uses up the limit of another. */
type EmailKind = "verification" | "invitation" | "entry" | "tableNotes"

const PER_DAY = {
  verification: "verificationsPerDay",
  invitation: "invitationsPerDay",
  entry: "entryEmailsPerDay",
  tableNotes: "tableNotesPerDay",
} as const satisfies { readonly [kind in EmailKind]: LimitName }

type LimitHeaders = ReadonlyArray<readonly [name: string, value: string]>

const HEADERS = { policy: "ratelimit-policy", state: "ratelimit" } as const

/** Header fields with the limit and its remaining quota. */
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

/** Factor by which the client of a key may exceed a limit. */
type Factor = (key: string) => number

const factorOf = (name: LimitName, venues: Factor): Factor => {
  const { isOfVenues }: Limit = LIMITS[name]
  return isOfVenues === true ? (key) => venues(key.split(" ")[0] ?? "") : () => 1
}

/** Counter of one limit. */
interface Limiter {
  readonly take: (key: string, now: number) => Effect.Effect<Taken>
  readonly giveBack: (key: string) => Effect.Effect<void>
}

/** Limits shared with the other nodes of a cluster. */
export interface ClusterLimits {
  /** Number of living nodes. */
  readonly nodes: () => number
  readonly take: (buckets: ReadonlyArray<SharedBucket>) => Effect.Effect<Taken, Unavailable>
  readonly giveBack: (buckets: ReadonlyArray<SharedBucket>) => Effect.Effect<void, Unavailable>
}

/**
 * Counts in memory. Each of several nodes grants its share: a request costs as many tokens as there are nodes, divided by a venue's factor.
 */
const countsHere = (name: LimitName, nodes: () => number, factor: Factor): Limiter => {
  const buckets = open(name)
  const { quota, burst = quota }: Limit = LIMITS[name]
  const price = (key: string): number => Math.min(nodes(), burst) / factor(key)
  return {
    take: (key, now) => Effect.sync(() => buckets.take(key, now, price(key))),
    giveBack: (key) => Effect.sync(() => buckets.giveBack(key, price(key))),
  }
}

/** The network's bucket comes first, as in `AddressBuckets`. */
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

/** Counts in the database, and in memory only while the database cannot answer. */
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

/** Maximum number of keys of all limits. Together with those of anonymous budgets they take less than 64 MB, which a test measures. */
export const RATE_LIMIT_KEYS = NAMES.reduce((sum, name) => sum + open(name).most, 0)

export class RateLimits extends Context.Service<
  RateLimits,
  {
    readonly isOn: (name: LimitName) => boolean
    /** Counts one request for `key`; resolves to the headers of the answer. */
    readonly take: (name: LimitName, key: string) => Effect.Effect<LimitHeaders, RateLimited>
    /** Counts one for each limit, or none when one of them refuses. Resolves to an effect that undoes all counts. */
    readonly takeAll: (
      counts: ReadonlyArray<readonly [LimitName, string]>,
    ) => Effect.Effect<Effect.Effect<void>, RateLimited>
    /** Undoes one count, for an act that turned out to be harmless. */
    readonly giveBack: (name: LimitName, key: string) => Effect.Effect<void>
    /** Counts one email of this kind to this address. Resolves to an effect that undoes the count of an unsent email. */
    readonly mail: (kind: EmailKind, address: string) => Effect.Effect<Effect.Effect<void>, RateLimited>
    /**
     * Counts one password reset email to this address, requested by the client. Clients are counted separately, so that the requests of one
     * client do not keep the reader from asking.
     */
    readonly resetEmail: (client: string, address: string) => Effect.Effect<void, RateLimited>
  }
>()("gathercue/RateLimits") {
  /** `cluster` is null when this process runs alone. `venues` gives the factor by which an address may do more. */
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
        /** Counts one for each limit; the counts before a refusal are undone. */
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
          resetEmail: (client, address) =>
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
