/** Addresses of media for upload and playback, signed when they are answered. */
import { Clock, Effect } from "effect"
import {
  hasHeldAddresses,
  type LinkAudience,
  type LinkUse,
  MediaLinks,
  type ObjectKind,
  partLinkId,
} from "../../../media/links.ts"
import { MediaStorage } from "../../../media/storage/storage.ts"
import { BadRequest, Conflict, type Unavailable } from "../../../model/errors.ts"
import { type Ground, holderOf } from "../../../model/links.ts"
import type { StoredClip, StoredRecording } from "../../../model/media/recording.ts"
import { PARTS_ABOVE_BYTES, type PartPlan, partOf, partPlanOf } from "../../../model/media/upload-parts.ts"
import { toMillis } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { lastEndOf, noteLinks } from "../../../store/links/bearer-links.ts"
import type { Clip as ShownClip } from "../../contract/events/clips.ts"
import type { Recording as ShownRecording } from "../../contract/events/recordings.ts"
import { CallerGround } from "../credentials.ts"
import { HttpSettings } from "../settings.ts"

/** An opened player works for at least six hours. */
const WATCH_HOURS = 6
const HOUR_SECONDS = 3600
const HOUR_MS = HOUR_SECONDS * 1000

/** Parameters of an address. */
export interface Addressing {
  readonly publicUrl: string
  readonly links: MediaLinks["Service"]
  /** Time in Unix milliseconds. */
  readonly now: number
  readonly audience: LinkAudience
}

/**
 * Time of issue of an address: addresses issued within one hour are equal, so that answers and players can cache them, unless one of them
 * was revoked.
 */
const givenAtOf = (ground: Ground, now: number): Effect.Effect<number, Unavailable, Database> =>
  Effect.flatMap(Database, (database) =>
    Effect.map(
      database.run((sql) => lastEndOf(sql, holderOf(ground))),
      (endedAt) => Math.max(Math.floor(now / HOUR_MS) * HOUR_MS, endedAt + 1),
    ),
  )

/** Addressing for the caller of the request; for the public without a credential. */
export const callersAddressing = (
  eventId: string,
  workspaceId: string,
): Effect.Effect<Addressing, Unavailable, Database | HttpSettings | MediaLinks> =>
  Effect.gen(function* () {
    const { publicUrl } = yield* HttpSettings
    const links = yield* MediaLinks
    const now = yield* Clock.currentTimeMillis
    const ground = (yield* CallerGround)(workspaceId)
    if (ground === undefined) return { publicUrl, links, now, audience: "public" }
    return { publicUrl, links, now, audience: { eventId, ground, givenAt: yield* givenAtOf(ground, now) } }
  })

/** Text in which the addresses of a private broadcast are the caller's own. */
export const asCallers = (text: string | null, eventId: string, workspaceId: string) =>
  Effect.gen(function* () {
    if (text === null || !hasHeldAddresses(text)) return text
    const { links, audience } = yield* callersAddressing(eventId, workspaceId)
    return typeof audience === "string" ? text : links.personal(text, audience)
  })

/** Address of an upload through this server. */
const uploadAddress = (
  { id, uploadExpiresAt }: Pick<StoredRecording, "id" | "uploadExpiresAt">,
  part: number | null,
  { publicUrl, links, now, audience }: Addressing,
): string => {
  const expires = Math.floor((uploadExpiresAt === null ? now : toMillis(uploadExpiresAt)) / 1000)
  const link = { kind: "recording", audience, expires } as const
  return part === null
    ? `${publicUrl}/v1/media/uploads/${links.sign({ ...link, use: "upload", id })}`
    : `${publicUrl}/v1/media/parts/${links.sign({ ...link, use: "part", id: partLinkId(id, part) })}`
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

/** Records the upload's addresses as given, so that they are listed. */
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

/** Kinds of stored media; a broadcast's address is created when it starts. */
type StoredKind = Exclude<ObjectKind, "broadcast">

const FOLDERS: Readonly<Record<StoredKind, string>> = {
  recording: "recordings",
  clip: "clips",
  transcript: "captions",
  derivation: "derivations",
}

/** Null until the object is ready. */
export const watchAddress = (
  kind: StoredKind,
  { id, status }: { readonly id: string; readonly status: string },
  use: Exclude<LinkUse, "upload" | "part">,
  { publicUrl, links, now, audience }: Addressing,
): string | null => {
  if (status !== "ready") return null
  // Whole hours: within one the address stays the same, so that answers and players can cache it.
  const expires = (Math.floor(now / 1000 / HOUR_SECONDS) + WATCH_HOURS + 1) * HOUR_SECONDS
  return `${publicUrl}/v1/media/${FOLDERS[kind]}/${links.sign({ use, kind, id, audience, expires })}`
}

/** Playback address of a recording: a file, or the playlist over a broadcast's files. */
export const playAddress = (
  recording: Pick<StoredRecording, "id" | "status" | "source">,
  addressing: Addressing,
): string | null => {
  const address = watchAddress("recording", recording, "play", addressing)
  return address === null || recording.source !== "broadcast" ? address : `${address}/index.m3u8`
}

export const shownRecording = (recording: StoredRecording, addressing: Addressing): ShownRecording => {
  const { id, eventId, phaseId, roomId, kind, source, title, status } = recording
  const { sizeBytes, contentType, durationMs, failure, transcription, createdAt } = recording
  return {
    id,
    eventId,
    phaseId,
    roomId,
    kind,
    source,
    title,
    status,
    sizeBytes,
    contentType,
    durationMs,
    playbackUrl: playAddress(recording, addressing),
    downloadUrl: watchAddress("recording", recording, "download", addressing),
    failure,
    transcription,
    createdAt,
  }
}

export const shownClip = (clip: StoredClip, addressing: Addressing): ShownClip => {
  const { id, recordingId, eventId, title, status, startMs, endMs } = clip
  const { actualStartMs, actualEndMs, sizeBytes, contentType, failure, createdAt } = clip
  return {
    id,
    recordingId,
    eventId,
    title,
    status,
    startMs,
    endMs,
    actualStartMs,
    actualEndMs,
    durationMs: actualStartMs === null || actualEndMs === null ? endMs - startMs : actualEndMs - actualStartMs,
    sizeBytes: status === "ready" ? sizeBytes : null,
    contentType,
    playbackUrl: watchAddress("clip", clip, "play", addressing),
    downloadUrl: watchAddress("clip", clip, "download", addressing),
    failure,
    createdAt,
  }
}
