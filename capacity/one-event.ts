/** One event with a large audience on many nodes. */
import { GATEWAY_DEFAULTS } from "../src/gateway/options.ts"
import type { Costs } from "./costs.ts"
import type { OneEvent } from "./inputs.ts"
import { type Answer, GIB, gbit, nodesFor } from "./resources.ts"

/** A large audience is told its number, without a commit, once a second while it changes. */
const COUNTS_PER_SECOND = 1
/** Participants that a new owner has not heard of by then have left. */
const RETURN_WITHIN_SECONDS = 30
const SECONDS_PER_HOUR = 3600
const MS_PER_SECOND = 1000

/** Frames to one socket: dispatches within one tick share a frame, and the node makes its ticks longer for more sockets. */
export const framesPerSecond = (dispatches: number, socketsOfNode: number): number =>
  Math.min(dispatches, MS_PER_SECOND / GATEWAY_DEFAULTS.tickMs(socketsOfNode)) + COUNTS_PER_SECOND

interface Flow {
  /** Newcomers per second while people arrive, and afterwards. */
  readonly arriving: number
  readonly churning: number
}

const flowOf = ({ viewers, arriveSeconds, churnPerHour }: OneEvent): Flow => ({
  arriving: viewers / arriveSeconds,
  churning: (viewers * churnPerHour) / SECONDS_PER_HOUR,
})

/** Newcomers in one presence report of a storm that was measured: from so many on, a newcomer counts as one of a crowd. */
const CROWD = 10 / 3

/** 1: each newcomer has a report and a reading of their own; 0: they come in crowds. */
export const aloneness = ({ gatherMs }: Pick<OneEvent, "gatherMs">, joinsOfNode: number): number => {
  const together = Math.max(1, (joinsOfNode * gatherMs) / MS_PER_SECOND)
  return Math.max(0, (1 / together - 1 / CROWD) / (1 - 1 / CROWD))
}

const between = (crowd: number, alone: number, share: number): number => crowd + share * Math.max(0, alone - crowd)

/** Cores that a node with a share of the audience needs, beside what owning takes. */
export const nodeCores = (inputs: OneEvent, costs: Costs, serving: number): number => {
  const sockets = inputs.viewers / serving
  const joins = Math.max(...Object.values(flowOf(inputs))) / serving
  return (
    costs.nodeRest +
    sockets * (costs.socketRest + framesPerSecond(inputs.dispatches, sockets) * costs.frame) +
    inputs.dispatches * costs.announceFollower +
    joins * between(costs.joinGatewayCrowd, costs.joinGatewayAlone, aloneness(inputs, joins))
  )
}

const nodeBytes = ({ viewers }: OneEvent, costs: Costs, serving: number): number =>
  costs.processBytes + (viewers / serving) * costs.socketBytes

/** Cores that owning takes while people arrive. */
export const owningCores = (inputs: OneEvent, costs: Costs, nodes: number): number => {
  const { arriving } = flowOf(inputs)
  const share = aloneness(inputs, arriving / nodes)
  return inputs.dispatches * costs.announceOwner + arriving * between(costs.joinOwnerCrowd, costs.joinOwnerAlone, share)
}

export const sizeOneEvent = (inputs: OneEvent, costs: Costs): Answer => {
  const loadOf = (serving: number): number =>
    Math.max(
      nodeCores(inputs, costs, serving) / inputs.utilisation,
      nodeBytes(inputs, costs, serving) / (inputs.nodeGib * GIB),
      inputs.viewers / serving / inputs.socketsPerNode,
    )
  const nodes = nodesFor(loadOf)
  const serving = nodes - 1
  const sockets = inputs.viewers / serving
  const { arriving, churning } = flowOf(inputs)
  const joins = Math.max(arriving, churning)
  const messages = inputs.dispatches + COUNTS_PER_SECOND
  const copies = nodes - 1
  const natsBytes = messages * copies * costs.feedBytes
  const postgresCores =
    nodes * costs.postgresNodeRest +
    inputs.viewers * costs.postgresSocketRest +
    inputs.dispatches * costs.postgresCommit +
    joins * costs.postgresJoin +
    costs.postgresPresence
  return {
    nodes,
    resources: [
      { name: "nodes, one of which may be lost", needs: nodes, unit: "processes" },
      {
        name: "sockets of a node",
        needs: sockets,
        limit: inputs.socketsPerNode,
        unit: "sockets",
        change: "more nodes",
      },
      {
        name: "cores of a node",
        needs: nodeCores(inputs, costs, serving),
        limit: inputs.utilisation,
        unit: "cores",
        change: "more nodes",
      },
      {
        name: "memory of a node, the owner's participants aside",
        needs: nodeBytes(inputs, costs, serving) / GIB,
        limit: inputs.nodeGib,
        unit: "GiB",
        change: "more nodes, or more memory",
      },
      {
        name: "network of a node to its sockets",
        needs: gbit(sockets * (inputs.dispatches * inputs.frameBytes + COUNTS_PER_SECOND * inputs.frameBytes)),
        unit: "Gbit/s",
      },
      {
        name: "cores of the owner, besides its share of the audience, while people arrive",
        needs: owningCores(inputs, costs, nodes),
        limit: inputs.utilisation,
        unit: "cores",
        change:
          "one event has one owner: longer --arriveSeconds, or longer --gatherMs, for which newcomers wait. Until then nodes wait for the owner's answers, and their reports grow",
      },
      {
        name: "heap of the owner for participants",
        needs: (inputs.viewers * costs.participantBytes) / GIB,
        limit: inputs.heapGib,
        unit: "GiB",
        change: "--max-old-space-size on all nodes, since any may become the owner",
      },
      {
        name: "seconds until a new owner has heard of everybody",
        needs: inputs.viewers * costs.joinOwnerCrowd,
        limit: RETURN_WITHIN_SECONDS,
        unit: "s",
        change: "presence of so many would have to be counted by nodes and not by the owner",
      },
      {
        name: "cores of PostgreSQL",
        needs: postgresCores,
        limit: inputs.databaseCores * inputs.utilisation,
        unit: "cores",
        change: "more cores, or a longer interval between checks of grants",
      },
      { name: "commits", needs: inputs.dispatches, unit: "1/s" },
      {
        name: "connections to PostgreSQL",
        needs: nodes * (inputs.pool + 1),
        limit: inputs.databaseConnections,
        unit: "connections",
        change: "a smaller DATABASE_POOL, or a larger max_connections",
      },
      { name: "messages into NATS", needs: messages, unit: "1/s" },
      { name: "messages out of NATS", needs: messages * copies, unit: "1/s" },
      {
        name: "cores of NATS",
        needs: messages * (1 + copies) * costs.natsMessage,
        limit: inputs.natsCores * inputs.utilisation,
        unit: "cores",
        change: "a cluster of NATS servers",
      },
      {
        name: "network of NATS",
        needs: gbit(natsBytes),
        limit: inputs.natsGbit,
        unit: "Gbit/s",
        change: "a cluster of NATS servers",
      },
    ],
    assumptions: [
      "one core serves a node; the owner has its share of the audience like any other node",
      "a frame with several dispatches costs as much as one with one",
      "counts of presence have a frame of their own, every second",
      `a node sends a presence report, with a reading, every ${inputs.gatherMs} ms while people arrive; a newcomer alone in a report costs what one costs at a node with little to do`,
      "no webhook subscribes to joins; everyone has a user and a key, which are checked",
      "REST, sign-in, gateway tokens, media and the load balancer are not in it",
      "costs are linear beyond what was measured, and one that was lost in noise is 0; real networks cost more than loopback",
    ],
  }
}
