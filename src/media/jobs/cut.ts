/** Cuts clips out of recordings, within the available storage. */
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import type { CutFacts, MediaFailure, StoredClip, StoredRecording } from "../../model/media/recording.ts"
import { lowerAscii } from "../../model/text/compared.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { takeSpans } from "../../store/media/broadcasts.ts"
import { findClip, markClipFailed, markClipReady } from "../../store/media/clips.ts"
import { addRemoveJob } from "../../store/media/media-jobs.ts"
import { bytesLeft, type MediaQuota } from "../../store/media/quota.ts"
import { findRecording, lockMediaUse } from "../../store/media/recordings.ts"
import { MediaProcessor, type TaskFailed } from "../processing/media-processor.ts"
import type { Cutting } from "../processing/protocol.ts"
import { DISK_FULL, MediaStorage } from "../storage/storage.ts"
import { announce } from "./announce.ts"

const MEBIBYTE = 1024 ** 2

const QUOTA_EXCEEDED: MediaFailure = {
  code: "quota_exceeded",
  detail: "The clip is larger than its share of the recording, and the workspace has no room for it.",
}

/** Failure of a clip that repeatedly could not be stored. */
export const STORAGE_FULL: MediaFailure = { code: "storage_full", detail: "The disk has no room for the clip." }

/** Maximum size of a copy: that of the recording, plus what another container adds to each packet. */
const mostOf = (recordingBytes: number): number => Math.ceil(recordingBytes * 1.125) + 16 * MEBIBYTE

/** A transport stream is first rewritten as a whole (`media/processing/cut.ts`). */
const isTransportStream = ({ contentType }: StoredRecording): boolean => lowerAscii(contentType ?? "") === "video/mp2t"

/** Maximum size of a clip, and the reason for it. */
interface ByteLimit {
  readonly bytes: number
  readonly over: MediaFailure | Unavailable | null
}

/** Remaining quota for a clip. The size that was reserved for it counts as used, and is added back. */
const leftOf = async (sql: Queryable, clip: StoredClip, quota: MediaQuota): Promise<number> =>
  (await bytesLeft(sql, clip.workspaceId, quota)) + (clip.sizeBytes ?? 0)

const bytesFor = (clip: StoredClip, recording: StoredRecording, quota: MediaQuota) =>
  Effect.gen(function* () {
    const recordingBytes = recording.sizeBytes ?? 0
    const whole = isTransportStream(recording) ? recordingBytes : 0
    const free = (yield* (yield* MediaStorage).free) - whole
    if (free < (clip.sizeBytes ?? 0)) return yield* DISK_FULL
    const left = yield* (yield* Database).run((sql) => leftOf(sql, clip, quota))
    const limits: ReadonlyArray<ByteLimit> = [
      { bytes: mostOf(recordingBytes), over: null },
      { bytes: left, over: QUOTA_EXCEEDED },
      { bytes: free, over: DISK_FULL },
    ]
    return limits.reduce((least, limit) => (limit.bytes < least.bytes ? limit : least))
  })

const later = (facts: CutFacts, byMs: number): CutFacts => ({
  ...facts,
  actualStartMs: facts.actualStartMs + byMs,
  actualEndMs: facts.actualEndMs + byMs,
})

const cutOut = (recording: StoredRecording, clip: StoredClip, storageKey: string, quota: MediaQuota) =>
  Effect.gen(function* () {
    const { startMs, endMs, inside } = clip
    const storage = yield* MediaStorage
    const allowed = yield* bytesFor(clip, recording, quota)
    const output = yield* storage.newPath(storageKey)
    const spans = yield* (yield* Database).run((sql) => takeSpans(sql, recording.id))
    const take = spans.find((span) => startMs >= span.startMs && startMs < span.endMs)
    const source = yield* storage.source(take?.storageKey ?? recording.storageKey)
    // Times of a cut are relative to its file.
    const before = take?.startMs ?? 0
    const range = { startMs: startMs - before, endMs: endMs - before, inside }
    const cutting = yield* (yield* MediaProcessor).cut({ source, output, ...range, mostBytes: allowed.bytes })
    if (cutting.outcome === "cut") return { ...cutting, facts: later(cutting.facts, before) }
    if (cutting.failure.code !== "too_large" || allowed.over === null) return cutting
    return "code" in allowed.over ? { ...cutting, failure: allowed.over } : yield* allowed.over
  })

/** Checks the quota again, because the reserved size was an estimate. */
const cutReady = (
  clip: StoredClip,
  { facts, sizeBytes, sha256 }: Extract<Cutting, { outcome: "cut" }>,
  quota: MediaQuota,
  at: Timestamp,
) =>
  Effect.flatMap(Database, (database) =>
    database.transaction(async (sql) => {
      await lockMediaUse(sql, clip.workspaceId)
      if (sizeBytes > (clip.sizeBytes ?? 0) && sizeBytes > (await leftOf(sql, clip, quota))) {
        return markClipFailed(sql, clip.id, QUOTA_EXCEEDED)
      }
      const settled = await markClipReady(sql, clip.id, facts, { sizeBytes, sha256: Buffer.from(sha256, "hex") })
      if (settled === undefined) {
        // The clip was deleted while it was cut. Its bytes may have been stored after they were removed.
        const isGone = (await findClip(sql, clip.id)) === undefined
        if (isGone && clip.storageKey !== null) await addRemoveJob(sql, clip.storageKey)
        return
      }
      const { id, recordingId, ...of } = settled
      await announce(sql, at, { type: "clip.ready", ...of, extra: { assetId: id, recordingId } })
    }),
  )

export const failClip = (id: string, failure: MediaFailure): Effect.Effect<void, Unavailable, Database> =>
  Effect.flatMap(Database, (database) => database.transaction((sql) => markClipFailed(sql, id, failure)))

export const cutClip = (
  clipId: string,
  quota: MediaQuota,
  at: () => Timestamp,
): Effect.Effect<void, Unavailable | TaskFailed, Database | MediaStorage | MediaProcessor> =>
  Effect.gen(function* () {
    const database = yield* Database
    const clip = yield* database.run((sql) => findClip(sql, clipId))
    if (clip === undefined || clip.status !== "processing" || clip.storageKey === null) return
    const recording = yield* database.run((sql) => findRecording(sql, clip.recordingId))
    if (recording === undefined) return
    const cutting = yield* cutOut(recording, clip, clip.storageKey, quota)
    if (cutting.outcome === "refused") return yield* failClip(clip.id, cutting.failure)
    yield* (yield* MediaStorage).keep(clip.storageKey)
    yield* cutReady(clip, cutting, quota, at())
  })
