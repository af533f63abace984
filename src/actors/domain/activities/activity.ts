/**
 * An activity: one feature of a live event. Its commands are pure apart from the turn they are given. Phases, presence and the
 * clock reach it through hooks. Its views are the parts of `ready`.
 */
import type { PhaseState } from "../../../model/phase.ts"
import type { ActivityName, CommandData, Ephemeral, ReplyData } from "../../../protocol/contract.ts"
import type { PersonalState, SharedState, StaffState } from "../../../protocol/ready.ts"
import type { TimerView } from "../../../protocol/topics/agenda.ts"
import { Refused } from "../../commands.ts"
import type { Present, PresentPeople } from "../../presence/presence.ts"
import type { RecordStore } from "../record-store.ts"
import type { LiveState } from "../state.ts"
import type { Turn } from "../turn.ts"

export type ViewFields = { readonly [field: string]: unknown }

/** Returns `d` of the reply, or a refusal. `rev`: the revision that the caller saw, when the command names one. */
export type CommandHandler<T extends ActivityName> = (
  turn: Turn,
  d: CommandData<T>,
  rev: number | undefined,
) => ReplyData<T> | Refused

/** Handlers of some commands. The registry requires that all activities together have one for every command. */
export type CommandHandlers = { readonly [T in ActivityName]?: CommandHandler<T> }

/** The input of an activity's views. */
export interface ReadContext {
  readonly records: RecordStore
  readonly state: LiveState
  readonly people: PresentPeople
  /** Unix milliseconds. */
  readonly now: number
}

export interface ExtendTimer {
  readonly id: string
  readonly seconds: number
  /** The revision that the caller saw. */
  readonly rev: number | undefined
}

export interface ActivityDeadline {
  /** Unix milliseconds. */
  readonly at: number
  readonly due: (turn: Turn) => void
}

/** A view that is published at most once in `everyMs`; the last change is always published. */
export interface ThrottledView {
  readonly everyMs: number
  /** `id`: the part of the key after the view's name and a colon. */
  readonly dispatches: (context: ReadContext, id: string) => ReadonlyArray<Ephemeral>
}

export interface Holdings {
  readonly holders: (records: RecordStore) => Iterable<string>
  /** The participants were removed, or did not return in time (`model/live/holdings.ts`). */
  readonly release: (turn: Turn, participantIds: ReadonlyArray<string>) => void
}

export interface Activity {
  readonly commands: CommandHandlers
  readonly phaseStarted?: (turn: Turn, phase: PhaseState) => void
  /** The phase ended, by itself or with the event. */
  readonly phaseEnded?: (turn: Turn, phase: PhaseState) => void
  /** The active phase's timer ran out. */
  readonly phaseElapsed?: (turn: Turn, phase: PhaseState) => void
  readonly phaseUpdated?: (turn: Turn, phase: PhaseState, was: PhaseState) => void
  /** Fields of the event changed, such as its visibility or status. */
  readonly eventUpdated?: (turn: Turn) => void
  /** Participants became present, have departed or changed their role. */
  readonly peopleChanged?: (turn: Turn) => void
  /** Participants that became present. */
  readonly arrived?: (turn: Turn, people: ReadonlyArray<Present>) => void
  /** The records of participants that others wait for: they end with a departure, which all other records outlive. */
  readonly holdings?: Holdings
  /** A participant was removed from the event for good, present or not. */
  readonly barred?: (turn: Turn, participantId: string) => void
  /** Timers that clients show, besides the phase's. */
  readonly timers?: (context: ReadContext) => ReadonlyArray<TimerView>
  /** Extends a timer of this activity; `undefined` when it has no timer with that id. */
  readonly extend?: (turn: Turn, timer: ExtendTimer) => ReplyData<"timer.extend"> | Refused | undefined
  /** The activity's deadlines, in any order. */
  readonly deadlines?: (context: ReadContext) => ReadonlyArray<ActivityDeadline>
  /** Parts of `ready`: for everyone, for staff on top of it, and for one participant. */
  readonly view?: (context: ReadContext) => Partial<SharedState>
  readonly staffView?: (context: ReadContext) => Partial<StaffState>
  readonly personalView?: (context: ReadContext, participantId: string) => Partial<PersonalState>
  readonly throttled?: { readonly [name: string]: ThrottledView }
}

export const refuse = (code: Refused["code"], detail: string, current?: ViewFields): Refused =>
  new Refused(current === undefined ? { code, detail } : { code, detail, current })

export const noSuch = (what: string): Refused => refuse("not_found", `No such ${what}.`)

export const isRefused = (result: unknown): result is Refused => result instanceof Refused
