/** `gathercue backup` and `gathercue restore`, to and from a folder or a bucket, and testing a backup. */
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, rm, rmdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { checkConfig, inheritedEnvironment } from "../config/config.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { startEmbeddedPostgres } from "../store/embedded/postgres.ts"
import { readSchema } from "../store/migrate.ts"
import { withSession } from "../store/pool/session.ts"
import { opensSecrets } from "../store/sealing/sealing-keys.ts"
import { backUp, type Where } from "./backup.ts"
import { EXTERNAL, SESSION } from "./backup-files.ts"
import { backUpToBucket, fetchBackup, isBucketPlace, placeIn } from "./bucket-backup.ts"
import { CommandFailed } from "./command-failed.ts"
import { restore } from "./restore.ts"
import { print } from "./terminal.ts"

const NO_TARGET = "Name a folder or s3://bucket/prefix, or set BACKUP_TO."
const LIMITS = { connectMs: 10_000, withinMs: 6 * 3_600_000 }

const targetOf = ({ backup }: Where, named: string): string => {
  const target = named || backup.to
  if (target === null) throw new CommandFailed(NO_TARGET)
  return target
}

/** Runs the work with the folder of a backup, which is first fetched if it is in a bucket. */
const withBackup = async <A>(
  { backup }: Where,
  target: string,
  near: string,
  work: (folder: string) => Promise<A>,
): Promise<A> => {
  if (!isBucketPlace(target)) return work(resolve(target))
  const folder = join(near, "backup.fetched")
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    print(`${target}: ${await fetchBackup(placeIn(backup, target), folder)} is fetched`)
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads every row, and with it every page, whose checksum PostgreSQL verifies. */
const readEverything = (url: string) =>
  withSession(url, SESSION, LIMITS, async ({ sql }) => {
    const tables = await sql<{ name: string }[]>`
      select c.oid::regclass::text as name from pg_class c
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
    await sql`set enable_indexonlyscan = off`
    let rows = 0
    for (const { name } of tables) {
      const [row] = await sql<{ n: number }[]>`select count(*)::float8 as n from ${sql.unsafe(name)}`
      rows += row?.n ?? 0
    }
    return `${rows} rows in ${tables.length} tables`
  })

/** Restores the backup into a temporary folder, starts its database, and reads all of it. @throws CommandFailed */
const verify = async (config: Where, target: string): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), "gathercue-verify-"))
  try {
    // Under root the database has its own user.
    await chmod(dataDir, 0o711)
    await withBackup(config, target, dataDir, (folder) =>
      restore({ ...config, databaseUrl: null, dataDir }, folder, false),
    )
    const { secretKeys } = checkConfig({ ...inheritedEnvironment(), DATA_DIR: dataDir })
    const { url, stop } = await startEmbeddedPostgres({ dataDir, onLog: () => {} })
    try {
      const { applied } = await readSchema(url)
      const read = await readEverything(url)
      if (secretKeys === null) throw new CommandFailed("The backup has no key, and SECRET_KEY is not set.")
      await opensSecrets(url, secretKeys)
      print(`${target}: restored and read, ${read}, at schema version ${applied}; the key opens what is sealed`)
    } finally {
      await stop()
    }
  } finally {
    const replaced = await findDatabase(dataDir)
    if (replaced !== undefined) await rm(replaced, { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}

export const runBackup = async (config: Where, named: string, verifies: boolean): Promise<void> => {
  const target = targetOf(config, named)
  if (verifies) return verify(config, target)
  if (!isBucketPlace(target)) return backUp(config, target)
  const { databaseUrl, dataDir, backup } = config
  if (databaseUrl !== null) throw new CommandFailed(EXTERNAL)
  if ((await findDatabase(dataDir)) === undefined) throw new CommandFailed(`There is no database in ${dataDir}.`)
  print(await backUpToBucket(dataDir, placeIn(backup, target), backup.keep))
}

export const runRestore = async (config: Where, target: string): Promise<void> => {
  if (config.databaseUrl !== null) throw new CommandFailed(EXTERNAL)
  // Looked at before a backup from a bucket is fetched into the folder.
  const isNew = !existsSync(config.dataDir)
  try {
    await withBackup(config, target, config.dataDir, (folder) => restore(config, folder, isNew))
  } catch (cause) {
    // Fails, as it should, when the folder holds something.
    if (isNew) await rmdir(config.dataDir).catch(() => {})
    throw cause
  }
  print("A server that is started there sends nothing until gathercue promote.")
}
