/**
 * Media in an S3 bucket. Clients put and get the bytes there, at presigned addresses. Every upload is a multipart upload, even of a single
 * part: its addresses end when it is completed, so that nobody can replace inspected bytes.
 *
 * Files written by this server (clips, the takes of broadcasts) are on its disk until they are complete. With several nodes any of them may
 * continue a take, so takes grow in the bucket (`grown-files.ts`). Files on the disk are read from there, including those stored before the
 * bucket was configured.
 */
import { stat } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { currentTimers } from "../../../clock/timers.ts"
import { Conflict, Unavailable } from "../../../model/errors.ts"
import { Telemetry } from "../../../telemetry/telemetry.ts"
import { orNull } from "../disk-files.ts"
import { type DiskStorageOptions, diskStorage } from "../disk-storage.ts"
import {
  type Arrived,
  folderOf,
  type GivenAway,
  MediaStorage,
  ROOM_ENDING,
  type StoredFile,
  type Upload,
} from "../storage.ts"
import { GrownFiles } from "./grown-files.ts"
import { presigned, type S3Settings } from "./presign.ts"
import { DEADLINES, S3Bucket, type S3Deadlines, S3Failed } from "./s3-bucket.ts"

/** An opened player works for six hours; the redirection may be cached for one. */
const WATCH_SECONDS = 7 * 3600
const INSPECT_SECONDS = 3600
const HOUR_MS = 3_600_000

/** Whether the storage refused the request itself, rather than the key or the number of requests. */
const isRefusal = ({ status }: S3Failed): boolean => status >= 400 && status < 500 && status !== 403 && status !== 429

const refusedOr = (cause: unknown): S3Failed => {
  if (cause instanceof S3Failed && isRefusal(cause)) return cause
  throw cause
}

/** Key for the probe, whose upload is begun and aborted without storing anything. */
const PROBE_KEY = "gathercue-probe"

const AWAY = "The storage of media is not available."

interface S3StorageOptions {
  /** Options for all files written by this server, or for those that do not grow. */
  readonly disk: DiskStorageOptions
  readonly growsInBucket: boolean
}

export const s3Storage = (
  { disk, growsInBucket }: S3StorageOptions,
  settings: S3Settings,
  deadlines: S3Deadlines = DEADLINES,
): Effect.Effect<MediaStorage["Service"], never, Telemetry> =>
  Effect.gen(function* () {
    const { log } = yield* Telemetry
    const timers = yield* currentTimers
    const local = diskStorage(disk, log)
    const bucket = new S3Bucket(settings, deadlines)
    const grown = new GrownFiles(bucket)

    const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, Unavailable> =>
      Effect.tryPromise({
        try: work,
        catch: (cause) => {
          log.error({ err: cause }, `media: ${what} failed`)
          return new Unavailable({ detail: AWAY, retryAfterSeconds: 30 })
        },
      })

    const isHere = async (key: string): Promise<boolean> => (await orNull(stat(local.pathOf(key)))) !== null

    const addressOf = (key: string, { method, contentType, disposition }: GivenAway): string => {
      const query = { "response-content-type": contentType, "response-content-disposition": disposition }
      return presigned(settings, { method, key, query, expiresInSeconds: WATCH_SECONDS }, timers.now())
    }

    const fileOf = (key: string, size: number): StoredFile => ({
      size,
      read: async (into, position) => {
        const end = Math.min(size, position + into.byteLength)
        if (end <= position) return 0
        const bytes = await bucket.read(key, position, end)
        into.set(bytes.subarray(0, end - position))
        return Math.min(bytes.byteLength, end - position)
      },
      close: () => Promise.resolve(),
      addressFor: (given) => addressOf(key, given),
    })

    const arrived = async ({ key }: Upload, uploadId: string): Promise<Arrived> => {
      const parts = await bucket.parts(key, uploadId)
      if (parts !== null) return parts.length === 0 ? { kind: "nothing" } : { kind: "parts", parts }
      const sizeBytes = await bucket.size(key)
      return sizeBytes === null ? { kind: "nothing" } : { kind: "sealed", sizeBytes }
    }

    return MediaStorage.of({
      ...local,
      isDirect: true,
      begin: (key) => attempt("beginning an upload", () => bucket.begin(key)),
      uploadAddress: ({ key, uploadId }, { number, sizeBytes }, expiresInSeconds) => {
        if (uploadId === null) return null
        const query = { partNumber: String(number), uploadId }
        // S3 holds the client to the signed length.
        const headers: { readonly [name: string]: string } =
          sizeBytes === null ? {} : { "content-length": String(sizeBytes) }
        return presigned(settings, { method: "PUT", key, query, headers, expiresInSeconds }, timers.now())
      },
      arrived: (upload) => {
        const { uploadId } = upload
        if (uploadId === null) return local.arrived(upload)
        return attempt("reading what was uploaded", () => arrived(upload, uploadId))
      },
      seal: (upload, parts) => {
        const { key, uploadId } = upload
        if (uploadId === null) return local.seal(upload, parts)
        return Effect.tryPromise({
          try: async () => {
            const refusal = parts === null ? null : await bucket.join(key, uploadId, parts).catch(refusedOr)
            const size = await bucket.size(key)
            // Refused although the object exists, because another caller joined the parts. Servers report that differently.
            if (size === null && refusal instanceof S3Failed) throw refusal
            return size
          },
          catch: (cause) => {
            log.error({ err: cause }, "media: sealing an upload failed")
            return cause instanceof S3Failed && isRefusal(cause)
              ? new Conflict({ detail: "The storage refused to join the parts; send those that changed again." })
              : new Unavailable({ detail: AWAY, retryAfterSeconds: 30 })
          },
        })
      },
      open: (key) =>
        Effect.flatMap(local.open(key), (file) =>
          file === null
            ? attempt("opening media", async () => {
                const size = await bucket.size(key)
                return size === null ? grown.open(key) : fileOf(key, size)
              })
            : Effect.succeed(file),
        ),
      source: (key) =>
        attempt("opening media", async () => {
          if (await isHere(key)) return { path: local.pathOf(key) }
          await grown.join(key)
          const sizeBytes = await bucket.size(key)
          if (sizeBytes === null) return { path: local.pathOf(key) }
          const wanted = { method: "GET", key, expiresInSeconds: INSPECT_SECONDS } as const
          return { url: presigned(settings, wanted, timers.now()), sizeBytes }
        }),
      keep: (key) =>
        Effect.gen(function* () {
          yield* local.keep(key)
          yield* attempt("storing a file", async () => {
            const found = await orNull(stat(local.pathOf(key)))
            if (found === null) {
              await grown.join(key)
              return
            }
            await bucket.store(key, local.pathOf(key))
            const size = await bucket.size(key)
            if (size !== found.size) throw new Error(`a stored file has ${size} bytes, not ${found.size}`)
          })
          yield* local.remove(key)
        }),
      grow: (key, keep) =>
        Effect.flatMap(
          attempt("opening media", () => isHere(key)),
          (here) =>
            here || !growsInBucket
              ? local.grow(key, keep)
              : attempt("opening a growing file", () => grown.grow(key, keep)),
        ),
      remove: (key) =>
        Effect.andThen(
          local.remove(key),
          attempt("removing media", async () => {
            if (key.endsWith(ROOM_ENDING)) await bucket.removeFolder(folderOf(key))
            else await grown.remove(key)
            await bucket.remove(key)
          }),
        ),
      // Probes the disk too, where files made by this server are written first.
      probe: Effect.tap(
        local.probe,
        attempt("beginning an upload on trial", async () => {
          await bucket.begin(PROBE_KEY)
          await bucket.remove(PROBE_KEY)
        }),
      ),
      linkTo: (key, contentType) => {
        const query = { "response-content-type": contentType }
        const since = Math.floor(timers.now() / HOUR_MS) * HOUR_MS
        return presigned(settings, { method: "GET", key, query, expiresInSeconds: WATCH_SECONDS }, since)
      },
    })
  })

export const s3StorageLayer = (
  options: S3StorageOptions,
  settings: S3Settings,
): Layer.Layer<MediaStorage, never, Telemetry> => Layer.effect(MediaStorage, s3Storage(options, settings))
