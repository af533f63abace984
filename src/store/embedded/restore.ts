/** Restores the files of a backup into a data folder without a database. The next start makes them consistent from their log. */
import { randomBytes } from "node:crypto"
import { rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { readIfThere } from "./cluster.ts"
import { type CopiedFile, copyFiles, flush } from "./copy-files.ts"
import { lockDataFolder } from "./data-folder-lock.ts"
import { clusterFolder } from "./place.ts"
import { EmbeddedPostgresRefused } from "./refused.ts"
import { giveTo, type RestorePlace } from "./restore-place.ts"

/** Puts the files of `source` in the database's folder. `isWhole` is called with the copies before they become the database. */
export type PutDatabase = (source: string, isWhole: (files: ReadonlyArray<CopiedFile>) => void) => Promise<void>

/** Runs `work` while no server and no other restore uses the data folder, which has no database. @throws EmbeddedPostgresRefused */
export const restoreInto = async (
  { folder, runAs }: RestorePlace,
  work: (put: PutDatabase) => Promise<void>,
): Promise<void> => {
  const lock = await lockDataFolder(folder, runAs)
  // A name that the next start recognises as unfinished and removes.
  const partial = join(folder, `new-${randomBytes(6).toString("hex")}`)
  try {
    const data = clusterFolder(folder)
    if ((await readIfThere(join(data, "PG_VERSION"))) !== undefined) {
      throw new EmbeddedPostgresRefused(`There is a database in ${data} already; choose another DATA_DIR.`)
    }
    await work(async (source, isWhole) => {
      isWhole(await copyFiles(source, partial))
      await giveTo(runAs, partial)
      await rename(partial, data)
      await flush(folder)
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
    await lock.release()
  }
}
