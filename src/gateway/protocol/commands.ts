/** What a client may ask for in `op 3`: one validator per `t`. Who may send which is `model/permissions.ts`. */
import { Schema } from "effect"
import { ACTIVITY_COMMANDS, NOTHING, ReactionKind } from "../../model/activity-commands.ts"
import { Id } from "../../model/ids.ts"
import type { CommandName } from "../../model/permissions.ts"
import { FeatureSet, PhaseConfig } from "../../model/phase.ts"
import { EventRole } from "../../model/roles.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Highest `s` seen of each stream. */
export const Cursors = Schema.Record(Schema.String, Schema.Int)
export type Cursors = typeof Cursors.Type

export const COMMANDS = {
  ...ACTIVITY_COMMANDS,
  /** With a `phaseId`, a guard: only while that phase is active. */
  "phase.next": Schema.Struct({ phaseId: Schema.optionalKey(Id) }),
  "phase.update": Schema.Struct({
    phaseId: Id,
    config: Schema.optionalKey(PhaseConfig),
    featureSet: Schema.optionalKey(FeatureSet),
  }),
  "event.end": NOTHING,
  /** A timer has the id of what it times: a phase, a poll, a breakout, or a rotation. */
  "timer.extend": Schema.Struct({ timerId: Id, seconds: between(10, 3600) }),
  /** Counted, not kept: up to ten at once. */
  "reaction.send": Schema.Struct({ kind: ReactionKind, n: Schema.optionalKey(between(1, 10)) }),
  "roster.list": Schema.Struct({
    roomId: Schema.optionalKey(Id),
    role: Schema.optionalKey(EventRole),
    query: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(100))),
    /** As a page before gave it: a time and a participant. */
    cursor: Schema.optionalKey(
      Schema.String.check(Schema.isMaxLength(200), Schema.isPattern(/^\d{4}-\d\d-\d\dT[\d:.]+Z \S+$/)),
    ),
    limit: Schema.optionalKey(between(1, 200)),
  }),
  leave: NOTHING,
  sync: Schema.Struct({ epoch: Schema.optionalKey(Schema.String), cursors: Cursors }),
} as const satisfies Record<CommandName, Schema.Top>

export type CommandData<T extends CommandName> = (typeof COMMANDS)[T]["Type"]
