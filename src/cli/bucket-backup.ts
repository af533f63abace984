/**
 * Backups of a data folder in a bucket. A file is an object named by its hash, so a backup stores only what has changed since earlier ones;
 * the list of its files, which is written last, is the backup. Layout under a prefix: `backups/<time>.json` and `objects/<hash>`. One
 * installation has one prefix.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, open, readdir, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Schema } from "effect"
import type { Config } from "../config/config.ts"
import { bucketOf } from "../media/livekit/bucket-address.ts"
import { DEADLINES, S3Bucket, S3Failed } from "../media/storage/s3/s3-bucket.ts"
import { toTimestamp } from "../model/timestamp.ts"
import { answerForBackups, beginBackup, endBackup, isOfAnother, noteBackup } from "../store/backups/backups.ts"
import { attachEmbeddedPostgres } from "../store/embedded/attach.ts"
import { backUpDatabase } from "../store/embedded/backup.ts"
import { type CopiedFile, describeFile, forEachOf } from "../store/embedded/copy-files.ts"
import { usable } from "../store/open-database.ts"
import { withSession } from "../store/pool/session.ts"
import {
  bytesOf,
  DATABASE,
  FORMAT,
  KEY_FILE,
  MANIFEST,
  ManifestFields,
  MEDIA,
  megabytes,
  ownerIn,
  SESSION,
} from "./backup-files.ts"
import { CommandFailed } from "./command-failed.ts"

const LIMITS = { connectMs: 10_000, withinMs: 24 * 3_600_000 }
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/
const CHUNK_BYTES = 16 * 1024 ** 2
/** Bounded, because each has a part of its file in memory. */
const FILES_AT_ONCE = 4

/** Lists folders too, because PostgreSQL needs its empty ones. */
const List = Schema.fromJsonString(Schema.Struct({ ...ManifestFields, folders: Schema.Array(Schema.String) }))

/** A location of backups, and optionally the name of one of them. */
interface BucketPlace {
  readonly shown: string
  readonly bucket: S3Bucket
  readonly prefix: string
  readonly name: string | null
}

export const isBucketPlace = (target: string): boolean => target.startsWith("s3://")

/** `s3://bucket/prefix`, or `s3://bucket/prefix/<time>` for one backup. @throws CommandFailed */
export const placeIn = ({ s3 }: Config["backup"], target: string, deadlines = DEADLINES): BucketPlace => {
  const [bucket = "", ...parts] = target.slice("s3://".length).split("/")
  const path = parts.filter((part) => part !== "")
  const last = path.at(-1) ?? ""
  const name = NAME.test(last) ? last : null
  const prefix = (name === null ? path : path.slice(0, -1)).join("/")
  if (bucket === "" || prefix === "") throw new CommandFailed(`${target} is not s3://bucket/prefix.`)
  if (s3 === null) throw new CommandFailed("S3_URL or BACKUP_S3_URL, with an access key, must be set for s3:// places.")
  const { endpoint, forcePathStyle } = bucketOf(s3.url)
  const url = forcePathStyle ? `${endpoint}/${bucket}` : endpoint.replace("://", `://${bucket}.`)
  return { shown: `s3://${bucket}/${prefix}`, bucket: new S3Bucket({ ...s3, url }, deadlines), prefix, name }
}

/** Reports the bucket's refusal in one sentence. */
const inBucket = async <A>({ shown }: BucketPlace, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof S3Failed ? new CommandFailed(`${shown} cannot be used (${cause.message}).`) : cause
  }
}

const objectOf = ({ prefix }: BucketPlace, sha256: string): string => `${prefix}/objects/${sha256}`
const listOf = ({ prefix }: BucketPlace, name: string): string => `${prefix}/backups/${name}.json`

/** Time of the backup with that name. */
const timeOf = (name: string): string => name.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:")

/** Names of all backups, oldest first. */
const namesIn = async ({ bucket, prefix }: BucketPlace): Promise<ReadonlyArray<string>> => {
  const keys = await bucket.list(`${prefix}/backups/`)
  return keys.map(({ key }) => key.slice(`${prefix}/backups/`.length, -".json".length)).filter((key) => NAME.test(key))
}

const readAll = async (bucket: S3Bucket, key: string): Promise<Buffer> => {
  const bytes = (await bucket.size(key)) ?? 0
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    chunks.push(await bucket.read(key, at, Math.min(bytes, at + CHUNK_BYTES)))
  }
  return Buffer.concat(chunks)
}

const readList = async (place: BucketPlace, name: string) => {
  const text = (await readAll(place.bucket, listOf(place, name))).toString("utf8")
  const list = Schema.decodeUnknownResult(List)(text)
  const isOurs = list._tag === "Success" && list.success.files.every(({ path }) => !path.split("/").includes(".."))
  if (!isOurs) throw new CommandFailed(`${place.shown}/${name} is no backup that this build can read.`)
  return { text, ...list.success }
}

/** Returns false when the file has changed since it was described, and is not stored. */
const storeFile = async (place: BucketPlace, { bytes, sha256 }: CopiedFile, path: string): Promise<boolean> => {
  const hash = createHash("sha256")
  const file = await open(path, "r")
  try {
    await place.bucket.storeFrom(objectOf(place, sha256), bytes, async (position, size) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, position)
      hash.update(buffer.subarray(0, bytesRead))
      return buffer
    })
  } finally {
    await file.close()
  }
  if (hash.digest("hex") === sha256) return true
  await place.bucket.remove(objectOf(place, sha256))
  return false
}

/** Complete media files do not change, so those of the previous backup are not read again. */
const describeMedia = async (
  dataDir: string,
  before: { readonly at: number; readonly files: ReadonlyArray<CopiedFile> },
): Promise<ReadonlyArray<CopiedFile>> => {
  if (!existsSync(join(dataDir, MEDIA))) return []
  const known = new Map(before.files.map((file) => [file.path, file]))
  const names = await readdir(join(dataDir, MEDIA), { recursive: true, withFileTypes: true })
  const paths = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name))
  const described: CopiedFile[] = []
  await forEachOf(paths, async (full) => {
    const path = full.slice(dataDir.length + 1)
    // A file removed meanwhile is left out.
    const found = await stat(full).catch(() => undefined)
    const same = known.get(path)
    if (found !== undefined && same?.bytes === found.size && found.mtimeMs < before.at) described.push(same)
    else if (found !== undefined) described.push(await describeFile(dataDir, path))
  })
  return described
}

const storeAll = async (place: BucketPlace, files: ReadonlyArray<CopiedFile>, rootOf: (path: string) => string) => {
  const there = await place.bucket.list(`${place.prefix}/objects/`)
  const stored = new Set(there.map(({ key }) => key))
  const missing = new Map(files.map((file) => [file.sha256, file]))
  for (const sha256 of [...missing.keys()]) if (stored.has(objectOf(place, sha256))) missing.delete(sha256)
  const changed = new Set<string>()
  await forEachOf(
    [...missing.values()],
    async (file) => {
      if (!(await storeFile(place, file, join(rootOf(file.path), file.path)))) changed.add(file.sha256)
    },
    FILES_AT_ONCE,
  )
  return { changed, missing: [...missing.values()] }
}

/** Removes the oldest backups, and the objects that no other one names. */
const prune = async (place: BucketPlace, keep: number): Promise<void> => {
  const names = await namesIn(place)
  const old = names.slice(0, -keep)
  if (old.length === 0) return
  const needed = new Set<string>()
  for (const name of names.slice(-keep)) {
    for (const { sha256 } of (await readList(place, name)).files) needed.add(objectOf(place, sha256))
  }
  await place.bucket.removeAll(old.map((name) => listOf(place, name)))
  const objects = await place.bucket.list(`${place.prefix}/objects/`)
  await place.bucket.removeAll(objects.map(({ key }) => key).filter((key) => !needed.has(key)))
}

/** A backup that cannot be read saves the next one nothing, and does not prevent it. */
const lastOf = async (place: BucketPlace) => {
  const name = (await namesIn(place)).at(-1)
  const list = name === undefined ? undefined : await readList(place, name).catch(() => undefined)
  return list === undefined ? { at: 0, files: [] } : { at: Date.parse(list.madeAt), files: list.files }
}

const REFUSALS = {
  busy: "Another backup to a bucket is being made.",
  quiet: "The database is a copy, whose backups would take the place of the original's: run gathercue promote first.",
} as const

const OF_ANOTHER =
  "which this database does not know: another server runs on a copy of it, or this one is an older copy. Stop the one that is not real, or give it another BACKUP_TO, and run gathercue promote at the real one."

/** Resolves to a message for the operator. @throws CommandFailed */
export const backUpToBucket = async (dataDir: string, place: BucketPlace, keep: number): Promise<string> => {
  const attached = await attachEmbeddedPostgres({ dataDir, onLog: () => {} })
  const partial = join(dataDir, "backup.partial")
  const work = () =>
    withSession(attached.url, SESSION, LIMITS, async ({ sql }) => {
      const readiness = await beginBackup(sql)
      if (readiness !== "ready") throw new CommandFailed(REFUSALS[readiness])
      try {
        const newest = (await namesIn(place)).at(-1)
        if (newest !== undefined && (await isOfAnother(sql, timeOf(newest)))) {
          throw new CommandFailed(`${place.shown} has a backup of ${timeOf(newest)}, ${OF_ANOTHER}`)
        }
        await rm(partial, { recursive: true, force: true })
        const madeAt = toTimestamp(Date.now())
        await mkdir(partial, { mode: 0o700 })
        const database = await backUpDatabase(attached.url, attached.data, join(partial, DATABASE))
        const folders = await readdir(partial, { recursive: true, withFileTypes: true })
        const all = [
          ...database.map((file) => ({ ...file, path: `${DATABASE}/${file.path}` })),
          ...(await describeMedia(dataDir, await lastOf(place))),
          ...(existsSync(join(dataDir, KEY_FILE)) ? [await describeFile(dataDir, KEY_FILE)] : []),
        ]
        const rootOf = (path: string): string => (path.startsWith(`${DATABASE}/`) ? partial : dataDir)
        const { changed, missing } = await storeAll(place, all, rootOf)
        // Belongs to an upload in progress; the database and its copies do not change.
        const files = all.filter(({ sha256 }) => !changed.has(sha256))
        const inside = folders
          .filter((one) => one.isDirectory())
          .map((one) => join(one.parentPath, one.name).slice(partial.length + 1))
        const list = Schema.encodeSync(List)({
          format: FORMAT,
          madeAt,
          ...(await ownerIn(dataDir)),
          files,
          folders: inside,
        })
        const name = madeAt.replaceAll(":", "-")
        await answerForBackups(sql, madeAt)
        await place.bucket.put(listOf(place, name), Buffer.from(list))
        await noteBackup(sql, bytesOf(files))
        await prune(place, keep)
        return `${place.shown}/${name}: ${megabytes(files)}, of which ${megabytes(missing)} were new`
      } finally {
        await rm(partial, { recursive: true, force: true })
        await endBackup(sql).catch(() => {})
      }
    })
  try {
    return await inBucket(place, () => usable(`The database in ${dataDir}`, work))
  } finally {
    await attached.stop()
  }
}

/** Fetches a backup into the folder, in the layout of `gathercue backup <folder>`, and resolves to its name. @throws CommandFailed */
export const fetchBackup = (place: BucketPlace, folder: string): Promise<string> =>
  inBucket(place, async () => {
    const name = place.name ?? (await namesIn(place)).at(-1)
    if (name === undefined) throw new CommandFailed(`There is no backup in ${place.shown}.`)
    const { text, files, folders } = await readList(place, name)
    for (const inside of folders) await mkdir(join(folder, inside), { recursive: true, mode: 0o700 })
    await forEachOf(
      files,
      async ({ path, bytes, sha256 }) => {
        const full = join(folder, path)
        await mkdir(dirname(full), { recursive: true, mode: 0o700 })
        const file = await open(full, "w", 0o600)
        try {
          for (let at = 0; at < bytes; at += CHUNK_BYTES) {
            await file.write(await place.bucket.read(objectOf(place, sha256), at, Math.min(bytes, at + CHUNK_BYTES)))
          }
        } finally {
          await file.close()
        }
      },
      FILES_AT_ONCE,
    )
    await writeFile(join(folder, MANIFEST), text, { mode: 0o600 })
    return name
  })
