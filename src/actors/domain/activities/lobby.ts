/**
 * The lobby of a call: who walks in may have to wait until a host lets them in. Who was let in stays let in for the whole
 * event. Waiting is the gateway's business and kept in memory; what hosts decide is a record.
 * Invariant: behind a shut lobby is nobody who walked in without a record that lets them. Whoever has none when it shuts
 * goes before the door, so that gateways, which know of people before the live event does, judge them as it does.
 */

import { ONLY } from "../../../model/live-records.ts"
import type { LobbyPolicy } from "../../../model/live-values.ts"
import type { PhaseState } from "../../../model/phase.ts"
import { isOnStage } from "../../../model/roles.ts"
import { isWalkIn, lobbyPolicy, policyOf } from "../../presence/admission-policy.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { putOut } from "./removals.ts"
import { leaveRoom } from "./rooms/rooms.ts"
import { leaveRound } from "./rooms/rotation.ts"

/** People in the lobby that staff are sent; there may be more. */
const SHOWN = 200

const admit = (turn: Turn, participantId: string): void => {
  if (turn.get("admission", participantId)?.state !== "admitted") {
    turn.put("admission", participantId, { state: "admitted" })
  }
  turn.changeParticipant({ participantId, admission: "admitted" })
}

/** Whoever is inside of a call when its door closes is inside for good: a broken link must not bring them before it. */
const keepThoseInside = (turn: Turn, before: LobbyPolicy): void => {
  if (before !== "open" || lobbyPolicy(turn.state, turn.records) === "open") return
  for (const person of turn.everybody.all()) {
    const { participantId } = person
    if (isWalkIn(person) && turn.get("admission", participantId) === undefined) admit(turn, participantId)
  }
}

/** Who came by the countdown or to a broadcast was let in by nobody; but a host chose whom they gave a voice. */
const keepThoseChosen = (turn: Turn): void => {
  if (lobbyPolicy(turn.state, turn.records) === "open") return
  for (const [id, { role }] of turn.all("role")) {
    if (isOnStage(role) && turn.get("admission", id) === undefined) admit(turn, id)
  }
}

/** The phase before the active one. */
const lastPhase = ({ state: { phases } }: Turn): PhaseState | undefined =>
  phases.findLast(({ status }) => status === "ended")

const waitingIds = (turn: Turn): ReadonlySet<string> =>
  new Set(Array.from(turn.people.waiting(), ({ participantId }) => participantId))

/** Those of whom it is true, in order and once, and the others: one who gave up meanwhile keeps nobody else waiting. */
const part = (ids: ReadonlyArray<string>, isThere: (id: string) => boolean) => {
  const [there, missing]: [string[], string[]] = [[], []]
  for (const id of new Set(ids)) (isThere(id) ? there : missing).push(id)
  return { there, missing }
}

export const lobby = {
  commands: {
    "lobby.admit": (turn, d) => {
      const waiting = waitingIds(turn)
      const isKnown = (id: string): boolean =>
        waiting.has(id) || turn.everybody.find(id) !== undefined || turn.get("admission", id) !== undefined
      const { there, missing } = part("ids" in d ? d.ids : [...waiting], isKnown)
      if (there.length === 0 && missing.length > 0) return noSuch("participant in the lobby")
      for (const id of there) admit(turn, id)
      return { admitted: there, missing }
    },
    "lobby.deny": (turn, { ids: asked, block = false }) => {
      const waiting = waitingIds(turn)
      const { there, missing } = part(asked, (id) => waiting.has(id))
      if (there.length === 0) return noSuch("participant in the lobby")
      for (const participantId of there) {
        // Whom a host sent here waits again when they come back, whatever the policy.
        if (turn.get("admission", participantId)?.state !== "held") turn.remove("admission", participantId)
        turn.changeParticipant({ participantId, admission: "denied" })
        if (block) putOut(turn, participantId, true)
      }
      return { denied: there, missing }
    },
    "lobby.policy": (turn, { mode }) => {
      if (turn.settings.lobby === mode) return { mode }
      const before = lobbyPolicy(turn.state, turn.records)
      turn.put("settings", ONLY, { ...turn.settings, lobby: mode })
      keepThoseInside(turn, before)
      turn.publish("lobby.settings", "event", { mode })
      return { mode }
    },
    "participant.toLobby": (turn, { id }) => {
      if (turn.people.find(id) === undefined) return noSuch("participant")
      if (id === turn.by?.participantId) return refuse("conflict", "You cannot send yourself to the lobby.")
      leaveRound(turn, id)
      leaveRoom(turn, id, false)
      turn.put("admission", id, { state: "held" })
      turn.changeParticipant({ participantId: id, admission: "waiting" })
      return { participantId: id }
    },
  },
  phaseStarted: (turn, { modality }) => {
    const last = lastPhase(turn)
    if (last === undefined || last.modality === "broadcast") keepThoseChosen(turn)
    else keepThoseInside(turn, policyOf(last, turn.records))
    if (modality !== "broadcast") return
    // A broadcast has no lobby, and nobody who could let them out of it.
    for (const [id, { state }] of turn.all("admission")) if (state === "held") admit(turn, id)
  },
  phaseUpdated: (turn, _phase, was) => keepThoseInside(turn, policyOf(was, turn.records)),
  view: ({ records, state }) => ({
    lobbyPolicy: lobbyPolicy(state, records),
    lobbySaid: records.get("settings", ONLY)?.lobby ?? null,
  }),
  staffView: ({ people }) => {
    const waiting = [...people.waiting()]
    return { lobby: { total: waiting.length, waiting: waiting.slice(0, SHOWN) } }
  },
} satisfies Activity
