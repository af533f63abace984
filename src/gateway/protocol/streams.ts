/** Which streams an ordered dispatch may stand in, and what `st` says there. */
import { Schema } from "effect"
import type { OrderedDispatchName } from "./dispatches.ts"

export const STREAM_NAMES = {
  /** Everyone. */
  event: Schema.Literal("event"),
  /** Hosts and workspace admins. */
  staff: Schema.Literal("staff"),
  /** Those in one room. */
  room: Schema.TemplateLiteral(["room:", Schema.String]),
  /** Everyone but anonymous viewers. */
  people: Schema.Literal("people"),
  /** Anonymous viewers. */
  stage: Schema.Literal("stage"),
  /** One participant, in all their tabs. */
  me: Schema.Literal("me"),
} as const satisfies { readonly [stream: string]: Schema.Top }

export type StreamKind = keyof typeof STREAM_NAMES

/** Those that do not go to everyone. */
const OTHERS: { readonly [t in OrderedDispatchName]?: ReadonlyArray<StreamKind> } = {
  "presence.diff": ["people"],
  "presence.mode": ["people"],
  "presence.stage": ["stage"],
  "participant.removed": ["staff"],
  "participant.unblocked": ["staff"],
  announcement: ["event", "room"],
  "question.created": ["event", "staff", "me"],
  "question.updated": ["event", "staff", "me"],
  "question.removed": ["event", "staff", "me"],
  /** `me`: of the staff's chat, for speakers. */
  "chat.message": ["event", "staff", "room", "me"],
  "chat.deleted": ["event", "staff", "room", "me"],
  "me.muted": ["me"],
  "poll.created": ["staff"],
  "poll.deleted": ["event", "staff"],
  "hand.queue": ["staff"],
  "hand.lowered": ["me"],
  "me.hand": ["me"],
  "me.stage": ["me"],
  "me.opted": ["me"],
  "stage.invited": ["me"],
  "lobby.waiting": ["staff"],
  "assignment.updated": ["me"],
  "assignment.ended": ["me"],
  "room.help": ["staff"],
  "rotation.round": ["me"],
  "rotation.partnerLeft": ["me"],
}

export const streamsOfDispatch = (t: string): ReadonlyArray<StreamKind> => OTHERS[t as OrderedDispatchName] ?? ["event"]
