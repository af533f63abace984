/**
 * An activity: one kind of thing people do at a live event. Its commands are pure but for the turn they are given; phases,
 * people and the clock reach it by the hooks; what newcomers see of it is its views.
 */
import type { PhaseState } from "../../../model/phase.ts"
import type { ActivityName, CommandData, Ephemeral, ReplyData } from "../../../protocol/contract.ts"
import type { PersonalState, SharedState, StaffState } from "../../../protocol/state.ts"
import type { TimerView } from "../../../protocol/topics/agenda.ts"
import { Refused } from "../../commands.ts"
import type { People, Present } from "../../presence/presence.ts"
import type { RecordStore } from "../record-store.ts"
import type { LiveState } from "../state.ts"
import type { Turn } from "../turn.ts"

export type Fields = { readonly [field: string]: unknown }

/** Returns `d` of the reply, or a refusal. `rev` is the revision the caller looked at, where it named one. */
export type Handler<T extends ActivityName> = (
  turn: Turn,
  d: CommandData<T>,
  rev: number | undefined,
) => ReplyData<T> | Refused

/** Handlers of some commands. The registry requires that all activities together have one for every command. */
export type Handlers = { readonly [T in ActivityName]?: Handler<T> }

/** What an activity looks at to say how things stand. */
export interface ReadContext {
  readonly records: RecordStore
  readonly state: LiveState
  readonly people: People
  /** Unix milliseconds. */
  readonly now: number
}

export interface ExtendTimer {
  readonly id: string
  readonly seconds: number
  /** The revision the caller looked at. */
  readonly rev: number | undefined
}

export interface ActivityDeadline {
  /** Unix milliseconds. */
  readonly at: number
  readonly due: (turn: Turn) => void
}

/** Something told at its own pace: at most once in `everyMs`, the last change always. */
export interface ThrottledView {
  readonly everyMs: number
  /** `id`: what follows the pulse's name and a colon in its key. */
  readonly say: (scene: ReadContext, id: string) => ReadonlyArray<Ephemeral>
}

export interface Activity {
  readonly commands: Handlers
  readonly phaseStarted?: (turn: Turn, phase: PhaseState) => void
  /** The phase ended, by itself or with the event. */
  readonly phaseEnded?: (turn: Turn, phase: PhaseState) => void
  /** The active phase's timer ran out. */
  readonly phaseElapsed?: (turn: Turn, phase: PhaseState) => void
  readonly phaseUpdated?: (turn: Turn, phase: PhaseState, was: PhaseState) => void
  /** Became present just now. */
  readonly arrived?: (turn: Turn, people: ReadonlyArray<Present>) => void
  readonly departed?: (turn: Turn, people: ReadonlyArray<Pick<Present, "participantId">>) => void
  /** Was removed from the event for good, present or not. */
  readonly barred?: (turn: Turn, participantId: string) => void
  /** Timers that clients draw, besides the phase's. */
  readonly timers?: (scene: ReadContext) => ReadonlyArray<TimerView>
  /** Extends a timer of its own; `undefined` when it has none of that id. */
  readonly extend?: (turn: Turn, timer: ExtendTimer) => { readonly timer: TimerView } | Refused | undefined
  /** What is due, in any order. */
  readonly deadlines?: (scene: ReadContext) => ReadonlyArray<ActivityDeadline>
  /** Parts of `ready`: for everyone, for staff on top of it, and for one participant. */
  readonly view?: (scene: ReadContext) => Partial<SharedState>
  readonly staffView?: (scene: ReadContext) => Partial<StaffState>
  readonly personalView?: (scene: ReadContext, participantId: string) => Partial<PersonalState>
  readonly throttled?: { readonly [name: string]: ThrottledView }
}

export const refuse = (code: Refused["code"], detail: string, current?: Fields): Refused =>
  new Refused(current === undefined ? { code, detail } : { code, detail, current })

export const noSuch = (what: string): Refused => refuse("not_found", `No such ${what}.`)

export const isRefused = (result: unknown): result is Refused => result instanceof Refused
