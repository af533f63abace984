/**
 * The embedded database: a real PostgreSQL server, from binaries installed by npm, as a child of this process.
 *
 * Invariants: one server per data folder; loopback TCP with a random password, no other way in; after `stop()` neither
 * a process nor a lock is left; after `kill -9` of this process the next start ends the orphan and goes on.
 * Parts: place (folders, users), lock, binaries, cluster (files), process.
 */

import { findBinaries } from "./binaries.ts"
import { openCluster, urlOf } from "./cluster.ts"
import { lockDataFolder } from "./data-folder-lock.ts"
import { prepareDatabasePlace } from "./place.ts"
import { launchPostgres } from "./postgres-process.ts"
import { EmbeddedPostgresRefused } from "./refused.ts"
import { requireRestored } from "./restoring.ts"

export interface EmbeddedPostgresOptions {
  /** Created when missing. The database is kept in its `postgres` subfolder. */
  readonly dataDir: string
  /** Receives the steps of this module and PostgreSQL's output, line by line. */
  readonly onLog: (line: string) => void
  /** Server settings (`postgresql.conf` names) in addition to the defaults. Address, port and log target stay ours. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface EmbeddedPostgres {
  /** Loopback address `postgres://…`, with its password. */
  readonly url: string
  /** Server version such as `18.4`. */
  readonly version: string
  /** Data folder in use; differs from the requested folder when the database's user cannot reach that one. */
  readonly dataDir: string
  /** Pid of the server process. */
  readonly pid: number
  /** Fast shutdown, then releases the data folder. Idempotent. */
  stop(graceMs?: number): Promise<void>
  /** Resolves when the server ended by itself. `stop()` is still needed to release the data folder. */
  readonly exited: Promise<void>
}

/** Tuned for a small server with many short statements on a machine that it shares with us. */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: "100",
  shared_buffers: "128MB",
  wal_compression: "on",
  max_wal_size: "1GB",
  // None of our statements is worth a second process, and a container's shared memory is small.
  max_parallel_workers_per_gather: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  // Our own log adds the time; periodic checkpoints are not logged.
  log_line_prefix: "",
  log_checkpoints: "off",
}

/** Starts the database, which is created at the first start. @throws EmbeddedPostgresRefused */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (cause) {
    // The system's own message for a full or read-only disk, an unreadable file and similar errors.
    if (!(cause instanceof Error) || !("syscall" in cause)) throw cause
    throw new EmbeddedPostgresRefused(`The data folder ${options.dataDir} cannot be used: ${cause.message}.`)
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { onLog } = options
  const settings = { ...DEFAULT_SETTINGS, ...options.settings }
  await requireRestored(options.dataDir)
  const place = await prepareDatabasePlace(options.dataDir, onLog)
  const lock = await lockDataFolder(place.folder, place.runAs)
  try {
    const binaries = await findBinaries(place.runAs, onLog)
    const cluster = await openCluster(place, binaries, settings["fsync"] !== "off", onLog)
    const server = await launchPostgres({
      command: binaries.postgres,
      data: cluster.data,
      settings,
      runAs: place.runAs,
      onLog,
    })
    let stopping: Promise<void> | undefined
    return {
      url: urlOf(cluster.password, server.port),
      version: binaries.version,
      dataDir: place.dataDir,
      pid: server.pid,
      exited: server.exited,
      stop: (graceMs) => {
        stopping ??= server.stop(graceMs).then(() => lock.release())
        return stopping
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}
