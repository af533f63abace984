/**
 * Key sets of partners (JWKS, RFC 7517), fetched through the egress guard and cached per integration. A set is fresh for ten minutes. A
 * token that none of its keys has signed causes a fetch, at most once in ten seconds, because an issuer may reuse the id of a previous key,
 * or give none; failed fetches count. There is one fetch at a time, which all its callers await. While the issuer is unreachable, known
 * keys stay valid for one more hour. Any workspace can register an issuer and make us fetch its keys, so concurrent fetches, cached sets,
 * time, bytes and keys are bounded.
 */
import type { KeyObject } from "node:crypto"
import { Clock, Context, Deferred, Effect, Layer, Result, Semaphore } from "effect"
import { LRUCache } from "lru-cache"
import { Egress, type EgressAnswer } from "../../egress/egress.ts"
import type { PartnerFault } from "../../model/integrations/guest-integration.ts"
import { parseJson } from "../../model/json.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { type PartnerKey, publicKeyFromJwk } from "./partner-public-key.ts"

const FRESH_MS = 600_000
const OUTAGE_MS = 3_600_000
const ASK_EVERY_MS = 10_000
const TIMEOUT_MS = 5_000
const MAX_BYTES = 256 * 1024
const MAX_KEYS = 50
const MAX_FETCHES = 32
/** Maximum number of keys tried for one token: each costs a check of a signature. */
const MOST_TRIED = 10
/** Maximum number of integrations with cached keys; the least recently used one is evicted first. */
const MAX_REMEMBERED = 1_000

/** Fault of a token or its issuer; for `claims`, with the claim. */
export interface PartnerProblem {
  readonly fault: PartnerFault
  readonly claim?: string | undefined
}

/** Cached state of one integration. Times are on the monotonic clock, in milliseconds. */
interface KeySet {
  keys: ReadonlyArray<PartnerKey>
  /** Start of the fetch that brought `keys`. */
  fetchedAt: number
  /** Start of the last fetch, whatever its result. */
  askedAt: number
  /** Fault of the last failed fetch. */
  fault: PartnerFault
  /** Completed when the current fetch has ended. */
  asking: Deferred.Deferred<void> | undefined
}

const monotonicMs: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** Keys with that id and those without one; for a token without an id all keys. */
const fitting = (keys: ReadonlyArray<PartnerKey>, kid: string | undefined): ReadonlyArray<PartnerKey> =>
  keys.filter((one) => kid === undefined || one.kid === undefined || one.kid === kid).slice(0, MOST_TRIED)

/** Result of the first key that verifies the signature. */
const tryKeys = <A>(
  keys: ReadonlyArray<PartnerKey>,
  verify: (key: KeyObject) => Effect.Effect<A, PartnerProblem>,
): Effect.Effect<A, PartnerProblem> =>
  keys
    .map(({ key }) => Effect.suspend(() => verify(key)))
    .reduce(
      (tried, next) => Effect.catch(tried, (problem) => (isOfAnother(problem) ? next : Effect.fail(problem))),
      Effect.fail<PartnerProblem>({ fault: "unknown_key" }) as Effect.Effect<A, PartnerProblem>,
    )

/** Whether another key may have signed the token. */
const isOfAnother = ({ fault }: PartnerProblem): boolean => fault === "unknown_key" || fault === "signature"

const utf8 = new TextDecoder("utf-8", { fatal: true })

const jwksOf = (body: Buffer): ReadonlyArray<unknown> | undefined => {
  try {
    const document = parseJson(utf8.decode(body))
    const keys = typeof document === "object" && document !== null && "keys" in document ? document.keys : undefined
    return Array.isArray(keys) && keys.length <= MAX_KEYS ? keys : undefined
  } catch {
    return undefined
  }
}

/** Unusable keys are skipped: a set may hold keys for other purposes. */
const readKeySet = ({
  status,
  body,
  truncated,
}: EgressAnswer): Effect.Effect<ReadonlyArray<PartnerKey>, PartnerFault> => {
  if (status !== 200) return Effect.fail("jwks_unreachable")
  const jwks = truncated ? undefined : jwksOf(body)
  if (jwks === undefined) return Effect.fail("jwks_invalid")
  return Effect.succeed(jwks.map(publicKeyFromJwk).filter((key) => key !== undefined))
}

export class PartnerKeys extends Context.Service<
  PartnerKeys,
  {
    /**
     * Verifies a token with this `kid` by the keys of the integration's key set, one after the other while the signature is the fault.
     * Fails with `unknown_key`, or with the issuer's fault when it has no valid keys left.
     */
    readonly verifyBy: <A>(
      source: { readonly integrationId: string; readonly jwksUrl: string },
      kid: string | undefined,
      verify: (key: KeyObject) => Effect.Effect<A, PartnerProblem>,
    ) => Effect.Effect<A, PartnerProblem>
  }
>()("gathercue/PartnerKeys") {
  static readonly layer: Layer.Layer<PartnerKeys, never, Egress | Telemetry> = Layer.effect(
    PartnerKeys,
    Effect.gen(function* () {
      const egress = yield* Egress
      const { log } = yield* Telemetry
      const scope = yield* Effect.scope
      const fetches = yield* Semaphore.make(MAX_FETCHES)
      const remembered = new LRUCache<string, KeySet>({ max: MAX_REMEMBERED })

      const recall = (integrationId: string): KeySet => {
        const set = remembered.get(integrationId) ?? {
          keys: [],
          fetchedAt: Number.NEGATIVE_INFINITY,
          askedAt: Number.NEGATIVE_INFINITY,
          fault: "jwks_unreachable",
          asking: undefined,
        }
        remembered.set(integrationId, set)
        return set
      }

      const fetchKeys = (url: string): Effect.Effect<ReadonlyArray<PartnerKey>, PartnerFault> =>
        egress
          .send({
            url,
            method: "GET",
            headers: { accept: "application/jwk-set+json, application/json", "user-agent": "Gathercue-Guests/1" },
            timeoutMs: TIMEOUT_MS,
            maxBytes: MAX_BYTES,
          })
          .pipe(
            Effect.mapError(({ _tag }) => (_tag === "EgressRefused" ? "jwks_refused" : "jwks_unreachable")),
            Effect.flatMap(readKeySet),
            fetches.withPermits(1),
          )

      const ask = (set: KeySet, integrationId: string, url: string, now: number): Effect.Effect<void> => {
        const asking = Deferred.makeUnsafe<void>()
        set.asking = asking
        set.askedAt = now
        return fetchKeys(url).pipe(
          Effect.match({
            onSuccess: (keys) => {
              set.keys = keys
              set.fetchedAt = now
            },
            onFailure: (fault) => {
              set.fault = fault
              log.warn({ integrationId, fault }, "a partner's keys could not be fetched")
            },
          }),
          Effect.ensuring(
            Effect.suspend(() => {
              set.asking = undefined
              return Deferred.succeed(asking, undefined)
            }),
          ),
          // Runs outside the caller's scope: a caller that gives up must not interrupt the fetch that others await.
          Effect.forkIn(scope),
          Effect.andThen(Deferred.await(asking)),
        )
      }

      const refresh = (set: KeySet, integrationId: string, url: string, now: number): Effect.Effect<void> => {
        if (set.asking !== undefined) return Deferred.await(set.asking)
        return now - set.askedAt < ASK_EVERY_MS ? Effect.void : ask(set, integrationId, url, now)
      }

      return {
        verifyBy: ({ integrationId, jwksUrl }, kid, verify) =>
          Effect.gen(function* () {
            const now = yield* monotonicMs
            const set = recall(integrationId)
            const known = set.keys
            const isFresh = now - set.fetchedAt < FRESH_MS
            const tried = isFresh ? yield* Effect.result(tryKeys(fitting(known, kid), verify)) : undefined
            if (tried !== undefined && (Result.isSuccess(tried) || !isOfAnother(tried.failure))) {
              return yield* Effect.fromResult(tried)
            }
            yield* refresh(set, integrationId, jwksUrl, now)
            if ((yield* monotonicMs) - set.fetchedAt >= FRESH_MS + OUTAGE_MS) {
              return yield* Effect.fail({ fault: set.fault })
            }
            if (tried !== undefined && set.keys === known) return yield* Effect.fromResult(tried)
            return yield* tryKeys(fitting(set.keys, kid), verify)
          }),
      }
    }),
  )
}
