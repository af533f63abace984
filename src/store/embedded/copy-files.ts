/** Copies folders whose files may change and vanish meanwhile, flushes the copies and records their hashes. */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { copyFile, mkdir, open, readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failedWith } from "./refused.ts"

export interface CopiedFile {
  /** Path inside the copied folder, with `/`. */
  readonly path: string
  readonly bytes: number
  /** SHA-256 of the copy in hexadecimal. */
  readonly sha256: string
}

/** Describes the file's current state. */
export const describeFile = async (folder: string, path: string): Promise<CopiedFile> => {
  const file = await open(join(folder, path), "r")
  try {
    const hash = createHash("sha256")
    let bytes = 0
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).byteLength
    }
    return { path, bytes, sha256: hash.digest("hex") }
  } finally {
    await file.close()
  }
}

/** Flushes a file, or a folder's entries. */
export const flush = async (path: string): Promise<void> => {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Returns false when the file is gone. Shares the blocks of the original where the file system can. */
const copyOne = async (from: string, to: string): Promise<boolean> => {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (failedWith(error, "ENOENT")) return false
    throw error
  }
  await flush(to)
  return true
}

const entriesOf = async (folder: string) => {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (failedWith(error, "ENOENT")) return []
    throw error
  }
}

/** Files copied concurrently: a thousand of 16 KiB took 1.4 s instead of 2.9 s one after the other. */
const AT_ONCE = 16

/** Runs the work for each item with this concurrency. Rejects with the first failure, once all started work is done. */
export const forEachOf = async <A>(
  items: ReadonlyArray<A>,
  work: (item: A) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> => {
  const left = items.values()
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  const failed = ends.find((end) => end.status === "rejected")
  if (failed !== undefined) throw failed.reason
}

/**
 * Copies the files and folders of `from` to the new folder `to`, readable by its owner alone. `isWanted` is called for each path inside.
 * Files that vanish meanwhile are left out. Links are not followed and not copied.
 */
export const copyFiles = async (
  from: string,
  to: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<ReadonlyArray<CopiedFile>> => {
  const copied: CopiedFile[] = []
  const folders: string[] = []
  const files: string[] = []
  const visit = async (inside: string): Promise<void> => {
    await mkdir(join(to, inside), { recursive: true, mode: 0o700 })
    folders.push(join(to, inside))
    for (const entry of await entriesOf(join(from, inside))) {
      const path = inside === "" ? entry.name : `${inside}/${entry.name}`
      if (!isWanted(path)) continue
      if (entry.isDirectory()) await visit(path)
      else if (entry.isFile()) files.push(path)
    }
  }
  await visit("")
  await forEachOf(files, async (path) => {
    if (await copyOne(join(from, path), join(to, path))) copied.push(await describeFile(to, path))
  })
  await forEachOf([...folders, dirname(to)], flush)
  return copied
}
