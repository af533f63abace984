/** The bytes that a workspace may store. */
import { Effect } from "effect"
import { Conflict, type Unavailable } from "../../model/errors.ts"
import type { Queryable } from "../../store/database.ts"
import { bytesInUse } from "../../store/media/recordings.ts"
import { query } from "../../store/query.ts"
import { HttpSettings } from "./settings.ts"

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
