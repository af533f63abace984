/**
 * A note in the data folder for as long as a backup is put into it. When the command is killed half-way, the note stays: a start would
 * make a new database beside what was restored.
 */
import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { flush } from "./copy-files.ts"
import { findDatabase } from "./place.ts"
import { EmbeddedPostgresRefused } from "./refused.ts"

const noteIn = (dataDir: string): string => join(dataDir, "restoring")

export const isHalfRestored = (dataDir: string): boolean => existsSync(noteIn(dataDir))

export const noteRestoring = async (dataDir: string): Promise<void> => {
  await writeFile(noteIn(dataDir), "", { flush: true })
  await flush(dataDir)
}

export const endRestoring = async (dataDir: string): Promise<void> => {
  await rm(noteIn(dataDir), { force: true })
  await flush(dataDir)
}

/** Of a database that was restored and not started since: it is a copy, for all that the restore knows. */
const restoredIn = (dataDir: string): string => join(dataDir, "restored")

export const isRestored = (dataDir: string): boolean => existsSync(restoredIn(dataDir))

export const noteRestored = async (dataDir: string): Promise<void> => {
  await writeFile(restoredIn(dataDir), "", { flush: true })
  await flush(dataDir)
}

export const forgetRestored = async (dataDir: string): Promise<void> => {
  if (isRestored(dataDir)) await rm(restoredIn(dataDir))
}

/** The database is put there last: with one, the rest is whole. @throws EmbeddedPostgresRefused */
export const requireRestored = async (dataDir: string): Promise<void> => {
  if (!isHalfRestored(dataDir) || (await findDatabase(dataDir)) !== undefined) return
  throw new EmbeddedPostgresRefused(
    `A backup was put into ${dataDir} only in part; run gathercue restore again, or choose another DATA_DIR.`,
  )
}
