/**
 * The command: `--help`, the configuration, and then this process as the server, as one of its workers, or as their supervisor.
 * Exit codes: 0 stopped, 1 refused or failed.
 */
import { type Config, ConfigInvalid, configHelp, loadConfig } from "./config/config.ts"
import { print, refuse } from "./terminal.ts"
import { WORKER_FLAG } from "./workers/worker.ts"

const HELP = `Gathercue runs live events: a REST API, a WebSocket gateway and signed webhooks.

It is configured by the environment. Each key with its default:

${configHelp()}`

if (process.argv.includes("--help")) {
  print(HELP)
  process.exit(0)
}

const isWorker = process.argv.includes(WORKER_FLAG)

const config = ((): Config => {
  try {
    return loadConfig(undefined, isWorker)
  } catch (cause) {
    if (cause instanceof ConfigInvalid) return refuse(cause)
    throw cause
  }
})()

// The supervisor of workers loads no server.
if (config.workers > 1) await (await import("./run-workers.ts")).runWorkers(config)
else await (await import("./run-server.ts")).runServer(config)
