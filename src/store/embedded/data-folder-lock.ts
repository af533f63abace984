/**
 * One process per data folder, by file-system operations alone, so that it works on every platform and survives `kill -9`.
 *
 * The lock is a folder `owner` holding one entry whose name identifies the owner: `<pid>_<start time>_<nonce>`. Taking it is one `rename`
 * of a prepared folder onto `owner`, which the kernel refuses while `owner` is not empty: of any number of contenders exactly one wins. A
 * dead owner's entry is removed by its unique name, so a slow contender can never remove the entry of a process that took the lock
 * meanwhile.
 *
 * Limit: a folder shared by two machines or two containers is not protected, as pids mean nothing across them.
 */
import { randomBytes } from "node:crypto"
import { chown, mkdir, readdir, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { startTimeOf } from "./process-identity.ts"
import { EmbeddedPostgresRefused, failedWith } from "./refused.ts"
import type { SystemUser } from "./system-command.ts"

interface DataFolderLock {
  /** Idempotent; leaves nothing behind. */
  release(): Promise<void>
}

/** Maximum number of retries after finding a dead owner; in each one another contender came or went meanwhile. */
const MAX_ROUNDS = 100

/**
 * Takes the lock of an existing folder, for the life of this process or until released. The lock's files are given to
 * `owner`, who must be able to clear them when a later start is not made by root.
 * @throws EmbeddedPostgresRefused naming the folder and the pid of the living owner
 */
export async function lockDataFolder(folder: string, owner: SystemUser | undefined): Promise<DataFolderLock> {
  const lock = join(folder, "owner")
  const nonce = randomBytes(8).toString("hex")
  const entry = `${process.pid}_${encodeURIComponent((await startTimeOf(process.pid)) ?? "")}_${nonce}`
  const prepared = join(folder, `owner.${nonce}`)
  await mkdir(prepared)
  await writeFile(join(prepared, entry), "")
  if (owner !== undefined) await chown(prepared, owner.uid, owner.gid)
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (await moveOnto(prepared, lock)) return { release: () => clear(lock, entry) }
      for (const other of await entriesOf(lock)) {
        const pid = await livingOwner(other)
        if (pid !== undefined) {
          throw new EmbeddedPostgresRefused(
            `The data folder ${folder} is in use by process ${pid}; stop that server or choose another data folder.`,
          )
        }
        await clear(lock, other)
      }
    }
    throw new EmbeddedPostgresRefused(`The data folder ${folder} is being opened by too many processes at once.`)
  } catch (error) {
    await rm(prepared, { recursive: true, force: true })
    throw error
  }
}

/** The process that now holds the folder's lock, if any. */
export async function ownerOf(folder: string): Promise<number | undefined> {
  for (const entry of await entriesOf(join(folder, "owner"))) {
    const pid = await livingOwner(entry)
    if (pid !== undefined) return pid
  }
  return undefined
}

async function moveOnto(prepared: string, lock: string): Promise<boolean> {
  try {
    await rename(prepared, lock)
    return true
  } catch (error) {
    if (failedWith(error, "ENOTEMPTY", "EEXIST")) return false
    throw error
  }
}

async function entriesOf(lock: string): Promise<ReadonlyArray<string>> {
  try {
    return await readdir(lock)
  } catch (error) {
    if (failedWith(error, "ENOENT")) return []
    throw error
  }
}

/** The pid in an entry's name, if the same process that made the entry still runs. */
async function livingOwner(entry: string): Promise<number | undefined> {
  const [pid, startTime] = entry.split("_")
  if (pid === undefined || startTime === undefined || !/^\d+$/.test(pid)) return undefined
  return (await startTimeOf(Number(pid))) === decodeURIComponent(startTime) ? Number(pid) : undefined
}

async function clear(lock: string, entry: string): Promise<void> {
  await ignoring(unlink(join(lock, entry)), "ENOENT")
  // A folder that is not empty is held by another process by now. A remaining empty one would not hinder other contenders either.
  await ignoring(rmdir(lock), "ENOENT", "ENOTEMPTY", "EEXIST")
}

async function ignoring(work: Promise<void>, ...codes: ReadonlyArray<string>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!failedWith(error, ...codes)) throw error
  }
}
