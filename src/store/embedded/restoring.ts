/**
 * A marker in the data folder while a backup is restored into it. When the command is killed half-way, the marker stays, and a start is
 * refused: it would create a new database beside the restored files.
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

/** Marker of a restored database that was not started since: it may be a copy. */
export const RESTORED = "restored"
const restoredIn = (dataDir: string): string => join(dataDir, RESTORED)

export const isRestored = (dataDir: string): boolean => existsSync(restoredIn(dataDir))

export const noteRestored = async (dataDir: string): Promise<void> => {
  await writeFile(restoredIn(dataDir), "", { flush: true })
  await flush(dataDir)
}

export const forgetRestored = async (dataDir: string): Promise<void> => {
  if (isRestored(dataDir)) await rm(restoredIn(dataDir))
}

/** The database is restored last: once it is there, the rest is complete. @throws EmbeddedPostgresRefused */
export const requireRestored = async (dataDir: string): Promise<void> => {
  const [isHalf, isMarked] = [isHalfRestored(dataDir), isRestored(dataDir)]
  if (!(isHalf || isMarked) || (await findDatabase(dataDir)) !== undefined) return
  throw new EmbeddedPostgresRefused(
    isHalf
      ? `A backup was put into ${dataDir} only in part; run gathercue restore again, or choose another DATA_DIR.`
      : `A backup was restored into ${dataDir}, and its database is not there; run gathercue restore again, or remove the file ${restoredIn(dataDir)} to begin an empty one.`,
  )
}
