/** Times that the charts wait for. They are in the records, so they survive a restart. */

import { ONLY } from "../../model/live/live-records.ts"
import { toMillis } from "../../model/timestamp.ts"
import type { TimerView } from "../../protocol/messages/agenda.ts"
import { measureAt } from "../domain/activities/host-absence.ts"
import { roomTimer } from "../domain/activities/rooms/breakout.ts"
import { roundTimer } from "../domain/activities/rooms/rotation.ts"
import { warningOf } from "../domain/timers.ts"
import type { ReadContext } from "../domain/turn.ts"
import { activePhaseOf, timerOf } from "../state/state.ts"

/** A deadline in Unix milliseconds; `since`: the time up to which deadlines are handled; `undefined`: none. */
export type Moment = (context: ReadContext, since: number) => number | undefined

export const phaseTimer = ({ state }: Pick<ReadContext, "state">): TimerView | undefined => {
  const phase = activePhaseOf(state)
  return (phase && timerOf(phase)) ?? undefined
}

export const warning =
  (timerIn: (context: ReadContext) => TimerView | undefined): Moment =>
  (context, since) => {
    const timer = timerIn(context)
    return timer && warningOf(timer, since, context.now)
  }

/** An end is due even if it lies before the time up to which deadlines are handled: a crash must not skip it. */
export const end =
  (timerIn: (context: ReadContext) => TimerView | undefined): Moment =>
  (context) => {
    const timer = timerIn(context)
    return timer && toMillis(timer.endsAt)
  }

/** Delays of the event's chart. */
export const DELAYS = {
  "phase.warning": warning(phaseTimer),
  "phase.end": end(phaseTimer),
  "room.warning": warning(roomTimer),
  "room.end": end(roomTimer),
  "room.close": ({ records }) => {
    const closesAt = records.get("breakout", ONLY)?.closesAt
    return closesAt == null ? undefined : toMillis(closesAt)
  },
  "round.warning": warning(roundTimer),
  "round.end": end(roundTimer),
  "hosts.measure": measureAt,
} as const satisfies { readonly [name: string]: Moment }

export type DelayName = keyof typeof DELAYS

export const DELAY_NAMES = Object.keys(DELAYS) as ReadonlyArray<DelayName>
