/**
 * An activity: the records of one feature of a live event. Its commands are pure apart from the turn that they are given. Phases, presence
 * and the clock reach it through hooks. Its views are the parts of `ready`.
 */
import type { ActivityName, Ephemeral, ReplyData } from "../../../protocol/contract.ts"
import type { TimerView } from "../../../protocol/messages/agenda.ts"
import type { PersonalState, SharedState, StaffState } from "../../../protocol/ready.ts"
import { type ActivityCommand, type Command, type InternalActivityCommand, Refused } from "../../commands.ts"
import type { Present, PresentPeople } from "../../presence/presence.ts"
import type { Of, Raised } from "../../state/chart-events.ts"
import type { RecordStore } from "../../state/record-store.ts"
import type { LiveState } from "../../state/state.ts"
import type { Turn } from "../turn.ts"

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

/** Input of an activity's views. */
export interface ReadContext {
  readonly records: RecordStore
  readonly state: LiveState
  readonly people: PresentPeople
  /** Unix milliseconds. */
  readonly now: number
}

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

/** A view published at most once per `everyMs`; the last change is always published. */
export interface ThrottledView {
  readonly everyMs: number
  /** `id`: the part of the key after the view's name and a colon. */
  readonly dispatches: (context: ReadContext, id: string) => ReadonlyArray<Ephemeral>
}

interface Holdings {
  readonly holders: (records: RecordStore) => Iterable<string>
  /** The participants were removed, or did not return in time (`model/live/holdings.ts`). */
  readonly release: (turn: Turn, participantIds: ReadonlyArray<string>) => void
}

/** Reactions of records to events that a turn raised. They run before those of the chart. */
type Reactions = { readonly [T in Raised["type"]]?: (turn: Turn, raised: Of<T>) => void }

export interface Activity {
  readonly commands: CommandHandlers
  readonly on?: Reactions
  /** Called with participants who became present. */
  readonly arrived?: (turn: Turn, people: ReadonlyArray<Present>) => void
  /** Records of participants that others wait for. They end when the participant departs; all other records outlive a departure. */
  readonly holdings?: Holdings
  /** Called when a participant was removed from the event for good, present or not. */
  readonly barred?: (turn: Turn, participantId: string) => void
  /** Timers shown by clients, besides the phase timer. */
  readonly timers?: (context: ReadContext) => ReadonlyArray<TimerView | undefined>
  /** Deadlines of records, in any order. */
  readonly deadlines?: (context: ReadContext) => ReadonlyArray<RecordDeadline>
  /** Parts of `ready`: for everyone, additionally for staff, and for one participant. */
  readonly view?: (context: ReadContext) => Partial<SharedState>
  readonly staffView?: (context: ReadContext) => Partial<StaffState>
  readonly personalView?: (context: ReadContext, participantId: string) => Partial<PersonalState>
  readonly throttled?: { readonly [name: string]: ThrottledView }
}

export const refuse = (code: Refused["code"], detail: string, current?: ViewFields): Refused =>
  new Refused(current === undefined ? { code, detail } : { code, detail, current })

export const noSuch = (what: string): Refused => refuse("not_found", `No such ${what}.`)

export const isRefused = (result: unknown): result is Refused => result instanceof Refused
