/**
 * Media in the data folder. An upload is written to `<key>.part`, whose size is the offset at which the next request goes on: after
 * a crash it says what is there. Sealing renames it, so that a key that can be opened is whole.
 */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open, rename, rm, stat, statfs } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"
import { Effect, Layer } from "effect"
import { Unavailable } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { DiskUpload } from "./disk-upload.ts"
import { type GrowingFile, MediaStorage, OffsetMismatch, type StoredFile, type UploadOptions } from "./storage.ts"

export interface DiskStorageOptions {
  readonly folder: string
  /** Bytes that stay free on the disk. */
  readonly minFreeBytes: number
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? ""

/** Null where there is nothing. */
const orNull = <A>(work: Promise<A>): Promise<A | null> =>
  work.catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return null
    throw cause
  })

const sizeOf = async (path: string): Promise<number | null> => (await orNull(stat(path)))?.size ?? null

/** A rename is kept by the folder, which must be on the disk before the caller is answered. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** A symbolic link in the place of a file is refused. */
const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/** Writes all of the chunks; the system may take fewer bytes at once. */
const writeAt = async (file: FileHandle, chunks: ReadonlyArray<Uint8Array>, position: number): Promise<number> => {
  const bytes = Buffer.concat(chunks)
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written)
    written += bytesWritten
  }
  await file.datasync()
  return position + bytes.byteLength
}

const growingFile = async (path: string, keep: number): Promise<GrowingFile> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    const { size } = await file.stat()
    if (size < keep) throw new Error(`a file has ${size} bytes of the ${keep} that its rows name`)
    await file.truncate(keep)
    if (keep === 0) await syncFolder(path)
  } catch (cause) {
    await file.close()
    throw cause
  }
  let position = keep
  return {
    append: async (chunks) => {
      position = await writeAt(file, chunks, position)
    },
    close: () => file.close(),
  }
}

const make = (
  { folder, minFreeBytes }: DiskStorageOptions,
  log: Telemetry["Service"]["log"],
): MediaStorage["Service"] => {
  const root = resolve(folder)
  const pathOf = (key: string): string => {
    const path = join(root, key)
    if (!path.startsWith(root + sep)) throw new Error("a storage key leads out of its folder")
    return path
  }
  const partOf = (key: string): string => `${pathOf(key)}.part`
  /** The request that writes each upload now. */
  const writers = new Map<string, DiskUpload>()

  const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, Unavailable> =>
    Effect.tryPromise({
      try: work,
      catch: (cause) => {
        log.error({ err: cause }, `media: ${what} failed`)
        const detail =
          codeOf(cause) === "ENOSPC" ? "The disk for media is full." : "The storage of media is not available."
        return new Unavailable({ detail, retryAfterSeconds: 30 })
      },
    })

  const openPart = async (key: string, options: UploadOptions): Promise<DiskUpload | OffsetMismatch> => {
    await writers.get(key)?.cut()
    const path = partOf(key)
    const size = (await sizeOf(path)) ?? 0
    if (options.offset !== null && options.offset !== size) return new OffsetMismatch({ offset: size })
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600)
    if (options.offset === null) await file.truncate(0)
    // Two requests may have waited for the same one to be cut: the later wins.
    await writers.get(key)?.cut()
    const upload: DiskUpload = new DiskUpload(file, options.offset ?? 0, options, {
      onClosed: () => {
        if (writers.get(key) === upload) writers.delete(key)
      },
      onFailure: (cause) => log.error({ err: cause }, "media: an upload could not be written"),
    })
    writers.set(key, upload)
    return upload
  }

  return {
    pathOf,
    newPath: (key) =>
      attempt("making room for a file", async () => {
        const path = partOf(key)
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await rm(path, { force: true })
        return path
      }),
    upload: (key, options) =>
      Effect.flatMap(
        attempt("opening an upload", () => openPart(key, options)),
        (opened) => (opened instanceof OffsetMismatch ? Effect.fail(opened) : Effect.succeed(opened)),
      ),
    uploaded: (key) => attempt("reading an upload's size", () => sizeOf(partOf(key))),
    seal: (key) =>
      attempt("sealing an upload", async () => {
        await writers.get(key)?.cut()
        const path = pathOf(key)
        const moved = await orNull(rename(partOf(key), path).then(() => true))
        if (moved === true) await syncFolder(path)
        return sizeOf(path)
      }),
    open: (key) =>
      attempt("opening media", async (): Promise<StoredFile | null> => {
        const file = await orNull(open(pathOf(key), O_RDONLY | O_NOFOLLOW))
        if (file === null) return null
        const { size } = await file.stat()
        return {
          size,
          read: async (into, position) => (await file.read(into, 0, into.byteLength, position)).bytesRead,
          close: () => file.close(),
        }
      }),
    grow: (key, keep) => attempt("opening a growing file", () => growingFile(pathOf(key), keep)),
    remove: (key) =>
      attempt("removing media", async () => {
        await writers.get(key)?.cut()
        await rm(partOf(key), { force: true })
        await rm(pathOf(key), { force: true })
      }),
    free: attempt("reading the free space", async () => {
      await mkdir(root, { recursive: true, mode: 0o700 })
      const { bavail, bsize } = await statfs(root)
      return Math.max(0, bavail * bsize - minFreeBytes)
    }),
  }
}

export const diskStorageLayer = (options: DiskStorageOptions): Layer.Layer<MediaStorage, never, Telemetry> =>
  Layer.effect(
    MediaStorage,
    Effect.map(Telemetry, ({ log }) => make(options, log)),
  )
