/**
 * Backups in a folder: a copy of the whole data folder with the embedded database, the key, and the media. A backup is complete or absent,
 * because it is made beside its final name.
 */
import { existsSync } from "node:fs"
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Schema } from "effect"
import type { checkConfig } from "../config/config.ts"
import { noteFolderBackup } from "../store/backups/backups.ts"
import { type AttachedPostgres, attachEmbeddedPostgres } from "../store/embedded/attach.ts"
import { backUpDatabase } from "../store/embedded/backup.ts"
import { type CopiedFile, copyFiles, describeFile, flush } from "../store/embedded/copy-files.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { type PutDatabase, restoreInto } from "../store/embedded/restore.ts"
import {
  endRestoring,
  forgetRestored,
  isHalfRestored,
  noteRestored,
  noteRestoring,
} from "../store/embedded/restoring.ts"
import { usable } from "../store/open-database.ts"
import { withSession } from "../store/pool/session.ts"
import { bytesOf, DATABASE, FORMAT, KEY, MANIFEST, ManifestFields, MEDIA, megabytes, SESSION } from "./backup-files.ts"
import { CommandFailed } from "./command-failed.ts"
import { print } from "./terminal.ts"

const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

const Manifest = Schema.fromJsonString(Schema.Struct(ManifestFields))

export const EXTERNAL =
  "The database is at DATABASE_URL: back it up and restore it with PostgreSQL's own tools (pg_dump, pg_basebackup)."

export type Where = ReturnType<typeof checkConfig>

const inFolder = (folder: string, files: ReadonlyArray<CopiedFile>): ReadonlyArray<CopiedFile> =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }))

/** A full disk, an unreadable folder and the like are reported with the system's own message. */
const ofTheSystem = (cause: unknown, what: string): unknown =>
  cause instanceof Error && "syscall" in cause ? new CommandFailed(`${what}: ${cause.message}.`) : cause

const isFree = async (folder: string): Promise<boolean> =>
  !existsSync(folder) || (await readdir(folder).catch(() => [""])).length === 0

/** Media are copied after the database, so that every recording it lists is there, unless it was deleted meanwhile. */
const copyAll = async (
  dataDir: string,
  { url, data }: AttachedPostgres,
  partial: string,
): Promise<ReadonlyArray<CopiedFile>> => {
  const database = await usable(`The database in ${dataDir}`, () => backUpDatabase(url, data, join(partial, DATABASE)))
  const media = existsSync(join(dataDir, MEDIA)) ? await copyFiles(join(dataDir, MEDIA), join(partial, MEDIA)) : []
  if (!existsSync(join(dataDir, KEY))) return [...inFolder(DATABASE, database), ...inFolder(MEDIA, media)]
  await copyFile(join(dataDir, KEY), join(partial, KEY))
  await flush(join(partial, KEY))
  return [...inFolder(DATABASE, database), ...inFolder(MEDIA, media), await describeFile(partial, KEY)]
}

/** Writes the backup to a folder that is absent or empty. Servers may run meanwhile. @throws CommandFailed */
export const backUp = async ({ databaseUrl, dataDir }: Where, wanted: string): Promise<void> => {
  const target = resolve(wanted)
  if (databaseUrl !== null) throw new CommandFailed(EXTERNAL)
  if ((await findDatabase(dataDir)) === undefined) throw new CommandFailed(`There is no database in ${dataDir}.`)
  if (!(await isFree(target)))
    throw new CommandFailed(`There is something in ${target} already; choose another folder.`)
  const partial = `${target}.partial-${process.pid}`
  const attached = await attachEmbeddedPostgres({ dataDir, onLog: () => {} })
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 })
    const files = await copyAll(dataDir, attached, partial)
    const manifest = { format: FORMAT, madeAt: new Date().toISOString(), files } as const
    await writeFile(join(partial, MANIFEST), Schema.encodeSync(Manifest)(manifest), { mode: 0o600, flush: true })
    await flush(partial)
    await rename(partial, target)
    await flush(dirname(target))
    // The backup succeeds even if /ops is not told about it.
    await withSession(attached.url, SESSION, LIMITS, ({ sql }) => noteFolderBackup(sql, bytesOf(files))).catch(() => {})
    print(`${target}: ${megabytes(files)}`)
    if (!files.some(({ path }) => path === KEY))
      print("SECRET_KEY is not in it: keep it elsewhere, the database needs it.")
  } catch (cause) {
    throw ofTheSystem(cause, `The backup in ${target} could not be written`)
  } finally {
    // The first failure is the one to report.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined)
    await attached.stop()
  }
}

const readManifest = async (source: string): Promise<ReadonlyArray<CopiedFile>> => {
  const text = await readFile(join(source, MANIFEST), "utf8").catch(() => undefined)
  if (text === undefined) throw new CommandFailed(`${source} is no backup: it has no file ${MANIFEST}.`)
  const manifest = Schema.decodeUnknownResult(Manifest)(text)
  if (manifest._tag === "Failure") throw new CommandFailed(`${source} is no backup that this build can read.`)
  return manifest.success.files
}

/** @throws CommandFailed for the first file that differs from the backup */
const requireSame = (expected: ReadonlyArray<CopiedFile>, folder: string, copies: ReadonlyArray<CopiedFile>): void => {
  const copied = new Map(inFolder(folder, copies).map((file) => [file.path, file]))
  for (const { path, sha256 } of expected) {
    if (!path.startsWith(`${folder}/`)) continue
    if (copied.get(path)?.sha256 !== sha256)
      throw new CommandFailed(`The backup is damaged: ${path} is not as it was made.`)
    copied.delete(path)
  }
  const [extra] = copied.keys()
  if (extra !== undefined) throw new CommandFailed(`The backup is damaged: ${extra} does not belong to it.`)
}

const removeOthers = async (dataDir: string): Promise<void> => {
  for (const name of [MEDIA, KEY]) await rm(join(dataDir, name), { recursive: true, force: true })
}

const restoreAll = async (
  source: string,
  dataDir: string,
  files: ReadonlyArray<CopiedFile>,
  put: PutDatabase,
): Promise<void> => {
  await noteRestoring(dataDir)
  try {
    // Removes what a killed restore left.
    await removeOthers(dataDir)
    const media = existsSync(join(source, MEDIA)) ? await copyFiles(join(source, MEDIA), join(dataDir, MEDIA)) : []
    requireSame(files, MEDIA, media)
    if (files.some(({ path }) => path === KEY)) {
      await copyFile(join(source, KEY), join(dataDir, KEY))
      await chmod(join(dataDir, KEY), 0o600)
      await flush(join(dataDir, KEY))
    }
    await noteRestored(dataDir)
    await put(join(source, DATABASE), (copies) => requireSame(files, DATABASE, copies))
  } catch (cause) {
    // Nothing removed here existed before the restore.
    await removeOthers(dataDir)
    await forgetRestored(dataDir)
    await endRestoring(dataDir)
    throw cause
  }
  await endRestoring(dataDir)
}

/** Restores a backup into `DATA_DIR`, which must have no database. The database is restored last. @throws CommandFailed */
export const restore = async ({ databaseUrl, dataDir, keepsKey }: Where, wanted: string): Promise<void> => {
  const source = resolve(wanted)
  if (databaseUrl !== null) throw new CommandFailed(EXTERNAL)
  const files = await readManifest(source)
  const existing = await findDatabase(dataDir)
  if (existing !== undefined)
    throw new CommandFailed(`There is a database in ${existing} already; choose another DATA_DIR.`)
  for (const name of isHalfRestored(dataDir) ? [] : [MEDIA, KEY]) {
    if (existsSync(join(dataDir, name))) {
      throw new CommandFailed(
        `There is something in ${join(dataDir, name)} already; choose another DATA_DIR, or empty it.`,
      )
    }
  }
  const key = files.find(({ path }) => path === KEY)
  if (key !== undefined && (await describeFile(source, KEY)).sha256 !== key.sha256) {
    throw new CommandFailed(`The backup is damaged: ${KEY} is not as it was made.`)
  }
  if (key === undefined && keepsKey)
    throw new CommandFailed("The backup has no key: set SECRET_KEY to the one of its server.")
  await mkdir(dataDir, { recursive: true })
  try {
    await restoreInto(dataDir, (put) => restoreAll(source, dataDir, files, put))
  } catch (cause) {
    throw ofTheSystem(cause, `The backup could not be restored to ${dataDir}`)
  }
  print(`${dataDir}: ${megabytes(files)}, as the server had them when the backup ended`)
}
