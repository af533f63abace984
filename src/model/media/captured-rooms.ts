/** Rooms of a live event that the media server has to record. */
import { Schema } from "effect"

export const CapturedRooms = Schema.Struct({
  phaseId: Schema.NullOr(Schema.String),
  /** Null: the main room of the phase. Empty: nothing is recorded. */
  rooms: Schema.Array(Schema.NullOr(Schema.String)),
  /** Broadcast of the main room, which is also a recording; null: it is not broadcast. */
  broadcastId: Schema.NullOr(Schema.String),
})
export type CapturedRooms = typeof CapturedRooms.Type

/** Most rooms of one event recorded at once; each costs the media server a browser that watches it. */
export const MOST_CAPTURED_ROOMS = 20
