/** Files derived from a recording once it is ready, where the machine has ffmpeg. A recording works without them. */
import { stat, writeFile } from "node:fs/promises"
import { Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import type { DerivationKind, StoredRecording } from "../../model/media/recording.ts"
import { Database } from "../../store/database.ts"
import { takesOf } from "../../store/media/broadcasts.ts"
import { insertDerivation, listDerivationKinds } from "../../store/media/derivations.ts"
import { findRecording } from "../../store/media/recordings.ts"
import { FfmpegFailed, type Run, waveformOf, writeThumbnail } from "../derivations/ffmpeg.ts"
import { type MediaSource, MediaStorage, storageKeyOf } from "../storage/storage.ts"

/** The picture is taken at a tenth of the recording, but not later than this. */
const LATEST_PICTURE_MS = 10_000

const TYPES: Readonly<Record<DerivationKind, string>> = { thumbnail: "image/jpeg", waveform: "application/json" }

/** Writes the file. Returns false when the recording has nothing to make it from. */
const WRITE: {
  readonly [K in DerivationKind]: (
    by: Run,
    source: MediaSource,
    of: Pick<StoredRecording, "durationMs" | "contentType">,
    output: string,
  ) => Promise<boolean>
} = {
  thumbnail: async (by, source, { durationMs, contentType }, output) => {
    if (contentType?.startsWith("audio/") !== false) return false
    await writeThumbnail(by, source, Math.min(LATEST_PICTURE_MS, (durationMs ?? 0) / 10), output)
    return true
  },
  waveform: async (by, source, { durationMs }, output) => {
    const waveform = await waveformOf(by, source, durationMs ?? 0)
    if (waveform !== null) await writeFile(output, JSON.stringify(waveform))
    return waveform !== null
  },
}

type Made = Effect.Effect<void, Unavailable | FfmpegFailed, Database | MediaStorage>

const make = (ffmpeg: string, recording: StoredRecording, source: MediaSource, kind: DerivationKind): Made =>
  Effect.gen(function* () {
    const storage = yield* MediaStorage
    const id = newId()
    const storageKey = storageKeyOf(recording.workspaceId, id)
    const path = yield* storage.newPath(storageKey)
    const isMade = yield* Effect.tryPromise({
      try: (signal) => WRITE[kind]({ ffmpeg, signal }, source, recording, path),
      catch: (cause) =>
        cause instanceof FfmpegFailed ? cause : new FfmpegFailed("the file was not written", { cause }),
    }).pipe(Effect.tapError(() => storage.remove(storageKey)))
    if (!isMade) return yield* storage.remove(storageKey)
    const { size: sizeBytes } = yield* Effect.promise(() => stat(path))
    yield* storage.keep(storageKey)
    const derivation = { id, recordingId: recording.id, kind, storageKey, sizeBytes, contentType: TYPES[kind] }
    const isKept = yield* (yield* Database).run((sql) => insertDerivation(sql, derivation))
    if (!isKept) yield* storage.remove(storageKey)
  })

/** Uses the first file of a broadcast, because the others may have another size. */
export const derive = (recordingId: string, ffmpeg: string | null): Made =>
  Effect.gen(function* () {
    if (ffmpeg === null) return
    const database = yield* Database
    const recording = yield* database.run((sql) => findRecording(sql, recordingId))
    if (recording === undefined || recording.status !== "ready") return
    const known = yield* database.run((sql) => listDerivationKinds(sql, recordingId))
    const takes = recording.source !== "broadcast" ? [] : yield* database.run((sql) => takesOf(sql, recordingId))
    const source = yield* (yield* MediaStorage).source(takes[0]?.storageKey ?? recording.storageKey)
    const missing = (["thumbnail", "waveform"] as const).filter((kind) => !known.includes(kind))
    // A picture that cannot be decoded says nothing about the sound.
    const results = yield* Effect.forEach(missing, (kind) => Effect.result(make(ffmpeg, recording, source, kind)))
    for (const result of results) if (result._tag === "Failure") return yield* Effect.fail(result.failure)
  })
