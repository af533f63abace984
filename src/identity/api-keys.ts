/** Creating and recognising workspace API keys. A key is found by the hash of its secret, so no secrets are compared. */
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { currentTimers, type Timers } from "../clock/timers.ts"
import { Conflict, Unauthorized, type Unavailable } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import type { KeyRights } from "../model/key-rights.ts"
import { type Timestamp, toMillis, toTimestamp } from "../model/timestamp.ts"
import { Database, type Queryable } from "../store/database.ts"
import { onForeignKeyViolation } from "../store/query.ts"
import {
  type ApiKeyRow,
  findUnrevokedKey,
  insertApiKey,
  MAX_ACTIVE_KEYS,
  touchApiKey,
} from "../store/workspaces/api-keys.ts"
import { hashSecret, newSecret } from "./secrets.ts"

export const API_KEY_PREFIX = "gck_"
/** Enough of the secret to distinguish keys in a list, far too little to guess the rest. */
const SHOWN_PREFIX = API_KEY_PREFIX.length + 4
const TOUCH_EVERY_MS = 60_000

/** A key with its secret, as its creation answers it once. */
interface CreatedApiKey extends ApiKeyRow {
  readonly secret: string
}

const CREATOR_GONE = new Unauthorized({ detail: "The credentials were revoked meanwhile." })

/**
 * Inserts a new key; run it in a transaction. Fails with `Conflict` when the workspace has reached the maximum number of active keys, and
 * with `Unauthorized` when the key that creates this one is gone.
 */
export const createApiKey = (
  sql: Queryable,
  key: {
    workspaceId: string
    name: string | null
    expiresAt: Timestamp | null
    createdByKeyId: string | null
    rights: KeyRights
  },
): Effect.Effect<CreatedApiKey, Conflict | Unauthorized | Unavailable> =>
  Effect.gen(function* () {
    const secret = API_KEY_PREFIX + newSecret()
    const row = {
      id: newId(),
      workspaceId: key.workspaceId,
      name: key.name,
      expiresAt: key.expiresAt,
      createdByKeyId: key.createdByKeyId,
      rights: key.rights,
      secretHash: hashSecret(secret),
      prefix: secret.slice(0, SHOWN_PREFIX),
      last4: secret.slice(-4),
    }
    const inserted = yield* onForeignKeyViolation(
      () => insertApiKey(sql, row),
      () => CREATOR_GONE,
    )
    if (inserted === undefined) {
      const detail = `A workspace has at most ${MAX_ACTIVE_KEYS} active API keys; revoke one first.`
      return yield* new Conflict({ detail })
    }
    return { ...inserted, secret }
  })

/** A recognised key, and its workspace. */
interface RecognisedKey {
  readonly keyId: string
  readonly workspaceId: string
  readonly name: string | null
  readonly rights: KeyRights
}

/** Expiry of an expired key. */
interface ExpiredKey {
  readonly expiredAt: Timestamp
}

/** Cache lifetime, which saves a busy key nearly all of its queries. A key revoked by an operator's SQL fails within this time. */
const KNOWN_MS = 5_000
/** Maximum number of cached keys; the least recently used one is evicted. */
const MAX_KNOWN = 10_000

/** Cache of recently looked-up keys, by the hash of their secret, so that the time of a look-up reveals nothing about a secret. */
class KnownKeys {
  readonly #timers: Timers
  readonly #remembers: boolean
  readonly #keys: LRUCache<string, { readonly key: RecognisedKey; readonly expiresAt: number }>
  /** Incremented when keys are forgotten: rows read before are not cached afterwards. */
  #generation = 0
  /** Time on the monotonic clock until which no key is cached: a revocation whose answer was lost may be committed slightly later. */
  #noneUntil = Number.NEGATIVE_INFINITY

  constructor(timers: Timers, remembers: boolean) {
    this.#timers = timers
    this.#remembers = remembers
    this.#keys = new LRUCache({ max: MAX_KNOWN, ttl: KNOWN_MS, ttlResolution: 0, perf: { now: timers.elapsed } })
  }

  get generation(): number {
    return this.#generation
  }

  find(hash: string): RecognisedKey | undefined {
    const known = this.#keys.get(hash)
    return known !== undefined && this.#timers.now() < known.expiresAt ? known.key : undefined
  }

  keep(hash: string, key: RecognisedKey, expiresAt: number, generation: number): void {
    if (!this.#remembers || generation !== this.#generation || this.#timers.elapsed() < this.#noneUntil) return
    this.#keys.set(hash, { key, expiresAt })
  }

  forgetAll(): void {
    this.#generation++
    this.#keys.clear()
    this.#noneUntil = this.#timers.elapsed() + KNOWN_MS
  }
}

const makeApiKeys = (remembers: boolean) =>
  Effect.gen(function* () {
    const database = yield* Database
    const timers = yield* currentTimers
    const known = new KnownKeys(timers, remembers)

    const touch = async (sql: Queryable, keyId: string, lastUsedAt: Timestamp | null): Promise<void> => {
      const now = timers.now()
      if (lastUsedAt !== null && now - toMillis(lastUsedAt) <= TOUCH_EVERY_MS) return
      await touchApiKey(sql, keyId, toTimestamp(now))
    }

    const lookUp = (secretHash: Uint8Array, hash: string) =>
      database.run(async (sql) => {
        const { generation } = known
        const row = await findUnrevokedKey(sql, secretHash)
        if (row === undefined) return undefined
        const { id: keyId, workspaceId, name, scopes, eventIds, lastUsedAt, expiresAt, isExpired } = row
        if (isExpired && expiresAt !== null) return { expiredAt: expiresAt }
        await touch(sql, keyId, lastUsedAt)
        const key = { keyId, workspaceId, name, rights: { scopes, eventIds } }
        known.keep(hash, key, expiresAt === null ? Number.POSITIVE_INFINITY : toMillis(expiresAt), generation)
        return key
      })

    return {
      recognise: (secret: string) => {
        if (!secret.startsWith(API_KEY_PREFIX)) return Effect.undefined
        const secretHash = hashSecret(secret)
        const hash = Buffer.from(secretHash).toString("latin1")
        const key = known.find(hash)
        return key === undefined ? lookUp(secretHash, hash) : Effect.succeed(key)
      },
      forgetAll: Effect.sync(() => known.forgetAll()),
    }
  })

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The key of a secret; `undefined` when there is none, or it is revoked. */
    readonly recognise: (secret: string) => Effect.Effect<RecognisedKey | ExpiredKey | undefined, Unavailable>
    /**
     * Called once a revocation is committed, or its outcome is unknown: a revoked key fails on the very next request. For the
     * next seconds every key is looked up on every request, because revocations are rare and look-ups cheap.
     */
    readonly forgetAll: Effect.Effect<void>
  }
>()("gathercue/ApiKeys") {
  /**
   * `remembers` caches looked-up keys for some seconds. It must be off where another process may revoke keys, because a revoked key would
   * stay valid here.
   */
  static readonly layer = (remembers: boolean): Layer.Layer<ApiKeys, never, Database> =>
    Layer.effect(ApiKeys, makeApiKeys(remembers))
}
