/**
 * One running PostgreSQL server process: started, waited for, stopped. It has a session of its own, so that a Ctrl-C
 * on the terminal reaches this process alone, which drains first and stops PostgreSQL last.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { EmbeddedPostgresRefused } from "./refused.ts"
import { CHILD_ENVIRONMENT, type SystemUser } from "./system-command.ts"

interface PostgresProcess {
  readonly pid: number
  readonly port: number
  /**
   * Fast shutdown: sessions are ended, data is flushed; after `graceMs` (default 8,000) an immediate one. Idempotent;
   * resolves when no process of the server is left.
   */
  stop(graceMs?: number): Promise<void>
  /** Resolves when the server ended without a call of `stop`. */
  readonly exited: Promise<void>
}

interface LaunchOptions {
  readonly command: string
  readonly data: string
  readonly settings: Readonly<Record<string, string>>
  readonly runAs: SystemUser | undefined
  readonly onLog: (line: string) => void
}

/** Maximum silence of a starting server; during crash recovery it reports progress every ten seconds. */
const SILENCE_MS = 30_000
/** Timeout after which the fast shutdown becomes an immediate one, which costs a recovery at the next start but no data. */
const FAST_SHUTDOWN_MS = 8_000
const IMMEDIATE_SHUTDOWN_MS = 700
const MAX_ATTEMPTS = 20

/** Failures that a healthy installation can have: another program took the port; a killed server's last children are ending. */
const PASSING_FAILURES = [/could not bind .*address/i, /could not create any TCP\/IP sockets/, /is still in use/]

/** Starts the server on a free loopback port and waits until it takes connections. @throws EmbeddedPostgresRefused */
export async function launchPostgres(options: LaunchOptions): Promise<PostgresProcess> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const server = spawnPostgres(options, port)
    const failure = await server.started
    if (failure === undefined) return server
    if (attempt === MAX_ATTEMPTS || !PASSING_FAILURES.some((pattern) => pattern.test(failure))) {
      throw new EmbeddedPostgresRefused(`PostgreSQL did not start on ${options.data}: ${failure}`)
    }
    await delay(50 * attempt)
  }
}

/** `started` resolves to undefined when ready, or to the reason of a failure; then no process of it is left. */
function spawnPostgres(
  options: LaunchOptions,
  port: number,
): PostgresProcess & { started: Promise<string | undefined> } {
  const child = spawn(options.command, ["-D", options.data, ...settingArguments(options.settings, port)], {
    ...options.runAs,
    cwd: "/",
    env: CHILD_ENVIRONMENT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  // "close" follows the end of the last process that shares its output: the server and all its children.
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  let stopping: Promise<void> | undefined
  const stop = (graceMs = FAST_SHUTDOWN_MS) => {
    stopping ??= shutDown(child, closed, graceMs)
    return stopping
  }
  const exited = new Promise<void>((resolve) => {
    void closed.then(() => {
      if (stopping === undefined) resolve()
    })
  })
  const started = new Promise<string | undefined>((resolve) => {
    const errors: Array<string> = []
    const silence = setTimeout(() => {
      void stop().then(() => resolve(`it said nothing for ${SILENCE_MS / 1000} s`))
    }, SILENCE_MS)
    const onLine = (line: string) => {
      options.onLog(line)
      silence.refresh()
      if (/FATAL|could not|HINT/.test(line)) errors.push(line)
      if (line.includes("database system is ready to accept connections")) {
        clearTimeout(silence)
        resolve(undefined)
      }
    }
    createInterface(child.stdout).on("line", onLine)
    createInterface(child.stderr).on("line", onLine)
    child.once("error", (error) => {
      clearTimeout(silence)
      resolve(error.message)
    })
    void closed.then(() => {
      clearTimeout(silence)
      resolve(errors.join(" ") || `it ended with code ${child.exitCode ?? child.signalCode}`)
    })
  })
  return { pid: child.pid ?? 0, port, stop, exited, started }
}

/**
 * Our settings come last and so win: this process reads the log and connects over loopback only. The log holds no values: terse errors have
 * no details, and statements are not logged with them.
 */
function settingArguments(settings: Readonly<Record<string, string>>, port: number): ReadonlyArray<string> {
  const all = {
    ...settings,
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    logging_collector: "off",
    log_destination: "stderr",
    log_error_verbosity: "terse",
    log_min_error_statement: "panic",
    log_statement: "none",
    log_min_duration_statement: "-1",
  }
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}

async function shutDown(child: ChildProcess, closed: Promise<void>, graceMs: number): Promise<void> {
  child.kill("SIGINT")
  if (await within(closed, graceMs)) return
  child.kill("SIGQUIT")
  if (await within(closed, IMMEDIATE_SHUTDOWN_MS)) return
  // Kills the whole session: a stopped backend holds on to the shared memory, and so to the data folder.
  if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  await closed
}

async function within(done: Promise<void>, ms: number): Promise<boolean> {
  const late = new AbortController()
  const outcome = await Promise.race([
    done.then(() => true),
    delay(ms, false, { signal: late.signal }).catch(() => false),
  ])
  late.abort()
  return outcome
}

/** Free at this moment; another program may still take it before PostgreSQL does, hence the attempts above. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(address)))
    })
  })
}
