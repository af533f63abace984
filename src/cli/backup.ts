/**
 * Backups in a folder: a copy of the whole data folder with the embedded database, the key, and the media. A backup is complete or absent,
 * because it is made beside its final name.
 */
import { existsSync } from "node:fs"
import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Schema } from "effect"
import type { checkConfig } from "../config/config.ts"
import { noteFolderBackup } from "../store/backups/backups.ts"
import { type AttachedPostgres, attachEmbeddedPostgres } from "../store/embedded/attach.ts"
import { backUpDatabase } from "../store/embedded/backup.ts"
import { type CopiedFile, copyFiles, describeFile, flush } from "../store/embedded/copy-files.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { usable } from "../store/open-database.ts"
import { withSession } from "../store/pool/session.ts"
import {
  bytesOf,
  DATABASE,
  EXTERNAL,
  FORMAT,
  inFolder,
  KEY_FILE,
  MANIFEST,
  Manifest,
  MEDIA,
  megabytes,
  ofTheSystem,
  ownerIn,
  SESSION,
} from "./backup-files.ts"
import { CommandFailed } from "./command-failed.ts"
import { print } from "./terminal.ts"

const LIMITS = { connectMs: 10_000, withinMs: 10_000 }

export type Where = ReturnType<typeof checkConfig>

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
  if (!existsSync(join(dataDir, KEY_FILE))) return [...inFolder(DATABASE, database), ...inFolder(MEDIA, media)]
  await copyFile(join(dataDir, KEY_FILE), join(partial, KEY_FILE))
  await flush(join(partial, KEY_FILE))
  return [...inFolder(DATABASE, database), ...inFolder(MEDIA, media), await describeFile(partial, KEY_FILE)]
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
    const manifest = { format: FORMAT, madeAt: new Date().toISOString(), ...(await ownerIn(dataDir)), files } as const
    await writeFile(join(partial, MANIFEST), Schema.encodeSync(Manifest)(manifest), { mode: 0o600, flush: true })
    await flush(partial)
    await rename(partial, target)
    await flush(dirname(target))
    // The backup succeeds even if /ops is not told about it.
    await withSession(attached.url, SESSION, LIMITS, ({ sql }) => noteFolderBackup(sql, bytesOf(files))).catch(() => {})
    print(`${target}: ${megabytes(files)}`)
    if (!files.some(({ path }) => path === KEY_FILE))
      print("SECRET_KEY is not in it: keep it elsewhere, the database needs it.")
  } catch (cause) {
    throw ofTheSystem(cause, `The backup in ${target} could not be written`)
  } finally {
    // The first failure is the one to report.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined)
    await attached.stop()
  }
}
