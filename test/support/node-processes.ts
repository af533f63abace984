/** Nodes as processes of their own behind a load balancer, so that tests can kill one and talk to a certain one. */
import { inject } from "vitest"
import { createTestDatabase } from "./database.ts"
import { freePort } from "./free-port.ts"
import { NODES, untilSpread } from "./nodes.ts"
import { startRoundRobin } from "./round-robin.ts"
import { SECRET_KEY } from "./server.ts"
import { type ServerProcess, startServerProcess } from "./server-process.ts"
import { temporaryFolder } from "./temporary-folder.ts"

export interface NodeProcesses {
  /** Of the load balancer. */
  readonly url: string
  readonly nodes: ReadonlyArray<ServerProcess>
  readonly databaseUrl: string
  /** The same address at a certain node. */
  readonly at: (node: ServerProcess, url: string) => string
  /** From now on requests go to these nodes. */
  readonly spread: (nodes: ReadonlyArray<ServerProcess>) => void
  readonly stop: () => Promise<void>
}

type Finish = NonNullable<Parameters<typeof temporaryFolder>[0]>

/** `whenFinished`: calls when folders may go. `sharesFolder`: they have one folder for their data. */
export const startNodeProcesses = async (
  whenFinished: Finish,
  environment: Readonly<Record<string, string>> = {},
  sharesFolder = true,
): Promise<NodeProcesses> => {
  const database = await createTestDatabase()
  const shared = await temporaryFolder(whenFinished)
  const proxy = await startRoundRobin()
  const nodes = await Promise.all(
    Array.from({ length: NODES }, async () =>
      startServerProcess({
        // Calls of these tests are between browsers.
        MEDIA_PORT: "0",
        PORT: "0",
        DATABASE_URL: database.url,
        DATABASE_POOL: "4",
        DATA_DIR: sharesFolder ? shared : await temporaryFolder(whenFinished),
        SECRET_KEY,
        PUBLIC_URL: proxy.url,
        NATS_URL: inject("natsUrl") ?? "",
        CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
        CLUSTER_SECRET: "cluster-secret-of-the-tests-0123456789",
        ...environment,
      }),
    ),
  )
  const spread = (some: ReadonlyArray<ServerProcess>): void => proxy.spread(some.map(({ url }) => url))
  spread(nodes)
  await untilSpread(database.url)
  return {
    url: proxy.url,
    nodes,
    databaseUrl: database.url,
    at: (node, url) => url.replace(proxy.url, node.url),
    spread,
    stop: async () => {
      await Promise.all(nodes.map(({ end }) => end("SIGKILL")))
      await proxy.stop()
      await database.drop()
    },
  }
}
