/** Free storage for a broadcast. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { bytesLeft, isUnlimited, type MediaQuota } from "../../store/media/quota.ts"
import { MediaStorage } from "../storage/storage.ts"

/** Succeeds with the reason why `bytes` more cannot be stored, or with undefined. */
export const whyFull = (
  workspaceId: string,
  bytes: number,
  quota: MediaQuota,
): Effect.Effect<string | undefined, Unavailable, Database | MediaStorage> =>
  Effect.gen(function* () {
    const free = yield* (yield* MediaStorage).free
    if (free < bytes) return "the disk for media is full"
    // A broadcast without a quota is stored even while the database is unavailable.
    if (isUnlimited(quota)) return undefined
    const left = yield* (yield* Database).run((sql) => bytesLeft(sql, workspaceId, quota))
    return left < bytes ? "the workspace has no room for more" : undefined
  })
