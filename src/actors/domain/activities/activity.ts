/**
 * An activity: the records of one feature of a live event. Its commands are pure apart from the turn that they are given. Phases, presence
 * and the clock reach it through hooks. Its views are the parts of `ready`.
 */
import type { ActivityName, ReplyData } from "../../../protocol/contract.ts"
import type { PersonalState, SharedState, StaffState } from "../../../protocol/ready.ts"
import { type ActivityCommand, type Command, type InternalActivityCommand, Refused } from "../../commands.ts"
import type { Present } from "../../presence/presence.ts"
import type { Raised } from "../../state/chart-events.ts"
import type { RecordStore } from "../../state/record-store.ts"
import type { ReadContext, Turn } from "../turn.ts"

export type ViewFields = { readonly [field: string]: unknown }

/** Commands that clients or REST send to activities. */
type ActivityCommandName = (ActivityCommand | InternalActivityCommand)["type"]
type DataOf<T extends ActivityCommandName> = Extract<Command, { readonly type: T }>["d"]
type ReplyOf<T extends ActivityCommandName> = T extends ActivityName ? ReplyData<T> : ViewFields

/** Returns `d` of the reply, or a refusal. `rev`: the revision that the caller saw, if the command names one. */
export type CommandHandler<T extends ActivityCommandName> = (
  turn: Turn,
  d: DataOf<T>,
  rev: number | undefined,
) => ReplyOf<T> | Refused

/** Handlers of commands that change only records. The chart handles the others. */
type CommandHandlers = { readonly [T in ActivityCommandName]?: CommandHandler<T> }

export interface Deadline {
  /** Unix milliseconds. */
  readonly at: number
  readonly due: (turn: Turn) => void
}

export interface RecordDeadline extends Deadline {
  readonly name: string
  /** Id of the record. */
  readonly about: string
}

/** Events to which records alone react. */
type OfPeople =
  | { readonly type: "people.arrived"; readonly people: ReadonlyArray<Present> }
  /** The participants were removed, or did not return in time (`model/live/holdings.ts`): what others wait for ends. */
  | { readonly type: "people.departed"; readonly ids: ReadonlyArray<string> }
  /** A participant was removed from the event for good, present or not. */
  | { readonly type: "person.barred"; readonly id: string }

/** Events to which records react, before the chart does. */
export type RecordEvent = Raised | OfPeople

type Reactions = {
  readonly [T in RecordEvent["type"]]?: (turn: Turn, event: Extract<RecordEvent, { readonly type: T }>) => void
}

export interface Activity {
  readonly commands: CommandHandlers
  readonly on?: Reactions
  /** Participants with records that others wait for, which end when they depart. All other records outlive a departure. */
  readonly holders?: (records: RecordStore) => Iterable<string>
  /** Deadlines of records, in any order. */
  readonly deadlines?: (context: ReadContext) => ReadonlyArray<RecordDeadline>
  /** Parts of `ready`: for everyone, additionally for staff, and for one participant. */
  readonly view?: (context: ReadContext) => Partial<SharedState>
  readonly staffView?: (context: ReadContext) => Partial<StaffState>
  readonly personalView?: (context: ReadContext, participantId: string) => Partial<PersonalState>
}

export const refuse = (code: Refused["code"], detail: string, current?: ViewFields): Refused =>
  new Refused(current === undefined ? { code, detail } : { code, detail, current })

export const noSuch = (what: string): Refused => refuse("not_found", `No such ${what}.`)

export const isRefused = (result: unknown): result is Refused => result instanceof Refused
