/** Servers as processes behind one of the shipped proxies, as `deploy/` runs them. */
import { createTestDatabase } from "../../test/support/database.ts"
import { freePort } from "../../test/support/free-port.ts"
import { NatsServer } from "../../test/support/nats-server.ts"
import { untilSpread } from "../../test/support/nodes.ts"
import { SECRET_KEY } from "../../test/support/server.ts"
import { type ServerProcess, startServerProcess } from "../../test/support/server-process.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { goProgram } from "./go-program.ts"
import { type ProxyName, type RunningProxy, startProxy } from "./proxies.ts"

interface Deployment {
  /** Of the proxy. */
  readonly url: string
  readonly servers: ReadonlyArray<ServerProcess>
  /** Ends a server with SIGTERM, and starts it again at its address. */
  readonly restart: (n: number) => Promise<void>
  readonly proxy: RunningProxy
  readonly stop: () => Promise<void>
}

type Finish = NonNullable<Parameters<typeof temporaryFolder>[0]>

/** `count`: one server runs alone; several are nodes. */
export const startDeployment = async (
  whenFinished: Finish,
  name: ProxyName,
  count: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Deployment> => {
  const database = await createTestDatabase()
  const nats = new NatsServer(await freePort())
  if (count > 1) await nats.start()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const folder = await temporaryFolder(whenFinished)
  const environments = await Promise.all(
    Array.from({ length: count }, async () => ({
      PORT: String(await freePort()),
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      SECRET_KEY,
      PUBLIC_URL: url,
      TRUSTED_PROXIES: "127.0.0.1",
      // The proxies ask each second, and believe the second answer.
      DRAIN_DELAY_MS: "5000",
      ...(count === 1
        ? {}
        : {
            NATS_URL: nats.url,
            CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
            CLUSTER_SECRET: "cluster-secret-of-the-tests-0123456789",
          }),
      ...more,
    })),
  )
  const servers = await Promise.all(environments.map((environment) => startServerProcess(environment)))
  if (count > 1) await untilSpread(database.url, count)
  const ports = environments.map(({ PORT }) => Number(PORT))
  const proxy = await startProxy(name, {
    port,
    servers: ports,
    folder: await temporaryFolder(whenFinished),
    ...(name === "caddy" && { program: goProgram("caddy") }),
  })
  return {
    url,
    servers,
    restart: async (n) => {
      await servers[n]?.end("SIGTERM")
      servers[n] = await startServerProcess(environments[n] ?? {})
      // timed: a deploy goes on when the proxy, which asks each second, has seen the server.
      await new Promise((resolve) => setTimeout(resolve, count > 1 ? 3000 : 0))
    },
    proxy,
    stop: async () => {
      await proxy.stop()
      await Promise.all(servers.map(({ end }) => end("SIGKILL")))
      await nats.kill()
      await database.drop()
    },
  }
}
