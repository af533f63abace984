/**
 * The folder that a backup is restored into, and the user who gets the files. It is always the folder that was named: a database in the
 * replacement of `place.ts` would be found by root alone, and a server of another user would begin an empty one.
 */
import { chmod, chown, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { canReach, databaseUser, findUser, userName, weAreRoot } from "./owner.ts"
import { type DatabasePlace, ourFolder, ownerOf, prepareDatabasePlace } from "./place.ts"
import { EmbeddedPostgresRefused } from "./refused.ts"
import { runCommand, type SystemUser } from "./system-command.ts"

export interface RestorePlace extends DatabasePlace {
  /** User who gets every restored file; undefined when they stay with the user of this process. */
  readonly owner: SystemUser | undefined
}

const GIVE_WITHIN_MS = 600_000

/** The name of the user who owns the folder, unless that is root or a user without a name. */
export const ownerName = async (folder: string): Promise<string | undefined> => {
  const owner = await ownerOf(folder)
  return owner === undefined || owner.uid === 0 ? undefined : userName(owner.uid)
}

/** Gives a file or a folder with its contents to the user. @throws EmbeddedPostgresRefused */
export const giveTo = async (owner: SystemUser | undefined, path: string): Promise<void> => {
  if (owner === undefined || (await ownerOf(path)) === undefined) return
  const given = await runCommand("chown", ["-hR", `${owner.uid}:${owner.gid}`, path], { timeoutMs: GIVE_WITHIN_MS })
  if (!given.ok) throw new EmbeddedPostgresRefused(`${path} cannot be given to user ${owner.uid}: ${given.output}.`)
}

const parentOwner = async (path: string): Promise<SystemUser | undefined> =>
  (await ownerOf(dirname(path))) ?? (dirname(path) === path ? undefined : parentOwner(dirname(path)))

/** The user of a folder that is made: the owner of the original data if this machine has that user, else of the parent folder. */
const newOwner = async (path: string, former: string | undefined): Promise<SystemUser | undefined> =>
  (former === undefined ? undefined : await findUser(former)) ?? (await parentOwner(path))

/**
 * Creates the folder. `isNew` says that it was absent before the command began.
 * @throws EmbeddedPostgresRefused
 */
export const prepareRestorePlace = async (
  wanted: string,
  former: string | undefined,
  isNew: boolean,
): Promise<RestorePlace> => {
  if (!weAreRoot()) return { ...(await prepareDatabasePlace(wanted, () => {})), owner: undefined }
  const path = resolve(wanted)
  const found = isNew ? await newOwner(path, former) : await ownerOf(path)
  const owner = found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
  const runAs = owner ?? (await databaseUser(() => {}))
  const dataDir = await ourFolder(path)
  if (isNew && owner !== undefined) {
    await chmod(dataDir, 0o700)
    await chown(dataDir, owner.uid, owner.gid)
  }
  if (!(await canReach(dataDir, runAs))) {
    if (isNew) await rm(dataDir, { recursive: true, force: true })
    const name = (await userName(runAs.uid)) ?? runAs.uid
    throw new EmbeddedPostgresRefused(
      `A backup is not restored into ${dataDir}, as its user ${name} may not pass through that folder or one of its parents; ` +
        "allow that (chmod o+x), or name a DATA_DIR that belongs to the user of the server.",
    )
  }
  const folder = await ourFolder(join(dataDir, "postgres"), 0o700)
  await giveTo(runAs, folder)
  return { dataDir, folder, runAs, owner }
}
