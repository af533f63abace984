/** Uploads of recordings: their addresses and their completion. */
import { Effect } from "effect"
import type { MediaLinks } from "../../../media/links.ts"
import { type Arrived, MediaStorage } from "../../../media/storage/storage.ts"
import { BadRequest, Conflict, PayloadTooLarge, type Unavailable } from "../../../model/errors.ts"
import type { MediaFailure, StoredRecording } from "../../../model/media/recording.ts"
import {
  faultOfParts,
  PARTS_ABOVE_BYTES,
  type PartPlan,
  partOf,
  partPlanOf,
  type StoredPart,
} from "../../../model/media/upload-parts.ts"
import { toMillis } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { noteLinks } from "../../../store/links/bearer-links.ts"
import type { MediaSignal } from "../../../store/media/media-signal.ts"
import { startMediaJobs } from "../../../store/media/media-signal.ts"
import { failUpload } from "../../../store/media/recordings.ts"
import type { HttpSettings } from "../settings.ts"
import { type Addressing, callersAddressing, uploadAddress } from "./addresses.ts"
import { mostBytes } from "./quota.ts"

/** Largest object that S3 takes in one request. */
const MOST_IN_ONE_REQUEST = 5 * 1024 ** 3

/** Bytes reserved for a recording before any arrive: the maximum possible where nothing limits an unannounced size. */
export const reservedBytes = (sizeBytes: number | null, isDirect: boolean, mostOfOne: number): number => {
  if (sizeBytes !== null || !isDirect) return 0
  return mostOfOne === 0 ? MOST_IN_ONE_REQUEST : Math.min(mostOfOne, MOST_IN_ONE_REQUEST)
}

/** Upload address of the whole, or of a part. */
const addressWith = (
  recording: StoredRecording,
  part: { readonly number: number; readonly sizeBytes: number | null } | null,
  addressing: Addressing,
): Effect.Effect<string, never, MediaStorage> =>
  Effect.map(MediaStorage, (storage) => {
    const { storageKey: key, uploadId, uploadExpiresAt, sizeBytes } = recording
    const leftMs = (uploadExpiresAt === null ? 0 : toMillis(uploadExpiresAt)) - addressing.now
    const direct = storage.uploadAddress(
      { key, uploadId },
      part ?? { number: 1, sizeBytes },
      Math.max(1, Math.floor(leftMs / 1000)),
    )
    return direct ?? uploadAddress(recording, part?.number ?? null, addressing)
  })

/** Lists the addresses from now on. */
const uploading = (recording: StoredRecording) =>
  Effect.gen(function* () {
    const addressing = yield* callersAddressing(recording.eventId, recording.workspaceId)
    const { audience } = addressing
    if (typeof audience === "string") return addressing
    const expiresAt = recording.uploadExpiresAt === null ? addressing.now : toMillis(recording.uploadExpiresAt)
    const link = { ...audience, kind: "upload", objectId: recording.id, expiresAt } as const
    yield* (yield* Database).run((sql) => noteLinks(sql, [{ link, usedAt: null }]))
    return addressing
  })

export const wholeAddress = (
  recording: StoredRecording,
): Effect.Effect<string, Unavailable, Database | MediaStorage | MediaLinks | HttpSettings> =>
  Effect.flatMap(uploading(recording), (addressing) => addressWith(recording, null, addressing))

const MOST_ADDRESSES = 1000

const noParts = new Conflict({
  detail: `Only files of more than ${PARTS_ABOVE_BYTES} bytes are uploaded in parts, whose sizeBytes was announced when the recording was begun.`,
})

const rangeFault = (from: number, to: number, { count }: PartPlan): string | undefined => {
  if (from > to) return "must not be less than from"
  if (to > count) return `the file has ${count} parts`
  return to - from >= MOST_ADDRESSES ? `at most ${MOST_ADDRESSES} addresses are given at once` : undefined
}

/** Upload addresses of a range of parts. */
export const partAddresses = (recording: StoredRecording, from: number, to: number) =>
  Effect.gen(function* () {
    const { sizeBytes: fileBytes, status } = recording
    if (status !== "uploading") {
      return yield* new Conflict({ detail: `The recording is ${status}; it takes no more bytes.` })
    }
    const plan = partPlanOf(fileBytes)
    if (plan === null || fileBytes === null) return yield* noParts
    const fault = rangeFault(from, to, plan)
    if (fault !== undefined) return yield* BadRequest.ofField("to", fault)
    const addressing = yield* uploading(recording)
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    return yield* Effect.forEach(
      numbers.map((number) => partOf(fileBytes, plan, number)).filter((part) => part !== undefined),
      ({ number, sizeBytes }) =>
        Effect.map(addressWith(recording, { number, sizeBytes }, addressing), (url) => ({ number, sizeBytes, url })),
    )
  })

/** Claims of a client that completes an upload. */
interface Claims {
  readonly sizeBytes?: number
  readonly parts?: ReadonlyArray<{ readonly number: number; readonly etag: string }>
}

const nothingCame = new Conflict({ detail: "No bytes were uploaded." })

const withoutQuotes = (etag: string): string => etag.replace(/^"|"$/g, "")

/** Reason why the client's parts differ from the stored ones. */
const claimFault = (claimed: Claims["parts"], stored: ReadonlyArray<StoredPart>): string | undefined => {
  const etags = new Map(stored.map(({ number, etag }) => [number, etag]))
  const other = claimed?.find(({ number, etag }) => etags.has(number) && etags.get(number) !== withoutQuotes(etag))
  return other === undefined ? undefined : `Part ${other.number} is stored with another etag.`
}

/** Reason why the parts do not make up the file. A storage that receives bytes directly has the whole as its only part. */
const partsFault = (parts: ReadonlyArray<StoredPart>, announced: number | null, claims: Claims): string | undefined => {
  const claim = claimFault(claims.parts, parts)
  const plan = partPlanOf(announced)
  if (claim !== undefined || plan === null || announced === null) return claim
  const [first, ...others] = parts
  const isWhole = others.length === 0 && first?.number === 1 && first.sizeBytes === announced
  return isWhole ? undefined : faultOfParts(announced, plan, parts)
}

const sizeOf = (arrived: Arrived): number => {
  if (arrived.kind === "nothing") return 0
  return arrived.kind === "parts" ? arrived.parts.reduce((sum, part) => sum + part.sizeBytes, 0) : arrived.sizeBytes
}

/** Reason why the upload is incomplete. */
const faultOf = (arrived: Arrived, announced: number | null, claims: Claims): string | undefined => {
  const size = sizeOf(arrived)
  if (size === 0) return nothingCame.detail
  const fault = arrived.kind === "parts" ? partsFault(arrived.parts, announced, claims) : undefined
  if (fault !== undefined) return fault
  const said = claims.sizeBytes ?? announced ?? size
  return size === said ? undefined : `${size} bytes were uploaded, not ${said}.`
}

const TOO_LARGE: MediaFailure = { code: "too_large", detail: "More bytes were uploaded than the recording may have." }

/** Checks the size afterwards: a storage that receives bytes directly cannot limit unannounced ones. */
const requireRoom = (recording: StoredRecording, size: number) =>
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
    const detail = faultOf(arrived, recording.sizeBytes, claims)
    if (detail !== undefined) return yield* new Conflict({ detail })
    yield* requireRoom(recording, sizeOf(arrived))
    const stored = yield* storage.seal(upload, arrived.kind === "parts" ? arrived.parts : null)
    return stored === null ? yield* nothingCame : stored
  })
