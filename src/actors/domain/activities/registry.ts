/** All activities: their commands, their reactions and their views. */

import type { Ephemeral } from "../../../protocol/contract.ts"
import type { ExpectNone } from "../../../protocol/expect-none.ts"
import { type Joined, joined, type Repeated } from "../../../protocol/joined.ts"
import type { TimerView } from "../../../protocol/messages/agenda.ts"
import type { Command, Refused } from "../../commands.ts"
import type { Present } from "../../presence/presence.ts"
import type { Raised } from "../../state/chart-events.ts"
import type { RecordStore } from "../../state/record-store.ts"
import type { Turn } from "../turn.ts"
import type { Activity, ReadContext, RecordDeadline, ThrottledView, ViewFields } from "./activity.ts"
import { announcements } from "./announcements.ts"
import { broadcast } from "./broadcast.ts"
import { capture } from "./capture.ts"
import { chat } from "./chat.ts"
import { erasedPeople } from "./erased-people.ts"
import { hands } from "./hands.ts"
import { hostAbsence } from "./host-absence.ts"
import { lobby } from "./lobby.ts"
import { mutes } from "./mutes.ts"
import { polls } from "./questions/polls.ts"
import { qa } from "./questions/qa.ts"
import { signedOutVotes } from "./questions/signed-out-votes.ts"
import { removals } from "./removals.ts"
import { breakout } from "./rooms/breakout.ts"
import { rotation } from "./rooms/rotation.ts"
import { stage } from "./stage.ts"

/** Every activity, once. Handlers, hooks, deadlines and views are read from this list. */
const LIST = [
  announcements,
  qa,
  chat,
  polls,
  signedOutVotes,
  mutes,
  lobby,
  removals,
  hands,
  stage,
  breakout,
  rotation,
  broadcast,
  capture,
  hostAbsence,
  erasedPeople,
] as const satisfies ReadonlyArray<Activity>

const ACTIVITIES: ReadonlyArray<Activity> = LIST

type CommandsOf<A extends ReadonlyArray<Activity>> = { readonly [I in keyof A]: A[I]["commands"] }

const handlersOf = <A extends ReadonlyArray<Activity>>(activities: A): Joined<CommandsOf<A>> =>
  // The compiler does not keep the positions of a tuple through `map`.
  joined(activities.map(({ commands }) => commands) as unknown as CommandsOf<A>)

const HANDLERS = handlersOf(LIST satisfies ExpectNone<"command with two handlers", Repeated<CommandsOf<typeof LIST>>>)

/** Commands that change only records, in every state of the chart. */
export type PlainCommand = keyof typeof HANDLERS

type Plain = Extract<Command, { readonly type: PlainCommand }>

export const isPlain = (command: { readonly type: string }): command is Plain => Object.hasOwn(HANDLERS, command.type)

const THROTTLED: ReadonlyMap<string, ThrottledView> = new Map(
  ACTIVITIES.flatMap(({ throttled }) => Object.entries(throttled ?? {})),
)

export const performPlain = (turn: Turn, { type, d, rev }: Plain) => {
  // The compiler cannot see that the data belongs to the handler of the same name.
  const handler = HANDLERS[type] as (turn: Turn, d: unknown, rev: number | undefined) => object | Refused
  return handler(turn, d, rev)
}

/** Lets records react to an event that a turn raised. */
export const react = (turn: Turn, raised: Raised): void => {
  for (const { on } of ACTIVITIES) {
    // The compiler cannot see that the event belongs to the reaction of the same name.
    const reaction = on?.[raised.type] as ((turn: Turn, raised: Raised) => void) | undefined
    reaction?.(turn, raised)
  }
}

export const runJoinedHooks = (turn: Turn, people: ReadonlyArray<Present>): void => {
  for (const activity of ACTIVITIES) activity.arrived?.(turn, people)
}

/** Called when the participants have departed. */
export const releaseHoldings = (turn: Turn, participantIds: ReadonlyArray<string>): void => {
  for (const { holdings } of ACTIVITIES) holdings?.release(turn, participantIds)
}

export const runBarredHooks = (turn: Turn, participantId: string): void => {
  for (const activity of ACTIVITIES) activity.barred?.(turn, participantId)
}

/** Participants who hold something that is released on departure. */
export const holdersIn = (records: RecordStore): ReadonlySet<string> =>
  new Set(ACTIVITIES.flatMap(({ holdings }) => [...(holdings?.holders(records) ?? [])]))

/** Deadlines of records, in any order. */
export const recordDeadlines = (context: ReadContext): ReadonlyArray<RecordDeadline> =>
  ACTIVITIES.flatMap(({ deadlines }) => deadlines?.(context) ?? [])

export const activityTimers = (context: ReadContext): ReadonlyArray<TimerView> =>
  ACTIVITIES.flatMap(({ timers }) => timers?.(context) ?? []).filter((timer) => timer !== undefined)

type View = "view" | "staffView"

export const sharedViewOf = (context: ReadContext, view: View): ViewFields =>
  Object.assign({}, ...ACTIVITIES.map((activity) => activity[view]?.(context))) as ViewFields

export const personalViewOf = (context: ReadContext, participantId: string): ViewFields =>
  Object.assign({}, ...ACTIVITIES.map((activity) => activity.personalView?.(context, participantId))) as ViewFields

/** The throttled view of a key, and the id in the key. */
export const throttledViewOf = (
  key: string,
): { readonly throttled: ThrottledView; readonly id: string } | undefined => {
  const colon = key.indexOf(":")
  const name = colon === -1 ? key : key.slice(0, colon)
  const throttled = THROTTLED.get(name)
  return throttled === undefined ? undefined : { throttled, id: colon === -1 ? "" : key.slice(colon + 1) }
}

/** The current dispatches of a throttled view. */
export const throttledDispatches = (context: ReadContext, key: string): ReadonlyArray<Ephemeral> => {
  const found = throttledViewOf(key)
  return found === undefined ? [] : found.throttled.dispatches(context, found.id)
}
