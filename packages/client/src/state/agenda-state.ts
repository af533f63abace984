/** The event, its phases and the timers: of phases, polls, breakouts and rounds. */

import { put } from "../connection/revisions.ts"
import type { EventView, PhaseView, PollView, TimerView } from "../contract/types.ts"
import type { NewsOf } from "./news.ts"

export interface AgendaState {
  readonly event: EventView
  readonly phases: ReadonlyArray<PhaseView>
  readonly timers: ReadonlyArray<TimerView>
}

/** A phase keeps its timer until it ends, a breakout until it is closed, and a poll or round while it runs. */
const isOver = ({ scope, state }: TimerView): boolean => {
  if (scope === "poll" || scope === "round") return state !== "running" && state !== "paused"
  return state === "cancelled" && scope !== "room"
}

const withTimer = (timers: ReadonlyArray<TimerView>, timer: TimerView): ReadonlyArray<TimerView> =>
  isOver(timer) ? timers.filter(({ id }) => id !== timer.id) : put(timers, timer)

const withoutTimerOf = (timers: ReadonlyArray<TimerView>, ref: string): ReadonlyArray<TimerView> =>
  timers.filter((timer) => timer.ref !== ref)

/** A poll and its timer share one revision: publishing raises both, though the time does not change. */
const withPollRevision = (timers: ReadonlyArray<TimerView>, { id, rev }: PollView): ReadonlyArray<TimerView> =>
  timers.map((timer) => (timer.id === id && timer.rev < rev ? { ...timer, rev } : timer))

/** The started phase brings its own timers; all other timers continue. */
const phaseStarted = ({ timers }: AgendaState, started: ReadonlyArray<TimerView>): ReadonlyArray<TimerView> => [
  ...started,
  ...timers.filter(({ scope }) => scope !== "phase"),
]

export const agendaAfter = (state: AgendaState, dispatch: NewsOf<"agenda">): AgendaState => {
  const { phases, timers } = state
  switch (dispatch.t) {
    case "event.started":
    case "event.updated":
      return { ...state, event: dispatch.d.event }
    case "event.ended":
      return { event: dispatch.d.event, timers: [], phases: dispatch.d.phases.reduce(put, phases) }
    case "phase.started":
      return { ...state, phases: put(phases, dispatch.d.phase), timers: phaseStarted(state, dispatch.d.timers) }
    case "phase.ended": {
      const { phase } = dispatch.d
      return { ...state, phases: put(phases, phase), timers: withoutTimerOf(timers, phase.id) }
    }
    case "phase.updated":
    case "phase.appended":
      return { ...state, phases: put(phases, dispatch.d.phase) }
    case "agenda.updated":
      return { ...state, phases: dispatch.d.phases }
    case "timer.updated":
    case "timer.elapsed": {
      const { phase, timer } = dispatch.d
      return {
        ...state,
        phases: phase === undefined ? phases : put(phases, phase),
        timers: withTimer(timers, timer),
      }
    }
    case "poll.published":
      return { ...state, timers: withPollRevision(timers, dispatch.d.poll) }
    case "breakout.closed":
      return { ...state, timers: withoutTimerOf(timers, dispatch.d.id) }
  }
}
