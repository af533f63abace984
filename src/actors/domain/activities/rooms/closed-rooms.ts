/** Rooms that have just closed: a speech recogniser sends the last words of a room after its end. */
import { type Breakout, type ClosedRooms, ONLY } from "../../../../model/live/live-records.ts"
import { findPhase } from "../../state.ts"
import type { Turn } from "../../turn.ts"

const LATE_MS = 30_000

const lately = (turn: Turn): ClosedRooms =>
  (turn.get("closedRooms", ONLY) ?? []).filter(({ at }) => turn.now - at <= LATE_MS)

/** The rooms of the breakout are about to be removed. Those of a phase without transcripts get no captions. */
export const noteClosedRooms = (turn: Turn, { phaseId }: Breakout): void => {
  if (findPhase(turn.state, phaseId)?.featureSet.includes("transcript") !== true) return
  turn.put("closedRooms", ONLY, [...lately(turn), { at: turn.now, ids: [...turn.all("room").keys()] }])
}

export const hasJustClosed = (turn: Turn, roomId: string): boolean =>
  lately(turn).some(({ ids }) => ids.includes(roomId))
