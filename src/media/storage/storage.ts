/** Where the bytes of media are kept. Keys are ours: no text of a user is part of one. */
import { Context, Data, type Effect } from "effect"
import type { Unavailable } from "../../model/errors.ts"

/** An upload went on at another place than the one that the stored bytes end at. */
export class OffsetMismatch extends Data.TaggedError("OffsetMismatch")<{ readonly offset: number }> {}

/** Takes the bytes of one request. */
export interface UploadSink {
  /** False: the caller should pause until `onDrain` is called. The chunk is kept and must not be reused. */
  readonly write: (chunk: Uint8Array) => boolean
  /** Resolves to the upload's size when all bytes are on the disk, and rejects when they cannot be written. */
  readonly finish: () => Promise<number>
  /** Keeps the bytes that came, and closes the file. Resolves to the upload's size. */
  readonly abandon: () => Promise<number>
}

export interface UploadOptions {
  /** Bytes before it that are kept; null begins anew. */
  readonly offset: number | null
  /** May be called after a `write` that returned false. */
  readonly onDrain: () => void
  /** A newer request goes on with the same upload, or nothing can be written any more: no further chunk is taken. */
  readonly onCut: () => void
}

/** A stored file that is open for reading. */
export interface StoredFile {
  readonly size: number
  /** Fewer bytes than wanted only at the end of the file. */
  readonly read: (into: Uint8Array, position: number) => Promise<number>
  readonly close: () => Promise<void>
}

/** A file that can be read while it grows. */
export interface GrowingFile {
  /** Resolves when the bytes are on the disk. One at a time. */
  readonly append: (chunks: ReadonlyArray<Uint8Array>) => Promise<void>
  readonly close: () => Promise<void>
}

export class MediaStorage extends Context.Service<
  MediaStorage,
  {
    /** Opens the upload for one request; a request before it that is still open is cut off. */
    readonly upload: (key: string, options: UploadOptions) => Effect.Effect<UploadSink, OffsetMismatch | Unavailable>
    /** Bytes of the upload so far; null when nothing came. */
    readonly uploaded: (key: string) => Effect.Effect<number | null, Unavailable>
    /** Ends the upload: from now on the key can be opened. Resolves to its size; null when nothing came. May be repeated. */
    readonly seal: (key: string) => Effect.Effect<number | null, Unavailable>
    /** Null: no such bytes. */
    readonly open: (key: string) => Effect.Effect<StoredFile | null, Unavailable>
    /** The sealed file's path, for the process that inspects it. */
    readonly pathOf: (key: string) => string
    /** A path to write a new file to, which is sealed afterwards. Its folder is there; an earlier try's file is not. */
    readonly newPath: (key: string) => Effect.Effect<string, Unavailable>
    /** Opens a file to which bytes are added behind the first `keep` ones; all others are cut off. Fails if fewer are there. */
    readonly grow: (key: string, keep: number) => Effect.Effect<GrowingFile, Unavailable>
    /** Removes the bytes, sealed or not. Nothing there is success. */
    readonly remove: (key: string) => Effect.Effect<void, Unavailable>
    /** Bytes that may be stored before too little is left on the disk. */
    readonly free: Effect.Effect<number, Unavailable>
  }
>()("gathercue/MediaStorage") {}

/** The key of a recording's bytes: spread over 256 folders of its workspace by the id's last, random digits. */
export const storageKeyOf = (workspaceId: string, id: string): string => `${workspaceId}/${id.slice(-2)}/${id}`
