/** The system under test: the server and its PostgreSQL, on ports and in a folder of their own. */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../test/support/free-port.ts"
import { type PostgresProxy, startPostgresProxy } from "../../test/support/postgres-proxy.ts"
import type { Chance } from "../chance.ts"
import type { Defer } from "../undo.ts"
import type { Build } from "./build.ts"
import type { Cluster, ClusterNode } from "./cluster.ts"
import { type ClusterOptions, openCluster } from "./open-cluster.ts"
import { OwnPostgres, type PostgresUnderTest, ServersPostgres, thawPostgres } from "./postgres.ts"
import { type ServerEvents, ServerUnderTest } from "./server.ts"

export interface Site {
  /** One, or all nodes of a cluster. */
  readonly servers: ReadonlyArray<ServerUnderTest>
  readonly postgres: PostgresUnderTest
  /** With a PostgreSQL that is not the server's own; each server has a proxy. */
  readonly external: { readonly postgres: OwnPostgres; readonly proxies: ReadonlyArray<PostgresProxy> } | undefined
  /** With several nodes. */
  readonly cluster: Cluster | undefined
}

export const onlyServer = ({ servers: [server, ...others] }: Site): ServerUnderTest => {
  if (server === undefined || others.length > 0) throw new Error("the fault needs a server that runs alone")
  return server
}

const SECRET_KEY = "secret-key-of-the-chaos-runs-0123456789abcdef"

const ENVIRONMENT = {
  NODE_ENV: "development",
  LOG_LEVEL: "warn",
  SECRET_KEY,
  // Short, so that a receiver that fails every fifth time is served within the run; long, so that nothing is given up.
  WEBHOOK_RETRY_SCHEDULE: "0.3,0.6,1,2,4,8,8,8,8,8,8,8,8,8,8",
}

const folder = async (defer: Defer): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "gathercue-chaos-"))
  // Under root PostgreSQL runs as another user, who must be able to pass through it.
  await chmod(path, 0o711)
  defer("the temporary folder", () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return path
}

const openServer = async (
  build: Build,
  environment: Readonly<Record<string, string>>,
  events: ServerEvents,
  defer: Defer,
): Promise<ServerUnderTest> => {
  const server = new ServerUnderTest(await freePort(), { ...ENVIRONMENT, ...environment }, events, () => build)
  defer("the server", () => server.close())
  await server.start()
  return server
}

/** PostgreSQL of the harness, the proxy in front of it, and the server behind the proxy. */
export const openExternalSite = async (
  build: Build,
  chance: Chance,
  events: ServerEvents,
  defer: Defer,
): Promise<Site> => {
  const dataDir = await folder(defer)
  let proxy: PostgresProxy | undefined
  const postgres = new OwnPostgres(dataDir, () => proxy?.retarget(postgres.url()))
  defer("PostgreSQL", () => postgres.stop())
  await postgres.start()
  proxy = await startPostgresProxy(postgres.url(), { random: chance.random })
  defer("the proxy", () => proxy?.close())
  const server = await openServer(build, { DATABASE_URL: proxy.url, DATA_DIR: dataDir }, events, defer)
  return { servers: [server], postgres, external: { postgres, proxies: [proxy] }, cluster: undefined }
}

/** PostgreSQL of the harness, NATS, and the nodes. `nextBuild` is asked at each start of a node. */
export const openClusterSite = async (
  { drainMs, ...options }: Omit<ClusterOptions, "postgres" | "environment"> & { readonly drainMs: number },
  events: ServerEvents,
  defer: Defer,
): Promise<Site> => {
  const dataDir = await folder(defer)
  let nodes: ReadonlyArray<ClusterNode> = []
  const postgres = new OwnPostgres(dataDir, () => {
    for (const { database } of nodes) database.retarget(postgres.url())
  })
  defer("PostgreSQL", () => postgres.stop())
  await postgres.start()
  const environment = { ...ENVIRONMENT, DATA_DIR: dataDir, DRAIN_DELAY_MS: String(drainMs) }
  const cluster = await openCluster({ ...options, postgres, environment }, events, defer)
  nodes = cluster.nodes
  return {
    servers: nodes.map(({ server }) => server),
    postgres,
    external: { postgres, proxies: nodes.map(({ database }) => database) },
    cluster,
  }
}

/** The server with the database it brings along. */
export const openEmbeddedSite = async (build: Build, events: ServerEvents, defer: Defer): Promise<Site> => {
  const dataDir = await folder(defer)
  const postgres = new ServersPostgres(dataDir)
  // After the server was closed, which ends it; a server that was killed leaves it behind.
  defer("the server's PostgreSQL", () => endPostmaster(postgres))
  const server = await openServer(build, { DATA_DIR: dataDir }, events, defer)
  // Before the server is asked to stop it.
  defer("stopped processes of PostgreSQL", () => thawPostgres(postgres))
  return { servers: [server], postgres, external: undefined, cluster: undefined }
}

const endPostmaster = (postgres: ServersPostgres): void => {
  try {
    process.kill(postgres.postmaster(), "SIGQUIT")
  } catch {
    // It has ended, and its file with it.
  }
}
