/**
 * The server as a command: start, print the address, and stop cleanly on a signal. Exit codes: 0 stopped, 1 refused or failed.
 */
import { type Config, ConfigInvalid, configHelp, loadConfig } from "./config/config.ts"
import { startServer } from "./server.ts"
import { withoutValues } from "./telemetry/logged-error.ts"
import { openLog } from "./telemetry/telemetry.ts"

/** A stop that takes longer is forced. */
const STOP_DEADLINE_MS = 10_000
/** Failures whose message is meant for the operator; anything else is shown with its stack. */
const REFUSALS = new Set([
  "ConfigInvalid",
  "StartRefused",
  "DatabaseRefused",
  "EmbeddedPostgresRefused",
  "SchemaTooNew",
])

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const refuse = (cause: unknown): never => {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const isForOperator = REFUSALS.has(error.name)
  process.stderr.write(`${isForOperator ? error.message : `Gathercue could not start: ${error.message}`}\n`)
  if (!isForOperator) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}

const HELP = `Gathercue runs live events: a REST API, a WebSocket gateway and signed webhooks in one process.

It is configured by the environment. Each key with its default:

${configHelp()}`

if (process.argv.includes("--help")) {
  print(HELP)
  process.exit(0)
}

const config = ((): Config => {
  try {
    return loadConfig()
  } catch (cause) {
    if (cause instanceof ConfigInvalid) return refuse(cause)
    throw cause
  }
})()

const log = openLog(config.logLevel)
let stopRequested = false
/** Set once there is something to stop; a signal during the start is kept until then. */
let stopNow: (() => void) | undefined
let abandon: (() => void) | undefined

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stopRequested) return
    stopRequested = true
    log.info({ signal }, "stopping")
    setTimeout(() => {
      log.error("the stop took too long")
      abandon?.()
      process.exit(1)
    }, STOP_DEADLINE_MS).unref()
    stopNow?.()
  })
}

const server = await startServer(config, (line) => log.debug({ from: "postgres" }, withoutValues(line))).catch(refuse)

abandon = server.abandon
// An escaped defect: committed work is safe, so the process stops in order and a supervisor starts it anew.
process.on("uncaughtException", (cause) => {
  log.fatal({ err: cause }, "an unexpected failure; stopping")
  if (stopRequested) return
  stopRequested = true
  setTimeout(() => {
    server.abandon()
    process.exit(1)
  }, STOP_DEADLINE_MS).unref()
  void server.stop().finally(() => process.exit(1))
})

stopNow = () => {
  server.stop().then(
    () => process.exit(0),
    (cause: unknown) => refuse(cause),
  )
}
if (stopRequested) stopNow()

void server.failed.then((sentence) => {
  if (stopRequested) return
  process.stderr.write(`${sentence}\n`)
  stopRequested = true
  void server.stop().finally(() => process.exit(1))
})

print(`Gathercue listens on ${server.url} (public address ${server.publicUrl})`)
print(`  database   ${server.database}`)
print(`  reference  ${server.url}/v1/docs`)
print(`  next       curl -sS -c jar ${server.url}/v1/accounts/signup -H 'content-type: application/json' \\`)
print(`               -d '{"email":"you@example.com","password":"correct horse","name":"You"}'`)
