/** `gathercue migrate`: brings the database to the schema of this build. */
import type { Config } from "../config/config.ts"
import { openDatabase } from "../store/open-database.ts"
import { print } from "./terminal.ts"

const CLOSE_WITHIN_MS = 5000

export const migrateDatabase = async (config: Config): Promise<void> => {
  const open = await openDatabase({ ...config, nodeLostMs: config.cluster?.lostMs ?? null }, () => {})
  const { from, to } = open.schema
  await open.close(CLOSE_WITHIN_MS)
  print(`${open.description}: schema version ${from === to ? `${to}, up to date` : `${from} -> ${to}`}`)
}
