/** Limits and intervals of the gateway. The configuration sets those that a deployment may change; only tests change the rest. */
import type { IceOptions } from "../media/ice-servers.ts"
import type { RtcPolicy } from "../protocol/messages/media.ts"
import type { BudgetRules } from "./memory/rate-budgets.ts"

/** Settings of browser-to-browser calls. */
export interface MeshOptions {
  readonly ice: IceOptions
  /** `relay`: no browser learns the address of another one. */
  readonly policy: RtcPolicy
  /** Most people in a room in which anybody sends video, 2 to 6. */
  readonly maxPeers: number
}

export interface GatewaySettings {
  readonly heartbeatMs: number
  readonly identifyTimeoutMs: number
  /** Interval at which all connections are checked for deadlines. */
  readonly sweepMs: number
  /** Interval between two comparisons of the followed events' versions with the store. */
  readonly auditMs: number
  /** Interval between two checks of the media server's rooms. */
  readonly roomSweepMs: number
  /**
   * How long a moved participant may stay in their previous room at the media server, to connect to the next one first. The guide states
   * this time.
   */
  readonly moveMs: number
  /**
   * Interval at which the grants behind open sockets are checked. The guide promises that an ended grant closes its sockets within ten
   * seconds. This interval, a sweep, and one failed check with its pause of a second fit into that time.
   */
  readonly recheckMs: number
  /** Age of dispatches up to which a replay is exact. */
  readonly historyMs: number
  /** Number of dispatches of a stream up to which a replay is exact. */
  readonly historyEntries: number
  /** Days after the end of an event for which its kept history can be replayed. */
  readonly keptHistoryDays: number
  /** A connection with more than this many bytes buffered is closed as a slow consumer. */
  readonly orderedLimitBytes: number
  /** A connection with more than this many bytes buffered gets no ephemeral messages. */
  readonly ephemeralLimitBytes: number
  /** An event without connections is released after this time. */
  readonly lingerMs: number
  /** Interval at which joins and leaves are reported to the live event. */
  readonly presenceTickMs: number
  /** Time over which dispatches are batched, by the number of connections. */
  readonly tickMs: (connections: number) => number
  readonly connectionsPerParticipant: number
  readonly budgets: BudgetRules
  /** Factor by which the limits of staff are higher. */
  readonly staffFactor: number
  readonly commandsInFlight: number
  /**
   * Absent participants whose budgets and latest commands are remembered, separately for anonymous ones and others. An entry takes about 1
   * KB, and 5 KB at most (16 commands of 64 characters and their hashes): usually 40 MB in all, 200 MB at worst.
   */
  readonly absentParticipants: number
  /** Most connections that may identify per second. */
  readonly identifiesPerSecond: number
  /** Most connections that may be identifying, or waiting for `ready` at one event, at once. */
  readonly identifiesPending: number
  readonly maxConnections: number
  /** Most open sockets of one address. */
  readonly socketsPerAddress: number
  /** Time between the notice of a session's end and the end. */
  readonly tokenNoticeMs: number
  /** Time over which the connections of an ended event are closed. */
  readonly endSpreadMs: number
  /** The server's public address, for addresses in replies. */
  readonly publicUrl: string
  /** Browser-to-browser calls, used when there is no media server. */
  readonly mesh: MeshOptions
}

export const GATEWAY_DEFAULTS: GatewaySettings = {
  heartbeatMs: 20_000,
  identifyTimeoutMs: 10_000,
  sweepMs: 1000,
  auditMs: 5000,
  roomSweepMs: 30_000,
  moveMs: 3000,
  recheckMs: 7000,
  historyMs: 120_000,
  historyEntries: 1000,
  keptHistoryDays: 90,
  orderedLimitBytes: 1_048_576,
  ephemeralLimitBytes: 65_536,
  lingerMs: 5000,
  presenceTickMs: 50,
  tickMs: (connections) => {
    if (connections <= 1000) return 50
    return connections <= 10_000 ? 150 : 300
  },
  connectionsPerParticipant: 5,
  budgets: {
    commands: { perSecond: 10, burst: 30 },
    chat: { perSecond: 1, burst: 5 },
    questions: { perSecond: 0.1, burst: 3 },
    votes: { perSecond: 5, burst: 10 },
    reactions: { perSecond: 2, burst: 10 },
    roster: { perSecond: 1, burst: 5 },
  },
  staffFactor: 5,
  commandsInFlight: 32,
  absentParticipants: 20_000,
  identifiesPerSecond: 4000,
  identifiesPending: 5000,
  maxConnections: 100_000,
  socketsPerAddress: 10_000,
  tokenNoticeMs: 60_000,
  endSpreadMs: 1500,
  publicUrl: "http://127.0.0.1:8080",
  mesh: { ice: { urls: [], turnSecret: null }, policy: "all", maxPeers: 6 },
}
