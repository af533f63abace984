/** Bytes of a broadcast's recording read from its files: init segments and media segments. */
import { Effect } from "effect"
import type { BytesFile } from "../../../media/live/live-settings.ts"
import { MediaStorage } from "../../../media/storage/storage.ts"
import { type Failure, NotFound } from "../../../model/errors.ts"
import { Database } from "../../../store/database.ts"
import { findSegment, takesOf } from "../../../store/media/broadcasts.ts"
import type { HttpResponse } from "../../transport/message.ts"
import type { Stretch } from "./viewer-bytes.ts"

const notFound = NotFound.of("file of a broadcast")

/** Bytes under a name never change, but can be deleted, and their event can become private. */
export const segmentHeaders = (cacheControl: string): HttpResponse["headers"] => [
  ["content-type", "video/mp4"],
  ["cache-control", cacheControl],
  ["content-security-policy", "sandbox"],
]

/** Parts are not stored separately. */
export const storedBytes = (
  recordingId: string,
  file: BytesFile,
): Effect.Effect<Uint8Array | Stretch, Failure, Database | MediaStorage> =>
  Effect.gen(function* () {
    const database = yield* Database
    const takes = yield* database.run((sql) => takesOf(sql, recordingId))
    if (file.kind === "init") return takes.find(({ number }) => number === file.take)?.init ?? (yield* notFound)
    if (file.kind === "part") return yield* notFound
    const segment = yield* database.run((sql) => findSegment(sql, recordingId, file.segment))
    const key = takes.find(({ number }) => number === segment?.take)?.storageKey
    const stored = key === undefined ? null : yield* (yield* MediaStorage).open(key)
    if (segment === undefined || stored === null) return yield* notFound
    const { offset, bytes } = segment
    if (offset + bytes <= stored.size) return { file: stored, offset, bytes }
    yield* Effect.promise(stored.close)
    return yield* notFound
  })
