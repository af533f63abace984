/**
 * Several nodes in place of one server, for the suite `npm run test:nodes`: it runs tests of one server against a cluster, request
 * by request and socket by socket at another node.
 */
import postgres from "postgres"
import { inject } from "vitest"
import type { RunningServer } from "../../src/app/server.ts"
import { SHARDS } from "../../src/cluster/node-placement.ts"
import { freePort } from "./free-port.ts"
import { startRoundRobin } from "./round-robin.ts"
import { eventually } from "./wait.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Of the broker; only where tests run over several nodes (`nodes-setup.ts`). */
    readonly natsUrl?: string
  }
}

/** Nodes for each server or house of a test; 1: a server that runs alone. */
export const NODES = inject("natsUrl") === undefined ? 1 : 3

type Environment = Readonly<Record<string, string>>
type Start = (environment: Environment) => Promise<RunningServer>

/** Every node has its part of the live events: until then they move, and are away for moments. */
export const untilSpread = async (databaseUrl: string, nodes = NODES): Promise<void> => {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    await eventually(async () => {
      const held = await sql<{ locks: number }[]>`
        select count(*)::integer as locks from pg_locks
         where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
         group by pid having count(*) > ${Math.floor(SHARDS / nodes / 2)}`
      return held.length === nodes
    }, "each node to have its shards")
  } finally {
    await sql.end()
  }
}

/** Nodes on one database, and one address for all of them. */
export const startNodes = async (environment: Environment, start: Start): Promise<RunningServer> => {
  const proxy = await startRoundRobin()
  const nodes = await Promise.all(
    Array.from({ length: NODES }, async () =>
      start({
        PUBLIC_URL: proxy.url,
        TRUSTED_PROXIES: "127.0.0.1",
        NATS_URL: inject("natsUrl") ?? "",
        CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
        CLUSTER_SECRET: "cluster-secret-of-the-tests-0123456789",
        // A busy machine may keep a process waiting for seconds, and no test waits for the loss of a node.
        NODE_LOST_MS: "30000",
        ...environment,
      }),
    ),
  )
  const [first] = nodes
  if (first === undefined) throw new Error("a cluster needs a node")
  proxy.spread(nodes.map(({ url }) => url))
  await untilSpread(environment["DATABASE_URL"] ?? "")
  return {
    ...first,
    url: proxy.url,
    stop: async () => {
      await Promise.all(nodes.map(({ stop }) => stop()))
      await proxy.stop()
    },
    abandon: () => {
      for (const node of nodes) node.abandon()
    },
  }
}
