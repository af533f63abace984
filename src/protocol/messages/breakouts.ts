/** Breakout rooms: planning, opening, moving participants, closing. */
import { Schema } from "effect"
import { PlanNote } from "../../model/breakouts/breakout-notes.ts"
import { Id, Uuid } from "../../model/ids.ts"
import { ParticipantId } from "../../model/live/live-values.ts"
import { LegibleText } from "../../model/text/shown-text.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand, NoData } from "../command.ts"
import { ordered } from "../dispatch.ts"
import { CALL, type Rule, STAFF } from "../rule.ts"
import { Actor, between, DAY_MS, ParticipantIds } from "./fields.ts"
import { MediaSeat } from "./media.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

const Strategy = Schema.Literals(["balanced", "manual", "self"])
/** Handling of late joiners. */
const Late = Schema.Literals(["leastLoaded", "ask", "main"])

export const RoomView = Schema.Struct({
  id: Uuid,
  name: Schema.String,
  count: Schema.Int,
  open: Schema.Boolean,
  rev: Schema.Int,
})
export type RoomView = typeof RoomView.Type

export const BreakoutView = Schema.Struct({
  id: Uuid,
  phaseId: Uuid,
  strategy: Strategy,
  late: Late,
  openedAt: Instant,
  endsAt: nullable(Instant),
  /** Set while the breakout is closing. */
  closesAt: nullable(Instant),
  rev: Schema.Int,
})
export type BreakoutView = typeof BreakoutView.Type

export const BreakoutPlanView = Schema.Struct({
  id: Uuid,
  strategy: Strategy,
  seed: Schema.Int,
  rooms: Schema.Array(Schema.Struct({ name: Schema.String, people: Schema.Array(Schema.String) })),
  unplaced: Schema.Array(Schema.String),
  /** Notes on where the plan differs from the request. */
  notes: Schema.Array(PlanNote),
  at: Instant,
})
export type BreakoutPlanView = typeof BreakoutPlanView.Type

export const AssignmentView = Schema.Struct({
  roomId: Uuid,
  name: Schema.String,
  /** End of the assignment; null: it lasts until the breakout is closed. */
  endsAt: nullable(Instant),
  media: optional(MediaSeat),
})
export type AssignmentView = typeof AssignmentView.Type

const HOSTING = { allowed: { breakout: STAFF } } as const satisfies Rule
const SITTING = { allowed: { breakout: CALL } } as const satisfies Rule
const BreakoutReply = Schema.Struct({ breakout: BreakoutView })

export const BREAKOUT_COMMANDS = {
  /** Returns the plan without opening it. Give either `size` (people per room) or `rooms` (their number, or their names). */
  "breakout.plan": activityCommand({
    allowed: { meeting: STAFF, breakout: STAFF },
    data: Schema.Struct({
      size: optional(between(1, 1000)),
      rooms: optional(
        Schema.Union([between(1, 500), Schema.Array(LegibleText(100)).check(Schema.isBetweenLength(1, 500))]),
      ),
      strategy: Strategy,
      /** Room index for each pinned participant. */
      pinned: optional(Schema.Record(ParticipantId, between(0, 499))),
      keepTogether: optional(Schema.Array(ParticipantIds).check(Schema.isMaxLength(500))),
      keepApart: optional(Schema.Array(ParticipantIds).check(Schema.isMaxLength(500))),
      seed: optional(between(0, 4_294_967_295)),
    }),
    reply: Schema.Struct({ plan: BreakoutPlanView }),
    managersExemptIn: [],
  }),
  "breakout.open": activityCommand({
    ...HOSTING,
    data: Schema.Struct({ planId: Id, durationMs: optional(between(10_000, DAY_MS)), late: optional(Late) }),
    reply: Schema.Struct({ breakout: BreakoutView, rooms: Schema.Array(RoomView) }),
  }),
  /** `roomId: null` moves the participant to the main room; the reply then has no `room`. */
  "breakout.move": activityCommand({
    ...HOSTING,
    data: Schema.Struct({ id: ParticipantId, roomId: nullable(Id) }),
    reply: Schema.Struct({ participantId: Schema.String, roomId: nullable(Uuid), room: optional(RoomView) }),
    revises: "breakout",
    managersExemptIn: [],
  }),
  "breakout.close": activityCommand({
    ...HOSTING,
    data: Schema.Struct({ graceMs: optional(between(0, 600_000)) }),
    reply: BreakoutReply,
    revises: "breakout",
  }),
  "room.choose": activityCommand({
    ...SITTING,
    data: Schema.Struct({ roomId: Id }),
    reply: Schema.Struct({ participantId: Schema.String, roomId: Uuid, room: RoomView }),
    revises: "room",
    needs: "presence",
  }),
  "room.return": activityCommand({
    ...SITTING,
    data: NoData,
    reply: Schema.Struct({ roomId: nullable(Uuid) }),
    needs: "presence",
  }),
  "room.help": activityCommand({
    ...SITTING,
    data: Schema.Struct({ text: optional(LegibleText(500)) }),
    reply: Schema.Struct({ roomId: Uuid }),
    needs: "presence",
  }),
} as const

export const BREAKOUT_DISPATCHES = {
  "breakout.opened": ordered(["event"], Schema.Struct({ breakout: BreakoutView, rooms: Schema.Array(RoomView) }), [
    "breakout",
  ]),
  "breakout.updated": ordered(["event"], BreakoutReply, ["breakout"]),
  "breakout.closing": ordered(["event"], BreakoutReply, ["breakout"]),
  "breakout.closed": ordered(["event"], Schema.Struct({ id: Uuid }), ["breakout", "agenda"]),
  "room.updated": ordered(["event"], Schema.Struct({ room: RoomView }), ["breakout"]),
  "assignment.updated": ordered(["me"], AssignmentView, ["breakout"]),
  "assignment.ended": ordered(["me"], Schema.Struct({ roomId: Uuid, returnAt: Instant }), ["breakout"]),
  "room.help": ordered(
    ["staff"],
    Schema.Struct({ roomId: Uuid, by: Actor, text: nullable(Schema.String), at: Instant }),
    [],
  ),
} as const
