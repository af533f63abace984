/**
 * Where the bytes of media are kept: on this server's disk, or at a storage of the operator's (S3) that clients reach themselves. Keys
 * are ours: no text of a user is part of one.
 */
import { Context, Data, Effect } from "effect"
import { type Conflict, Unavailable } from "../../model/errors.ts"
import type { Part, StoredPart } from "../../model/media/upload-parts.ts"

/** An upload went on at another place than the one that the stored bytes end at. */
export class OffsetMismatch extends Data.TaggedError("OffsetMismatch")<{ readonly offset: number }> {}

export const DISK_FULL = new Unavailable({ detail: "The disk for media is full.", retryAfterSeconds: 60 })

/** Takes the bytes of one request. */
export interface UploadSink {
  /** False: the caller should pause until `onDrain` is called. The chunk is copied. */
  readonly write: (chunk: Uint8Array) => boolean
  /** Resolves to the upload's size when all bytes are on the disk, and rejects when they cannot be written. */
  readonly finish: () => Promise<number>
  /** Keeps the bytes that came, and closes the file. Resolves to the upload's size. */
  readonly abandon: () => Promise<number>
  /** As if the request had not come: gives the room of its bytes back. */
  readonly discard: () => Promise<void>
}

/** Takes the bytes of one part. */
export interface PartSink {
  readonly write: (chunk: Uint8Array) => boolean
  /** Resolves to the part's etag when it is stored. Rejects with `Conflict` when too few bytes came, or other ones than are stored. */
  readonly finish: () => Promise<string>
  /** The part counts as if nothing had come. */
  readonly abandon: () => Promise<void>
}

/** `taken`: a newer request has the upload or part; `full`: the disk is; `broken`: it refuses bytes. */
export type CutReason = "taken" | "full" | "broken"

/** The reason of an error while bytes were written. */
export const cutReasonOf = (cause: unknown): CutReason =>
  (cause as NodeJS.ErrnoException).code === "ENOSPC" ? "full" : "broken"

export interface UploadEvents {
  /** May be called after a `write` that returned false. */
  readonly onDrain: () => void
  /** No further chunk is taken. */
  readonly onCut: (reason: CutReason) => void
}

export interface UploadOptions extends UploadEvents {
  /** Bytes before it that are kept; null begins anew. */
  readonly offset: number | null
}

/** The upload of one object. */
export interface Upload {
  readonly key: string
  /** Of the storage that takes the bytes itself; null: they come through this server. */
  readonly uploadId: string | null
}

/** The bytes of an upload that have arrived. */
export type Arrived =
  | { readonly kind: "nothing" }
  | { readonly kind: "whole"; readonly sizeBytes: number }
  | { readonly kind: "parts"; readonly parts: ReadonlyArray<StoredPart> }
  /** It was sealed before. */
  | { readonly kind: "sealed"; readonly sizeBytes: number }

/** A client that gets bytes from the storage itself. */
export interface GivenAway {
  readonly method: "GET" | "HEAD"
  readonly contentType: string
  /** As in `Content-Disposition`. */
  readonly disposition: string
}

/** Where the process for media reads bytes. An address holds all that it takes to read them. */
export type MediaSource = { readonly path: string } | { readonly url: string; readonly sizeBytes: number }

/** A stored file that is open for reading. */
export interface StoredFile {
  readonly size: number
  /** Fewer bytes than wanted only at the end of the file. */
  readonly read: (into: Uint8Array, position: number) => Promise<number>
  readonly close: () => Promise<void>
  /** Where a client gets the bytes from the storage itself. Absent: only through this server. */
  readonly addressFor?: (given: GivenAway) => string
}

/** A file that can be read while it grows. */
export interface GrowingFile {
  /** Resolves when the bytes are on the disk. One at a time. */
  readonly append: (chunks: ReadonlyArray<Uint8Array>) => Promise<void>
  readonly close: () => Promise<void>
}

/** The name of a stored file: its key has the ids of its workspace and of its recording or clip. */
export interface StoredName {
  readonly key: string
  readonly workspaceId: string
  readonly id: string
}

export class MediaStorage extends Context.Service<
  MediaStorage,
  {
    /** Clients put bytes at the storage itself. It takes as many as they send, unless their number was announced. */
    readonly isDirect: boolean
    /** Begins an upload at the storage itself. Null: its bytes come through this server. */
    readonly begin: (key: string) => Effect.Effect<string | null, Unavailable>
    /** Where a client puts a part, or as the only part the whole. Null: at this server. `sizeBytes`: null if it was not announced. */
    readonly uploadAddress: (
      upload: Upload,
      part: { readonly number: number; readonly sizeBytes: number | null },
      expiresInSeconds: number,
    ) => string | null
    /** Opens the upload for one request; a request before it that is still open is cut off. One that was sealed is refused. */
    readonly upload: (
      key: string,
      options: UploadOptions,
    ) => Effect.Effect<UploadSink, Conflict | OffsetMismatch | Unavailable>
    /** Opens a part for one request; a request before it for the same part is cut off. An upload that was sealed is refused. */
    readonly uploadPart: (
      key: string,
      part: Part,
      events: UploadEvents,
    ) => Effect.Effect<PartSink, Conflict | Unavailable>
    /** Bytes of the upload so far, if it is not in parts; null when nothing came. */
    readonly uploaded: (key: string) => Effect.Effect<number | null, Unavailable>
    readonly arrived: (upload: Upload) => Effect.Effect<Arrived, Unavailable>
    /**
     * Ends the upload: from now on the key can be opened. `parts`: all of them, of an upload in parts. Resolves to the size; null when
     * nothing came. May be repeated.
     */
    readonly seal: (
      upload: Upload,
      parts: ReadonlyArray<StoredPart> | null,
    ) => Effect.Effect<number | null, Conflict | Unavailable>
    /** Null: no such bytes. */
    readonly open: (key: string) => Effect.Effect<StoredFile | null, Unavailable>
    /** Stored bytes, for the process that inspects and cuts them. */
    readonly source: (key: string) => Effect.Effect<MediaSource, Unavailable>
    /** A path to write a new file to, which is kept afterwards. Its folder is there; an earlier try's file is not. */
    readonly newPath: (key: string) => Effect.Effect<string, Unavailable>
    /** The file that was written to the new path, or grew, is whole. May be repeated. */
    readonly keep: (key: string) => Effect.Effect<void, Unavailable>
    /** Opens a file to which bytes are added behind the first `keep` ones; all others are cut off. Fails if fewer are there. */
    readonly grow: (key: string, keep: number) => Effect.Effect<GrowingFile, Unavailable>
    /** Where clients get the bytes from the storage itself, for six to seven hours; the same for an hour. Null: only through this server. */
    readonly linkTo: (key: string, contentType: string) => string | null
    /** Removes the bytes, sealed or not, and what is in their folder. Nothing there is success. */
    readonly remove: (key: string) => Effect.Effect<void, Unavailable>
    /** Files on this server's disk that were last written before a time (Unix milliseconds). */
    readonly filesBefore: (time: number) => Effect.Effect<ReadonlyArray<StoredName>, Unavailable>
    /** Bytes that may be stored before too little is left on the disk. */
    readonly free: Effect.Effect<number, Unavailable>
    /** Stores something small and removes it; gives `free`, without making a folder. Fails where bytes cannot be stored. */
    readonly probe: Effect.Effect<number, Unavailable>
  }
>()("gathercue/MediaStorage") {}

/** The key of a recording's bytes: spread over 256 folders of its workspace by the id's last, random digits. */
export const storageKeyOf = (workspaceId: string, id: string): string => `${workspaceId}/${id.slice(-2)}/${id}`

/** A recording that the media server makes ends so. */
export const ROOM_ENDING = ".mp4"

/** Where the media server puts files beside a recording that it makes. */
export const folderOf = (key: string): string => `${key}.hls/`

/** Bytes of a stored file; null: there is none. The file is closed, also when the caller is interrupted while it is opened. */
export const sizeOfStored = (
  storage: Pick<MediaStorage["Service"], "open">,
  key: string,
): Effect.Effect<number | null, Unavailable> =>
  Effect.acquireRelease(storage.open(key), (file) => (file === null ? Effect.void : Effect.promise(file.close))).pipe(
    Effect.map((file) => file?.size ?? null),
    Effect.scoped,
  )
