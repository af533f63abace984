/** Making and recognising workspace API keys (specification §2 and §5). */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../model/errors.ts"
import { newId } from "../model/ids.ts"
import { type Timestamp, toMillis, toTimestamp } from "../model/timestamp.ts"
import { type ApiKeyRow, findActiveKey, insertApiKey, MAX_ACTIVE_KEYS, touchApiKey } from "../store/api-keys.ts"
import { Database, type Queryable } from "../store/database.ts"
import { hashSecret, newSecret } from "./secrets.ts"

export const API_KEY_PREFIX = "gck_"
/** Enough of the secret to tell keys apart in a list, far too little to guess the rest. */
const SHOWN_PREFIX = API_KEY_PREFIX.length + 4
const TOUCH_EVERY_MS = 60_000

/** A key as it is answered once, at its creation. */
export interface CreatedApiKey extends ApiKeyRow {
  readonly secret: string
}

/** Inserts a new key; run it in a transaction. Throws `Conflict` when the workspace has its fill of active keys. */
export const createApiKey = async (
  sql: Queryable,
  key: { workspaceId: string; name: string | null; expiresAt: Timestamp | null },
): Promise<CreatedApiKey> => {
  const secret = API_KEY_PREFIX + newSecret()
  const row = await insertApiKey(sql, {
    id: newId(),
    workspaceId: key.workspaceId,
    name: key.name,
    expiresAt: key.expiresAt,
    secretHash: hashSecret(secret),
    prefix: secret.slice(0, SHOWN_PREFIX),
    last4: secret.slice(-4),
  })
  if (row === undefined) {
    throw new Conflict({ detail: `A workspace has at most ${MAX_ACTIVE_KEYS} active API keys; revoke one first.` })
  }
  return { ...row, secret }
}

/** The key a secret belongs to. Asks the database every time: a revoked key fails on the very next request. */
export const recogniseApiKey = (
  secret: string,
): Effect.Effect<{ readonly keyId: string; readonly workspaceId: string } | undefined, Unavailable, Database> =>
  Effect.flatMap(Database, (database) =>
    secret.startsWith(API_KEY_PREFIX)
      ? database.run(async (sql) => {
          const key = await findActiveKey(sql, hashSecret(secret))
          if (key === undefined) return undefined
          const now = Date.now()
          if (key.lastUsedAt === null || now - toMillis(key.lastUsedAt) > TOUCH_EVERY_MS) {
            await touchApiKey(sql, key.id, toTimestamp(now))
          }
          return { keyId: key.id, workspaceId: key.workspaceId }
        })
      : Effect.succeed(undefined),
  )
