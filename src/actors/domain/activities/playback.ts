/** Addresses at which the deployment serves a broadcast to its viewers. */
import type { Broadcast } from "../../../model/live/live-records.ts"
import { toMillis } from "../../../model/timestamp.ts"
import type { Turn } from "../turn.ts"

/** `closed`: the address for a private event, which is a credential. Null: the deployment serves none. */
export const ownAddresses = (
  turn: Turn,
  { broadcastId, phaseId, startedAt }: Broadcast,
): { readonly open: string | null; readonly closed: string | null } => {
  const { id } = turn.state.event
  const of = { broadcastId, phaseId, eventId: id, startedAt: startedAt === null ? turn.now : toMillis(startedAt) }
  return {
    open: turn.deployment.playbackUrlOf({ ...of, isPrivate: false }),
    closed: turn.deployment.playbackUrlOf({ ...of, isPrivate: true }),
  }
}

const isOwn = (turn: Turn, broadcast: Broadcast): boolean => {
  const { open, closed } = ownAddresses(turn, broadcast)
  return broadcast.playbackUrl === open || broadcast.playbackUrl === closed
}

/** The broadcast that the media server must now make of the phase's main room; null: there is none, or viewers watch it elsewhere. */
export const stageBroadcastOf = (turn: Turn, phaseId: string): string | null => {
  const broadcast = turn.get("broadcast", phaseId)
  return turn.deployment.hasStageBroadcasts && broadcast?.status === "live" && isOwn(turn, broadcast)
    ? broadcast.broadcastId
    : null
}

/**
 * Whether the phase has a live broadcast whose encoder pushes to this server. A broadcast at another address may be watched without any
 * push here.
 */
export const isPushedHere = (turn: Turn, phaseId: string): boolean => {
  const broadcast = turn.get("broadcast", phaseId)
  return broadcast?.status === "live" && isOwn(turn, broadcast)
}
