/** Whether this process may write to the data folder, as `gathercue check` and a start say it. */
import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"

/** The folder itself, or the first one around it that exists. */
export const nearestFolder = (folder: string): string => (existsSync(folder) ? folder : nearestFolder(dirname(folder)))

/**
 * The sentence for a folder that cannot be made or written to; undefined when it can. Node reports ENOENT where it cannot make a folder on a
 * read-only disk, so the nearest folder that exists is asked.
 */
export const unwritable = (dataDir: string): string | undefined => {
  try {
    accessSync(nearestFolder(dataDir), constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    return `DATA_DIR cannot be written to (${(cause as Error).message}).`
  }
}
