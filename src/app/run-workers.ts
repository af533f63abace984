/** Runs this process as the supervisor of several workers on one port. */

import { print, printWelcome } from "../cli/terminal.ts"
import { type Config, inheritedEnvironment } from "../config/config.ts"
import { withoutValues } from "../telemetry/logged-error.ts"
import { shortOfFiles } from "../telemetry/open-files.ts"
import { openLog } from "../telemetry/telemetry.ts"
import { startWorkers } from "../workers/supervisor.ts"
import { runUntilStopped } from "./run-process.ts"

/** A worker ends by itself within ten seconds; then the embedded database stops. */
const STOP_DEADLINE_MS = 20_000

export const runWorkers = async (config: Config): Promise<void> => {
  const log = openLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  // Workers have the same limit.
  const short = shortOfFiles(config.socketsPerAddress)
  if (short !== undefined) log.warn(short)
  let roll = (): void => log.warn("the workers are still being started")
  process.on("SIGHUP", () => roll())
  const workers = await runUntilStopped(log, config.drainDelayMs + STOP_DEADLINE_MS, () =>
    startWorkers({
      config,
      environment: inheritedEnvironment(),
      // Workers run the same command.
      module: process.argv[1] ?? "",
      log,
      say: (line) => log.debug({ from: "postgres" }, withoutValues(line)),
    }),
  )
  roll = () => void workers.roll()
  printWelcome(workers, config)
  if (!config.production) print(`  workers    ${config.workers}; SIGHUP starts them anew one by one`)
}
