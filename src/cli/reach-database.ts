/** The configured database for a command that changes no schema and takes no lock: a server may run on it meanwhile. */
import { Redacted } from "effect"
import type { Config } from "../config/config.ts"
import { attachEmbeddedPostgres } from "../store/embedded/attach.ts"
import { usable } from "../store/open-database.ts"

/** Runs `work` with the database's address. Failures that an operator can act on become one sentence. */
export const withDatabase = async <A>(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
  work: (url: string) => Promise<A>,
): Promise<A> => {
  if (databaseUrl !== null) return usable("The database at DATABASE_URL", () => work(Redacted.value(databaseUrl)))
  const attached = await attachEmbeddedPostgres({ dataDir, onLog: () => {} })
  try {
    return await usable(`The database in ${dataDir}`, () => work(attached.url))
  } finally {
    await attached.stop()
  }
}
