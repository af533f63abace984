/** Completion of uploads: what arrived is checked, and sealed. */
import { Effect } from "effect"
import { type Claims, faultOfUpload, NOTHING_CAME, sizeOfArrived } from "../../../media/storage/completeness.ts"
import { MediaStorage } from "../../../media/storage/storage.ts"
import { Conflict, PayloadTooLarge, type Unavailable } from "../../../model/errors.ts"
import type { MediaFailure, StoredRecording } from "../../../model/media/recording.ts"
import { Database } from "../../../store/database.ts"
import { type MediaSignal, startMediaJobs } from "../../../store/media/media-signal.ts"
import { failUpload } from "../../../store/media/recordings.ts"
import type { HttpSettings } from "../settings.ts"
import { mostBytes } from "./quota.ts"

const TOO_LARGE: MediaFailure = { code: "too_large", detail: "More bytes were uploaded than the recording may have." }

/** Checks the size afterwards: a storage that receives bytes directly cannot limit unannounced ones. */
const requireAllowed = (recording: StoredRecording, size: number) =>
  Effect.gen(function* () {
    if (recording.uploadId === null) return
    const limitBytes = yield* mostBytes(recording)
    if (size <= limitBytes) return
    yield* (yield* Database).run((sql) => failUpload(sql, recording.id, TOO_LARGE))
    yield* startMediaJobs
    return yield* new PayloadTooLarge({ limitBytes })
  })

/** Completes the upload. Succeeds with its size; fails while bytes are missing, so that the client can continue. */
export const sealed = (
  recording: StoredRecording,
  claims: Claims,
): Effect.Effect<
  number,
  Conflict | PayloadTooLarge | Unavailable,
  Database | HttpSettings | MediaSignal | MediaStorage
> =>
  Effect.gen(function* () {
    const storage = yield* MediaStorage
    const upload = { key: recording.storageKey, uploadId: recording.uploadId }
    const arrived = yield* storage.arrived(upload)
    const detail = faultOfUpload(arrived, recording.sizeBytes, claims)
    if (detail !== undefined) return yield* new Conflict({ detail })
    yield* requireAllowed(recording, sizeOfArrived(arrived))
    const stored = yield* storage.seal(upload, arrived.kind === "parts" ? arrived.parts : null)
    return stored ?? (yield* new Conflict({ detail: NOTHING_CAME }))
  })
