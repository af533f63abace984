/** Runs this process as the server, or as one of several workers on one port. */

import { printWelcome } from "../cli/terminal.ts"
import { toSupervisor } from "../cluster/link/worker-link.ts"
import type { Config } from "../config/config.ts"
import { withoutValues } from "../telemetry/logged-error.ts"
import { shortOfFiles } from "../telemetry/open-files.ts"
import { openLog } from "../telemetry/telemetry.ts"
import { runUntilStopped } from "./run-process.ts"
import { startServer } from "./server.ts"

/** A stop that takes longer than this, beyond the delay before it, is forced. */
const STOP_DEADLINE_MS = 10_000

export const runServer = async (config: Config): Promise<void> => {
  const log = openLog(config.logLevel)
  // The supervisor has already logged these for its workers.
  if (!config.isWorker) {
    for (const warning of config.warnings) log.warn(warning)
    const short = shortOfFiles(config.socketsPerAddress)
    if (short !== undefined) log.warn(short)
  }
  const server = await runUntilStopped(log, config.drainDelayMs + STOP_DEADLINE_MS, () =>
    startServer(config, (line) => log.debug({ from: "postgres" }, withoutValues(line))),
  )
  if (!config.isWorker) {
    // A terminal that is closed sends it too; then nobody is left to stop the server.
    process.on("SIGHUP", () => {
      if (process.stdout.isTTY) server.stopNow()
      else log.warn("SIGHUP starts workers anew, and this server has none")
    })
    return printWelcome(server, config)
  }
  // Without its supervisor a worker would receive no messages of the others.
  process.once("disconnect", server.stopNow)
  // The signal is for the supervisor; a terminal sends it to all processes.
  process.on("SIGHUP", () => {})
  if (!process.connected) server.stopNow()
  toSupervisor({ type: "ready", database: server.database })
}
