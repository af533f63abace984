/** What the operator sees of the load is of all nodes, and it says which of them did not tell. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { Client } from "../test/gateway/client.ts"
import { call, createLiveEvent, createWorkspace, gatewayToken, type Json } from "../test/support/api.ts"
import { type NodeProcesses, startNodeProcesses } from "../test/support/node-processes.ts"
import { PLATFORM_KEY } from "../test/support/server.ts"
import type { ServerProcess } from "../test/support/server-process.ts"
import { eventually } from "../test/support/wait.ts"

let cluster: NodeProcesses
const done: Array<() => unknown> = []
beforeAll(async () => {
  // A node that is stopped for a while is not lost.
  const environment = { PLATFORM_KEY, NODE_LOST_MS: "30000" }
  cluster = await startNodeProcesses((work) => void done.push(work as () => unknown), environment)
})
afterAll(async () => {
  await cluster.stop()
  for (const work of done) await work()
})

/** Status at the node once all others but `missing` have told their load: on a busy machine a second may be too short for one of them. */
const statusAt = async (node: ServerProcess, missing: ReadonlyArray<string> = []): Promise<Json> => {
  const read = async () =>
    (await call(node.url, "GET", "/v1/platform/status", { headers: { "x-platform-key": PLATFORM_KEY } })).body
  let status: Json
  await eventually(async () => {
    status = await read()
    return status.busiest.missing.join() === missing.join()
  }, "the other nodes to answer")
  return status
}

test("requests and commands of all nodes count together at each, and a node that does not answer is named", async () => {
  const house = await createWorkspace(cluster.url)
  const event = await createLiveEvent(cluster.url, house.key, { visibility: "public" })
  for (const [n, node] of cluster.nodes.entries()) {
    for (let time = 0; time <= n; time++) await call(node.url, "GET", `/v1/events/${event.id}`, { key: house.key })
    const { url, token } = await gatewayToken(node.url, event.id)
    const client = new Client(cluster.at(node, url))
    onTestFinished(() => client.socket.close())
    await client.identify(token)
    await client.command("roster.list", {})
  }
  // Each node has a query, beside publish, start and what was read.
  const count = cluster.nodes.length
  const load = { requests: 2 + (count * (count + 1)) / 2, commands: count }
  const names: string[] = []
  for (const node of cluster.nodes) {
    const { busiest, process } = await statusAt(node)
    names.push(process.node)
    expect(busiest).toMatchObject({
      missing: [],
      workspaces: [{ workspaceId: house.id, requests: load.requests + 1, commands: load.commands }],
      keys: [{ workspaceId: house.id, requests: load.requests + 1 }],
      events: [{ eventId: event.id, ...load }],
    })
  }
  const [asked, stopped] = cluster.nodes
  if (asked === undefined || stopped === undefined) throw new Error("there are nodes")
  stopped.child.kill("SIGSTOP")
  onTestFinished(() => void stopped.child.kill("SIGCONT"))
  const { busiest } = await statusAt(asked, names.slice(1, 2))
  expect(busiest.events).toMatchObject([{ eventId: event.id, commands: count - 1 }])
})
