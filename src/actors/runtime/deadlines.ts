/**
 * Deadlines of a live event. The end of its active phase's timer is a command. Deadlines of its activities, and the warnings
 * before the end of any timer, are turns.
 */
import { toMillis } from "../../model/timestamp.ts"
import type { TimerView } from "../../protocol/topics/agenda.ts"
import type { Command } from "../commands.ts"
import type { ActivityDeadline, ReadContext } from "../domain/activities/activity.ts"
import { activityTimers, nextActivityDeadline } from "../domain/activities/registry.ts"
import { activePhaseOf, activeTimers, type LiveState } from "../domain/state.ts"
import type { Turn } from "../domain/turn.ts"

/** A timer warns this long before it elapses. */
const WARNINGS_MS = [60_000, 10_000] as const

/** The limit of Node's timers (31 bits); a later deadline is checked again then. */
export const LONGEST_WAIT_MS = 2_147_483_647

interface PhaseDeadline {
  /** Unix milliseconds. */
  readonly at: number
  readonly command: Command
}
export type Deadline = PhaseDeadline | ActivityDeadline

interface Warning {
  /** Unix milliseconds. */
  readonly at: number
  readonly timerId: string
  readonly remainingMs: number
}

/** All timers that clients show. */
export const runningTimersOf = (context: ReadContext): ReadonlyArray<TimerView> => [
  ...activeTimers(context.state),
  ...activityTimers(context),
]

const warningsOf = (context: ReadContext): ReadonlyArray<Warning> =>
  runningTimersOf(context)
    .filter(({ state }) => state === "running")
    .flatMap(({ id: timerId, startedAt, endsAt }) => {
      const [startedMs, endsMs] = [toMillis(startedAt), toMillis(endsAt)]
      return WARNINGS_MS.map((remainingMs) => ({ at: endsMs - remainingMs, timerId, remainingMs })).filter(
        ({ at }) => at > startedMs,
      )
    })

/** Warns of all timers whose warning is due at that moment; a timer that was moved meanwhile gets none. */
const warn =
  (at: number) =>
  (turn: Turn): void => {
    for (const { at: due, timerId, remainingMs } of warningsOf(turn)) {
      if (due === at) turn.publish("timer.warning", "event", { timerId, remainingMs })
    }
  }

/** The next warning after `since` (exclusive). Missed warnings are not made up for. */
const nextWarning = (context: ReadContext, since: number): ActivityDeadline | undefined => {
  const at = warningsOf(context).reduce(
    (next, warning) => (warning.at > since ? Math.min(next, warning.at) : next),
    Infinity,
  )
  return at === Infinity ? undefined : { at, due: warn(at) }
}

const phaseDeadline = (state: LiveState): PhaseDeadline | undefined => {
  const phase = activePhaseOf(state)
  if (phase === undefined || phase.timerEndsAt === null || phase.timerElapsed) return undefined
  const { id: phaseId, timerEndsAt: endsAt } = phase
  return { at: toMillis(endsAt), command: { type: "timer.elapse", d: { phaseId, endsAt } } }
}

/**
 * The next deadline, given the moment up to which deadlines are handled. A timer's end is due even when it lies before that: a
 * crash must not skip it.
 */
export const nextDeadline = (context: ReadContext, since: number): Deadline | undefined => {
  if (context.state.event.status !== "live") return undefined
  const deadlines = [nextWarning(context, since), phaseDeadline(context.state), nextActivityDeadline(context)]
  return deadlines.reduce((next, one) => (next === undefined || (one !== undefined && one.at < next.at) ? one : next))
}
