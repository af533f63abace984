/** All activities: the handler of each command, and the hooks for phases and participants. */

import type { PhaseState } from "../../../model/phase.ts"
import type { ActivityName, Ephemeral, ReplyData } from "../../../protocol/contract.ts"
import type { ExpectNone } from "../../../protocol/expect-none.ts"
import { type Joined, joined, type Repeated } from "../../../protocol/joined.ts"
import type { TimerView } from "../../../protocol/topics/agenda.ts"
import type { ActivityCommand, Refused } from "../../commands.ts"
import type { Present } from "../../presence/presence.ts"
import type { RecordStore } from "../record-store.ts"
import type { Turn } from "../turn.ts"
import type {
  Activity,
  ActivityDeadline,
  CommandHandler,
  ExtendTimer,
  ReadContext,
  ThrottledView,
  ViewFields,
} from "./activity.ts"
import { announcements } from "./announcements.ts"
import { broadcast } from "./broadcast.ts"
import { capture } from "./capture.ts"
import { chat } from "./chat.ts"
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

/** Every activity, once. Its handlers, hooks, deadlines and views are read from here. */
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
] as const satisfies ReadonlyArray<Activity>

const ACTIVITIES: ReadonlyArray<Activity> = LIST

type CommandsOf<A extends ReadonlyArray<Activity>> = { readonly [I in keyof A]: A[I]["commands"] }

const handlersOf = <A extends ReadonlyArray<Activity>>(activities: A): Joined<CommandsOf<A>> =>
  // The compiler does not keep the positions of a tuple through `map`.
  joined(activities.map(({ commands }) => commands) as unknown as CommandsOf<A>)

/** The handler of every command. A missing one is a compile error. */
const HANDLERS: { readonly [T in ActivityName]: CommandHandler<T> } = handlersOf(
  LIST satisfies ExpectNone<"command with two handlers", Repeated<CommandsOf<typeof LIST>>>,
)

const THROTTLED: ReadonlyMap<string, ThrottledView> = new Map(
  ACTIVITIES.flatMap(({ throttled }) => Object.entries(throttled ?? {})),
)

export const performActivity = (turn: Turn, { type, d, rev }: ActivityCommand): ReplyData<ActivityName> | Refused => {
  // The compiler cannot see that the data belongs to the handler of the same name.
  const handler = HANDLERS[type] as CommandHandler<ActivityName>
  return handler(turn, d, rev)
}

type PhaseHook = "phaseStarted" | "phaseEnded" | "phaseElapsed"

export const runPhaseHooks = (turn: Turn, hook: PhaseHook, phase: PhaseState): void => {
  for (const activity of ACTIVITIES) activity[hook]?.(turn, phase)
}

/** `was`: the phase before the change. */
export const runPhaseUpdatedHooks = (turn: Turn, phase: PhaseState, was: PhaseState): void => {
  for (const activity of ACTIVITIES) activity.phaseUpdated?.(turn, phase, was)
}

export const runEventUpdatedHooks = (turn: Turn): void => {
  for (const activity of ACTIVITIES) activity.eventUpdated?.(turn)
}

export const runPeopleHooks = (turn: Turn): void => {
  for (const activity of ACTIVITIES) activity.peopleChanged?.(turn)
}

export const runJoinedHooks = (turn: Turn, people: ReadonlyArray<Present>): void => {
  for (const activity of ACTIVITIES) activity.arrived?.(turn, people)
}

/** The participants have departed. */
export const releaseHoldings = (turn: Turn, participantIds: ReadonlyArray<string>): void => {
  for (const { holdings } of ACTIVITIES) holdings?.release(turn, participantIds)
}

export const runBarredHooks = (turn: Turn, participantId: string): void => {
  for (const activity of ACTIVITIES) activity.barred?.(turn, participantId)
}

/** The participants who hold something that is released when they have departed. */
export const holdersIn = (records: RecordStore): ReadonlySet<string> =>
  new Set(ACTIVITIES.flatMap(({ holdings }) => [...(holdings?.holders(records) ?? [])]))

/** The earliest deadline of all activities. */
export const nextActivityDeadline = (context: ReadContext): ActivityDeadline | undefined => {
  let next: ActivityDeadline | undefined
  for (const activity of ACTIVITIES) {
    for (const deadline of activity.deadlines?.(context) ?? []) {
      if (next === undefined || deadline.at < next.at) next = deadline
    }
  }
  return next
}

export const activityTimers = (context: ReadContext): ReadonlyArray<TimerView> =>
  ACTIVITIES.flatMap((activity) => activity.timers?.(context) ?? [])

/** Extends the timer in the activity that has it; `undefined` when none has. */
export const extendActivityTimer = (
  turn: Turn,
  timer: ExtendTimer,
): ReplyData<"timer.extend"> | Refused | undefined => {
  for (const activity of ACTIVITIES) {
    const result = activity.extend?.(turn, timer)
    if (result !== undefined) return result
  }
  return undefined
}

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
