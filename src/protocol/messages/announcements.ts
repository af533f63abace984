/** Announcements by hosts, sent at once or prepared and sent later. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import { LegibleText } from "../../model/text/shown-text.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand } from "../command.ts"
import { ordered } from "../dispatch.ts"
import { everywhere, STAFF } from "../rule.ts"
import { Actor, IdReply, OneId } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

const AnnouncementView = Schema.Struct({ id: Uuid, text: Schema.String, by: nullable(Actor), at: Instant })

export const PreparedAnnouncementView = Schema.Struct({
  id: Uuid,
  text: Schema.String,
  /** The rooms that will get it; null: everyone. */
  roomIds: nullable(Schema.Array(Uuid)),
  /** Time of its preparation. */
  at: Instant,
})
export type PreparedAnnouncementView = typeof PreparedAnnouncementView.Type

const STEERING = { allowed: everywhere(STAFF) }
const data = Schema.Struct({
  text: LegibleText(1000),
  targets: optional(Schema.Union([Schema.Literal("all"), Schema.Array(Id).check(Schema.isBetweenLength(1, 500))])),
})
const AnnouncementReply = Schema.Struct({ announcement: AnnouncementView })

export const ANNOUNCEMENT_COMMANDS = {
  /** Sends an announcement to everyone, or to some rooms. */
  announce: activityCommand({ ...STEERING, data, reply: AnnouncementReply }),
  /** Keeps an announcement for later, also before the event is published. Its rooms need not exist yet. */
  "announcement.prepare": activityCommand({
    ...STEERING,
    data,
    reply: Schema.Struct({ prepared: PreparedAnnouncementView }),
  }),
  "announcement.discard": activityCommand({ ...STEERING, data: OneId, reply: IdReply }),
  /** Sends a prepared announcement, which is then no longer prepared. */
  "announcement.send": activityCommand({ ...STEERING, data: OneId, reply: AnnouncementReply }),
} as const

export const ANNOUNCEMENT_DISPATCHES = {
  announcement: ordered(["event", "room"], AnnouncementView, []),
  "announcement.prepared": ordered(["staff"], Schema.Struct({ prepared: PreparedAnnouncementView }), ["announcements"]),
  /** The announcement is no longer prepared: it was sent or discarded. */
  "announcement.discarded": ordered(["staff"], Schema.Struct({ id: Uuid }), ["announcements"]),
} as const
