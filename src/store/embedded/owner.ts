/**
 * The system user of the embedded database, and the folders that user can reach. PostgreSQL refuses to run as root,
 * so under root it gets a user of its own; otherwise it runs as the user of this process.
 */
import { readFile } from "node:fs/promises"
import { EmbeddedPostgresRefused } from "./refused.ts"
import { runCommand, type SystemUser } from "./system-command.ts"

/** Known from PostgreSQL's own packages; preferred because it usually exists. */
const EXISTING_USER = "postgres"
/** Created when there is no `postgres` user. */
const CREATED_USER = "gathercue"

export const weAreRoot = (): boolean => process.getuid?.() === 0

/**
 * The unprivileged user for the database when we are root; made when there is none.
 * @throws EmbeddedPostgresRefused when none can be made
 */
export async function databaseUser(onLog: (line: string) => void): Promise<SystemUser> {
  const existing = (await findUser(EXISTING_USER)) ?? (await findUser(CREATED_USER))
  if (existing !== undefined) return existing
  const made = await runCommand("useradd", [
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir=/nonexistent",
    "--shell=/usr/sbin/nologin",
    CREATED_USER,
  ])
  // Looked up again even after a failure: another server may have created the user at the same moment.
  const user = await findUser(CREATED_USER)
  if (user === undefined) {
    throw new EmbeddedPostgresRefused(
      `PostgreSQL does not run as root and no system user could be made for it (${made.output}); ` +
        "start Gathercue as an ordinary user, or add a system user named postgres.",
    )
  }
  onLog(`made the system user ${CREATED_USER} for the database, as PostgreSQL does not run as root`)
  return user
}

/** Whether the user may traverse the folder, and so all its parents. */
export async function canReach(folder: string, user: SystemUser): Promise<boolean> {
  return (await runCommand("/bin/sh", ["-c", 'test -x "$1"', "sh", folder], { runAs: user })).ok
}

/** Entries of passwd(5): `name:password:uid:gid:comment:home:shell`. */
const readUsers = async (): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "")
  return passwd.split("\n").map((line) => line.split(":"))
}

/** Undefined for a user whom another service than passwd(5) knows. */
export async function userName(uid: number): Promise<string | undefined> {
  return (await readUsers()).find((fields) => fields[2] === String(uid))?.[0]
}

export async function findUser(name: string): Promise<SystemUser | undefined> {
  const fields = (await readUsers()).find((entry) => entry[0] === name)
  const uid = Number(fields?.[2])
  const gid = Number(fields?.[3])
  // PostgreSQL would refuse a "postgres" user that is root by another name.
  return Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0 ? { uid, gid } : undefined
}
