/**
 * One turn of the chart: a command, a deadline, or an arrival, and everything that follows from it. The chart decides purely; the actions
 * that it names are then performed on the turn in order. Events that they raise are handled next, by the records and by the chart.
 */
import { isDeepStrictEqual } from "node:util"
import { transition } from "xstate"
import type { Timestamp } from "../../model/timestamp.ts"
import { type Answer, type Command, Refused } from "../commands.ts"
import { isPlain, performPlain, react } from "../domain/activities/registry.ts"
import type { Turn } from "../domain/turn.ts"
import type { Due, Happening, Raised } from "../state/chart-events.ts"
import { type ChartSnapshot, lifeOf, type Move, regionOf } from "../state/chart-snapshot.ts"
import type { LiveState } from "../state/state.ts"
import { ACTIONS, type ActionName } from "./actions.ts"
import { chart } from "./chart.ts"
import type { ChartEvent } from "./guards.ts"
import { type Snapshot, sharedSnapshot } from "./snapshots.ts"

type Result = Answer["result"]
/** A reply, a function that reads the reply at the end of the turn, or a refusal. */
type Reply = Result | (() => Result | Refused) | Refused | undefined
type Act = (turn: Turn, event: ChartEvent) => Reply

/** Casts the opaque snapshot of a state; only the chart creates snapshots. */
export const snapshotOf = ({ chart: snapshot }: Pick<LiveState, "chart">): Snapshot => snapshot as Snapshot

/** Sets the event's status to the state of the chart; nothing else sets it. */
const enter = (turn: Turn, type: string, { value }: ChartSnapshot): void => {
  const { event, chart: before } = turn.state
  const next = sharedSnapshot(value)
  if (next === before || isDeepStrictEqual(next.value, before.value)) return
  turn.moves.push({ type, at: turn.at, after: next })
  const life = lifeOf(next)
  const status = life === "deleted" ? event.status : life
  turn.state = {
    ...turn.state,
    chart: next,
    event: status === event.status ? event : { ...event, status },
  }
}

const take = (turn: Turn, happening: Happening): Reply => {
  const event: ChartEvent = { ...happening, turn }
  const before = snapshotOf(turn.state)
  const [after, actions] = transition(chart, before, event)
  if (after !== before) enter(turn, happening.type, after)
  let reply: Reply
  for (const { type } of actions) {
    if (!Object.hasOwn(ACTIONS, type)) continue
    // The chart passes an action only events of its type, which the compiler cannot see.
    const said = (ACTIONS[type as ActionName] as Act)(turn, event)
    if (said instanceof Refused) return said
    reply = said ?? reply
  }
  return reply
}

/** Handles the events that a turn has raised, and those that follow from them. */
export const settle = (turn: Turn): void => {
  for (let raised = turn.raised.shift(); raised !== undefined; raised = turn.raised.shift()) {
    react(turn, raised)
    take(turn, raised)
  }
}

/** Returns the reply of a command, or a refusal; the turn of a refused command must be undone. */
export const stepMachine = (turn: Turn, happening: Command | Raised | Due): Result | Refused => {
  const reply = isPlain(happening) ? performPlain(turn, happening) : take(turn, happening)
  if (reply instanceof Refused) return reply
  settle(turn)
  return (typeof reply === "function" ? reply() : reply) ?? {}
}

/** Clients receive a list of names up to the upper bound; a larger audience is counted until it has shrunk to the lower bound. */
const LIST_UP_TO = 250
const LIST_AGAIN_AT = 200

/** The event raised by this number of present people, if any. */
const audienceEvent = (state: LiveState, size: number): Raised["type"] | undefined => {
  if (lifeOf(state.chart) !== "live") return undefined
  if (regionOf(state.chart, "presence") === "list") return size > LIST_UP_TO ? "audience.grew" : undefined
  return size <= LIST_AGAIN_AT ? "audience.shrank" : undefined
}

/** Transitions caused by this number of present people. They have no guards. */
export const audienceMoves = (state: LiveState, size: number, at: Timestamp): ReadonlyArray<Move> => {
  const type = audienceEvent(state, size)
  if (type === undefined) return []
  const [{ value }] = transition(chart, snapshotOf(state), { type } as ChartEvent)
  return [{ type, at, after: sharedSnapshot(value) }]
}
