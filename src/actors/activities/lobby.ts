/**
 * The lobby of a call: who walks in may have to wait until a host lets them in. Who was let in stays let in for the whole
 * event. Waiting is the gateway's business and kept in memory; what hosts decide is a record.
 */
import { ONLY } from "../../model/live-records.ts"
import type { Waiting } from "../lobby.ts"
import { lobbyPolicy } from "../lobby-policy.ts"
import type { Present } from "../presence.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { leaveRoom } from "./rooms.ts"
import { leaveRound } from "./rotation.ts"

/** People in the lobby that staff are sent; there may be more. */
const SHOWN = 200

/** Neither a member of the workspace nor on the event's list. */
const isWalkIn = ({ kind, walkIn = kind !== "user" }: Present): boolean => walkIn

const admit = (turn: Turn, participantId: string): void => {
  if (turn.get("admission", participantId)?.state !== "admitted") {
    turn.put("admission", participantId, { state: "admitted" })
  }
  turn.stand({ participantId, admission: "admitted" })
}

/** Whoever is inside when the door closes is inside for good: a broken link must not bring them before it. */
const keepThoseInside = (turn: Turn): void => {
  if (lobbyPolicy(turn.state, turn.floor) === "open") return
  for (const person of turn.people.all()) {
    const { participantId } = person
    if (isWalkIn(person) && turn.get("admission", participantId) === undefined) admit(turn, participantId)
  }
}

const waitingIds = (turn: Turn): ReadonlyArray<string> =>
  Array.from(turn.people.waiting(), ({ participantId }: Waiting) => participantId)

export const lobby: Activity = {
  commands: {
    "lobby.admit": (turn, d) => {
      const waiting = waitingIds(turn)
      const ids = "ids" in d ? [...new Set(d.ids)] : waiting
      if ("ids" in d && ids.some((id) => !waiting.includes(id) && turn.get("admission", id) === undefined)) {
        return noSuch("participant in the lobby")
      }
      for (const id of ids) admit(turn, id)
      return { admitted: ids }
    },
    "lobby.deny": (turn, { ids: asked, block = false }) => {
      const waiting = waitingIds(turn)
      const ids = [...new Set(asked)]
      if (ids.some((id) => !waiting.includes(id))) return noSuch("participant in the lobby")
      for (const participantId of ids) {
        // Whom a host sent here waits again when they come back, whatever the policy.
        if (turn.get("admission", participantId)?.state !== "held") turn.remove("admission", participantId)
        turn.stand({ participantId, admission: "denied" })
        if (!block) continue
        const { removed } = turn.state
        turn.state = { ...turn.state, removed: removed.includes(participantId) ? removed : [...removed, participantId] }
        turn.toStaff("participant.removed", { participantId, block })
      }
      return { denied: ids }
    },
    "lobby.policy": (turn, { mode }) => {
      if (turn.settings.lobby === mode) return { mode }
      turn.put("settings", ONLY, { ...turn.settings, lobby: mode })
      keepThoseInside(turn)
      turn.toAll("lobby.settings", { mode })
      return { mode }
    },
    "participant.toLobby": (turn, { id }) => {
      if (turn.people.find(id) === undefined) return noSuch("participant")
      if (id === turn.by?.participantId) return refuse("conflict", "You cannot send yourself to the lobby.")
      leaveRound(turn, id)
      leaveRoom(turn, id, false)
      turn.put("admission", id, { state: "held" })
      turn.stand({ participantId: id, admission: "waiting" })
      return { participantId: id }
    },
  },
  phaseStarted: (turn, { modality }) => {
    keepThoseInside(turn)
    if (modality !== "broadcast") return
    // A broadcast has no lobby, and nobody who could let them out of it.
    for (const [id, { state }] of turn.all("admission")) if (state === "held") admit(turn, id)
  },
  phaseUpdated: keepThoseInside,
  view: ({ floor, state }) => ({ lobbyPolicy: lobbyPolicy(state, floor) }),
  staffView: ({ people }) => {
    const waiting = [...people.waiting()]
    return { lobby: { total: waiting.length, waiting: waiting.slice(0, SHOWN) } }
  },
}
