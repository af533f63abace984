/**
 * Several workers on one port: ordinary nodes on loopback, which exchange messages through this process, so that one command uses all
 * cores. The supervisor owns the embedded database, accepts no connections itself, and restarts workers that end.
 */
import { once } from "node:events"
import { createServer } from "node:net"
import { Redacted } from "effect"
import type { Config } from "../config/config.ts"
import { deriveKey } from "../crypto/secret-key.ts"
import { listenUrl } from "../model/listen-url.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../store/embedded/postgres.ts"
import { LinkHub } from "./link-hub.ts"
import { Worker } from "./worker.ts"

/** The workers cannot be started; the message is one sentence for the operator. */
class WorkersRefused extends Error {
  override readonly name = "WorkersRefused"
}

interface SupervisorOptions {
  readonly config: Config
  readonly environment: NodeJS.ProcessEnv
  /** The command's module. */
  readonly module: string
  readonly log: {
    readonly warn: (fields: object, text: string) => void
    readonly info: (text: string) => void
  }
  /** Receives a line of the embedded database's output. */
  readonly say: (line: string) => void
}

interface RunningWorkers {
  readonly url: string
  readonly publicUrl: string
  readonly database: string
  readonly stop: () => Promise<void>
  readonly abandon: () => void
  /** Restarts every worker, one after the other, while the others serve. Runs once at a time; a stop ends it. */
  readonly roll: () => Promise<void>
  /** Resolves with a sentence when the embedded database ended by itself. */
  readonly failed: Promise<string>
}

const LOOPBACK = "127.0.0.1"
/** Connections to the embedded database, shared by the workers' pools. */
const POOL_OF_ALL = 10
const SMALLEST_POOL = 3

const never = new Promise<string>(() => {})

/** The port, or a free one for 0. Rejects if another server has it, with which the workers would otherwise share it. */
const freePort = async (host: string, port: number): Promise<number> => {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), "listening")
  } catch (cause) {
    throw new WorkersRefused(
      `Port ${port} on ${host} cannot be listened on (${(cause as Error).message}); is another server using it, or is the address not one of this machine?`,
    )
  }
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : port
}

/** The settings shared by all workers, in the form in which their configuration reads them. */
const sharedEnvironment = (
  { config, environment }: SupervisorOptions,
  port: number,
  databaseUrl: Redacted.Redacted<string>,
): NodeJS.ProcessEnv => ({
  ...environment,
  WORKERS: "1",
  PORT: String(port),
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRET_KEY: Redacted.value(config.secretKeys[0]),
  PUBLIC_URL: config.publicUrl ?? listenUrl(config.host, port),
  // Other users of this machine must not reach the workers' ports.
  CLUSTER_SECRET:
    config.cluster?.secret == null
      ? Buffer.from(deriveKey(config.secretKeys[0], "workers")).toString("base64url")
      : Redacted.value(config.cluster.secret),
  DATABASE_POOL:
    environment["DATABASE_POOL"]?.trim() || String(Math.max(SMALLEST_POOL, Math.ceil(POOL_OF_ALL / config.workers))),
})

/** Address at which the other nodes reach the `n`th worker: derived from the configured address, or a free port of this machine. */
const addressOf = async ({ cluster }: Config, n: number): Promise<string> =>
  cluster === null
    ? `${LOOPBACK}:${await freePort(LOOPBACK, 0)}`
    : `${cluster.host.includes(":") ? `[${cluster.host}]` : cluster.host}:${cluster.port + n}`

export const startWorkers = async (options: SupervisorOptions): Promise<RunningWorkers> => {
  const { config, module, log, say } = options
  const port = await freePort(config.host, config.port)
  // Done before the database is started, which a failure here would leave running.
  const addresses: string[] = []
  for (let n = 0; n < config.workers; n++) addresses.push(await addressOf(config, n))
  const embedded: EmbeddedPostgres | undefined =
    config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, onLog: say }) : undefined
  const shared = sharedEnvironment(options, port, config.databaseUrl ?? Redacted.make(embedded?.url ?? ""))
  const hub = new LinkHub()
  const workers = addresses.map(
    (address, n) =>
      new Worker({
        module,
        environment: {
          ...shared,
          CLUSTER_ADDRESS: address,
          ...(config.adminPort !== null && { ADMIN_PORT: String(config.adminPort + n) }),
        },
        hub,
        ended: (code, againInMs) => log.warn({ worker: n, code, againInMs }, "a worker ended and is started again"),
      }),
  )
  let isStopping = false
  let rolling: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    isStopping = true
    await Promise.all(workers.map((worker) => worker.stop()))
    await embedded?.stop()
  }
  const roll = async (): Promise<void> => {
    for (const worker of workers) {
      await worker.stop()
      if (isStopping) return
      if ((await worker.start()) === null) log.warn({}, "a worker could not start; the others go on as they are")
    }
    log.info("all workers were started anew")
  }
  // Workers start one after the other: the first one creates the schema, and a refusal is printed once.
  const described: string[] = []
  for (const worker of workers) {
    const database = await worker.start()
    if (database !== null) described.push(database)
    else {
      await stop()
      throw new WorkersRefused("A worker could not start; its own message is above.")
    }
  }
  return {
    url: listenUrl(config.host, port),
    publicUrl: shared["PUBLIC_URL"] ?? "",
    database:
      embedded === undefined ? (described[0] ?? "") : `embedded PostgreSQL ${embedded.version} in ${embedded.dataDir}`,
    stop,
    abandon: () => {
      for (const worker of workers) worker.kill()
      if (embedded !== undefined) process.kill(embedded.pid, "SIGQUIT")
    },
    roll: () => {
      rolling ??= roll().finally(() => {
        rolling = undefined
      })
      return rolling
    },
    failed: embedded?.exited.then(() => "The embedded database stopped by itself.") ?? never,
  }
}
