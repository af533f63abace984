/** Whether there is room to store more of a broadcast. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { bytesInUse } from "../../store/media/recordings.ts"
import { MediaStorage } from "../storage/storage.ts"

/** Succeeds with the reason why `bytes` more cannot be stored, if they cannot. `quotaBytes`: of the workspace; 0: no limit. */
export const whyFull = (
  workspaceId: string,
  bytes: number,
  quotaBytes: number,
): Effect.Effect<string | undefined, Unavailable, Database | MediaStorage> =>
  Effect.gen(function* () {
    const free = yield* (yield* MediaStorage).free
    if (free < bytes) return "the disk for media is full"
    if (quotaBytes === 0) return undefined
    const used = yield* (yield* Database).run((sql) => bytesInUse(sql, workspaceId, null))
    return used + bytes > quotaBytes ? "the workspace has no room for more" : undefined
  })
