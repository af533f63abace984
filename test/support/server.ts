/** A whole server in this process, on a database of its own and a free port: what HTTP, gateway and webhook tests talk to. */
import { loadConfig } from "../../src/config/config.ts"
import { type RunningServer, startServer } from "../../src/server.ts"
import { createTestDatabase } from "./database.ts"

export const PLATFORM_KEY = "platform-key-of-the-tests-0123456789"

export interface TestServer extends RunningServer {
  readonly databaseUrl: string
}

export const startTestServer = async (environment: { readonly [key: string]: string } = {}): Promise<TestServer> => {
  const database = await createTestDatabase()
  const server = await startServer(
    loadConfig({
      PORT: "0",
      DATABASE_URL: database.url,
      DATABASE_POOL: "6",
      SECRET_KEY: "secret-key-of-the-tests-0123456789abcdef",
      PLATFORM_KEY,
      LOG_LEVEL: "silent",
      WEBHOOK_RETRY_SCHEDULE: "0.05,0.1",
      ...environment,
    }),
    () => {},
  ).catch(async (cause: unknown) => {
    await database.drop()
    throw cause
  })
  return {
    ...server,
    databaseUrl: database.url,
    stop: async () => {
      await server.stop()
      await database.drop()
    },
  }
}
