/** Starts the nodes of a cluster and all that they stand on. */

import { freePort } from "../../test/support/free-port.ts"
import { NatsServer } from "../../test/support/nats-server.ts"
import { startPostgresProxy } from "../../test/support/postgres-proxy.ts"
import type { Chance } from "../chance.ts"
import type { Defer } from "../undo.ts"
import type { Build } from "./build.ts"
import type { Cluster, ClusterNode } from "./cluster.ts"
import { NODE_DIALS } from "./node-dials.ts"
import { startNodeProxy } from "./node-proxy.ts"
import type { OwnPostgres } from "./postgres.ts"
import { type ServerEvents, ServerUnderTest } from "./server.ts"

const CLUSTER_SECRET = "cluster-secret-of-the-chaos-runs-0123456789abcdef"
const DIALS = new URL("./node-dials.js", import.meta.url).href

export interface ClusterOptions {
  readonly nodes: number
  readonly postgres: OwnPostgres
  /** The same for every node. */
  readonly environment: Readonly<Record<string, string>>
  readonly chance: Chance
  /** Asked at each start of a node. */
  readonly nextBuild: (node: number) => Build
}

const ports = (count: number): Promise<ReadonlyArray<number>> =>
  Promise.all(Array.from({ length: count }, () => freePort()))

export const openCluster = async (
  { nodes: count, postgres, environment, chance, nextBuild }: ClusterOptions,
  events: ServerEvents,
  defer: Defer,
): Promise<Cluster> => {
  const nats = new NatsServer(await freePort())
  defer("NATS", () => nats.kill())
  await nats.start()
  const [httpPorts, nodePorts] = [await ports(count), await ports(count)]
  const links = await Promise.all(nodePorts.map(startNodeProxy))
  for (const link of links) defer("the proxy of a node", link.close)
  const nodes: Array<ClusterNode> = []
  for (const [n, link] of links.entries()) {
    const database = await startPostgresProxy(postgres.url(), { random: chance.random })
    defer("the proxy of a node's database", database.close)
    const server = new ServerUnderTest(
      httpPorts[n] ?? 0,
      {
        ...environment,
        DATABASE_URL: database.url,
        NATS_URL: nats.url,
        // Of the load balancer, if there were one.
        PUBLIC_URL: `http://127.0.0.1:${httpPorts[0]}`,
        CLUSTER_ADDRESS: `127.0.0.1:${nodePorts[n]}`,
        CLUSTER_SECRET,
        NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import ${DIALS}`.trim(),
        [NODE_DIALS]: nodePorts.map((port, at) => `${port}:${links[at]?.port}`).join(),
      },
      events,
      () => nextBuild(n),
    )
    nodes.push({ server, database, link })
  }
  for (const { server } of nodes) defer("a node", () => server.close())
  // The first one migrates; the others would wait for it.
  for (const { server } of nodes) await server.start()
  return { nodes, nats }
}
