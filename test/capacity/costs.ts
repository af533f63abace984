/** Unit costs in round figures, so that what they add up to can be computed by hand. */
import type { Costs } from "../../capacity/costs.ts"
import { type InputsOf, type InputTable, MANY_EVENTS, ONE_EVENT, PLACE } from "../../capacity/inputs.ts"

export const ROUND_COSTS: Costs = {
  nodeRest: 0.02,
  socketRest: 1e-6,
  frame: 5e-6,
  announceFollower: 0.001,
  announceHost: 0.001,
  announceOwner: 0.004,
  commandOwner: 0.002,
  commandForward: 0.001,
  commandFollower: 0.0005,
  joinGatewayAlone: 0.0013,
  joinGatewayCrowd: 0.0003,
  joinOwnerAlone: 0.00052,
  joinOwnerCrowd: 0.00002,
  postgresCommit: 0.001,
  postgresBusyCommit: 0.0004,
  postgresJoin: 0.0001,
  postgresPresence: 0.01,
  postgresSocketRest: 1e-6,
  postgresNodeRest: 0.005,
  postgresFollowedEvent: 1e-6,
  natsMessage: 0.00005,
  feedBytes: 1000,
  processBytes: 160_000_000,
  socketBytes: 5000,
  participantBytes: 800,
  ownedEventBytes: 30_000,
  followedEventBytes: 20_000,
  ownedEventRest: 1e-6,
  followedEventRest: 3e-6,
}

const defaults = <Table extends InputTable>(table: Table): InputsOf<Table> =>
  Object.fromEntries(Object.entries(table).map(([name, { fallback }]) => [name, fallback])) as InputsOf<Table>

export const oneEvent = { ...defaults(ONE_EVENT), ...defaults(PLACE) }
export const manyEvents = { ...defaults(MANY_EVENTS), ...defaults(PLACE) }
