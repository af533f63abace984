/** A real PostgreSQL of our own in a temporary folder, with as many databases as contestants. */
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { startEmbeddedPostgres } from "../../src/store/embedded/postgres.ts"
import { migrate } from "../../src/store/migrate.ts"
import type { Defer } from "../benchmark.ts"

export interface BenchDatabases {
  /** Of the PostgreSQL server. */
  readonly pid: number
  /** A new database; resolves to its URL. */
  readonly create: (schema: "empty" | "migrated") => Promise<string>
}

export const temporaryFolder = async (defer: Defer): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-bench-"))
  defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const startDatabases = async (defer: Defer): Promise<BenchDatabases> => {
  const dataDir = await temporaryFolder(defer)
  const server = await startEmbeddedPostgres({ dataDir, onLog: () => {} })
  defer(async () => {
    await server.stop()
    // The database's user may not have been able to reach the folder we made, and got another.
    await rm(server.dataDir, { recursive: true, force: true })
  })
  return {
    pid: server.pid,
    create: async (schema) => {
      const name = `bench_${randomBytes(6).toString("hex")}`
      const admin = postgres(server.url, { max: 1 })
      await admin`create database ${admin(name)}`.finally(() => admin.end())
      const url = new URL(server.url)
      url.pathname = `/${name}`
      if (schema === "migrated") await migrate(url.href)
      return url.href
    },
  }
}
