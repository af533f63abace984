/** What the server says unasked in `op 0`: one validator per `t`. Entities carry `rev`; an older one changes nothing. */
import { Schema } from "effect"
import { EventStatus, Visibility } from "../../model/event.ts"
import { ParticipantKind } from "../../model/participants.ts"
import { ChatTarget } from "../../model/permissions.ts"
import { Phase } from "../../model/phase.ts"
import { EventRole } from "../../model/roles.ts"
import { Instant } from "../../model/timestamp.ts"
import { ACTIVITY_DISPATCHES, ACTIVITY_EPHEMERALS } from "./activity-dispatches.ts"
import { ACTIVITY_STATE, Counts, MediaSeat, PERSONAL_STATE, STAFF_STATE } from "./activity-views.ts"
import { Cursors } from "./commands.ts"

export const PhaseView = Schema.Struct({ ...Phase.fields, rev: Schema.Int })
export type PhaseView = typeof PhaseView.Type

/** A deadline, not a countdown: draw `endsAt` minus the server's time. */
export const TimerView = Schema.Struct({
  id: Schema.String,
  scope: Schema.Literals(["phase", "room", "round", "poll"]),
  /** Id of what it times. */
  ref: Schema.String,
  state: Schema.Literals(["running", "paused", "elapsed", "cancelled"]),
  startedAt: Instant,
  endsAt: Instant,
  /** While paused. */
  remainingMs: Schema.optionalKey(Schema.Int),
  extendedMs: Schema.Int,
  rev: Schema.Int,
})
export type TimerView = typeof TimerView.Type

export const ParticipantView = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  /** As the active phase narrows it. */
  role: EventRole,
  roomId: Schema.NullOr(Schema.String),
  hand: Schema.Boolean,
  muted: Schema.Boolean,
  joinedAt: Instant,
  kind: ParticipantKind,
})
export type ParticipantView = typeof ParticipantView.Type

/** Everyone, or for a large audience the counts and the people on stage. */
export const PresenceView = Schema.Union([
  Schema.Struct({ mode: Schema.Literal("list"), total: Schema.Int, list: Schema.Array(ParticipantView) }),
  Schema.Struct({
    mode: Schema.Literal("summary"),
    total: Schema.Int,
    byRole: Counts,
    /** People by room. */
    byRoom: Counts,
    staff: Schema.Array(ParticipantView),
  }),
])
export type PresenceView = typeof PresenceView.Type

export const EventView = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  status: EventStatus,
  visibility: Visibility,
  startedAt: Schema.NullOr(Instant),
  endedAt: Schema.NullOr(Instant),
})
export type EventView = typeof EventView.Type

/** The receiver itself: its role in the active phase and the commands it may send now. */
export const Me = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  can: Schema.Array(Schema.String),
  /** Where it may write in the chat. */
  chatTo: Schema.Array(Schema.Literals(ChatTarget)),
  roomId: Schema.NullOr(Schema.String),
})
export type Me = typeof Me.Type

export const ReadyReason = Schema.Literals(["new", "gap", "epoch", "expired", "roleChanged"])
export type ReadyReason = typeof ReadyReason.Type

type Optional<Fields extends { readonly [field: string]: Schema.Top }> = {
  readonly [F in keyof Fields]: Schema.optionalKey<Fields[F]>
}

/** For staff alone. */
const optionally = <Fields extends { readonly [field: string]: Schema.Top }>(fields: Fields): Optional<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Schema.optionalKey(schema)]),
  ) as unknown as Optional<Fields>

/**
 * Where the connection stands. Dispatches that follow continue each stream right after `cursors`. With `resumed: false`
 * the whole state at version `v`, which replaces whatever the client knew.
 */
export const Ready = Schema.Union([
  Schema.Struct({
    resumed: Schema.Literal(false),
    reason: ReadyReason,
    epoch: Schema.String,
    v: Schema.Int,
    cursors: Cursors,
    /** Unix milliseconds. */
    serverTime: Schema.Int,
    tokenExpiresAt: Instant,
    me: Me,
    event: EventView,
    phase: Schema.NullOr(PhaseView),
    phases: Schema.Array(PhaseView),
    timers: Schema.Array(TimerView),
    presence: PresenceView,
    ...ACTIVITY_STATE,
    ...PERSONAL_STATE,
    ...optionally(STAFF_STATE),
  }),
  Schema.Struct({
    resumed: Schema.Literal(true),
    epoch: Schema.String,
    v: Schema.Int,
    cursors: Cursors,
    serverTime: Schema.Int,
    tokenExpiresAt: Instant,
    me: Me,
    /** In the main room, where there is a media server; null: no seat. */
    media: Schema.optionalKey(Schema.NullOr(MediaSeat)),
  }),
])
export type Ready = typeof Ready.Type

/** Why one may do other things than before. */
export const UpdateReason = Schema.Literals(["phase", "token", "role", "stage"])
export type UpdateReason = typeof UpdateReason.Type

/** Dispatches to one connection or one role: no stream, no place, not replayed. */
export const DIRECT_DISPATCHES = {
  ready: Ready,
  /** All that was missed has been sent. */
  caughtUp: Schema.Struct({ v: Schema.Int }),
  "me.updated": Schema.Struct({
    role: EventRole,
    can: Schema.Array(Schema.String),
    chatTo: Schema.Array(Schema.Literals(ChatTarget)),
    reason: UpdateReason,
    /** The seat in the main room when it is another than before; null: none any more. */
    media: Schema.optionalKey(Schema.NullOr(MediaSeat)),
  }),
  /** A minute before the session ends: send a new token in `op 12`. */
  tokenExpiring: Schema.Struct({ at: Instant }),
  "presence.count": Schema.Struct({ total: Schema.Int, byRole: Counts, byRoom: Counts, lobby: Schema.Int }),
  ...ACTIVITY_EPHEMERALS,
} as const satisfies Record<string, Schema.Top>

/** With `reset`, `join` is everyone and replaces the list. */
const PresenceDiff = Schema.Struct({
  reset: Schema.optionalKey(Schema.Boolean),
  join: Schema.Array(ParticipantView),
  left: Schema.Array(Schema.String),
  update: Schema.Array(ParticipantView),
})

/** Dispatches with a place (`st`, `s`) in their stream, replayed after a reconnect. */
export const ORDERED_DISPATCHES = {
  "event.started": Schema.Struct({ event: EventView }),
  "event.updated": Schema.Struct({ event: EventView }),
  "event.ended": Schema.Struct({
    event: EventView,
    endedAt: Instant,
    reason: Schema.Literals(["advance", "end", "delete"]),
    /** Those that never came and are skipped now. */
    phases: Schema.Array(PhaseView),
  }),
  "phase.started": Schema.Struct({ phase: PhaseView, timers: Schema.Array(TimerView) }),
  "phase.ended": Schema.Struct({
    phaseId: Schema.String,
    reason: Schema.Literals(["advance", "end"]),
    phase: PhaseView,
  }),
  "phase.updated": Schema.Struct({ phase: PhaseView }),
  "phase.appended": Schema.Struct({ phase: PhaseView }),
  /** `phase`: when it is a phase's timer. */
  "timer.updated": Schema.Struct({ timer: TimerView, phase: Schema.optionalKey(PhaseView) }),
  "timer.warning": Schema.Struct({ timerId: Schema.String, remainingMs: Schema.Int }),
  "timer.elapsed": Schema.Struct({ timerId: Schema.String, timer: TimerView, phase: Schema.optionalKey(PhaseView) }),
  ...ACTIVITY_DISPATCHES,
  "presence.diff": PresenceDiff,
  /** As `presence.diff`, of those on stage, for anonymous viewers. */
  "presence.stage": PresenceDiff,
  "presence.mode": Schema.Struct({ mode: Schema.Literals(["list", "summary"]), total: Schema.Int }),
  /** Stream `staff`. */
  "participant.removed": Schema.Struct({ participantId: Schema.String, block: Schema.Boolean }),
  "participant.unblocked": Schema.Struct({ participantId: Schema.String }),
} as const satisfies Record<string, Schema.Top>

export type DirectDispatchName = keyof typeof DIRECT_DISPATCHES
export type OrderedDispatchName = keyof typeof ORDERED_DISPATCHES
export type DirectDispatchData<T extends DirectDispatchName> = (typeof DIRECT_DISPATCHES)[T]["Type"]
export type OrderedDispatchData<T extends OrderedDispatchName> = (typeof ORDERED_DISPATCHES)[T]["Type"]
