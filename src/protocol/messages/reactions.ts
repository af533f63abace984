/** Reactions: counted in batches by the event, and never stored. */
import { Schema } from "effect"
import { ReactionKind } from "../../model/live/live-values.ts"
import { Done, gatewayCommand } from "../command.ts"
import { ephemeral } from "../dispatch.ts"
import { CALL, EVERYONE, inCalls } from "../rule.ts"
import { between } from "./fields.ts"

const { optionalKey: optional } = Schema

export const REACTION_COMMANDS = {
  /** Sends up to ten reactions at once, which are counted and not stored. */
  "reaction.send": gatewayCommand({
    allowed: { broadcast: EVERYONE, ...inCalls(CALL) },
    feature: "reactions",
    data: Schema.Struct({ kind: ReactionKind, n: optional(between(1, 10)) }),
    reply: Done,
    rate: "reactions",
  }),
} as const

export const REACTION_DISPATCHES = {
  "reaction.tally": ephemeral(
    ["event", "room"],
    Schema.Struct({
      windowMs: Schema.Int,
      /** Counts by reaction kind; kinds without a reaction are absent. */
      counts: Schema.Record(ReactionKind, optional(Schema.Int)),
      total: Schema.Int,
    }),
    [],
    { optOut: "reactions" },
  ),
} as const
