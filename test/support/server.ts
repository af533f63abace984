/** A whole server in this process, on a database of its own and a free port: what HTTP, gateway and webhook tests talk to. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { loadConfig } from "../../src/config/config.ts"
import { type RunningServer, startServer } from "../../src/server.ts"
import { createTestDatabase } from "./database.ts"

export const PLATFORM_KEY = "platform-key-of-the-tests-0123456789"

/** The process for media, from its source. */
export const MEDIA_ENTRY = {
  module: fileURLToPath(new URL("run-typescript.mjs", import.meta.url)),
  args: [fileURLToPath(new URL("../../src/media/processing/media-process.ts", import.meta.url))],
}

export interface TestServer extends RunningServer {
  readonly databaseUrl: string
  /** Its DATA_DIR. */
  readonly folder: string
}

export const startTestServer = async (environment: { readonly [key: string]: string } = {}): Promise<TestServer> => {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  const dispose = async (): Promise<void> => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  const server = await startServer(
    loadConfig({
      PORT: "0",
      DATABASE_URL: database.url,
      DATABASE_POOL: "6",
      DATA_DIR: folder,
      SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
      PLATFORM_KEY,
      LOG_LEVEL: "silent",
      WEBHOOK_RETRY_SCHEDULE: "0.05,0.1",
      ...environment,
    }),
    () => {},
    MEDIA_ENTRY,
  ).catch(async (cause: unknown) => {
    await dispose()
    throw cause
  })
  return {
    ...server,
    databaseUrl: database.url,
    folder,
    stop: async () => {
      await server.stop()
      await dispose()
    },
  }
}
