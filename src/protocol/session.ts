/** Messages about a connection itself: `ready`, its permissions, its streams, its end. */
import { Schema } from "effect"
import { ChatTarget } from "../model/live/live-values.ts"
import { EventRole } from "../model/roles.ts"
import { Instant } from "../model/timestamp.ts"
import { connectionCommand, Done, NoData } from "./command.ts"
import { direct } from "./dispatch.ts"
import { Counts, Cursors, Position } from "./messages/fields.ts"
import { MediaSeat } from "./messages/media.ts"
import { Ready } from "./ready.ts"
import { EVERYONE, everywhere, type Rule } from "./rule.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

/** Reason why the receiver's permissions changed. */
export const UpdateReason = Schema.Literals(["phase", "token", "role", "stage"])
export type UpdateReason = typeof UpdateReason.Type

const ANYBODY = { allowed: everywhere(EVERYONE) } as const satisfies Rule

export const SESSION_COMMANDS = {
  leave: connectionCommand({ ...ANYBODY, data: NoData, reply: Done }),
  sync: connectionCommand({
    ...ANYBODY,
    data: Schema.Struct({ epoch: optional(Schema.String), cursors: Cursors }),
    /** `resumed`: a replay follows; otherwise a snapshot. */
    reply: Schema.Struct({ resumed: Schema.Boolean }),
  }),
} as const

export const SESSION_DISPATCHES = {
  ready: direct(Ready, []),
  /** All missed dispatches have been sent. */
  caughtUp: direct(Schema.Struct({ v: Position }), []),
  "me.updated": direct(
    Schema.Struct({
      role: EventRole,
      can: Schema.Array(Schema.String),
      chatTo: Schema.Array(ChatTarget),
      reason: UpdateReason,
      /** The seat in the main room, if it changed; null: the receiver no longer has one. */
      media: optional(nullable(MediaSeat)),
    }),
    ["me", "media", "stage"],
  ),
  /** Sent a minute before the session ends: send a new token in `op 12`. */
  tokenExpiring: direct(Schema.Struct({ at: Instant }), []),
  /** Streams that this connection receives from now on, with their positions, and streams that it no longer receives. */
  subscribed: direct(Schema.Struct({ cursors: Counts, dropped: Schema.Array(Schema.String) }), ["me", "chat"]),
} as const
