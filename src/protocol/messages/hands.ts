/** Raised hands, and invitations to the stage of a broadcast. */
import { Schema } from "effect"
import { ParticipantId } from "../../model/live/live-values.ts"
import { LegibleText } from "../../model/text/shown-text.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand, NoData } from "../command.ts"
import { ephemeral, ordered } from "../dispatch.ts"
import { AUDIENCE, CALL, type Rule, STAFF } from "../rule.ts"
import { OneParticipant } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

export const HandView = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  note: nullable(Schema.String),
  at: Instant,
})
export type HandView = typeof HandView.Type

export const StageView = Schema.Struct({ state: Schema.Literals(["invited", "on"]), expiresAt: nullable(Instant) })
export type StageView = typeof StageView.Type

/** Speakers may not raise a hand: they are on stage. */
const ASKING = {
  allowed: { broadcast: [...STAFF, "participant", "viewer"], meeting: CALL, breakout: CALL },
} as const satisfies Rule
const LEAVING = { allowed: { broadcast: AUDIENCE, meeting: CALL, breakout: CALL } } as const satisfies Rule
const CALLING = { allowed: { broadcast: STAFF, meeting: STAFF, breakout: STAFF } } as const satisfies Rule

export const HAND_COMMANDS = {
  "hand.raise": activityCommand({
    ...ASKING,
    data: Schema.Struct({ note: optional(LegibleText(200)) }),
    reply: Schema.Struct({ hand: HandView }),
    needs: "presence",
  }),
  "hand.lower": activityCommand({
    ...LEAVING,
    data: NoData,
    reply: Schema.Struct({ hand: nullable(HandView) }),
    needs: "presence",
  }),
  "hand.lowerFor": activityCommand({
    ...CALLING,
    data: Schema.Union([Schema.Struct({ id: ParticipantId }), Schema.Struct({ all: Schema.Literal(true) })]),
    reply: Schema.Struct({ lowered: Schema.Array(Schema.String) }),
    managersExemptIn: [],
  }),
  "stage.invite": activityCommand({
    ...CALLING,
    data: OneParticipant,
    reply: Schema.Struct({ participantId: Schema.String, stage: StageView }),
    managersExemptIn: [],
  }),
  "stage.accept": activityCommand({
    ...ASKING,
    data: NoData,
    reply: Schema.Struct({ stage: StageView }),
    needs: "presence",
  }),
  "stage.leave": activityCommand({
    ...LEAVING,
    data: NoData,
    reply: Schema.Struct({ stage: nullable(StageView) }),
    needs: "presence",
  }),
} as const

export const HAND_DISPATCHES = {
  /** A change of the queue shown to staff, longest raised first: new or changed hands, and the owners of hands that left it. */
  "hand.queue": ordered(
    ["staff"],
    Schema.Struct({ add: Schema.Array(HandView), remove: Schema.Array(Schema.String), rev: Schema.Int }),
    ["hands"],
  ),
  "hand.count": ephemeral(["event"], Schema.Struct({ n: Schema.Int }), ["hands"]),
  /** The receiver raised or lowered their own hand, in any of their tabs. */
  "me.hand": ordered(["me"], Schema.Struct({ hand: nullable(HandView) }), ["hands"]),
  /** Another participant lowered the receiver's hand. */
  "hand.lowered": ordered(["me"], Schema.Struct({}), ["hands"]),
  "stage.invited": ordered(["me"], Schema.Struct({ expiresAt: Instant }), ["stage"]),
  /** The receiver came onto the stage, or left it, in any of their tabs. */
  "me.stage": ordered(["me"], Schema.Struct({ stage: nullable(StageView) }), ["stage"]),
} as const
