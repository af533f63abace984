/** Limits of the bytes that a workspace, and one recording, may store. */
import { Effect } from "effect"
import { Conflict, Forbidden, type Unavailable } from "../../../model/errors.ts"
import type { StoredRecording } from "../../../model/media/recording.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { bytesLeft, mayStore } from "../../../store/media/quota.ts"
import { query } from "../../../store/query.ts"
import { HttpSettings } from "../settings.ts"

const quotaUsed = new Conflict({
  detail:
    "The workspace, or all workspaces of the account that founded it, have no room for so many bytes; delete recordings or clips first.",
})

const notProved = new Forbidden({
  detail:
    "Recordings and broadcasts begin once an owner of the workspace has confirmed their e-mail address, with the link in the email they got when they signed up.",
})

/** Fails where proof is required and the workspace has no owner who has proved an address. */
export const requireProvedMedia = (
  workspaceId: string,
): Effect.Effect<void, Forbidden | Unavailable, Database | HttpSettings> =>
  Effect.gen(function* () {
    const { mediaQuota } = yield* HttpSettings
    if (!(yield* (yield* Database).run((sql) => mayStore(sql, workspaceId, mediaQuota)))) return yield* notProved
  })

/** Fails when `more` bytes would exceed the quota. The caller's transaction holds the lock of `lockMediaUse`. */
export const requireQuota = (
  sql: Queryable,
  workspaceId: string,
  more: number,
): Effect.Effect<void, Conflict | Unavailable, HttpSettings> =>
  Effect.gen(function* () {
    const { mediaQuota } = yield* HttpSettings
    if ((yield* query(() => bytesLeft(sql, workspaceId, mediaQuota))) < more) return yield* quotaUsed
  })

/** Maximum size of the recording. */
export const mostBytes = ({
  workspaceId,
  id,
  sizeBytes,
}: StoredRecording): Effect.Effect<number, Unavailable, Database | HttpSettings> =>
  Effect.gen(function* () {
    const { mediaMaxBytes, mediaQuota } = yield* HttpSettings
    const left = yield* (yield* Database).run((sql) => bytesLeft(sql, workspaceId, mediaQuota, id))
    const most = mediaMaxBytes === 0 ? Number.POSITIVE_INFINITY : mediaMaxBytes
    return Math.min(Math.max(0, left), most, sizeBytes ?? Number.POSITIVE_INFINITY)
  })

/** Largest object that S3 takes in one request. */
const MOST_IN_ONE_REQUEST = 5 * 1024 ** 3

/** Bytes reserved for a recording before any arrive: the maximum possible where nothing limits an unannounced size. */
export const reservedBytes = (sizeBytes: number | null, isDirect: boolean, mostOfOne: number): number => {
  if (sizeBytes !== null || !isDirect) return 0
  return mostOfOne === 0 ? MOST_IN_ONE_REQUEST : Math.min(mostOfOne, MOST_IN_ONE_REQUEST)
}
