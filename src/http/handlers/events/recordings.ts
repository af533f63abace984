/** Recordings: rows here, bytes at signed addresses (`http/media/upload.ts`, `http/media/download.ts`). */
import { Clock, Effect } from "effect"
import { type Claims, faultOfUpload, NOTHING_CAME, sizeOfArrived } from "../../../media/storage/completeness.ts"
import { MediaStorage, storageKeyOf } from "../../../media/storage/storage.ts"
import { Conflict, NotFound, PayloadTooLarge } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { type MediaFailure, MOST_RECORDINGS, type StoredRecording } from "../../../model/media/recording.ts"
import { partPlanOf } from "../../../model/media/upload-parts.ts"
import { toTimestamp } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { isBroadcasting } from "../../../store/media/captures.ts"
import { addRemoveJob } from "../../../store/media/media-jobs.ts"
import { startMediaJobs } from "../../../store/media/media-signal.ts"
import {
  completeUpload,
  countRecordings,
  deleteRecording,
  failUpload,
  findBegunRecording,
  findRecording,
  insertRecording,
  lockMediaUse,
  pageRecordings,
  setUpload,
} from "../../../store/media/recordings.ts"
import { query } from "../../../store/query.ts"
import type { Recordings } from "../../contract/events/recordings.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { CommandKey } from "../../requests/command-key.ts"
import { callersAddressing, partAddresses, shownRecording, wholeAddress } from "../../requests/media/addresses.ts"
import { mostBytes, requireProvedMedia, requireQuota, reservedBytes } from "../../requests/media/quota.ts"
import { pageReply, pageRequest } from "../../requests/paging.ts"
import { HttpSettings } from "../../requests/settings.ts"

/** Deadline for completing an upload, after which it has failed. */
const UPLOAD_MS = 24 * 3_600_000

const tooMany = new Conflict({ detail: `An event has at most ${MOST_RECORDINGS} recordings; delete one first.` })
const notUploading = new Conflict({ detail: "The recording has failed; begin another one." })

const broadcasting = new Conflict({ detail: "Its broadcast goes on; stop that first." })

const onAir = new Conflict({ detail: "Its broadcast goes on; pause or stop that first." })

const shown = (recording: StoredRecording) =>
  Effect.map(callersAddressing(recording.eventId, recording.workspaceId), (addressing) =>
    shownRecording(recording, addressing),
  )

/**
 * Hash of a request with an `Idempotency-Key`, by which its repeat finds the recording: the storage is called after the row's commit, and
 * only then is there an answer to keep.
 */
const requestHash = Effect.map(CommandKey, (key) => (key === undefined ? null : `${key.commandId} ${key.bodyHash}`))

/** Begins the upload at a storage that receives bytes directly; deletes the recording when that fails. */
const begun = (recording: StoredRecording) =>
  Effect.gen(function* () {
    if (recording.uploadId !== null) return recording
    const database = yield* Database
    const storage = yield* MediaStorage
    const uploadId = yield* storage
      .begin(recording.storageKey)
      .pipe(Effect.tapError(() => Effect.ignore(database.run((sql) => deleteRecording(sql, recording.id)))))
    if (uploadId === null) return recording
    const row = yield* database.run((sql) => setUpload(sql, recording.id, uploadId))
    return row ?? (yield* NotFound.of("recording"))
  })

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

/** Completes the upload and succeeds with its size; fails while bytes are missing, so that the client can continue. */
const sealed = (recording: StoredRecording, claims: Claims) =>
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

export const recordings = {
  createRecording: {
    access: "event",
    handle: ({ payload, scope: { event, workspaceId } }) =>
      Effect.gen(function* () {
        const { mediaMaxBytes } = yield* HttpSettings
        const { isDirect } = yield* MediaStorage
        if (event.status === "draft") return yield* new Conflict({ detail: "A draft event has no recordings." })
        yield* requireProvedMedia(workspaceId)
        const { sizeBytes = null, phaseId = null, roomId = null, title = null, kind = "upload" } = payload
        if (mediaMaxBytes > 0 && (sizeBytes ?? 0) > mediaMaxBytes) {
          return yield* new PayloadTooLarge({ limitBytes: mediaMaxBytes })
        }
        const hash = yield* requestHash
        const reserved = reservedBytes(sizeBytes, isDirect, mediaMaxBytes)
        const expiresAt = toTimestamp((yield* Clock.currentTimeMillis) + UPLOAD_MS)
        const inserted = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            yield* query(() => lockMediaUse(sql, workspaceId))
            const known = hash === null ? undefined : yield* query(() => findBegunRecording(sql, hash))
            if (known !== undefined) return known
            if ((yield* query(() => countRecordings(sql, event.id))) >= MOST_RECORDINGS) return yield* tooMany
            const id = newId()
            yield* requireQuota(sql, workspaceId, sizeBytes ?? Math.max(1, reserved))
            const row = yield* query(() =>
              insertRecording(sql, {
                id,
                eventId: event.id,
                workspaceId,
                phaseId,
                roomId,
                kind,
                title: title === null ? null : title.trim(),
                sizeBytes,
                storageKey: storageKeyOf(workspaceId, id),
                reservedBytes: reserved,
                uploadExpiresAt: expiresAt,
                requestHash: hash,
              }),
            )
            return row ?? (yield* NotFound.of("phase"))
          }),
        )
        const recording = yield* begun(inserted)
        const plan = partPlanOf(sizeBytes)
        const body = {
          ...(yield* shown(recording)),
          uploadUrl: yield* wholeAddress(recording),
          expiresAt: recording.uploadExpiresAt ?? expiresAt,
          parts: plan && { sizeBytes: plan.sizeBytes, maxParts: plan.count },
        }
        return new Reply(body, { status: 201, headers: [["location", `/v1/recordings/${recording.id}`]] })
      }),
  },
  addressParts: {
    access: "recording",
    handle: ({ payload: { from, to }, scope: { recording } }) =>
      Effect.map(partAddresses(recording, from, to), (parts) => ({ parts })),
  },
  completeRecording: {
    access: "recording",
    handle: ({ payload, scope: { recording } }) =>
      Effect.gen(function* () {
        if (recording.status === "failed") return yield* notUploading
        if (recording.status !== "uploading") return new Reply(yield* shown(recording), { status: 200 })
        const database = yield* Database
        const size = yield* sealed(recording, payload)
        const expected = payload.sha256 === undefined ? null : Buffer.from(payload.sha256, "hex")
        const completed = yield* database.run((sql) => completeUpload(sql, recording.id, size, expected))
        if (completed !== undefined) {
          yield* startMediaJobs
          return new Reply(yield* shown(completed), { status: 202 })
        }
        // Another call came first.
        const now = yield* database.run((sql) => findRecording(sql, recording.id))
        if (now !== undefined && now.status !== "failed") return new Reply(yield* shown(now), { status: 200 })
        // The job that removes the bytes may have run before they were sealed.
        yield* database.run((sql) => addRemoveJob(sql, recording.storageKey))
        yield* startMediaJobs
        return yield* now === undefined ? NotFound.of("recording") : notUploading
      }),
  },
  listRecordings: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const request = yield* pageRequest(call.query)
        const page = yield* (yield* Database).run((sql) => pageRecordings(sql, call.scope.event.id, request))
        const addressing = yield* callersAddressing(call.scope.event.id, call.scope.event.workspaceId)
        const rows = page.rows.map((recording) => shownRecording(recording, addressing))
        return pageReply(call, page, { recordings: rows, nextCursor: page.nextCursor })
      }),
  },
  getRecording: {
    access: "recording",
    handle: ({ scope: { recording } }) => shown(recording),
  },
  deleteRecording: {
    access: "recording",
    handle: ({ scope: { recording } }) =>
      Effect.gen(function* () {
        const database = yield* Database
        if (recording.source === "broadcast" && recording.status === "processing") return yield* broadcasting
        // Without the row the media server would end the recording, and nobody would begin another.
        if (yield* database.run((sql) => isBroadcasting(sql, recording.id))) return yield* onAir
        const wasThere = yield* database.run((sql) => deleteRecording(sql, recording.id))
        if (!wasThere) return yield* NotFound.of("recording")
        yield* startMediaJobs
      }),
  },
} satisfies Handlers<typeof Recordings>
