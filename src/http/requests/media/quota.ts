/** The bytes that a workspace may store. */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../../../model/errors.ts"
import type { Recording } from "../../../model/media/recording.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { bytesInUse } from "../../../store/media/recordings.ts"
import { query } from "../../../store/query.ts"
import { HttpSettings } from "../settings.ts"

const quotaUsed = new Conflict({
  detail: "The workspace has no room for so many bytes; delete recordings or clips first.",
})

/** Fails when `more` bytes would exceed the quota. The caller's transaction holds the lock of `lockMediaUse`. */
export const requireQuota = (
  sql: Queryable,
  workspaceId: string,
  more: number,
): Effect.Effect<void, Conflict | Unavailable, HttpSettings> =>
  Effect.gen(function* () {
    const { mediaQuotaBytes } = yield* HttpSettings
    if (mediaQuotaBytes === 0) return
    const used = yield* query(() => bytesInUse(sql, workspaceId, null))
    if (used + more > mediaQuotaBytes) return yield* quotaUsed
  })

/** The most bytes that the recording may have. */
export const mostBytes = ({
  workspaceId,
  id,
  sizeBytes,
}: Recording): Effect.Effect<number, Unavailable, Database | HttpSettings> =>
  Effect.gen(function* () {
    const { mediaMaxBytes, mediaQuotaBytes } = yield* HttpSettings
    const others = mediaQuotaBytes === 0 ? 0 : yield* (yield* Database).run((sql) => bytesInUse(sql, workspaceId, id))
    const quota = mediaQuotaBytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mediaQuotaBytes - others)
    const most = mediaMaxBytes === 0 ? Number.POSITIVE_INFINITY : mediaMaxBytes
    return Math.min(quota, most, sizeBytes ?? Number.POSITIVE_INFINITY)
  })
