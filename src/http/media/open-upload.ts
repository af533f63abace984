/** Opens the target of a signed upload address: a whole recording, or one of its parts. */
import { Effect } from "effect"
import type { BearerLinks } from "../../identity/links/bearer-links.ts"
import { heldLinkOf, type MediaLinks, partIdOf } from "../../media/links.ts"
import {
  type CutReason,
  cutReasonOf,
  DISK_FULL,
  MediaStorage,
  type OffsetMismatch,
  type UploadEvents,
} from "../../media/storage/storage.ts"
import { BadRequest, Conflict, type Failure, NotFound, PayloadTooLarge, Unavailable } from "../../model/errors.ts"
import type { HeldLink } from "../../model/links.ts"
import type { StoredRecording } from "../../model/media/recording.ts"
import { type Part, partOf, partPlanOf } from "../../model/media/upload-parts.ts"
import { Database } from "../../store/database.ts"
import { findRecording, noteUploaded } from "../../store/media/recordings.ts"
import { mostBytes } from "../requests/media/quota.ts"
import type { HttpSettings } from "../requests/settings.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { RequestHead } from "../transport/uws-exchange.ts"
import { type UploadRange, uploadRangeOf } from "./ranges.ts"
import { offsetHeader } from "./refusal.ts"
import { validLink } from "./valid-link.ts"

export type UploadServices = BearerLinks | Database | MediaLinks | MediaStorage | HttpSettings

/** An upload opened for one request. */
export interface OpenUpload {
  /** The bearer link of the request. */
  readonly link: HeldLink | undefined
  readonly write: (chunk: Uint8Array) => boolean
  /** Number of bytes that the request may still send. */
  readonly left: number
  /** Answer to a request that sends more. */
  readonly refusal: Failure
  /** Called when all bytes of the request arrived. Succeeds with the headers of its answer once they are stored. */
  readonly finish: Effect.Effect<HttpResponse["headers"], Failure, UploadServices>
  /** Called when the request ended early. */
  readonly abandon: Effect.Effect<void, Unavailable, UploadServices>
  /** Called when more bytes arrived than there is room for. */
  readonly overflow: Effect.Effect<void, Unavailable, UploadServices>
}

type Opening = (
  head: RequestHead,
  events: UploadEvents,
) => Effect.Effect<OpenUpload, Failure | OffsetMismatch, UploadServices>

/** Retry delay for a client that met too many uploads. */
export const RETRY_SECONDS = 5

const WENT_ON = new Unavailable({ detail: "The upload went on in another request.", retryAfterSeconds: RETRY_SECONDS })
const NOT_STORED = new Unavailable({ detail: "The bytes cannot be stored now.", retryAfterSeconds: RETRY_SECONDS })

export const CUTS: { readonly [R in CutReason]: Unavailable } = { taken: WENT_ON, full: DISK_FULL, broken: NOT_STORED }

/** The recording with this id, if its bytes are still expected. */
const awaited = (id: string): Effect.Effect<StoredRecording, Failure, UploadServices> =>
  Effect.gen(function* () {
    const recording = yield* (yield* Database).run((sql) => findRecording(sql, id))
    if (recording === undefined) return yield* NotFound.of("recording")
    if (recording.status !== "uploading") {
      return yield* new Conflict({ detail: `The recording is ${recording.status}; it takes no more bytes.` })
    }
    return recording
  })

/** Workspace of the upload, known before the upload takes capacity and opens its file. */
export const workspaceOf = ({ params }: RequestHead): Effect.Effect<string, Failure, UploadServices> =>
  Effect.gen(function* () {
    const link = yield* validLink(params["token"] ?? "", ["upload", "part"], "recording")
    const recording = yield* awaited(link.use === "part" ? partIdOf(link.id).id : link.id)
    return recording.workspaceId
  })

/** The bytes may have been removed before the file was opened, and nothing would remove them again. */
const stillAwaited = (id: string, close: () => Promise<void>): Effect.Effect<void, Failure, UploadServices> =>
  Effect.asVoid(Effect.tapError(awaited(id), () => Effect.promise(close)))

/** Null for an upload that starts over. */
const rangeOf = (
  header: string | undefined,
  { sizeBytes }: StoredRecording,
): Effect.Effect<UploadRange | null, BadRequest> => {
  if (header === undefined) return Effect.succeed(null)
  const range = uploadRangeOf(header)
  if (range === undefined) {
    return Effect.fail(BadRequest.ofHeader("content-range", "must be `bytes <first>-<last>/<size or *>`"))
  }
  const isOther = sizeBytes !== null && range.size !== null && range.size !== sizeBytes
  return isOther
    ? Effect.fail(BadRequest.ofHeader("content-range", `the recording was announced with ${sizeBytes} bytes`))
    : Effect.succeed(range)
}

/** Records stored bytes, which count against the quota. */
const noted = (id: string, size: number) =>
  Effect.flatMap(Database, (database) => database.run((sql) => noteUploaded(sql, id, size))).pipe(
    Effect.mapError(
      () =>
        new Unavailable({
          detail: "The bytes are stored, and could not be counted.",
          retryAfterSeconds: RETRY_SECONDS,
        }),
    ),
  )

/** A failure of the client, or of the disk, whose error is in its own log. */
const asFailure = (cause: unknown): Conflict | Unavailable =>
  cause instanceof Conflict ? cause : CUTS[cutReasonOf(cause)]

export const openWhole: Opening = ({ params, headers }, events) =>
  Effect.gen(function* () {
    const link = yield* validLink(params["token"] ?? "", ["upload"], "recording")
    const { id } = link
    const recording = yield* awaited(id)
    const range = yield* rangeOf(headers["content-range"], recording)
    const limit = yield* mostBytes(recording)
    const offset = range?.start ?? null
    const storage = yield* MediaStorage
    const free = yield* storage.free
    const allowed = limit - (offset ?? 0)
    const left = Math.min(allowed, free)
    const refusal = free < allowed ? DISK_FULL : new PayloadTooLarge({ limitBytes: limit })
    if (free === 0 || Number(headers["content-length"] ?? 0) > left) return yield* Effect.fail(refusal)
    const { write, finish, abandon, discard } = yield* storage.upload(recording.storageKey, { offset, ...events })
    yield* stillAwaited(id, discard)
    // Received bytes are kept, so that another request can continue after them.
    const keep = Effect.flatMap(Effect.promise(abandon), (size) => noted(id, size))
    return {
      link: heldLinkOf(link),
      write,
      left,
      refusal,
      finish: Effect.tryPromise({ try: finish, catch: asFailure }).pipe(
        Effect.tap((size) => noted(id, size)),
        Effect.map(offsetHeader),
      ),
      abandon: keep,
      // On a full disk the bytes are discarded, because they would keep it full.
      overflow: refusal === DISK_FULL ? Effect.promise(discard) : keep,
    }
  })

/** Number of bytes stored for the upload's address. */
export const storedOffset = (token: string): Effect.Effect<number, Failure, UploadServices> =>
  Effect.gen(function* () {
    const { id } = yield* validLink(token, ["upload"], "recording")
    const { storageKey } = yield* awaited(id)
    return (yield* (yield* MediaStorage).uploaded(storageKey)) ?? 0
  })

const partFor = ({ sizeBytes }: StoredRecording, number: number): Part | undefined => {
  const plan = partPlanOf(sizeBytes)
  return sizeBytes === null || plan === null ? undefined : partOf(sizeBytes, plan, number)
}

export const openPart: Opening = ({ params, headers }, events) =>
  Effect.gen(function* () {
    const link = yield* validLink(params["token"] ?? "", ["part"], "recording")
    const { id, number } = partIdOf(link.id)
    const recording = yield* awaited(id)
    const part = partFor(recording, number)
    if (part === undefined) return yield* NotFound.of("part")
    const { sizeBytes } = part
    const length = headers["content-length"]
    if (length !== undefined && Number(length) !== sizeBytes) {
      return yield* BadRequest.ofHeader("content-length", `part ${number} has ${sizeBytes} bytes, not ${length}`)
    }
    const storage = yield* MediaStorage
    if ((yield* storage.free) < sizeBytes) return yield* DISK_FULL
    const { write, finish, abandon } = yield* storage.uploadPart(recording.storageKey, part, events)
    yield* stillAwaited(id, abandon)
    return {
      link: heldLinkOf(link),
      write,
      left: sizeBytes,
      refusal: new PayloadTooLarge({ limitBytes: sizeBytes }),
      finish: Effect.map(Effect.tryPromise({ try: finish, catch: asFailure }), (etag) => [["etag", `"${etag}"`]]),
      abandon: Effect.promise(abandon),
      overflow: Effect.promise(abandon),
    }
  })
