/**
 * Muted participants, temporarily or permanently. Commands that carry their text to others are refused: chat, questions and answers, and
 * the text of a raised hand or a call for help. A hand without text may be raised.
 */
import { type Timestamp, toMillis } from "../../../model/timestamp.ts"
import type { Refused } from "../../commands.ts"
import type { ReadContext, Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { isHere, mayBeSomebody } from "./removals.ts"

export const MUTED = refuse("muted", "You were muted by a host.")

/** The participant's mute, unless it has expired. */
const muteOf = ({ records, now }: Pick<ReadContext, "records" | "now">, participantId: string) => {
  const mute = records.get("mute", participantId)
  return mute?.until == null || toMillis(mute.until) > now ? mute : undefined
}

export const isMuted = (turn: Turn): boolean => turn.by !== null && muteOf(turn, turn.by.participantId) !== undefined

/** The refusal of a command whose text is optional. */
export const mutedWith = (turn: Turn, text: string | null): Refused | undefined =>
  text !== null && isMuted(turn) ? MUTED : undefined

const publish = (turn: Turn, participantId: string, muted: boolean, until: Timestamp | null): void => {
  turn.publish("me.muted", `me:${participantId}`, { muted, until })
  turn.changeParticipant({ participantId, ...(muted && { isDecision: true }) })
}

/** Publishes the expiry of a mute, which participant lists show. */
const runOut = (participantId: string) => (turn: Turn) => {
  if (turn.get("mute", participantId) === undefined || muteOf(turn, participantId) !== undefined) return
  turn.remove("mute", participantId)
  publish(turn, participantId, false, null)
}

export const mutes = {
  commands: {
    "participant.mute": (turn, { id, until = null, on = true }) => {
      if (!isHere(turn, id) && !mayBeSomebody(id)) return noSuch("participant")
      const known = turn.get("mute", id)
      if (on && (known === undefined || known.until !== until)) turn.put("mute", id, { until })
      if (!on) turn.remove("mute", id)
      if (!turn.isIdle) publish(turn, id, on, on ? until : null)
      return { participantId: id, muted: on, until: on ? until : null }
    },
  },
  deadlines: ({ records }) =>
    [...records.all("mute")].flatMap(([id, { until }]) =>
      until === null ? [] : { name: "mute.end", about: id, at: toMillis(until), due: runOut(id) },
    ),
  personalView: (context, participantId) => {
    const mute = muteOf(context, participantId)
    return { muted: mute === undefined ? null : { until: mute.until } }
  },
} satisfies Activity
