/**
 * One PostgreSQL server per test run and in it one migrated template database, from which every test file clones its
 * own (`createTestDatabase`). TEST_DATABASE_URL names another server to use; it needs the right to create databases.
 * Nothing is left after the run: no process, no folder, no template.
 */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { startEmbeddedPostgres } from "../../src/store/embedded/postgres.ts"
import { migrate } from "../../src/store/migrate.ts"
import { createDatabase, databaseUrl, dropDatabase, dropDatabases, setPasswordAgain } from "./database-server.ts"
import { bundledIn, pagesIn, siteIn } from "./run-folder.ts"
import { namesOf } from "./spare-databases.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly testServerUrl: string
    readonly testTemplate: string
    /** For files that the tests of the run share; removed when it ends. */
    readonly runFolder: string
  }
}

/** Nothing has to outlive the run, and nothing is copied to another server. */
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_connections: "600",
  // A client computes this many hashes for each connection, and tests open thousands.
  scram_iterations: "1",
  // A connection of a test lives for few statements: planning each of them five times over costs more than a better plan spares.
  plan_cache_mode: "force_generic_plan",
  // Fewer processes to be woken, and none that looks through hundreds of databases.
  io_method: "sync",
  autovacuum: "off",
}

const HOW = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }

/**
 * Databases have thousands of files, so that this takes seconds. Vitest hears meanwhile that the last worker has ended; otherwise it would
 * report a worker that does not.
 */
const remove = async (folder: string): Promise<void> => {
  const atOnce = (): void => rmSync(folder, HOW)
  process.once("exit", atOnce)
  await rm(folder, HOW).finally(() => process.off("exit", atOnce))
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("../../scripts/client-contract.mjs", import.meta.url)),
  ])
  const runFolder = await mkdtemp(join(tmpdir(), "gathercue-run-"))
  // Under root the database runs as another user, who must be able to pass through it.
  await chmod(runFolder, 0o711)
  try {
    const server = await testServer(runFolder)
    const template = `gathercue_template_${randomBytes(6).toString("hex")}`
    try {
      await createDatabase(server.url, template)
      await migrate(databaseUrl(server.url, template))
    } catch (error) {
      await server.stop(template)
      throw error
    }
    project.provide("runFolder", runFolder)
    // While vitest watches, the source has changed since.
    project.onTestsRerun(async () => {
      await Promise.all([bundledIn, siteIn, pagesIn].map((placeIn) => remove(placeIn(runFolder))))
    })
    project.provide("testServerUrl", server.url)
    project.provide("testTemplate", template)
    return async () => {
      try {
        await server.stop(template)
      } finally {
        await remove(runFolder)
      }
    }
  } catch (error) {
    await remove(runFolder)
    throw error
  }
}

interface TestServer {
  readonly url: string
  /** The databases of the run are gone with it. */
  readonly stop: (template: string) => Promise<void>
}

/** The template goes last: the names of the others begin with its name. */
const dropAll = async (server: string, template: string): Promise<void> => {
  await dropDatabases(server, namesOf(template))
  await dropDatabase(server, template)
}

async function testServer(dataDir: string): Promise<TestServer> {
  const given = process.env["TEST_DATABASE_URL"]
  if (given !== undefined) return { url: given, stop: (template) => dropAll(given, template) }

  const log: Array<string> = []
  const server = await startEmbeddedPostgres({
    dataDir,
    onLog: (line) => log.push(line),
    settings: SETTINGS,
  }).catch((error: unknown) => {
    throw new Error(`the test database did not start:\n${log.join("\n")}`, { cause: error })
  })
  // A run that is interrupted ends without its teardown; PostgreSQL has its own session and would stay.
  const endAtOnce = () => {
    process.kill(server.pid, "SIGQUIT")
    rmSync(dataDir, HOW)
  }
  process.once("exit", endAtOnce)
  await setPasswordAgain(server.url)
  return {
    url: server.url,
    stop: async () => {
      process.off("exit", endAtOnce)
      await server.stop()
      if (server.dataDir !== dataDir) await remove(server.dataDir)
    },
  }
}
