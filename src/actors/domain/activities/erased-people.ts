/**
 * Removes people's names from a live event's memory, before the store is erased. Their ids stay in votes, seats and rounds, where tallies
 * and pairings need them. Once the person's row is gone, an id no longer leads to anybody.
 */
import { isRegistrationId, REMOVED_PERSON } from "../../../model/participants.ts"
import type { Turn } from "../turn.ts"
import type { Activity } from "./activity.ts"
import { deleteMessagesOf } from "./chat.ts"
import { lowerHand } from "./hands.ts"
import { unnameQuestionsOf } from "./questions/qa.ts"
import { unnamePoints } from "./questions/quiz.ts"
import { removeParticipant } from "./removals.ts"

/** Shuts a registrant out of the event. The sockets of users are closed through their grants; a registration has none. */
const shutOut = (turn: Turn, id: string): void => {
  const { event, removed } = turn.state
  const isOpen = event.status === "scheduled" || event.status === "live"
  if (isRegistrationId(id) && isOpen && !removed.includes(id)) removeParticipant(turn, id, true)
}

export const erasedPeople = {
  commands: {
    "participant.erase": (turn, { ids }) => {
      const people = new Set(ids)
      deleteMessagesOf(turn, people)
      unnameQuestionsOf(turn, people)
      unnamePoints(turn, people)
      for (const id of people) {
        lowerHand(turn, id)
        const seat = turn.get("seat", id)
        if (seat?.name !== undefined) turn.put("seat", id, { ...seat, name: REMOVED_PERSON })
        shutOut(turn, id)
      }
      return { participantIds: ids }
    },
  },
} satisfies Activity
