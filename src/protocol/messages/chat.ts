/** Chat: messages to everyone, to a room, or among the people on stage. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { ChatTarget } from "../../model/live/live-values.ts"
import { EventRole } from "../../model/roles.ts"
import { LegibleText } from "../../model/text/shown-text.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand } from "../command.ts"
import { ordered } from "../dispatch.ts"
import { AUDIENCE, CALL, everywhere, inCalls, type Rule, STAFF, STAGE } from "../rule.ts"
import { between, IdReply, OneId } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

export const ChatMessageView = Schema.Struct({
  id: Uuid,
  rev: Schema.Int,
  to: ChatTarget,
  roomId: nullable(Uuid),
  participantId: Schema.String,
  name: Schema.String,
  role: EventRole,
  text: Schema.String,
  replyTo: nullable(Uuid),
  at: Instant,
})
export type ChatMessageView = typeof ChatMessageView.Type

const WRITING = { allowed: { broadcast: AUDIENCE, ...inCalls(CALL) }, feature: "chat" } as const satisfies Rule

/** The chat targets, for participants who may write at all. */
export const CHAT_TARGETS: { readonly [T in ChatTarget]: Rule } = {
  event: { allowed: { broadcast: AUDIENCE, meeting: CALL, breakout: STAFF, rotation: STAFF }, feature: "chat" },
  room: { allowed: { breakout: CALL, rotation: CALL }, feature: "chat" },
  staff: { allowed: { broadcast: STAGE, ...inCalls(STAFF) }, feature: "chat" },
}

export const CHAT_COMMANDS = {
  /** Sends a message to one of the targets in `CHAT_TARGETS`. */
  "chat.send": activityCommand({
    ...WRITING,
    data: Schema.Struct({ to: ChatTarget, text: LegibleText(2000), replyTo: optional(Id) }),
    reply: Schema.Struct({ message: ChatMessageView }),
    rate: "chat",
  }),
  /** Staff may delete any message, other participants their own. */
  "chat.delete": activityCommand({ ...WRITING, data: OneId, reply: IdReply, revises: "message" }),
  /** Sets slow mode; 0 ends it. */
  "chat.slow": activityCommand({
    allowed: everywhere(STAFF),
    feature: "chat",
    data: Schema.Struct({ perMs: between(0, 3_600_000) }),
    reply: Schema.Struct({ slowMs: Schema.Int }),
  }),
} as const

export const CHAT_DISPATCHES = {
  /** The stream `me` carries the staff chat to speakers. */
  "chat.message": ordered(["event", "staff", "room", "me"], Schema.Struct({ message: ChatMessageView }), ["chat"]),
  "chat.deleted": ordered(["event", "staff", "room", "me"], Schema.Struct({ ids: Schema.Array(Schema.String) }), [
    "chat",
  ]),
  "chat.settings": ordered(["event"], Schema.Struct({ slowMs: Schema.Int }), ["chat"]),
} as const
