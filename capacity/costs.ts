/** The unit costs of the capacity model: their units, and the measurements that they come from. */

export interface Costs {
  readonly nodeRest: number
  readonly socketRest: number
  readonly frame: number
  readonly announceFollower: number
  readonly announceHost: number
  readonly announceOwner: number
  readonly commandOwner: number
  readonly commandForward: number
  readonly commandFollower: number
  readonly joinGatewayAlone: number
  readonly joinGatewayCrowd: number
  readonly joinOwnerAlone: number
  readonly joinOwnerCrowd: number
  readonly postgresCommit: number
  readonly postgresBusyCommit: number
  readonly postgresJoin: number
  readonly postgresPresence: number
  readonly postgresSocketRest: number
  readonly postgresNodeRest: number
  readonly postgresFollowedEvent: number
  readonly natsMessage: number
  readonly feedBytes: number
  readonly processBytes: number
  readonly socketBytes: number
  readonly participantBytes: number
  readonly ownedEventBytes: number
  readonly followedEventBytes: number
  readonly ownedEventRest: number
  readonly followedEventRest: number
}

interface CostNote {
  readonly unit: "CPU s" | "CPU s/s" | "bytes"
  /** One of what the cost is for. */
  readonly of: string
  /** The part of `npm run bench -- nodes` that measures it. */
  readonly from: "fan-out" | "joins" | "commands" | "what stands" | "busy"
}

export const COST_NOTES: { readonly [Name in keyof Costs]: CostNote } = {
  nodeRest: { unit: "CPU s/s", of: "node at rest", from: "what stands" },
  socketRest: { unit: "CPU s/s", of: "socket that only listens, at its node: heartbeats and checks", from: "fan-out" },
  frame: { unit: "CPU s", of: "frame to a socket, at its node", from: "fan-out" },
  announceFollower: { unit: "CPU s", of: "rare commit, at a node that follows the event", from: "fan-out" },
  announceHost: { unit: "CPU s", of: "rare command, at the node of its sender, besides following", from: "fan-out" },
  announceOwner: { unit: "CPU s", of: "rare command, at the owner", from: "fan-out" },
  commandOwner: { unit: "CPU s", of: "command among many, at the owner", from: "commands" },
  commandForward: { unit: "CPU s", of: "command among many to a remote owner, at the sender's node", from: "commands" },
  commandFollower: {
    unit: "CPU s",
    of: "commit among many, at a node that follows the event for one socket",
    from: "commands",
  },
  joinGatewayAlone: { unit: "CPU s", of: "newcomer who comes alone, at their node", from: "joins" },
  joinGatewayCrowd: { unit: "CPU s", of: "newcomer in a crowd, at their node", from: "joins" },
  joinOwnerAlone: { unit: "CPU s", of: "newcomer who comes alone, at the owner", from: "joins" },
  joinOwnerCrowd: { unit: "CPU s", of: "newcomer in a crowd, at the owner", from: "joins" },
  postgresCommit: { unit: "CPU s", of: "commit, few at a time", from: "commands" },
  postgresBusyCommit: { unit: "CPU s", of: "commit, as many as possible", from: "busy" },
  postgresPresence: { unit: "CPU s/s", of: "event that people come to: the flushes of its presence", from: "joins" },
  postgresJoin: { unit: "CPU s", of: "newcomer whose user and key are checked", from: "joins" },
  postgresSocketRest: { unit: "CPU s/s", of: "socket, for the check of its grants every 7 s", from: "fan-out" },
  postgresNodeRest: { unit: "CPU s/s", of: "node at rest", from: "what stands" },
  postgresFollowedEvent: { unit: "CPU s/s", of: "event followed by one node", from: "what stands" },
  natsMessage: { unit: "CPU s", of: "message into or out of NATS, as many as possible", from: "busy" },
  feedBytes: { unit: "bytes", of: "feed message with one dispatch", from: "commands" },
  processBytes: { unit: "bytes", of: "node at rest, resident", from: "what stands" },
  socketBytes: { unit: "bytes", of: "socket, resident, without the kernel's buffers", from: "what stands" },
  participantBytes: { unit: "bytes", of: "participant, in the owner's heap", from: "what stands" },
  ownedEventBytes: { unit: "bytes", of: "live event, in its owner's heap", from: "what stands" },
  followedEventBytes: { unit: "bytes", of: "event followed for one socket, in the node's heap", from: "what stands" },
  ownedEventRest: { unit: "CPU s/s", of: "live event at rest, at its owner", from: "what stands" },
  followedEventRest: { unit: "CPU s/s", of: "event followed for one socket, at rest", from: "what stands" },
}
