/** `gathercue promote`: declares the database the original, whatever it was copied from. */
import type { checkConfig } from "../config/config.ts"
import { withSession } from "../store/pool/session.ts"
import { countHolders } from "../store/process-lock.ts"
import { recogniseInstance } from "../store/quiet/instance.ts"
import { promote } from "../store/quiet/promote.ts"
import { CommandFailed } from "./command-failed.ts"
import { withDatabase } from "./reach-database.ts"
import { print } from "./terminal.ts"

const SESSION = { application_name: "gathercue promote" }
const LIMITS = { connectMs: 10_000, withinMs: 600_000 }

/** @throws CommandFailed when no server of this release has used the database yet */
export const promoteDatabase = async (config: ReturnType<typeof checkConfig>, discards: boolean): Promise<void> => {
  const { wasQuiet, copied } = await withDatabase(config, (url) =>
    withSession(url, SESSION, LIMITS, async ({ sql }) => {
      const [seen] = await sql<{ is: boolean }[]>`select to_regclass('instances') is not null as is`
      if (seen?.is !== true) throw new CommandFailed("No server of this release was started on the database yet.")
      // A copy on which no server has started yet is recognised first.
      if ((await countHolders(sql)) === 0) await recogniseInstance(url, { ...config, quiet: false })
      return promote(sql, discards)
    }),
  )
  if (!wasQuiet) return print("The database is the real one already; nothing is held back.")
  const waited = `${copied.deliveries} webhook deliveries and ${copied.letters} emails that waited in the original too`
  print(`The database is the real one now. ${waited} ${discards ? "were discarded" : "are sent"}.`)
}
