/** Rotations: rounds of short conversations with new partners. */
import { Schema } from "effect"
import { Uuid } from "../../model/ids.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand, NoData } from "../command.ts"
import { ordered } from "../dispatch.ts"
import { CALL, type Rule, STAFF } from "../rule.ts"
import { between } from "./fields.ts"
import { MediaSeat } from "./media.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

const Partner = Schema.Struct({ participantId: Schema.String, name: Schema.String })
/** Handling of an odd number: one participant sits out, or three sit together. */
const Odd = Schema.Literals(["bye", "trio"])

/** One round for one participant; without a room it is a bye. */
export const RotationRoundView = Schema.Struct({
  n: Schema.Int,
  startsAt: Instant,
  endsAt: Instant,
  roomId: nullable(Uuid),
  partners: Schema.Array(Partner),
  bye: Schema.Boolean,
  /** True: the members have met before, because no new partner was available. */
  repeat: Schema.Boolean,
  /** Time to prepare before the round starts. */
  leadMs: Schema.Int,
  media: optional(MediaSeat),
})
export type RotationRoundView = typeof RotationRoundView.Type

export const RotationView = Schema.Struct({
  id: Uuid,
  phaseId: Uuid,
  status: Schema.Literals(["round", "break", "paused", "ended"]),
  n: Schema.Int,
  rounds: Schema.Union([Schema.Int, Schema.Literal("exhaust")]),
  roundSeconds: Schema.Int,
  breakSeconds: Schema.Int,
  groupSize: Schema.Int,
  odd: Odd,
  startsAt: nullable(Instant),
  endsAt: nullable(Instant),
  remainingMs: nullable(Schema.Int),
  pairs: Schema.Int,
  byes: Schema.Int,
  rev: Schema.Int,
})
export type RotationView = typeof RotationView.Type

const HOSTING = { allowed: { rotation: STAFF } } as const satisfies Rule
const RotationReply = Schema.Struct({ rotation: RotationView })
const steering = { ...HOSTING, data: NoData, reply: RotationReply, revises: "rotation" } as const

export const ROTATION_COMMANDS = {
  "rotation.start": activityCommand({
    ...HOSTING,
    data: Schema.Struct({
      roundSeconds: between(5, 86_400),
      breakSeconds: optional(between(0, 3600)),
      /** `exhaust`: until all pairs have met. */
      rounds: Schema.Union([between(1, 1000), Schema.Literal("exhaust")]),
      groupSize: optional(between(2, 20)),
      odd: optional(Odd),
    }),
    reply: RotationReply,
  }),
  "rotation.skip": activityCommand(steering),
  "rotation.pause": activityCommand(steering),
  "rotation.resume": activityCommand(steering),
  "rotation.stop": activityCommand(steering),
  "rotation.opt": activityCommand({
    allowed: { rotation: CALL },
    data: Schema.Struct({ in: Schema.Boolean }),
    reply: Schema.Struct({ in: Schema.Boolean }),
    needs: "presence",
  }),
} as const

export const ROTATION_DISPATCHES = {
  "rotation.round": ordered(["me"], RotationRoundView, ["rotation"]),
  "rotation.partnerLeft": ordered(["me"], Schema.Struct({ participantId: Schema.String, n: Schema.Int }), ["rotation"]),
  "rotation.state": ordered(["event"], RotationReply, ["rotation"]),
  /** The receiver opted in to rotations or out of them, in any of their tabs. */
  "me.opted": ordered(["me"], Schema.Struct({ in: Schema.Boolean }), ["rotation"]),
} as const
