/**
 * The waiting room of a call: walk-in participants may have to wait until a host admits them. An admission holds for the whole event.
 * Gateways keep waiting participants in memory; decisions of hosts are records. Invariant: while the policy is not `open`, no walk-in
 * participant is inside without a record that admits them. A participant without a record is moved to the waiting room when the policy
 * closes, so that gateways, which learn of participants before the live event does, reach the same decision.
 */

import { ONLY } from "../../../model/live/live-records.ts"
import { isOnStage } from "../../../model/roles.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { ReplyData } from "../../../protocol/contract.ts"
import { isWalkIn, lobbyPolicy, policyBeside } from "../../presence/admission-policy.ts"
import type { Of } from "../../state/chart-events.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { lowerHand } from "./hands.ts"
import { removeParticipant } from "./removals.ts"
import { leaveRoom } from "./rooms/rooms.ts"
import { leaveRound } from "./rooms/rotation.ts"

/** Most waiting participants sent to staff; there may be more. */
const SHOWN = 200

const admit = (turn: Turn, participantId: string): void => {
  if (turn.get("admission", participantId)?.state !== "admitted") {
    turn.put("admission", participantId, { state: "admitted" })
  }
  turn.changeParticipant({ participantId, admission: "admitted" })
}

/** Admits participants who are inside a call when its door closes: a lost connection must not move them to the waiting room. */
const admitInside = (turn: Turn): void => {
  for (const person of [...turn.everybody.all(), ...turn.everybody.absent()]) {
    const { participantId } = person
    if (isWalkIn(person) && turn.get("admission", participantId) === undefined) admit(turn, participantId)
  }
}

/** Admits those whom a host put on stage. Others who joined during a countdown or a broadcast were not admitted by a host. */
export const admitChosen = (turn: Turn): void => {
  for (const [id, { role }] of turn.all("role")) {
    if (isOnStage(role) && turn.get("admission", id) === undefined) admit(turn, id)
  }
}

/** Chart actions on the waiting room of a call. */
export const lobbyActions = {
  admitInside,
  /** Admits the people on stage, and everyone inside if the door is closed only because no host is present. */
  admitChosen: (turn: Turn, { phase }: Of<"phase.began">): void => {
    admitChosen(turn)
    if (policyBeside(phase, turn.records) === "open") admitInside(turn)
  },
  /** Admits held participants: a broadcast has no waiting room, and nothing to admit participants from one. */
  admitHeld: (turn: Turn): void => {
    for (const [id, { state }] of turn.all("admission")) if (state === "held") admit(turn, id)
  },
  setDoor: (turn: Turn, { d: { mode } }: Of<"lobby.policy">): ReplyData<"lobby.policy"> => {
    if (turn.settings.lobby === mode) return { mode }
    turn.put("settings", ONLY, { ...turn.settings, lobby: mode })
    turn.raise({ type: "door.moved" })
    turn.publish("lobby.settings", "event", { mode })
    return { mode }
  },
}

const waitingIds = (turn: Turn): ReadonlySet<string> =>
  new Set(Array.from(turn.people.waiting(), ({ participantId }) => participantId))

/** Splits ids by presence, in order and without repeats, so that an id that is gone does not block the others. */
const part = (ids: ReadonlyArray<string>, isThere: (id: string) => boolean) => {
  const [there, missing]: [string[], string[]] = [[], []]
  for (const id of new Set(ids)) (isThere(id) ? there : missing).push(id)
  return { there, missing }
}

/** Stores when participants began to wait, for the next activation. */
export const storePlaces = (turn: Turn, places: ReadonlyArray<readonly [string, Timestamp | undefined]>): void => {
  for (const [participantId, since] of places) {
    if (since === undefined) turn.remove("waiting", participantId)
    else if (turn.get("waiting", participantId)?.since !== since) turn.put("waiting", participantId, { since })
  }
}

/** Whether a participant is in the waiting room, or about to return to it. */
const isWaiting = (turn: Turn) => {
  const connected = waitingIds(turn)
  return (id: string): boolean => connected.has(id) || turn.get("waiting", id) !== undefined
}

export const lobby = {
  commands: {
    "lobby.admit": (turn, d) => {
      const waits = isWaiting(turn)
      const isKnown = (id: string): boolean =>
        waits(id) || turn.everybody.find(id) !== undefined || turn.get("admission", id) !== undefined
      const { there, missing } = part("ids" in d ? d.ids : [...waitingIds(turn)], isKnown)
      if (there.length === 0 && missing.length > 0) return noSuch("participant in the lobby")
      for (const id of there) admit(turn, id)
      return { admitted: there, missing }
    },
    "lobby.deny": (turn, { ids: asked, block = false }) => {
      const { there, missing } = part(asked, isWaiting(turn))
      if (there.length === 0) return noSuch("participant in the lobby")
      for (const participantId of there) {
        // A participant whom a host moved to the waiting room waits again on return, under every policy.
        if (turn.get("admission", participantId)?.state !== "held") turn.remove("admission", participantId)
        turn.changeParticipant({ participantId, admission: "denied" })
        if (block) removeParticipant(turn, participantId, true)
      }
      return { denied: there, missing }
    },
    "participant.toLobby": (turn, { id }) => {
      if (turn.people.find(id) === undefined) return noSuch("participant")
      if (id === turn.by?.participantId) return refuse("conflict", "You cannot send yourself to the lobby.")
      lowerHand(turn, id)
      leaveRound(turn, id)
      leaveRoom(turn, id, false)
      turn.put("admission", id, { state: "held" })
      turn.changeParticipant({ participantId: id, admission: "waiting", isDecision: true })
      return { participantId: id }
    },
  },
  view: ({ records, state }) => ({
    lobbyPolicy: lobbyPolicy(state, records),
    lobbySaid: records.get("settings", ONLY)?.lobby ?? null,
  }),
  staffView: ({ people }) => {
    const waiting = [...people.waiting()]
    return { lobby: { total: waiting.length, waiting: waiting.slice(0, SHOWN) } }
  },
} satisfies Activity
