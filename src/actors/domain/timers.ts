/**
 * Timers of phases, rooms, rounds and polls share one rule. A timer is a state of the chart with two delayed transitions, for its warnings
 * and its end. Their deadlines are absolute: XState does not restore a delay, so the clock arms them anew.
 */
import { MAX_PHASE_SECONDS } from "../../model/phase.ts"
import { type Timestamp, toMillis, toTimestamp } from "../../model/timestamp.ts"
import type { ReplyData } from "../../protocol/contract.ts"
import type { TimerView } from "../../protocol/messages/agenda.ts"
import type { Refused } from "../commands.ts"
import type { Of } from "../state/chart-events.ts"
import { refuse } from "./activities/activity.ts"
import type { Turn } from "./turn.ts"

/** How long before its end a timer warns. */
const WARNINGS_MS = [60_000, 10_000] as const

/**
 * The timer's next warning after `since` (exclusive), in Unix milliseconds. Missed warnings are not made up for, and a warning is skipped
 * if its successor is due as well.
 */
export const warningOf = ({ startedAt, endsAt }: TimerView, since: number, now: number): number | undefined => {
  const [startedMs, endsMs] = [toMillis(startedAt), toMillis(endsAt)]
  const moments = WARNINGS_MS.map((before) => endsMs - before).filter((at) => at > startedMs && at > since)
  return moments.find((_at, index) => (moments[index + 1] ?? Infinity) > now)
}

/** Publishes the warning that is due; the clock may be slightly late. */
export const warn = (turn: Turn, { id: timerId, endsAt }: TimerView): void => {
  const remainingMs = WARNINGS_MS.findLast((before) => before >= toMillis(endsAt) - turn.now)
  if (remainingMs !== undefined) turn.publish("timer.warning", "event", { timerId, remainingMs })
}

interface Extended {
  readonly endsAt: Timestamp
  /** Total extension of the timer. */
  readonly extendedMs: number
}

interface Extendable {
  readonly timer: TimerView
  /** Duration of the timer without this extension, in milliseconds. */
  readonly usedMs: number
  /** Refusal of a timer of more than a day. */
  readonly longest: string
  /** Stores and publishes the timer. */
  readonly write: (extended: Extended) => TimerView
}

/** Extends a timer from its end, or from now if that has passed. */
export const extendTimer = (
  turn: Turn,
  { d: { seconds }, rev }: Of<"timer.extend">,
  { timer, usedMs, longest, write }: Extendable,
): ReplyData<"timer.extend"> | Refused => {
  if (rev !== undefined && rev !== timer.rev) return refuse("conflict", "The timer was changed meanwhile.", { timer })
  const addedMs = seconds * 1000
  if (usedMs + addedMs > MAX_PHASE_SECONDS * 1000) return refuse("conflict", longest)
  const endsAt = toTimestamp(Math.max(toMillis(timer.endsAt), turn.now) + addedMs)
  return { timer: write({ endsAt, extendedMs: timer.extendedMs + addedMs }) }
}
