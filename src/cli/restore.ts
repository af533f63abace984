/** Restores a backup in a folder into a data folder without a database. The files are compared with their hashes on the way. */
import { existsSync } from "node:fs"
import { chmod, copyFile, readFile, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Schema } from "effect"
import { type CopiedFile, copyFiles, describeFile, flush } from "../store/embedded/copy-files.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { failedWith } from "../store/embedded/refused.ts"
import { type PutDatabase, restoreInto } from "../store/embedded/restore.ts"
import { giveTo, prepareRestorePlace, type RestorePlace } from "../store/embedded/restore-place.ts"
import {
  endRestoring,
  forgetRestored,
  isHalfRestored,
  isRestored,
  noteRestored,
  noteRestoring,
  RESTORED,
} from "../store/embedded/restoring.ts"
import type { Where } from "./backup.ts"
import {
  DATABASE,
  EXTERNAL,
  inFolder,
  KEY_FILE,
  MANIFEST,
  Manifest,
  MEDIA,
  megabytes,
  ofTheSystem,
} from "./backup-files.ts"
import { CommandFailed } from "./command-failed.ts"
import { print } from "./terminal.ts"

const readManifest = async (source: string) => {
  const text = await readFile(join(source, MANIFEST), "utf8").catch((cause: Error) => {
    throw failedWith(cause, "ENOENT", "ENOTDIR")
      ? new CommandFailed(`${source} is no backup: it has no file ${MANIFEST}.`)
      : new CommandFailed(`The backup in ${source} cannot be read (${cause.message}).`)
  })
  const manifest = Schema.decodeUnknownResult(Manifest)(text)
  if (manifest._tag === "Failure") throw new CommandFailed(`${source} is no backup that this build can read.`)
  return manifest.success
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
  for (const name of [MEDIA, KEY_FILE]) await rm(join(dataDir, name), { recursive: true, force: true })
}

const restoreAll = async (
  source: string,
  { dataDir, owner }: RestorePlace,
  files: ReadonlyArray<CopiedFile>,
  put: PutDatabase,
): Promise<void> => {
  await noteRestoring(dataDir)
  try {
    // Removes what a killed restore left.
    await removeOthers(dataDir)
    const media = existsSync(join(source, MEDIA)) ? await copyFiles(join(source, MEDIA), join(dataDir, MEDIA)) : []
    requireSame(files, MEDIA, media)
    if (files.some(({ path }) => path === KEY_FILE)) {
      await copyFile(join(source, KEY_FILE), join(dataDir, KEY_FILE))
      await chmod(join(dataDir, KEY_FILE), 0o600)
      await flush(join(dataDir, KEY_FILE))
    }
    await noteRestored(dataDir)
    for (const name of [MEDIA, KEY_FILE, RESTORED]) await giveTo(owner, join(dataDir, name))
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

/**
 * Restores a backup into `DATA_DIR`, which must have no database. The database is restored last. `isNew` says that there was no `DATA_DIR`
 * before the command. @throws CommandFailed
 */
export const restore = async (
  { databaseUrl, dataDir, keepsKey }: Where,
  wanted: string,
  isNew: boolean,
): Promise<void> => {
  const source = resolve(wanted)
  if (databaseUrl !== null) throw new CommandFailed(EXTERNAL)
  const { files, owner: former } = await readManifest(source)
  const existing = await findDatabase(dataDir)
  if (existing !== undefined)
    throw new CommandFailed(`There is a database in ${existing} already; choose another DATA_DIR.`)
  for (const name of isHalfRestored(dataDir) || isRestored(dataDir) ? [] : [MEDIA, KEY_FILE]) {
    if (existsSync(join(dataDir, name))) {
      throw new CommandFailed(
        `There is something in ${join(dataDir, name)} already; choose another DATA_DIR, or empty it.`,
      )
    }
  }
  const key = files.find(({ path }) => path === KEY_FILE)
  if (key !== undefined && (await describeFile(source, KEY_FILE)).sha256 !== key.sha256) {
    throw new CommandFailed(`The backup is damaged: ${KEY_FILE} is not as it was made.`)
  }
  if (key === undefined && keepsKey)
    throw new CommandFailed("The backup has no key: set SECRET_KEY to the one of its server.")
  try {
    const place = await prepareRestorePlace(dataDir, former, isNew)
    await restoreInto(place, (put) => restoreAll(source, place, files, put))
  } catch (cause) {
    throw ofTheSystem(cause, `The backup could not be restored to ${dataDir}`)
  }
  print(`${dataDir}: ${megabytes(files)}, as the server had them when the backup ended`)
}
