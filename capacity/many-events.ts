/** Many small events, whose people are connected to any node or to one node for each event. */
import type { Costs } from "./costs.ts"
import type { ManyEvents } from "./inputs.ts"
import { type Answer, GIB, gbit, nodesFor } from "./resources.ts"

const SECONDS_PER_MINUTE = 60

/** The expected number of nodes with at least one person of the event. */
export const followersOf = ({ people, together }: ManyEvents, serving: number): number => {
  if (together > 0) return 1
  return serving * (1 - (1 - 1 / serving) ** people)
}

interface Rates {
  readonly commands: number
  readonly joins: number
  /** In list mode everybody hears of each newcomer, by a commit. */
  readonly commits: number
  readonly followed: number
  /** Feed messages that reach another node. */
  readonly copies: number
  readonly frames: number
}

const ratesOf = (inputs: ManyEvents, serving: number): Rates => {
  const { events, people, commandsPerMinute, arriveSeconds } = inputs
  const commands = (events * commandsPerMinute) / SECONDS_PER_MINUTE
  const joins = (events * people) / arriveSeconds
  const commits = commands + joins
  const followers = followersOf(inputs, serving)
  // The owner is any node, whether it follows the event or not.
  const copiesPerCommit = followers * (1 - 1 / serving)
  return {
    commands,
    joins,
    commits,
    followed: events * followers,
    copies: commits * copiesPerCommit,
    frames: commits * people,
  }
}

/** Cores of all nodes together. */
export const nodesCores = (inputs: ManyEvents, costs: Costs, serving: number): number => {
  const { commands, joins, commits, followed, copies, frames } = ratesOf(inputs, serving)
  const sockets = inputs.events * inputs.people
  const remote = 1 - 1 / serving
  return (
    serving * costs.nodeRest +
    inputs.events * costs.ownedEventRest +
    sockets * costs.socketRest +
    Math.max(0, followed * (costs.followedEventRest - costs.socketRest)) +
    commits * costs.commandOwner +
    commands * remote * costs.commandForward +
    // One frame of each copy is in the cost of the copy.
    copies * costs.commandFollower +
    Math.max(0, frames - copies) * costs.frame +
    joins * (costs.joinGatewayAlone + costs.joinOwnerAlone)
  )
}

const nodeBytes = (inputs: ManyEvents, costs: Costs, serving: number): number => {
  const { followed } = ratesOf(inputs, serving)
  const sockets = inputs.events * inputs.people
  const all =
    sockets * (costs.socketBytes + costs.participantBytes) +
    inputs.events * costs.ownedEventBytes +
    followed * costs.followedEventBytes
  return costs.processBytes + all / serving
}

export const sizeManyEvents = (inputs: ManyEvents, costs: Costs): Answer => {
  const sockets = inputs.events * inputs.people
  const loadOf = (serving: number): number =>
    Math.max(
      nodesCores(inputs, costs, serving) / serving / inputs.utilisation,
      nodeBytes(inputs, costs, serving) / (inputs.nodeGib * GIB),
      sockets / serving / inputs.socketsPerNode,
    )
  const nodes = nodesFor(loadOf)
  const serving = nodes - 1
  const { commits, joins, followed, copies, frames } = ratesOf(inputs, serving)
  const postgresCores =
    nodes * costs.postgresNodeRest +
    sockets * costs.postgresSocketRest +
    followed * costs.postgresFollowedEvent +
    commits * costs.postgresBusyCommit +
    joins * costs.postgresJoin
  return {
    nodes,
    resources: [
      { name: "nodes, one of which may be lost", needs: nodes, unit: "processes" },
      {
        name: "sockets of a node",
        needs: sockets / serving,
        limit: inputs.socketsPerNode,
        unit: "sockets",
        change: "more nodes",
      },
      { name: "events that a node owns", needs: inputs.events / serving, unit: "events" },
      { name: "events that a node follows", needs: followed / serving, unit: "events" },
      {
        name: "cores of a node",
        needs: nodesCores(inputs, costs, serving) / serving,
        limit: inputs.utilisation,
        unit: "cores",
        change: "more nodes, and --together 1: a load balancer that sends the people of one event to one node",
      },
      {
        name: "memory of a node",
        needs: nodeBytes(inputs, costs, serving) / GIB,
        limit: inputs.nodeGib,
        unit: "GiB",
        change: "more memory, or --together 1",
      },
      {
        name: "network of a node to its sockets",
        needs: gbit((frames / serving) * inputs.frameBytes),
        unit: "Gbit/s",
      },
      { name: "commits while people arrive", needs: commits, unit: "1/s" },
      {
        name: "cores of PostgreSQL",
        needs: postgresCores,
        limit: inputs.databaseCores * inputs.utilisation,
        unit: "cores",
        change: "more cores, or several deployments, each with a PostgreSQL of its own",
      },
      {
        name: "connections to PostgreSQL",
        needs: nodes * (inputs.pool + 1),
        limit: inputs.databaseConnections,
        unit: "connections",
        change: "a smaller DATABASE_POOL, or several deployments; a pooler in transaction mode does not do",
      },
      { name: "messages into NATS", needs: commits, unit: "1/s" },
      { name: "messages out of NATS", needs: copies, unit: "1/s" },
      {
        name: "cores of NATS",
        needs: (commits + copies) * costs.natsMessage,
        limit: inputs.natsCores * inputs.utilisation,
        unit: "cores",
        change: "--together 1, or a cluster of NATS servers",
      },
      {
        name: "network of NATS",
        needs: gbit(copies * costs.feedBytes),
        limit: inputs.natsGbit,
        unit: "Gbit/s",
        change: "--together 1, or a cluster of NATS servers",
      },
    ],
    assumptions: [
      "events and people are spread evenly; each node has one core",
      "each command has one dispatch, which everybody at its event gets; each newcomer is a commit of its own",
      "a newcomer costs what one costs who comes alone to an event that grows to some hundred people",
      "no webhook subscribes; everyone has a user and a key, which are checked",
      "commits that wait for PostgreSQL's disk are not in it, and neither are REST, sign-in, media and the load balancer",
      "costs are linear beyond what was measured, and one that was lost in noise is 0; real networks cost more than loopback",
    ],
  }
}
