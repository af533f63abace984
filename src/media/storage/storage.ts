/**
 * Storage of media bytes: this server's disk, or an operator's storage (S3) that clients reach directly. Keys are generated: they contain
 * no user text.
 */
import { Context, Data, Effect } from "effect"
import { type Conflict, Unavailable } from "../../model/errors.ts"
import type { Part, StoredPart } from "../../model/media/upload-parts.ts"

/** An upload resumed at another offset than the end of the stored bytes. */
export class OffsetMismatch extends Data.TaggedError("OffsetMismatch")<{ readonly offset: number }> {}

export const DISK_FULL = new Unavailable({ detail: "The disk for media is full.", retryAfterSeconds: 60 })

/** Receives the bytes of one request. */
export interface UploadSink {
  /** Returns false when the caller should pause until `onDrain` is called. The chunk is copied. */
  readonly write: (chunk: Uint8Array) => boolean
  /** Resolves to the upload's size when all bytes are on the disk; rejects when they cannot be written. */
  readonly finish: () => Promise<number>
  /** Keeps the received bytes, and closes the file. Resolves to the upload's size. */
  readonly abandon: () => Promise<number>
  /** Undoes the request, and frees the space of its bytes. */
  readonly discard: () => Promise<void>
}

/** Receives the bytes of one part. */
export interface PartSink {
  readonly write: (chunk: Uint8Array) => boolean
  /**
   * Resolves to the part's ETag when it is stored. Rejects with `Conflict` when too few bytes arrived, or bytes that differ from the stored
   * ones.
   */
  readonly finish: () => Promise<string>
  /** Discards what arrived of the part. */
  readonly abandon: () => Promise<void>
}

/** `taken` means that a newer request has the upload or part, `full` that the disk is full, and `broken` that it refuses bytes. */
export type CutReason = "taken" | "full" | "broken"

/** Reason for an error while bytes were written. */
export const cutReasonOf = (cause: unknown): CutReason =>
  (cause as NodeJS.ErrnoException).code === "ENOSPC" ? "full" : "broken"

export interface UploadEvents {
  /** Lets the caller continue after a `write` that returned false. */
  readonly onDrain: () => void
  /** Called when no further chunk is accepted. */
  readonly onCut: (reason: CutReason) => void
}

export interface UploadOptions extends UploadEvents {
  /** Number of preceding bytes that are kept; null to start over. */
  readonly offset: number | null
}

/** Upload of one object. */
export interface Upload {
  readonly key: string
  /** Id of an upload at a storage that receives bytes directly; null when they come through this server. */
  readonly uploadId: string | null
}

/** Bytes of an upload that have arrived. */
export type Arrived =
  | { readonly kind: "nothing" }
  | { readonly kind: "whole"; readonly sizeBytes: number }
  | { readonly kind: "parts"; readonly parts: ReadonlyArray<StoredPart> }
  /** The upload was sealed before. */
  | { readonly kind: "sealed"; readonly sizeBytes: number }

/** Parameters for a client that gets bytes directly from the storage. */
export interface GivenAway {
  readonly method: "GET" | "HEAD"
  readonly contentType: string
  /** Value for `Content-Disposition`. */
  readonly disposition: string
}

/** Source from which the media process reads bytes. An address holds everything needed to read them. */
export type MediaSource = { readonly path: string } | { readonly url: string; readonly sizeBytes: number }

/** A stored file opened for reading. */
export interface StoredFile {
  readonly size: number
  /** Returns fewer bytes than requested only at the end of the file. */
  readonly read: (into: Uint8Array, position: number) => Promise<number>
  readonly close: () => Promise<void>
  /** Address at which a client gets the bytes directly from the storage; absent when only this server serves them. */
  readonly addressFor?: (given: GivenAway) => string
}

/** A file that can be read while it grows. */
export interface GrowingFile {
  /** Resolves when the bytes are on the disk. One call at a time. */
  readonly append: (chunks: ReadonlyArray<Uint8Array>) => Promise<void>
  readonly close: () => Promise<void>
}

/** Name of a stored file: its key has the ids of its workspace and of its recording or clip. */
export interface StoredName {
  readonly key: string
  readonly workspaceId: string
  readonly id: string
}

export class MediaStorage extends Context.Service<
  MediaStorage,
  {
    /** Whether clients upload directly to the storage, which accepts any number of bytes unless it was announced. */
    readonly isDirect: boolean
    /** Begins an upload at the storage. Resolves to null when its bytes come through this server. */
    readonly begin: (key: string) => Effect.Effect<string | null, Unavailable>
    /**
     * Address for the upload of a part, or of the whole as its only part; null when it is at this server. `sizeBytes` is null if it was not
     * announced.
     */
    readonly uploadAddress: (
      upload: Upload,
      part: { readonly number: number; readonly sizeBytes: number | null },
      expiresInSeconds: number,
    ) => string | null
    /** Opens the upload for one request; an earlier request that is still open is cut off. A sealed upload is refused. */
    readonly upload: (
      key: string,
      options: UploadOptions,
    ) => Effect.Effect<UploadSink, Conflict | OffsetMismatch | Unavailable>
    /** Opens a part for one request; an earlier request for the same part is cut off. A sealed upload is refused. */
    readonly uploadPart: (
      key: string,
      part: Part,
      events: UploadEvents,
    ) => Effect.Effect<PartSink, Conflict | Unavailable>
    /** Bytes of an upload that is not in parts; null when nothing arrived. */
    readonly uploaded: (key: string) => Effect.Effect<number | null, Unavailable>
    readonly arrived: (upload: Upload) => Effect.Effect<Arrived, Unavailable>
    /**
     * Ends the upload: from now on the key can be opened. `parts` lists all parts of an upload in parts. Resolves to the size; null when
     * nothing arrived. May be repeated.
     */
    readonly seal: (
      upload: Upload,
      parts: ReadonlyArray<StoredPart> | null,
    ) => Effect.Effect<number | null, Conflict | Unavailable>
    /** Null when there are no such bytes. */
    readonly open: (key: string) => Effect.Effect<StoredFile | null, Unavailable>
    /** Stored bytes, for the process that inspects and cuts them. */
    readonly source: (key: string) => Effect.Effect<MediaSource, Unavailable>
    /** Path for writing a new file, which is kept afterwards. Its folder exists; a file of an earlier attempt is removed. */
    readonly newPath: (key: string) => Effect.Effect<string, Unavailable>
    /** Marks the file written to the new path, or grown, as complete. May be repeated. */
    readonly keep: (key: string) => Effect.Effect<void, Unavailable>
    /** Opens a file for appending after the first `keep` bytes; further ones are cut off. Fails if fewer exist. */
    readonly grow: (key: string, keep: number) => Effect.Effect<GrowingFile, Unavailable>
    /**
     * Address at which clients get the bytes directly from the storage, valid for six to seven hours and the same for an hour; null when
     * only this server serves them.
     */
    readonly linkTo: (key: string, contentType: string) => string | null
    /** Removes the bytes, sealed or not, and the files in their folder. Missing bytes count as success. */
    readonly remove: (key: string) => Effect.Effect<void, Unavailable>
    /** Files on this server's disk last written before a time (Unix milliseconds). */
    readonly filesBefore: (time: number) => Effect.Effect<ReadonlyArray<StoredName>, Unavailable>
    /** Bytes that may be stored before too little is left on the disk. */
    readonly free: Effect.Effect<number, Unavailable>
    /** Stores something small and removes it; returns `free`, without creating a folder. Fails where bytes cannot be stored. */
    readonly probe: Effect.Effect<number, Unavailable>
  }
>()("gathercue/MediaStorage") {}

/** Key of a recording's bytes, spread over 256 folders of its workspace by the last, random digits of the id. */
export const storageKeyOf = (workspaceId: string, id: string): string => `${workspaceId}/${id.slice(-2)}/${id}`

/** Suffix of a recording made by the media server. */
export const ROOM_ENDING = ".mp4"

/** Folder in which the media server puts files beside a recording that it makes. */
export const folderOf = (key: string): string => `${key}.hls/`

/** Size of a stored file; null when there is none. The file is closed even when the caller is interrupted while it is opened. */
export const sizeOfStored = (
  storage: Pick<MediaStorage["Service"], "open">,
  key: string,
): Effect.Effect<number | null, Unavailable> =>
  Effect.acquireRelease(storage.open(key), (file) => (file === null ? Effect.void : Effect.promise(file.close))).pipe(
    Effect.map((file) => file?.size ?? null),
    Effect.scoped,
  )
