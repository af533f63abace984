/**
 * One PostgreSQL server per test run and in it one migrated template database, from which every test file clones its
 * own (`createTestDatabase`). TEST_DATABASE_URL names another server to use; it needs the right to create databases.
 * Nothing is left after the run: no process, no folder, no template.
 */
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { startEmbeddedPostgres } from "../../src/store/embedded/postgres.ts"
import { migrate } from "../../src/store/migrate.ts"
import { createDatabase, databaseUrl, dropDatabase } from "./database-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly testServerUrl: string
    readonly testTemplate: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await testServer()
  const template = `gathercue_template_${randomBytes(6).toString("hex")}`
  try {
    await createDatabase(server.url, template)
    await migrate(databaseUrl(server.url, template))
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide("testServerUrl", server.url)
  project.provide("testTemplate", template)
  return async () => {
    await dropDatabase(server.url, template).finally(server.stop)
  }
}

interface TestServer {
  readonly url: string
  readonly stop: () => Promise<void>
}

async function testServer(): Promise<TestServer> {
  const given = process.env["TEST_DATABASE_URL"]
  if (given !== undefined) return { url: given, stop: async () => undefined }

  const dataDir = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  // Under root the server runs as another user, who must be able to pass through it.
  await chmod(dataDir, 0o711)
  const log: Array<string> = []
  const server = await startEmbeddedPostgres({
    dataDir,
    onLog: (line) => log.push(line),
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" },
  }).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true })
    throw new Error(`the test database did not start:\n${log.join("\n")}`, { cause: error })
  })
  // A run that is interrupted ends without its teardown; PostgreSQL has its own session and would stay.
  const endAtOnce = () => {
    process.kill(server.pid, "SIGQUIT")
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  process.once("exit", endAtOnce)
  return {
    url: server.url,
    stop: async () => {
      process.off("exit", endAtOnce)
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
      if (server.dataDir !== dataDir) await rm(server.dataDir, { recursive: true, force: true })
    },
  }
}
