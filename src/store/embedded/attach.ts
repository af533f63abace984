/** The embedded database for a command that may run beside a server: the server's own, or a temporary one for the command. */
import { join } from "node:path"
import { PASSWORD_FILE, readIfThere, urlOf } from "./cluster.ts"
import { ownerOf } from "./data-folder-lock.ts"
import { clusterFolder, prepareDatabasePlace } from "./place.ts"
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./postgres.ts"
import { EmbeddedPostgresRefused } from "./refused.ts"

export interface AttachedPostgres {
  /** Loopback address `postgres://…`, with its password. */
  readonly url: string
  /** PostgreSQL's data directory. */
  readonly data: string
  /** Stops the database, unless a server uses it. */
  readonly stop: () => Promise<void>
}

/** Line of PostgreSQL's pid file that holds the port, starting at 0. */
const PORT_LINE = 3

/** @throws EmbeddedPostgresRefused */
export const attachEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<AttachedPostgres> => {
  const { folder } = await prepareDatabasePlace(options.dataDir, options.onLog)
  const data = clusterFolder(folder)
  const owner = await ownerOf(folder)
  if (owner === undefined) {
    const { url, stop } = await startEmbeddedPostgres(options)
    return { url, data, stop }
  }
  const password = await readIfThere(join(data, PASSWORD_FILE))
  const port = Number((await readIfThere(join(data, "postmaster.pid")))?.split("\n")[PORT_LINE])
  if (password === undefined || !Number.isInteger(port)) {
    throw new EmbeddedPostgresRefused(
      `The server ${owner} on the data folder ${folder} is starting or stopping; try again.`,
    )
  }
  return { url: urlOf(password, port), data, stop: async () => {} }
}
