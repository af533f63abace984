/** Faults of one node, or between nodes, of several that share a database. */
import { sleep } from "../chance.ts"
import { checkPresence } from "../checks/presence.ts"
import { moveSocketsTo } from "../load/even-out.ts"
import { type Cluster, type ClusterNode, ownersOf, raiseFence } from "../site/cluster.ts"
import { ask } from "../site/postgres.ts"
import type { Fault, Scenery } from "./fault.ts"

const clusterOf = ({ site }: Scenery): Cluster => {
  if (site.cluster === undefined) throw new Error("the fault needs several nodes")
  return site.cluster
}

interface Victim {
  readonly node: ClusterNode
  readonly eventIds: ReadonlyArray<string>
}

/** The node that owns most of the crowd's live events. */
const victimOf = async (scenery: Scenery): Promise<Victim> => {
  const { nodes } = clusterOf(scenery)
  const owned = await ownersOf(
    scenery.site.postgres,
    scenery.crowd.scenes.map(({ eventId }) => eventId),
  )
  const [first, ...others] = nodes.map((node) => ({ node, eventIds: owned.get(node.server.pid) ?? [] }))
  if (first === undefined) throw new Error("the fault needs several nodes")
  return others.reduce((most, one) => (one.eventIds.length > most.eventIds.length ? one : most), first)
}

const allEvents = ({ crowd }: Scenery): ReadonlyArray<string> => crowd.scenes.map(({ eventId }) => eventId)

const endAndStart = async (
  { server }: ClusterNode,
  name: "SIGKILL" | "SIGTERM",
  { ledger }: Scenery,
  downMs: number,
): Promise<void> => {
  const code = await server.end(name)
  if (name === "SIGTERM" && code !== 0) ledger.violate("liveness", `a node ends with ${code} at SIGTERM`)
  await sleep(downMs)
  await server.startAgain()
}

const restart =
  (name: "SIGKILL" | "SIGTERM"): Fault["run"] =>
  async (scenery, ms) => {
    const { node, eventIds } = await victimOf(scenery)
    scenery.struck(eventIds)
    await endAndStart(node, name, scenery, ms)
  }

/**
 * One node is replaced, and gets its share of the sockets: the others stay on their builds until the next turn. Owners must learn of
 * everybody who moved, from the gateways of either build.
 */
const replaceNext: Fault["run"] = async (scenery, ms) => {
  const { rollout, site, crowd, chance, ledger } = scenery
  if (rollout === undefined) throw new Error("the fault needs a second build")
  const { nodes } = clusterOf(scenery)
  const turn = rollout.turn(Date.now())
  const node = nodes[turn]
  if (node === undefined) throw new Error("the fault needs several nodes")
  const owned = await ownersOf(site.postgres, allEvents(scenery))
  scenery.struck(owned.get(node.server.pid) ?? [])
  await endAndStart(node, "SIGTERM", scenery, ms)
  await node.server.isReady()
  scenery.over()
  moveSocketsTo(turn, nodes.length, crowd.clients(), chance)
  await ask(site.postgres, (sql) => checkPresence({ sql, crowd, ledger }))
}

const several = { on: "external", nodes: "several" } as const

export const NODE_FAULTS: ReadonlyArray<Fault> = [
  {
    ...several,
    name: "node-kill",
    summary: "kill -9 of the node that owns most live events, and a start",
    seconds: [1, 3],
    run: restart("SIGKILL"),
  },
  {
    ...several,
    name: "node-term",
    summary: "SIGTERM of the node that owns most live events, and a start",
    seconds: [1, 3],
    run: restart("SIGTERM"),
  },
  {
    ...several,
    name: "node-freeze",
    summary: "SIGSTOP of the node that owns most live events, SIGCONT",
    seconds: [9, 9],
    run: async (scenery, ms) => {
      const { node, eventIds } = await victimOf(scenery)
      scenery.struck(eventIds)
      node.server.signal("SIGSTOP")
      await sleep(ms).finally(() => node.server.signal("SIGCONT"))
    },
  },
  {
    ...several,
    name: "node-cut",
    summary: "PostgreSQL is silent for the node that owns most live events",
    seconds: [8, 8],
    run: async (scenery, ms) => {
      const { node, eventIds } = await victimOf(scenery)
      scenery.struck(eventIds)
      node.database.silence("all")
      await sleep(ms).finally(node.database.heal)
      node.database.reset(({ silent }) => silent)
    },
  },
  {
    ...several,
    name: "node-partition",
    summary: "no traffic between the nodes; PostgreSQL and NATS are reached",
    seconds: [5, 5],
    run: async (scenery, ms) => {
      const { nodes } = clusterOf(scenery)
      for (const { link } of nodes) link.hold()
      await sleep(ms)
      for (const { link } of nodes) link.heal()
    },
  },
  {
    ...several,
    name: "nats-kill",
    summary: "kill -9 of NATS, and a start",
    seconds: [2, 2],
    run: async (scenery, ms) => {
      const { nats } = clusterOf(scenery)
      await nats.kill()
      await sleep(ms)
      await nats.start()
    },
  },
  {
    ...several,
    name: "fence",
    summary: "the fencing tokens raised behind the owners' backs",
    seconds: [0, 0],
    run: async (scenery) => {
      scenery.struck(allEvents(scenery))
      await raiseFence(scenery.site.postgres)
    },
  },
  {
    ...several,
    name: "rolling",
    summary: "SIGTERM and a start of one node after the other, each when the one before is ready",
    seconds: [0, 1],
    run: async (scenery, ms) => {
      scenery.struck(allEvents(scenery))
      for (const node of clusterOf(scenery).nodes) {
        await endAndStart(node, "SIGTERM", scenery, ms)
        await node.server.isReady()
      }
    },
  },
  {
    ...several,
    name: "roll",
    summary: "SIGTERM of the node whose turn it is, and a start as the other build",
    beside: true,
    seconds: [0, 1],
    run: replaceNext,
  },
]
