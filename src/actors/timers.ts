/** Deadlines of a live event: of its active phase's timer, as commands, and of its activities, as turns. */
import { toMillis } from "../model/timestamp.ts"
import type { ActivityDeadline, Scene } from "./activities/activity.ts"
import { nextActivityDeadline } from "./activities/registry.ts"
import type { Command } from "./commands.ts"
import { activePhase, type LiveState } from "./state.ts"

/** A timer warns this long before it elapses. */
const WARNINGS_MS = [60_000, 10_000] as const

/** Node's timers hold 31 bits; a later deadline is looked at again then. */
export const LONGEST_WAIT_MS = 2_147_483_647

interface PhaseDeadline {
  /** Unix milliseconds. */
  readonly at: number
  readonly command: Command
}
export type Deadline = PhaseDeadline | ActivityDeadline

/**
 * The next deadline after `since` (exclusive; the moment up to which deadlines have been seen to). A timer's end is due
 * even when it lies before `since`: a crash must not swallow it. Warnings that were missed are not made up for.
 */
const nextPhaseDeadline = (state: LiveState, since: number): PhaseDeadline | undefined => {
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

export const nextDeadline = (scene: Scene, since: number): Deadline | undefined => {
  if (scene.state.event.status !== "live") return undefined
  const [ofPhase, ofActivities] = [nextPhaseDeadline(scene.state, since), nextActivityDeadline(scene)]
  if (ofPhase === undefined || ofActivities === undefined) return ofPhase ?? ofActivities
  return ofPhase.at <= ofActivities.at ? ofPhase : ofActivities
}
