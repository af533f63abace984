/** `gathercue check`: would a server start with this configuration on this database? Changes nothing. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Config, checkConfig, loadConfig } from "../config/config.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { requireRestored } from "../store/embedded/restoring.ts"
import { readSchema, type SchemaState } from "../store/migrate.ts"
import { countSealed } from "../store/resealing.ts"
import { opensSecrets } from "../store/sealing-keys.ts"
import { print } from "../terminal.ts"
import { CommandFailed } from "./command-failed.ts"
import { withDatabase } from "./reach-database.ts"

/** @throws CommandFailed when a newer build has changed the schema */
const schemaLine = ({ applied, known, unknown }: SchemaState): string => {
  if (unknown.length > 0) {
    throw new CommandFailed(
      `The database has migration ${Math.max(...unknown)}, which this build (up to ${known}) lacks.`,
    )
  }
  if (applied === 0) return "empty, its tables are made by gathercue migrate or the first start"
  return applied === known ? `at schema version ${applied}` : `at schema version ${applied}; ${known} is this build's`
}

const checkDatabase = async (config: Config): Promise<void> => {
  const place = config.databaseUrl === null ? `in ${config.dataDir}` : "at DATABASE_URL"
  const { schema, sealed } = await withDatabase(config, async (url) => {
    const state = await readSchema(url)
    const isUsed = state.applied === state.known && (await opensSecrets(url, config.secretKeys))
    return { schema: state, sealed: isUsed ? await countSealed(url, config.secretKeys) : [] }
  })
  print(`database       ${place}, ${schemaLine(schema)}`)
  const unreadable = sealed.filter((one) => one.unreadable > 0).map((one) => `${one.unreadable} ${one.name}`)
  if (unreadable.length > 0) throw new CommandFailed(`None of the configured keys opens ${unreadable.join(", ")}.`)
  if (schema.applied === schema.known) print("keys           open everything that is sealed")
}

/** A database that has nothing yet gets its key from the first start. */
const checkWithoutKey = async (databaseUrl: Config["databaseUrl"], dataDir: string): Promise<void> => {
  const schema = await withDatabase({ databaseUrl, dataDir }, readSchema)
  if (schema.applied > 0) {
    throw new CommandFailed(`The key of the database is missing: there is no file secret-key in ${dataDir}.`)
  }
  print(`database       ${databaseUrl === null ? `in ${dataDir}` : "at DATABASE_URL"}, ${schemaLine(schema)}`)
}

/** @throws ConfigInvalid, CommandFailed, or a refusal of the database */
export const check = async (): Promise<void> => {
  const { databaseUrl, dataDir, keepsKey, warnings } = checkConfig()
  print("configuration  can be used")
  for (const warning of warnings) print(`               ${warning}`)
  if (databaseUrl === null) await requireRestored(dataDir)
  // The first start makes both; a check makes nothing.
  const isNew = databaseUrl === null && (await findDatabase(dataDir)) === undefined
  if (isNew) return print(`database       none in ${dataDir} yet: the first start makes it`)
  if (keepsKey && !existsSync(join(dataDir, "secret-key"))) return checkWithoutKey(databaseUrl, dataDir)
  await checkDatabase(loadConfig())
}
