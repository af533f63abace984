/** Recordings: media of an event, from their upload until they can be watched (specification §7; shapes by decision). */
import { Schema } from "effect"
import type { Timestamp } from "../timestamp.ts"

/** `merged`: the whole event or phase; `room`: one room of it; `upload`: other media. */
export const RecordingKind = Schema.Literals(["merged", "room", "upload"])
export type RecordingKind = typeof RecordingKind.Type

/** Made from a ready recording: a picture of it (JPEG), and the shape of its sound (JSON). */
export type DerivationKind = "thumbnail" | "waveform"

/** `ready` and `failed` are final. */
export const RecordingStatus = Schema.Literals(["uploading", "processing", "ready", "failed"])
export type RecordingStatus = typeof RecordingStatus.Type

/** Why media is not usable. */
export const MediaFailureCode = Schema.Literals([
  /** No `complete` came before the upload's end. */
  "upload_expired",
  /** More bytes came than the recording may have; a clip would have more than its recording. */
  "too_large",
  /** No format that is read here, no track with a known codec, or damaged. */
  "unreadable_media",
  /** Longer than 24 hours, by its own account. */
  "too_long",
  /** The bytes are not those whose SHA-256 the client said. */
  "checksum_mismatch",
  /** The wanted part of the recording has no picture or sound that can be cut out. */
  "nothing_in_range",
  /** A picture or sound of the recording has a codec that cannot be copied into a clip. */
  "track_not_copied",
  /** The clip is larger than its share of the recording, and the workspace has no room for the rest. */
  "quota_exceeded",
  /** The disk had no room for the clip, again and again. */
  "storage_full",
  /** The media server that was to record a room made no file. */
  "recorder_failed",
  /**
   * The media server was not asked to record a room, because the quota or the number of recordings is used up; or nothing of a broadcast was
   * stored for want of room.
   */
  "no_room",
  /** Of a broadcast that can be watched: from some moment on there was no room to store it. */
  "cut_off",
  /** The inspection took too much time or memory, or failed again and again through a fault of ours. */
  "processing_failed",
])
/** Of one event. */
export const MOST_RECORDINGS = 200
export type MediaFailureCode = typeof MediaFailureCode.Type

export const MediaFailure = Schema.Struct({ code: MediaFailureCode, detail: Schema.String })
export type MediaFailure = typeof MediaFailure.Type

/** The findings of an inspection. Numbers are of the file itself, not the claims of its uploader. */
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

/** A recording as it is stored. */
export interface Recording {
  readonly id: string
  readonly eventId: string
  readonly workspaceId: string
  readonly phaseId: string | null
  readonly roomId: string | null
  readonly kind: RecordingKind
  readonly source: "upload" | "livekit" | "broadcast"
  readonly title: string | null
  readonly status: RecordingStatus
  /** As announced while it is uploaded, then as measured. */
  readonly sizeBytes: number | null
  readonly contentType: string | null
  readonly durationMs: number | null
  readonly failure: MediaFailure | null
  readonly storageKey: string
  /** Of the upload at a storage that takes bytes itself; null: they come through this server. */
  readonly uploadId: string | null
  /** Its bytes are files of segments, one file for each take. */
  readonly broadcastId: string | null
  /** SHA-256 of the bytes, once inspected. Null for broadcasts, whose bytes came in pieces, and where all bytes would be fetched for it. */
  readonly sha256: Uint8Array | null
  readonly expectedSha256: Uint8Array | null
  readonly uploadExpiresAt: Timestamp | null
  readonly createdAt: Timestamp
}

/** A clip as it is stored. Its event and workspace are its recording's. */
export interface Clip {
  readonly id: string
  readonly recordingId: string
  readonly eventId: string
  readonly workspaceId: string
  readonly title: string | null
  readonly status: "processing" | "ready" | "failed"
  readonly startMs: number
  readonly endMs: number
  /** Nothing from outside of the wanted range is kept. */
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

/** A cut: where it really begins and ends in the recording. */
export interface CutFacts {
  readonly contentType: string
  readonly actualStartMs: number
  readonly actualEndMs: number
}
