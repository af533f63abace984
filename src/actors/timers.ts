/** Deadlines of a live event's active timer, and the command each of them becomes when it is due. */
import { toMillis } from "../model/timestamp.ts"
import type { Command } from "./commands.ts"
import { activePhase, type LiveState } from "./state.ts"

/** A timer warns this long before it elapses. */
const WARNINGS_MS = [60_000, 10_000] as const

/** Node's timers hold 31 bits; a later deadline is looked at again then. */
export const LONGEST_WAIT_MS = 2_147_483_647

export interface Deadline {
  /** Unix milliseconds. */
  readonly at: number
  readonly command: Command
}

/**
 * The next deadline after `since` (exclusive; the moment up to which deadlines have been seen to). A timer's end is due
 * even when it lies before `since`: a crash must not swallow it. Warnings that were missed are not made up for.
 */
export const nextDeadline = (state: LiveState, since: number): Deadline | undefined => {
  const phase = state.event.status === "live" ? activePhase(state) : undefined
  if (phase === undefined || phase.timerEndsAt === null || phase.timerElapsed) return undefined
  const { id: phaseId, timerEndsAt: endsAt } = phase
  const end = toMillis(endsAt)
  const started = phase.startedAt === null ? end : toMillis(phase.startedAt)
  for (const remainingMs of WARNINGS_MS) {
    const at = end - remainingMs
    if (at > since && at > started) return { at, command: { type: "timerWarning", phaseId, endsAt, remainingMs } }
  }
  return { at: end, command: { type: "timerElapsed", phaseId, endsAt } }
}
