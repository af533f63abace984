/**
 * The command: parses its arguments, then the configuration, and then runs this process as the server, as one of its workers, as their
 * supervisor, or as an operator's tool. Exit codes: 0 stopped or done, 1 refused or failed.
 */
import { ArgumentsInvalid, type Invocation, readArguments } from "../cli/arguments.ts"
import { isRemote } from "../cli/remote/arguments.ts"
import { exitWithError, print } from "../cli/terminal.ts"
import { checkConfig, loadConfig } from "../config/config.ts"

const serve = async (isWorker: boolean): Promise<void> => {
  const config = loadConfig(undefined, isWorker)
  // The supervisor of workers does not load the server.
  if (config.workers > 1) await (await import("./run-workers.ts")).runWorkers(config)
  else await (await import("./run-server.ts")).runServer(config)
}

/** Each tool loads only what it needs, so that none waits for the rest of the product. */
const TOOLS: { readonly [C in Exclude<Invocation["command"], "serve">]: (asked: Invocation) => Promise<void> } = {
  help: async () => print((await import("../cli/help.ts")).helpText()),
  version: async () => print((await import("../protocol/wire/release.ts")).RELEASE),
  check: async ({ json }) => (await import("../cli/check.ts")).check(json),
  doctor: async ({ target, log }) =>
    (await import("../cli/doctor.ts")).doctor(target, log, (await import("../protocol/wire/release.ts")).RELEASE),
  migrate: async () => (await import("../cli/migrate.ts")).migrateDatabase(loadConfig()),
  keys: async () => (await import("../cli/keys.ts")).showKeys(loadConfig()),
  "keys new": async () => print((await import("../cli/keys.ts")).newKey()),
  "keys reseal": async () => (await import("../cli/keys.ts")).reseal(loadConfig()),
  promote: async ({ discardWaiting }) =>
    (await import("../cli/promote.ts")).promoteDatabase(checkConfig(), discardWaiting),
  inspect: async ({ target, json }) => (await import("../cli/inspect.ts")).printInspection(checkConfig(), target, json),
  backup: async ({ target, verify }) =>
    (await import("../cli/backup-commands.ts")).runBackup(checkConfig(), target, verify),
  restore: async ({ target }) => (await import("../cli/backup-commands.ts")).runRestore(checkConfig(), target),
}

const readEnvFile = (path: string): void => {
  try {
    process.loadEnvFile(path)
  } catch (cause) {
    throw new ArgumentsInvalid(`The file ${path} cannot be read (${(cause as Error).message}).`)
  }
}

const run = async (args: ReadonlyArray<string>): Promise<void> => {
  if (isRemote(args) && !args.includes("--help")) return (await import("../cli/remote/run.ts")).runRemote(args)
  const asked = readArguments(args)
  for (const path of asked.envFiles) readEnvFile(path)
  if (asked.command === "serve") await serve(asked.isWorker)
  else await TOOLS[asked.command](asked)
}

try {
  await run(process.argv.slice(2))
} catch (cause) {
  exitWithError(cause)
}
