/** A whole server in this process, on a database of its own and a free port: what HTTP, gateway and webhook tests talk to. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type RunningServer, startServer } from "../../src/app/server.ts"
import { loadConfig } from "../../src/config/config.ts"
import { builtClient, builtDocs, builtPages, compiled } from "./compiled.ts"
import { createTestDatabase } from "./database.ts"
import { NODES, startNodes } from "./nodes.ts"
import { DATABASE_DEADLINE_MS, NO_HEARTBEATS_MS } from "./patience.ts"

export const PLATFORM_KEY = "platform-key-of-the-tests-0123456789"

export const SECRET_KEY = "secret-key-of-the-tests-0123456789abcdef"

export interface TestServer extends RunningServer {
  readonly databaseUrl: string
  /** Its DATA_DIR. */
  readonly folder: string
  /** Stops it and starts another on its database and folder, at another port. `meanwhile`: while none of them runs. */
  readonly restart: (environment?: Environment, meanwhile?: () => Promise<unknown>) => Promise<TestServer>
}

interface Environment {
  readonly [key: string]: string
}

type Parts = NonNullable<Parameters<typeof startServer>[2]>

/** The least that the algorithm takes. At their real cost the passwords of the tests take a twentieth of the run's processor time. */
const CHEAP_HASHES: Parts = { hashCost: { memoryCost: 8, timeCost: 2 } }
const OF_TESTS: Parts = { ...CHEAP_HASHES, gateway: { heartbeatMs: NO_HEARTBEATS_MS } }

export const startTestServer = (
  environment: Environment = {},
  parts: Pick<Parts, "gateway"> = {},
): Promise<TestServer> => start(environment, { ...OF_TESTS, gateway: { ...OF_TESTS.gateway, ...parts.gateway } })

/** A server whose passwords cost what they cost in production. */
export const startServerWithRealHashes = (environment: Environment = {}): Promise<TestServer> => start(environment, {})

/** A server that can inspect media: its process for that is compiled first. */
export const startMediaServer = async (environment: Environment = {}): Promise<TestServer> =>
  start(environment, {
    ...OF_TESTS,
    mediaEntry: { module: await compiled("src/media/processing/media-process.ts"), args: [] },
  })

/** A server with the media server of its own, which takes a free port. */
export const startServerWithRooms = async (environment: Environment = {}): Promise<TestServer> =>
  start(
    { MEDIA_PORT: "20000", ...environment },
    { ...OF_TESTS, sfuEntry: { module: await compiled("src/sfu/sfu-process.ts"), args: [] } },
  )

/** A server that takes encoders by WebRTC too, and inspects their recordings. */
export const startServerWithWhip = async (environment: Environment = {}): Promise<TestServer> =>
  start(
    { MEDIA_PORT: "20000", ...environment },
    {
      ...OF_TESTS,
      mediaEntry: { module: await compiled("src/media/processing/media-process.ts"), args: [] },
      sfuEntry: { module: await compiled("src/sfu/sfu-process.ts"), args: [] },
    },
  )

/** A server that has the client for pages and the documentation: they are built first. */
export const startServerWithClient = async (environment: Environment = {}): Promise<TestServer> =>
  start(environment, {
    ...CHEAP_HASHES,
    clientFiles: pathToFileURL(`${await builtClient()}/dist/served/`),
    docsFiles: pathToFileURL(`${await builtDocs()}/`),
  })

/** A server that has the pages for people, and can inspect media: both are built first. */
export const startServerWithPages = async (
  environment: Environment = {},
  parts: Pick<Parts, "gateway"> = {},
): Promise<TestServer> =>
  start(environment, {
    ...CHEAP_HASHES,
    ...parts,
    mediaEntry: { module: await compiled("src/media/processing/media-process.ts"), args: [] },
    webFiles: pathToFileURL(`${await builtPages()}/`),
  })

const start = async (environment: Environment, parts: Parts): Promise<TestServer> => {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), "gathercue-test-"))
  const dispose = async (): Promise<void> => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  const runOne = (given: Environment) => startServer(loadConfig(given), () => {}, parts)
  const run = (changed: Environment = {}) => {
    const given = {
      PORT: "0",
      DATABASE_URL: database.url,
      DATABASE_POOL: "6",
      DATABASE_DEADLINE_MS: String(DATABASE_DEADLINE_MS),
      DATA_DIR: folder,
      SECRET_KEY,
      PLATFORM_KEY,
      LOG_LEVEL: "silent",
      WEBHOOK_RETRY_SCHEDULE: "0.05,0.1",
      // The process of the media server would have to be compiled (`startServerWithRooms`).
      MEDIA_PORT: "0",
      ...environment,
      ...changed,
    }
    return (NODES > 1 ? startNodes(given, runOne) : runOne(given)).catch(async (cause: unknown) => {
      await dispose()
      throw cause
    })
  }
  const testServerOf = (server: RunningServer): TestServer => ({
    ...server,
    databaseUrl: database.url,
    folder,
    stop: async () => {
      await server.stop()
      await dispose()
    },
    restart: async (changed, meanwhile) => {
      await server.stop()
      await meanwhile?.()
      return testServerOf(await run(changed))
    },
  })
  return testServerOf(await run())
}
