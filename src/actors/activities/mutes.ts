/** Who may not speak for a while, or for good: chat and questions refuse them. */
import { toMillis } from "../../model/timestamp.ts"
import type { Turn } from "../turn.ts"
import { type Activity, refuse } from "./activity.ts"

export const MUTED = refuse("muted", "You were muted by a host.")

export const isMuted = (turn: Turn): boolean => {
  const mute = turn.by === null ? undefined : turn.get("mute", turn.by.participantId)
  return mute !== undefined && (mute.until === null || toMillis(mute.until) > turn.now)
}

export const mutes: Activity = {
  commands: {
    "participant.mute": (turn, { id, until = null, on = true }) => {
      const known = turn.get("mute", id)
      if (on && (known === undefined || known.until !== until)) turn.put("mute", id, { until })
      if (!on) turn.remove("mute", id)
      if (!turn.isIdle) {
        turn.toOne(id, "me.muted", { muted: on, until: on ? until : null })
        turn.stand({ participantId: id })
      }
      return { participantId: id, muted: on, until: on ? until : null }
    },
  },
  personalView: ({ floor, now }, participantId) => {
    const mute = floor.get("mute", participantId)
    const isOn = mute !== undefined && (mute.until === null || toMillis(mute.until) > now)
    return { muted: isOn ? { until: mute.until } : null }
  },
}
