/** The gateway's numbers. Those a deployment may turn come from the configuration; the rest are changed by tests only. */
import type { BudgetRules } from "./connection/rate-budgets.ts"

export interface GatewayOptions {
  readonly heartbeatMs: number
  readonly identifyTimeoutMs: number
  /** How often all connections are looked at for deadlines. */
  readonly sweepMs: number
  /** How often the accounts behind open sockets are looked at again. */
  readonly recheckMs: number
  /** How far back, and how many dispatches of a stream, a client is replayed exactly. */
  readonly historyMs: number
  readonly historyEntries: number
  /** A connection with more than this many bytes buffered is closed as a slow consumer. */
  readonly orderedLimitBytes: number
  /** A connection with more than this many bytes buffered is spared what may be lost. */
  readonly ephemeralLimitBytes: number
  /** An event nobody watches any more is let go after this long. */
  readonly lingerMs: number
  /** Joins and leaves are told to the live event together this often. */
  readonly presenceTickMs: number
  /** How long dispatches are gathered, by the number of connections. */
  readonly tickMs: (connections: number) => number
  readonly connectionsPerParticipant: number
  readonly budgets: BudgetRules
  /** Staff may send this many times as much. */
  readonly staffFactor: number
  readonly commandsInFlight: number
  /** New connections that may identify in a second, and that may be on their way in at once. */
  readonly identifiesPerSecond: number
  readonly identifiesPending: number
  readonly maxConnections: number
  /** Sockets that one address may have open. */
  readonly socketsPerAddress: number
  /** How long before its end a session is warned of it. */
  readonly tokenNoticeMs: number
  /** When an event ends, its connections are closed over this long. */
  readonly endSpreadMs: number
}

export const GATEWAY_DEFAULTS: GatewayOptions = {
  heartbeatMs: 20_000,
  identifyTimeoutMs: 10_000,
  sweepMs: 1000,
  recheckMs: 10_000,
  historyMs: 120_000,
  historyEntries: 1000,
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
  identifiesPerSecond: 4000,
  identifiesPending: 5000,
  maxConnections: 100_000,
  socketsPerAddress: 10_000,
  tokenNoticeMs: 60_000,
  endSpreadMs: 1500,
}
