/** Presence: the connected participants, as a list or, for a large audience, as counts. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { ParticipantKind } from "../../model/participants.ts"
import { EventRole } from "../../model/roles.ts"
import { Instant } from "../../model/timestamp.ts"
import { gatewayCommand } from "../command.ts"
import { ephemeral, ordered } from "../dispatch.ts"
import { AUDIENCE, everywhere } from "../rule.ts"
import { between, Counts } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

export const ParticipantView = Schema.Struct({
  participantId: Schema.String,
  name: Schema.String,
  /** The effective role in the active phase. */
  role: EventRole,
  roomId: nullable(Uuid),
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
    /** Number of people by room. */
    byRoom: Counts,
    staff: Schema.Array(ParticipantView),
  }),
])
export type PresenceView = typeof PresenceView.Type

/** A cursor from an earlier page: a time and a participant. */
const RosterCursor = Schema.String.check(
  Schema.isMaxLength(200),
  Schema.isPattern(/^\d{4}-\d\d-\d\dT[\d:.]+Z \S+$/, { message: "not one that a page of ours gave" }),
)

/** With `reset`, `join` is everyone and replaces the list. */
const PresenceDiff = Schema.Struct({
  reset: optional(Schema.Boolean),
  join: Schema.Array(ParticipantView),
  left: Schema.Array(Schema.String),
  update: Schema.Array(ParticipantView),
})

export const PRESENCE_COMMANDS = {
  /** The command is for participants with a name only. */
  "roster.list": gatewayCommand({
    allowed: everywhere(AUDIENCE),
    data: Schema.Struct({
      roomId: optional(Id),
      role: optional(EventRole),
      query: optional(Schema.String.check(Schema.isMaxLength(100))),
      cursor: optional(RosterCursor),
      limit: optional(between(1, 200)),
    }),
    reply: Schema.Struct({ participants: Schema.Array(ParticipantView), nextCursor: nullable(Schema.String) }),
    rate: "roster",
  }),
} as const

export const PRESENCE_DISPATCHES = {
  "presence.diff": ordered(["people"], PresenceDiff, ["presence", "hands"]),
  /** Like `presence.diff`, limited to the people on stage, for anonymous viewers. */
  "presence.stage": ordered(["stage"], PresenceDiff, ["presence"]),
  "presence.mode": ordered(
    ["people"],
    Schema.Struct({ mode: Schema.Literals(["list", "summary"]), total: Schema.Int }),
    ["presence"],
  ),
  "presence.count": ephemeral(
    ["event", "stage"],
    Schema.Struct({ total: Schema.Int, byRole: Counts, byRoom: Counts, lobby: Schema.Int }),
    ["presence"],
  ),
} as const
