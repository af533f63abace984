/**
 * The folder of the embedded database and the owner of its files. All our files are in `<data folder>/postgres`; the rest
 * of the data folder is not touched.
 *
 * As root the folder belongs to the database's user. A data folder that this user cannot reach (say, under /root) is
 * replaced by one under /var/lib/gathercue, named by a hash of the wanted path, so that the next start finds it again.
 * An existing database always overrides these rules: it is opened in its place, or refused, never silently left behind.
 */
import { createHash } from "node:crypto"
import { chmod, mkdir, realpath, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { unwritable } from "../../config/data-folder.ts"
import { canReach, databaseUser, weAreRoot } from "./owner.ts"
import { EmbeddedPostgresRefused, failedWith } from "./refused.ts"
import { runCommand, type SystemUser } from "./system-command.ts"

/** Folder for what root's embedded database needs outside the project: data folders and copies of the binaries. */
const SYSTEM_FOLDER = "/var/lib/gathercue"

export interface DatabasePlace {
  /** Data folder actually used. */
  readonly dataDir: string
  /** Our part of the data folder: `<dataDir>/postgres`. */
  readonly folder: string
  /** User of the database's processes and files; `undefined` for the current user. */
  readonly runAs: SystemUser | undefined
}

/** PostgreSQL's data directory within our folder. */
export const clusterFolder = (folder: string): string => join(folder, "data")

/** Data folder with the database of the requested one; undefined when there is none. Creates nothing. */
export async function findDatabase(wanted: string): Promise<string | undefined> {
  const dataDir = await realpath(resolve(wanted)).catch(() => resolve(wanted))
  // Another user than root has no replacement, and may not look into that of root.
  for (const place of weAreRoot() ? [dataDir, replacementOf(dataDir)] : [dataDir]) {
    if ((await ownerOf(clusterFolder(join(place, "postgres")))) !== undefined) return place
  }
  return undefined
}

/** Creates the folders and gives them to the right user. @throws EmbeddedPostgresRefused */
export async function prepareDatabasePlace(wanted: string, onLog: (line: string) => void): Promise<DatabasePlace> {
  const dataDir = await ourFolder(resolve(wanted))
  if (weAreRoot()) return placeUnderRoot(dataDir, onLog)
  const folder = await ourFolder(join(dataDir, "postgres"), 0o700)
  const { uid } = await stat(folder)
  if (uid !== process.getuid?.()) {
    throw new EmbeddedPostgresRefused(
      `The data folder ${dataDir} belongs to user ${uid}; start Gathercue as that user or choose another data folder.`,
    )
  }
  return { dataDir, folder, runAs: undefined }
}

async function placeUnderRoot(wanted: string, onLog: (line: string) => void): Promise<DatabasePlace> {
  const existing = await ownerOf(clusterFolder(join(wanted, "postgres")))
  const runAs = existing === undefined || existing.uid === 0 ? await databaseUser(onLog) : existing
  const reachable = await canReach(wanted, runAs)
  if (existing !== undefined && !reachable) {
    throw new EmbeddedPostgresRefused(
      `The database in ${wanted} cannot be opened, as user ${runAs.uid} may not pass through one of its parent folders; ` +
        "allow that (chmod o+x) or choose another data folder.",
    )
  }
  const replacement = replacementOf(wanted)
  if (existing === undefined && (!reachable || (await ownerOf(clusterFolder(join(replacement, "postgres")))))) {
    await systemFolder()
    onLog(`the database of the data folder ${wanted} is kept in ${replacement}, where its system user can reach it`)
    return ownedPlace(await ourFolder(replacement, 0o755), runAs)
  }
  return ownedPlace(wanted, runAs)
}

const replacementOf = (wanted: string): string =>
  join(SYSTEM_FOLDER, createHash("sha256").update(wanted).digest("hex").slice(0, 12))

async function ownedPlace(dataDir: string, wantedUser: SystemUser): Promise<DatabasePlace> {
  const folder = await ourFolder(join(dataDir, "postgres"), 0o700)
  const owners = [await ownerOf(clusterFolder(folder)), await ownerOf(folder)]
  // The owner of the database keeps it: a server that earlier ran as an ordinary user must be able to do so again.
  const runAs = owners.find((owner) => owner !== undefined && owner.uid !== 0) ?? wantedUser
  if (owners.some((owner) => owner?.uid === 0)) {
    const given = await runCommand("chown", ["-R", `${runAs.uid}:${runAs.gid}`, folder], { timeoutMs: 60_000 })
    if (!given.ok) throw new EmbeddedPostgresRefused(`The folder ${folder} cannot be given away: ${given.output}.`)
  }
  if (!(await canReach(folder, runAs))) {
    throw new EmbeddedPostgresRefused(`The folder ${folder} cannot be reached by user ${runAs.uid}; choose another.`)
  }
  return { dataDir, folder, runAs }
}

/** Creates the system folder, traversable for all whatever the umask. */
export async function systemFolder(): Promise<string> {
  await ourFolder(SYSTEM_FOLDER)
  await chmod(SYSTEM_FOLDER, 0o755)
  return SYSTEM_FOLDER
}

/** Creates the folder and its missing parents; the result has no symbolic links in it. */
export async function ourFolder(path: string, mode?: number): Promise<string> {
  try {
    const made = await mkdir(path, { recursive: true })
    if (made !== undefined && mode !== undefined) await chmod(path, mode)
    return await realpath(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new EmbeddedPostgresRefused(unwritable(path) ?? `The data folder ${path} cannot be used: ${reason}.`)
  }
}

/** Undefined when there is no such path. */
export async function ownerOf(path: string): Promise<SystemUser | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (failedWith(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  }
}
