/** The agenda that hosts control: the event's status, its phases and their timers. */
import { Schema } from "effect"
import { EventStatus, Visibility } from "../../model/event.ts"
import { Id, Uuid } from "../../model/ids.ts"
import { FeatureSet, Phase, PhaseConfig } from "../../model/phase.ts"
import { Instant } from "../../model/timestamp.ts"
import { agendaCommand, NoData } from "../command.ts"
import { ordered } from "../dispatch.ts"
import { everywhere, STAFF } from "../rule.ts"
import { between } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

export const PhaseView = Schema.Struct({ ...Phase.fields, rev: Schema.Int })
export type PhaseView = typeof PhaseView.Type

/** A deadline, not a countdown: draw `endsAt` minus the server's time. */
export const TimerView = Schema.Struct({
  id: Uuid,
  scope: Schema.Literals(["phase", "room", "round", "poll"]),
  /** Id of the timed entity, or the number of the round. */
  ref: Schema.String,
  state: Schema.Literals(["running", "paused", "elapsed", "cancelled"]),
  startedAt: Instant,
  endsAt: Instant,
  /** Set while the timer is paused. */
  remainingMs: optional(Schema.Int),
  extendedMs: Schema.Int,
  rev: Schema.Int,
})
export type TimerView = typeof TimerView.Type

export const EventView = Schema.Struct({
  id: Uuid,
  title: Schema.String,
  status: EventStatus,
  visibility: Visibility,
  startedAt: nullable(Instant),
  endedAt: nullable(Instant),
})
export type EventView = typeof EventView.Type

const EventState = Schema.Struct({ id: Uuid, status: EventStatus })
const STEERING = { allowed: everywhere(STAFF) }

export const AGENDA_COMMANDS = {
  /** `phaseId` is a guard: the command applies only while that phase is active. `rev`: the revision of the active phase. */
  "phase.next": agendaCommand({
    ...STEERING,
    data: Schema.Struct({ phaseId: optional(Id) }),
    /** The phase that is now active. */
    reply: Schema.Struct({ event: EventState, phase: nullable(PhaseView) }),
    revises: "phase",
  }),
  "phase.update": agendaCommand({
    ...STEERING,
    data: Schema.Struct({ phaseId: Id, config: optional(PhaseConfig), featureSet: optional(FeatureSet) }),
    reply: Schema.Struct({ phase: nullable(PhaseView) }),
    revises: "phase",
  }),
  "event.end": agendaCommand({ ...STEERING, data: NoData, reply: Schema.Struct({ event: EventState }) }),
  /** A timer has the id of the timed entity: a phase, a poll, a breakout, or a rotation. */
  "timer.extend": agendaCommand({
    ...STEERING,
    data: Schema.Struct({ timerId: Id, seconds: between(10, 3600) }),
    reply: Schema.Struct({ timer: nullable(TimerView) }),
    revises: "timer",
  }),
} as const

export const AGENDA_DISPATCHES = {
  "event.started": ordered(["event"], Schema.Struct({ event: EventView }), ["agenda"]),
  "event.updated": ordered(["event"], Schema.Struct({ event: EventView }), ["agenda"]),
  "event.ended": ordered(
    ["event"],
    Schema.Struct({
      event: EventView,
      endedAt: Instant,
      reason: Schema.Literals(["advance", "end", "delete"]),
      /** Phases that never started and are now skipped. */
      phases: Schema.Array(PhaseView),
    }),
    ["agenda", "broadcast"],
  ),
  "phase.started": ordered(["event"], Schema.Struct({ phase: PhaseView, timers: Schema.Array(TimerView) }), [
    "agenda",
    "broadcast",
    "lobby",
  ]),
  "phase.ended": ordered(
    ["event"],
    Schema.Struct({ phaseId: Uuid, reason: Schema.Literals(["advance", "end"]), phase: PhaseView }),
    ["agenda", "broadcast", "hands", "lobby", "stage"],
  ),
  "phase.updated": ordered(["event"], Schema.Struct({ phase: PhaseView }), ["agenda", "broadcast", "lobby"]),
  "phase.appended": ordered(["event"], Schema.Struct({ phase: PhaseView }), ["agenda", "broadcast"]),
  /** All phases of an event that has not started, in their new order. A phase that is missing was removed. */
  "agenda.updated": ordered(["event"], Schema.Struct({ phases: Schema.Array(PhaseView) }), ["agenda"]),
  /** `phase`: present for a phase's timer. */
  "timer.updated": ordered(["event"], Schema.Struct({ timer: TimerView, phase: optional(PhaseView) }), [
    "agenda",
    "broadcast",
  ]),
  "timer.warning": ordered(["event"], Schema.Struct({ timerId: Uuid, remainingMs: Schema.Int }), []),
  "timer.elapsed": ordered(["event"], Schema.Struct({ timerId: Uuid, timer: TimerView, phase: optional(PhaseView) }), [
    "agenda",
    "broadcast",
  ]),
} as const
