/**
 * Media in the data folder. An upload is written to `<key>.part`, whose size is the offset at which the next request continues: after a
 * crash it shows what is stored. Sealing renames it, so that a key that can be opened is complete.
 */
import { constants } from "node:fs"
import { mkdir, open, rename, rm, stat, statfs, writeFile } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"
import { Effect, Layer } from "effect"
import { Conflict, Unavailable } from "../../model/errors.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { codeOf, filesBefore, growingFile, orNull, sizeOf, syncFolder } from "./disk-files.ts"
import { DiskParts } from "./disk-parts.ts"
import { DiskUpload, openForUpload } from "./disk-upload.ts"
import {
  type Arrived,
  DISK_FULL,
  MediaStorage,
  OffsetMismatch,
  type StoredFile,
  type UploadOptions,
} from "./storage.ts"
import { TurnsByKey } from "./turns.ts"

/** A symbolic link in place of a file is refused. */
const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants

/** Later bytes would replace those that are inspected, or be acknowledged and lost. */
const SEALED = new Conflict({ detail: "The upload was completed; it takes no more bytes." })

/** The folder, or its nearest existing parent. */
const nearest = async (folder: string): Promise<string> =>
  (await orNull(stat(folder))) === null ? nearest(dirname(folder)) : folder

export interface DiskStorageOptions {
  readonly folder: string
  /** Bytes to keep free on the disk. */
  readonly minFreeBytes: number
}

/** `pathOf` is the present or future path of a key's file. */
export type DiskStorage = MediaStorage["Service"] & { readonly pathOf: (key: string) => string }

export const diskStorage = (
  { folder, minFreeBytes }: DiskStorageOptions,
  log: Telemetry["Service"]["log"],
): DiskStorage => {
  const root = resolve(folder)
  const pathOf = (key: string): string => {
    const path = join(root, key)
    if (!path.startsWith(root + sep)) throw new Error("a storage key leads out of its folder")
    return path
  }
  const partialOf = (key: string): string => `${pathOf(key)}.part`
  /** Intermediate MP4 of a transport stream, left behind by a killed cut (`media/processing/cut.ts`). */
  const wholeOf = (key: string): string => `${partialOf(key)}.mp4`
  const parts = new DiskParts(pathOf, (cause) => log.error({ err: cause }, "media: a part could not be written"))
  /** The request that currently writes each upload. */
  const writers = new Map<string, DiskUpload>()
  /** Serialises each upload: a request is opened, and the upload sealed and removed, once the previous request no longer writes. */
  const turns = new TurnsByKey()

  const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, Unavailable> =>
    Effect.tryPromise({
      try: work,
      catch: (cause) => {
        log.error({ err: cause }, `media: ${what} failed`)
        if (codeOf(cause) === "ENOSPC") return DISK_FULL
        return new Unavailable({ detail: "The storage of media is not available.", retryAfterSeconds: 30 })
      },
    })

  const isSealed = async (key: string): Promise<boolean> => (await sizeOf(pathOf(key))) !== null

  const openPartial = async (key: string, options: UploadOptions): Promise<DiskUpload | Conflict | OffsetMismatch> => {
    if (await isSealed(key)) return SEALED
    await writers.get(key)?.cut()
    const path = partialOf(key)
    const size = (await sizeOf(path)) ?? 0
    if (options.offset !== null && options.offset !== size) return new OffsetMismatch({ offset: size })
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await openForUpload(path, options.offset === null)
    const upload: DiskUpload = new DiskUpload(file, options.offset ?? 0, options, {
      onClosed: () => {
        if (writers.get(key) === upload) writers.delete(key)
      },
      onFailure: (cause) => log.error({ err: cause }, "media: an upload could not be written"),
      undo: () => (options.offset === null ? rm(path, { force: true }) : file.truncate(options.offset)),
    })
    writers.set(key, upload)
    return upload
  }

  /** A missing file was moved before. */
  const moveTo = async (from: string, path: string): Promise<void> => {
    const moved = await orNull(rename(from, path).then(() => true))
    if (moved === true) await syncFolder(path)
  }

  const sealed = async (key: string, isInParts: boolean): Promise<number | null> => {
    await writers.get(key)?.cut()
    await parts.end(key)
    await moveTo(isInParts ? parts.dataPath(key) : partialOf(key), pathOf(key))
    const size = await sizeOf(pathOf(key))
    // Bytes of the other form, and the journal, are no longer needed.
    if (size !== null) await Promise.all([parts.remove(key), rm(partialOf(key), { force: true })])
    return size
  }

  const freeBytes = async (of: string): Promise<number> => {
    const { bavail, bsize } = await statfs(of)
    return Math.max(0, bavail * bsize - minFreeBytes)
  }

  const arrived = async (key: string): Promise<Arrived> => {
    const whole = await sizeOf(partialOf(key))
    const stored = (await parts.stored(key)) ?? []
    // Checked last: until it is sealed, its bytes have another name.
    const sealed = await sizeOf(pathOf(key))
    if (sealed !== null) return { kind: "sealed", sizeBytes: sealed }
    const sizeBytes = stored.reduce((sum, part) => sum + part.sizeBytes, 0)
    // A client may have switched from one form to the other.
    if (stored.length > 0 && sizeBytes >= (whole ?? 0)) return { kind: "parts", parts: stored }
    return whole === null ? { kind: "nothing" } : { kind: "whole", sizeBytes: whole }
  }

  return {
    isDirect: false,
    begin: () => Effect.succeed(null),
    uploadAddress: () => null,
    pathOf,
    newPath: (key) =>
      attempt("making room for a file", async () => {
        const path = partialOf(key)
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await Promise.all([rm(path, { force: true }), rm(wholeOf(key), { force: true })])
        return path
      }),
    upload: (key, options) =>
      Effect.flatMap(
        attempt("opening an upload", () => turns.take(key, () => openPartial(key, options))),
        (opened) =>
          opened instanceof Conflict || opened instanceof OffsetMismatch ? Effect.fail(opened) : Effect.succeed(opened),
      ),
    uploaded: (key) => attempt("reading an upload's size", () => sizeOf(partialOf(key))),
    uploadPart: (key, part, events) =>
      Effect.flatMap(
        attempt("opening a part", () =>
          turns.take(key, async () => ((await isSealed(key)) ? SEALED : parts.open(key, part, events))),
        ),
        (opened) => (opened instanceof Conflict ? Effect.fail(opened) : Effect.succeed(opened)),
      ),
    arrived: ({ key }) => attempt("reading what was uploaded", () => arrived(key)),
    seal: ({ key }, stored) => attempt("sealing an upload", () => turns.take(key, () => sealed(key, stored !== null))),
    source: (key) => Effect.succeed({ path: pathOf(key) }),
    keep: (key) => attempt("keeping a file", () => moveTo(partialOf(key), pathOf(key))),
    open: (key) =>
      attempt("opening media", async (): Promise<StoredFile | null> => {
        const file = await orNull(open(pathOf(key), O_RDONLY | O_NOFOLLOW))
        if (file === null) return null
        const { size } = await file.stat().catch(async (cause: unknown) => {
          await file.close()
          throw cause
        })
        return {
          size,
          read: async (into, position) => (await file.read(into, 0, into.byteLength, position)).bytesRead,
          close: () => file.close(),
        }
      }),
    grow: (key, keep) => attempt("opening a growing file", () => growingFile(pathOf(key), keep)),
    linkTo: () => null,
    remove: (key) =>
      attempt("removing media", () =>
        turns.take(key, async () => {
          await writers.get(key)?.cut()
          await parts.remove(key)
          for (const path of [wholeOf(key), partialOf(key), pathOf(key)]) await rm(path, { force: true })
        }),
      ),
    filesBefore: (time) => attempt("listing files", () => filesBefore(root, time)),
    free: attempt("reading the free space", async () => {
      await mkdir(root, { recursive: true, mode: 0o700 })
      return freeBytes(root)
    }),
    // A missing folder is not created for the probe.
    probe: attempt("writing to the folder", async () => {
      const existing = await nearest(root)
      const free = await freeBytes(existing)
      if (free === 0) throw Object.assign(new Error(`no room is left on the disk of ${existing}`), { code: "ENOSPC" })
      const path = join(existing, `.probe-${process.pid}`)
      await writeFile(path, "can be written", {
        flag: O_WRONLY | O_CREAT | O_NOFOLLOW | O_TRUNC,
        mode: 0o600,
        flush: true,
      })
      await rm(path, { force: true })
      return free
    }),
  }
}

export const diskStorageLayer = (options: DiskStorageOptions): Layer.Layer<MediaStorage, never, Telemetry> =>
  Layer.effect(
    MediaStorage,
    Effect.map(Telemetry, ({ log }) => diskStorage(options, log)),
  )
