/** The addresses at which the deployment gives a broadcast to its viewers. */
import type { Broadcast } from "../../../model/live/live-records.ts"
import { toMillis } from "../../../model/timestamp.ts"
import type { Turn } from "../turn.ts"

/** `closed`: of a private event, whose address is a credential. Null: the deployment has none. */
export const ownAddresses = (
  turn: Turn,
  { broadcastId, phaseId, startedAt }: Broadcast,
): { readonly open: string | null; readonly closed: string | null } => {
  const { id } = turn.state.event
  const of = { broadcastId, phaseId, eventId: id, startedAt: startedAt === null ? turn.now : toMillis(startedAt) }
  return {
    open: turn.playbackUrlOf({ ...of, isPrivate: false }),
    closed: turn.playbackUrlOf({ ...of, isPrivate: true }),
  }
}

/** The broadcast of the phase that the media server has to make of its main room now; null: there is none, or viewers watch it elsewhere. */
export const stageBroadcastOf = (turn: Turn, phaseId: string): string | null => {
  const broadcast = turn.get("broadcast", phaseId)
  if (!turn.hasStageBroadcasts || broadcast?.status !== "live") return null
  const { open, closed } = ownAddresses(turn, broadcast)
  return broadcast.playbackUrl === open || broadcast.playbackUrl === closed ? broadcast.broadcastId : null
}
