/** All activities: their commands, their reactions and their views. */

import type { ExpectNone } from "../../../protocol/expect-none.ts"
import { type Joined, joined, type Repeated } from "../../../protocol/joined.ts"
import type { Command, Refused } from "../../commands.ts"
import type { RecordStore } from "../../state/record-store.ts"
import type { ReadContext, Turn } from "../turn.ts"
import type { Activity, RecordDeadline, RecordEvent, ViewFields } from "./activity.ts"
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

export const performPlain = (turn: Turn, { type, d, rev }: Plain) => {
  // The compiler cannot see that the data belongs to the handler of the same name.
  const handler = HANDLERS[type] as (turn: Turn, d: unknown, rev: number | undefined) => object | Refused
  return handler(turn, d, rev)
}

/** Lets records react to an event. */
export const react = (turn: Turn, event: RecordEvent): void => {
  for (const { on } of ACTIVITIES) {
    // The compiler cannot see that the event belongs to the reaction of the same name.
    const reaction = on?.[event.type] as ((turn: Turn, event: RecordEvent) => void) | undefined
    reaction?.(turn, event)
  }
}

/** Participants who hold something that is released on departure. */
export const holdersIn = (records: RecordStore): ReadonlySet<string> =>
  new Set(ACTIVITIES.flatMap(({ holders }) => [...(holders?.(records) ?? [])]))

/** Deadlines of records, in any order. */
export const recordDeadlines = (context: ReadContext): ReadonlyArray<RecordDeadline> =>
  ACTIVITIES.flatMap(({ deadlines }) => deadlines?.(context) ?? [])

type View = "view" | "staffView"

export const sharedViewOf = (context: ReadContext, view: View): ViewFields =>
  Object.assign({}, ...ACTIVITIES.map((activity) => activity[view]?.(context))) as ViewFields

export const personalViewOf = (context: ReadContext, participantId: string): ViewFields =>
  Object.assign({}, ...ACTIVITIES.map((activity) => activity.personalView?.(context, participantId))) as ViewFields
