/**
 * The database files ("cluster" in PostgreSQL's terms): created at the first start, checked at every start. A cluster is built beside its
 * final name and renamed, password included, so that a start killed halfway leaves none or a whole one.
 */
import { randomBytes } from "node:crypto"
import { chown, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { PostgresBinaries } from "./binaries.ts"
import { clusterFolder, type DatabasePlace } from "./place.ts"
import { commandLineOf, processEnded, startTimeOf } from "./process-identity.ts"
import { EmbeddedPostgresRefused, failedWith } from "./refused.ts"
import { runCommand } from "./system-command.ts"

/** The superuser that owns everything in the embedded database. */
const DATABASE_ROLE = "gathercue"

export const PASSWORD_FILE = "gathercue-password"

/** Loopback address with the password. */
export const urlOf = (password: string, port: number): string =>
  `postgres://${DATABASE_ROLE}:${password}@127.0.0.1:${port}/postgres`

interface Cluster {
  /** PostgreSQL's data directory. */
  readonly data: string
  readonly password: string
}

/**
 * Opens the cluster of a folder whose lock we hold, or creates it.
 * @param durable false leaves out the sync to disk, for tests
 * @throws EmbeddedPostgresRefused when it was made by another major version, or cannot be made
 */
export async function openCluster(
  place: DatabasePlace,
  binaries: PostgresBinaries,
  durable: boolean,
  onLog: (line: string) => void,
): Promise<Cluster> {
  const data = clusterFolder(place.folder)
  const found = await readIfThere(join(data, "PG_VERSION"))
  const major = binaries.version.split(".")[0]
  if (found === undefined && (await readNames(data)).length > 0) {
    throw new EmbeddedPostgresRefused(
      `The database in ${data} is damaged: its file PG_VERSION is missing; restore the folder from a backup.`,
    )
  }
  if (found === undefined) await makeCluster(place, binaries, durable, onLog)
  else if (found !== major) {
    throw new EmbeddedPostgresRefused(
      `The database in ${data} was made by PostgreSQL ${found} and this is PostgreSQL ${major}; ` +
        "move its content with pg_dump and pg_restore, or choose another data folder.",
    )
  }
  const password = await readIfThere(join(data, PASSWORD_FILE))
  if (password === undefined) {
    throw new EmbeddedPostgresRefused(`The database in ${data} lacks its password file ${PASSWORD_FILE}; restore it.`)
  }
  await endOrphan(data, onLog)
  return { data, password }
}

async function makeCluster(
  { folder, runAs }: DatabasePlace,
  binaries: PostgresBinaries,
  durable: boolean,
  onLog: (line: string) => void,
): Promise<void> {
  for (const leftover of await readdir(folder)) {
    if (leftover.startsWith("new-")) await rm(join(folder, leftover), { recursive: true, force: true })
  }
  const partial = join(folder, `new-${randomBytes(6).toString("hex")}`)
  const passwordFile = `${partial}-${PASSWORD_FILE}`
  await writeFile(passwordFile, randomBytes(32).toString("hex"), { mode: 0o600, flush: durable })
  if (runAs !== undefined) await chown(passwordFile, runAs.uid, runAs.gid)
  onLog(`making the database in ${folder}`)
  // The built-in C.UTF-8 locale is the same on every machine; a system locale may change with an upgrade.
  const made = await runCommand(
    binaries.initdb,
    [
      `--pgdata=${partial}`,
      `--username=${DATABASE_ROLE}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      ...(durable ? [] : ["--no-sync"]),
    ],
    { runAs, timeoutMs: 120_000 },
  )
  if (!made.ok) {
    await rm(partial, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
    throw new EmbeddedPostgresRefused(`The database in ${folder} could not be made: ${made.output}.`)
  }
  await rename(passwordFile, join(partial, PASSWORD_FILE))
  await rename(partial, clusterFolder(folder))
}

/**
 * A killed server leaves its PostgreSQL running. This process holds the folder's lock, so a PostgreSQL that serves it is an
 * orphan. The pid file also outlives a killed PostgreSQL: another process may have its pid by now, and is left alone.
 */
async function endOrphan(data: string, onLog: (line: string) => void): Promise<void> {
  const pidFile = join(data, "postmaster.pid")
  const pid = Number((await readIfThere(pidFile))?.split("\n")[0])
  if (!Number.isInteger(pid) || pid <= 0) return
  const startTime = await startTimeOf(pid)
  if (startTime !== undefined && (await serves(pid, data))) {
    onLog(`ending PostgreSQL ${pid}, left running on ${data} by a server that was killed`)
    const ended =
      (signal(pid, "SIGINT") && (await processEnded(pid, startTime, 10_000))) ||
      (signal(pid, "SIGQUIT") && (await processEnded(pid, startTime, 5_000)))
    if (!ended) {
      throw new EmbeddedPostgresRefused(`PostgreSQL ${pid} still runs on ${data} and does not end; end it by hand.`)
    }
  }
  // PostgreSQL would refuse to start when another process meanwhile has the pid of its old file.
  await rm(pidFile, { force: true })
}

/** We start PostgreSQL by its full path with `-D <data>`, which stays in its command line. */
async function serves(pid: number, data: string): Promise<boolean> {
  const command = await commandLineOf(pid)
  return command !== undefined && /(^|\/)postgres /.test(command) && `${command} `.includes(` -D ${data} `)
}

/**
 * Signals PostgreSQL: SIGINT is a fast shutdown, SIGQUIT an immediate one (the next start recovers). Also true when the process is gone.
 */
function signal(pid: number, name: "SIGINT" | "SIGQUIT"): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    return failedWith(error, "ESRCH")
  }
}

async function readNames(folder: string): Promise<ReadonlyArray<string>> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (failedWith(error, "ENOENT")) return []
    throw error
  }
}

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim()
  } catch (error) {
    if (failedWith(error, "ENOENT")) return undefined
    throw error
  }
}
