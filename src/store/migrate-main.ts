/** `npm run db:migrate`: brings the database to the current schema and prints the versions before and after. */
import { loadConfig } from "../config/config.ts"
import { openDatabase } from "./open-database.ts"

try {
  const config = loadConfig()
  const open = await openDatabase({ ...config, nodeLostMs: config.cluster?.lostMs ?? null }, () => {})
  const { from, to } = open.schema
  process.stdout.write(
    `${open.description}: schema version ${from === to ? `${to}, up to date` : `${from} -> ${to}`}\n`,
  )
  await open.close(5000)
} catch (cause) {
  process.stderr.write(`${(cause as Error).message}\n`)
  process.exitCode = 1
}
