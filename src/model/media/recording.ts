/** Recordings: media of an event, from their upload until they can be watched (docs/recordings.md). */
import { Schema } from "effect"
import { named } from "../named.ts"
import type { Timestamp } from "../timestamp.ts"

/** `merged`: the whole event or phase; `room`: one of its rooms; `upload`: other media. */
export const RecordingKind = Schema.Literals(["merged", "room", "upload"]).annotate(named("RecordingKind"))
export type RecordingKind = typeof RecordingKind.Type

/** Derived from a ready recording: a thumbnail (JPEG), and a waveform (JSON). */
export type DerivationKind = "thumbnail" | "waveform"

/** `ready` and `failed` are final. */
export const RecordingStatus = Schema.Literals(["uploading", "processing", "ready", "failed"]).annotate(
  named("RecordingStatus"),
)
export type RecordingStatus = typeof RecordingStatus.Type

/** Reasons why a recording or clip is unusable or incomplete: the one table for answers and descriptions. */
export const MEDIA_FAILURES = {
  upload_expired: "The upload was not completed within a day.",
  too_large: "More bytes came than the recording may have; or the clip would have more than its recording.",
  unreadable_media: "The file has no format that is read here, has no track with a known codec, or is damaged.",
  too_long: "The file is longer than 24 hours, by its own account.",
  checksum_mismatch: "The bytes are not those whose SHA-256 `complete` was given.",
  nothing_in_range: "That part of the recording has no picture and no sound that can be cut out.",
  track_not_copied: "A picture or sound of the recording has a codec that cannot be copied into a clip.",
  quota_exceeded: "The clip is larger than its share of the recording, and the workspace has no room for the rest.",
  storage_full: "The disk had no room for the clip, again and again.",
  recorder_failed: "The media server that was to record the room made no file.",
  no_room: "There was no room for the recording: the quota, the recordings of the event or the disk were used up.",
  cut_off: "The broadcast can be watched, and from some moment on there was no room to record it.",
  processing_failed: "The inspection or the cut took too much time or memory, or failed again and again by our fault.",
} as const
export type MediaFailureCode = keyof typeof MEDIA_FAILURES

const FAILURE_CODES = Object.keys(MEDIA_FAILURES) as [MediaFailureCode, ...MediaFailureCode[]]

export const MediaFailureCode = Schema.Literals(FAILURE_CODES).annotate({
  ...named("MediaFailureCode"),
  description: FAILURE_CODES.map((code) => `\`${code}\`: ${MEDIA_FAILURES[code]}`).join(" "),
})

/** Most recordings of one event. */
export const MOST_RECORDINGS = 200

export const MediaFailure = Schema.Struct({ code: MediaFailureCode, detail: Schema.String }).annotate(
  named("MediaFailure"),
)
export type MediaFailure = typeof MediaFailure.Type

/** Work of a speech recogniser on the transcript; `detail` says why it failed. */
export const Transcription = Schema.Struct({
  status: Schema.Literals(["running", "failed"]),
  detail: Schema.NullOr(Schema.String),
}).annotate(named("Transcription"))
export type Transcription = typeof Transcription.Type

/** Findings of an inspection. The numbers are measured from the file itself, not claimed by its uploader. */
export interface MediaFacts {
  readonly container: string
  /** Media type without parameters, such as `video/mp4`. */
  readonly contentType: string
  readonly codecs: ReadonlyArray<string>
  readonly durationMs: number
  /** Pixels as displayed; null without video. */
  readonly width: number | null
  readonly height: number | null
}

/** A recording in its stored form. */
export interface StoredRecording {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly phaseId: string | null
  readonly roomId: string | null
  readonly kind: RecordingKind
  readonly source: "upload" | "livekit" | "broadcast"
  readonly title: string | null
  readonly status: RecordingStatus
  /** Announced size during the upload, then the measured one. */
  readonly sizeBytes: number | null
  readonly contentType: string | null
  readonly durationMs: number | null
  readonly failure: MediaFailure | null
  readonly storageKey: string
  /** Id of the upload at a storage that receives bytes itself; null: they come through this server. */
  readonly uploadId: string | null
  /** Set if the bytes are segment files, one file for each take. */
  readonly broadcastId: string | null
  /**
   * SHA-256 of the bytes, once inspected. Null for broadcasts, whose bytes came in pieces, and if all bytes would have to be fetched for
   * it.
   */
  readonly sha256: Uint8Array | null
  readonly expectedSha256: Uint8Array | null
  readonly uploadExpiresAt: Timestamp | null
  readonly transcription: Transcription | null
  readonly createdAt: Timestamp
}

/** A clip in its stored form. Its event and workspace are those of its recording. */
export interface StoredClip {
  readonly id: string
  readonly recordingId: string
  readonly eventId: string
  readonly workspaceId: string
  readonly title: string | null
  readonly status: "processing" | "ready" | "failed"
  readonly startMs: number
  readonly endMs: number
  /** True: nothing outside the requested range is kept. */
  readonly inside: boolean
  readonly actualStartMs: number | null
  readonly actualEndMs: number | null
  readonly sizeBytes: number | null
  readonly contentType: string | null
  readonly sha256: Uint8Array | null
  readonly failure: MediaFailure | null
  readonly storageKey: string | null
  readonly createdAt: Timestamp
}

/** Result of a cut: its actual start and end in the recording. */
export interface CutFacts {
  readonly contentType: string
  readonly actualStartMs: number
  readonly actualEndMs: number
}
