/** `gathercue doctor`: one file with everything a supporter needs, without secrets or data stored by customers. */
import { existsSync } from "node:fs"
import { open, statfs, writeFile } from "node:fs/promises"
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem, uptime } from "node:os"
import { resolve } from "node:path"
import { Redacted } from "effect"
import { ConfigInvalid, checkConfig, inheritedEnvironment } from "../config/config.ts"
import { MASK, masking, shownSettings } from "../config/shown.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { readSchema } from "../store/migrate.ts"
import { diagnose } from "../store/platform/diagnosis.ts"
import { fileLimit } from "../telemetry/open-files.ts"
import { checkAll } from "./check.ts"
import { CommandFailed } from "./command-failed.ts"
import { askServer } from "./doctor-server.ts"
import { withDatabase } from "./reach-database.ts"
import { print } from "./terminal.ts"

const LOG_LINES = 500
const LOG_BYTES = 1024 ** 2
const NO_LOG =
  "No file was named with --log. The server writes its log to standard output, and what runs it keeps that (journalctl -u gathercue, docker logs)."

type Checked = ReturnType<typeof checkConfig>

const machine = () => ({
  node: process.version,
  platform: `${platform()} ${release()} ${arch()}`,
  processors: availableParallelism(),
  loadAverage: loadavg(),
  memoryBytes: totalmem(),
  memoryFreeBytes: freemem(),
  uptimeSeconds: Math.round(uptime()),
  /** Limit of this command; `process_max_fds` in the metrics is that of a running server. Null when there is no limit. */
  openFilesAtMost: Number.isFinite(fileLimit()) ? fileLimit() : null,
})

/** Replaces data that could not be read by the reason of the failure. */
const orReason = <A>(work: Promise<A>): Promise<A | { readonly failed: string }> =>
  work.catch((cause: unknown) => ({ failed: cause instanceof Error ? cause.message : String(cause) }))

const readDisk = async ({ dataDir }: Checked) => {
  if (!existsSync(dataDir)) return { folder: dataDir, failed: "There is no such folder yet." }
  const { bavail, blocks, bsize, ffree } = await statfs(dataDir)
  return { folder: dataDir, freeBytes: bavail * bsize, bytes: blocks * bsize, freeInodes: ffree }
}

const readDatabase = async (config: Checked) => {
  if (config.databaseUrl === null && (await findDatabase(config.dataDir)) === undefined) {
    return { failed: "The first start makes the database; there is none yet." }
  }
  return withDatabase(config, async (url) => ({ schema: await readSchema(url), ...(await diagnose(url)) }))
}

/**
 * Keys, secrets of webhooks and tokens (JWT, whose first part is JSON in base64url) that this server made or received. No setting holds
 * them, so they are recognised by their form.
 */
const TOKENS = /\bgck_[\w-]+|\bwhsec_[\w+/=-]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g

const readLog = async (path: string) => {
  if (path === "") return { missing: NO_LOG }
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const length = Math.min(size, LOG_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const lines = buffer.subarray(0, bytesRead).toString().trimEnd().split("\n")
    return { path: resolve(path), lines: lines.slice(-LOG_LINES).map((line) => line.replaceAll(TOKENS, MASK)) }
  } finally {
    await file.close()
  }
}

/** The configuration, or the reasons why there is none: without it nothing that needs it can be checked. */
const readConfig = (): Checked | { readonly problems: ReadonlyArray<string> } => {
  try {
    return checkConfig()
  } catch (cause) {
    if (cause instanceof ConfigInvalid) return { problems: cause.message.split("\n") }
    throw cause
  }
}

const collect = async (log: string, version: string, config: ReturnType<typeof readConfig>) => {
  const common = {
    madeAt: new Date().toISOString(),
    version,
    machine: machine(),
    settings: shownSettings(inheritedEnvironment()),
    log: await orReason(readLog(log)),
  }
  if ("problems" in config) return { ...common, problems: config.problems }
  return {
    ...common,
    warnings: config.warnings,
    check: await orReason(checkAll()),
    database: await orReason(readDatabase(config)),
    disk: await orReason(readDisk(config)),
    server: await askServer(config),
  }
}

/**
 * Every text of the result is searched for every secret, because messages of other programs may hold one.
 * @throws CommandFailed when the file cannot be written
 */
export const doctor = async (target: string, log: string, version: string): Promise<void> => {
  const config = readConfig()
  const keys = "problems" in config ? [] : (config.secretKeys ?? []).map((key) => Redacted.value(key))
  const found = await collect(log, version, config)
  const masked = masking(inheritedEnvironment(), keys)
  const text = JSON.stringify(found, (_, value: unknown) => (typeof value === "string" ? masked(value) : value), 2)
  const path = resolve(target || `gathercue-doctor-${found.madeAt.replaceAll(/[:.]/g, "-")}.json`)
  // An older file is kept, and no other user of the machine can read this one.
  await writeFile(path, `${text}\n`, { flag: "wx", mode: 0o600 }).catch((cause: Error) => {
    throw new CommandFailed(`${path} cannot be written (${cause.message}).`)
  })
  print(`${path}: settings without secrets, and the state of the parts. Read it before you send it to somebody.`)
}
