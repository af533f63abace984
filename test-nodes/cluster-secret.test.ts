/** CLUSTER_SECRET: a node with another one does not start, and a change of it while nodes run loses nothing between them. */
import { expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { NatsServer } from "../test/support/nats-server.ts"
import { untilSpread } from "../test/support/nodes.ts"
import { refusedStart, type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

const [OLD, NEW, STRANGE] = ["old", "new", "strange"].map(
  (name) => `${name}-cluster-secret-of-the-tests-0123456789`,
) as [string, string, string]
const EVENTS = 8

type Secrets = Readonly<Record<string, string>>

/** Two nodes that keep their addresses when they are started anew. */
const openCluster = async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const folder = await temporaryFolder()
  const settings = async () => {
    const port = String(await freePort())
    return {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      SECRET_KEY: "secret-key-of-the-secrets-test-0123456789",
      NATS_URL: nats.url,
      CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    }
  }
  const places = [await settings(), await settings()]
  const nodes: ServerProcess[] = []
  const start = async (n: number, secrets: Secrets): Promise<void> => {
    const node = await startServerProcess({ ...places[n], ...secrets })
    onTestFinished(() => node.end("SIGKILL").then(() => undefined))
    nodes[n] = node
    await untilSpread(database.url, nodes.length)
  }
  const restart = async (n: number, secrets: Secrets): Promise<void> => {
    await nodes[n]?.end("SIGTERM")
    await start(n, secrets)
  }
  await start(0, { CLUSTER_SECRET: OLD })
  await start(1, { CLUSTER_SECRET: OLD })
  return { nodes, restart, refused: async (secrets: Secrets) => refusedStart({ ...(await settings()), ...secrets }) }
}

const refusedMessages = async ({ url }: ServerProcess): Promise<string | undefined> =>
  /^gathercue_node_messages_total\{outcome="refused"\} (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]

/** Events are made and started at alternating nodes, so that half of the calls go from node to node, and their news both ways. */
const expectWorking = async (nodes: ReadonlyArray<ServerProcess>, key: string): Promise<void> => {
  for (let n = 0; n < EVENTS; n++) {
    const [here, there] = [nodes[n % 2]?.url ?? "", nodes[Math.floor(n / 2) % 2]?.url ?? ""]
    const { id } = await createEvent(here, key)
    for (const act of ["publish", "start"]) {
      const answer = await call(there, "POST", `/v1/events/${id}/${act}`, { key })
      expect([act, answer.status]).toEqual([act, 200])
    }
  }
  for (const node of nodes) {
    expect(await refusedMessages(node)).toBe("0")
    expect(node.written()).not.toContain("CLUSTER_SECRET")
  }
}

test("a node with another secret is refused, also with none; it is changed in three rounds of restarts while nodes of two rounds work together, or while none runs", async () => {
  const { nodes, restart, refused } = await openCluster()
  const { key } = await createWorkspace(nodes[0]?.url ?? "")
  for (const secrets of [
    { CLUSTER_SECRET: STRANGE },
    {},
    // The other nodes do not take it yet.
    { CLUSTER_SECRET: NEW, CLUSTER_SECRET_OTHER: OLD },
  ]) {
    const { code, stderr } = await refused(secrets)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Other nodes on this database have another CLUSTER_SECRET; /),
    ])
  }
  await expectWorking(nodes, key)
  for (const secrets of [
    { CLUSTER_SECRET: OLD, CLUSTER_SECRET_OTHER: NEW },
    { CLUSTER_SECRET: NEW, CLUSTER_SECRET_OTHER: OLD },
    { CLUSTER_SECRET: NEW },
  ]) {
    for (const n of [0, 1]) {
      await restart(n, secrets)
      await expectWorking(nodes, key)
    }
  }
  await Promise.all(nodes.map((node) => node.end("SIGTERM")))
  nodes.length = 0
  await restart(0, { CLUSTER_SECRET: STRANGE })
  await restart(1, { CLUSTER_SECRET: STRANGE })
  await expectWorking(nodes, key)
})
