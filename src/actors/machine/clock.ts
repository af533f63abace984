/**
 * Deadlines of the charts. XState starts a delay when its state is entered, and does not restore it. Here a delay names a time in the
 * records, which survives a restart, and the clock sends the event of the delayed transition when that time has come.
 */
import type { AnyMachineSnapshot } from "xstate"
import type { InspectedDeadline, Inspection } from "../../model/live/inspection.ts"
import { toTimestamp } from "../../model/timestamp.ts"
import type { TimerView } from "../../protocol/messages/agenda.ts"
import type { Deadline } from "../domain/activities/activity.ts"
import { openPolls, pollTimer } from "../domain/activities/questions/poll-views.ts"
import { recordDeadlines } from "../domain/activities/registry.ts"
import { roomTimer } from "../domain/activities/rooms/breakout.ts"
import { roundTimer } from "../domain/activities/rooms/rotation.ts"
import type { ReadContext, Turn } from "../domain/turn.ts"
import type { Due } from "../state/chart-events.ts"
import { statesOf } from "../state/chart-snapshot.ts"
import { DELAYS, type DelayName, end, type Moment, phaseTimer, warning } from "./delays.ts"
import { POLL_END, POLL_WARNING, pollSnapshot, stepPoll } from "./poll-chart.ts"
import { snapshotOf, stepMachine } from "./step.ts"

/** Delayed transitions of the states in a snapshot: each delay's name, keyed by its event. */
const delaysOf = ({ _nodes }: Pick<AnyMachineSnapshot, "_nodes">): ReadonlyArray<readonly [Due["type"], string]> => [
  ...new Map(
    // Sorted in chart order: XState has the states in the order in which they were entered.
    _nodes
      .toSorted((a, b) => a.order - b.order)
      .flatMap(({ after }) => after.map(({ eventType, delay }) => [eventType as Due["type"], String(delay)] as const)),
  ),
]

interface Delayed {
  readonly name: string
  /** The poll that the delay concerns; null: the event. */
  readonly about: string | null
  readonly moment: Moment
  readonly happen: (turn: Turn) => void
}

/** Everything that the charts wait for. */
const delayed = (context: ReadContext): ReadonlyArray<Delayed> => [
  ...delaysOf(snapshotOf(context.state)).map(([type, delay]) => ({
    name: delay,
    about: null,
    moment: DELAYS[delay as DelayName],
    happen: (turn: Turn) => void stepMachine(turn, { type }),
  })),
  ...openPolls(context).flatMap(({ id }) => {
    const timerIn = ({ records }: ReadContext): TimerView | undefined => {
      const poll = records.get("poll", id)
      return poll?.status === "open" ? pollTimer(poll) : undefined
    }
    const happen = (type: Due["type"]) => (turn: Turn) => {
      const poll = turn.get("poll", id)
      if (poll !== undefined) stepPoll(turn, poll, { type })
    }
    return [
      { name: "poll.warning", about: id, moment: warning(timerIn), happen: happen(POLL_WARNING) },
      { name: "poll.end", about: id, moment: end(timerIn), happen: happen(POLL_END) },
    ]
  }),
]

/**
 * The next deadline, given the time `since` up to which deadlines are handled. Everything due at that time happens in one turn, except for
 * what was moved meanwhile.
 */
export const nextDeadline = (context: ReadContext, since: number): Deadline | undefined => {
  if (context.state.event.status !== "live") return undefined
  const records = recordDeadlines(context)
  const moments = [
    ...delayed(context).map(({ moment }) => moment(context, since) ?? Infinity),
    ...records.map(({ at }) => at),
  ]
  const at = moments.reduce((next, moment) => Math.min(next, moment), Infinity)
  if (at === Infinity) return undefined
  const due = (turn: Turn): void => {
    for (const one of records) if (one.at === at) one.due(turn)
    for (const { moment, happen } of delayed(turn)) if (moment(turn, since) === at) happen(turn)
  }
  return { at, due }
}

/** Upcoming deadlines, the earliest first. */
export const deadlinesOf = (context: ReadContext): ReadonlyArray<InspectedDeadline> => {
  if (context.state.event.status !== "live") return []
  const delays = delayed(context).map(({ name, about, moment }) => ({ name, about, at: moment(context, context.now) }))
  return [...delays, ...recordDeadlines(context)]
    .flatMap(({ name, about, at }) => (at === undefined ? [] : { name, about, at }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, ...deadline }) => ({ ...deadline, at: toTimestamp(at) }))
}

/** The charts of an event, for its operator. */
export const inspected = (context: ReadContext): Pick<Inspection, "states" | "polls" | "deadlines"> => ({
  states: statesOf(context.state.chart.value),
  polls: [...context.records.all("poll").values()].map((poll) => ({
    id: poll.id,
    states: statesOf(pollSnapshot(poll).value),
  })),
  deadlines: deadlinesOf(context),
})

/** All timers that clients show. */
export const runningTimersOf = (context: ReadContext): ReadonlyArray<TimerView> =>
  [
    phaseTimer(context),
    ...openPolls(context).map((poll) => pollTimer(poll)),
    roomTimer(context),
    roundTimer(context),
  ].filter((timer) => timer !== undefined)
