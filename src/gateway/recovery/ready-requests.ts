/** Requests for `ready`, and the frames for connections that resume. */

import type { Resume } from "../../protocol/frames.ts"
import type { ReadyReason } from "../../protocol/ready.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionSeats } from "../event/media-seats.ts"
import { type Moment, type Place, readyResumed } from "./ready.ts"

/** A connection that needs `ready`: by a replay from its cursors, or with a snapshot for the given reason. */
export interface ReadyRequest {
  readonly connection: Connection
  readonly resume: Resume | undefined
  readonly reason: ReadyReason
  /** The lowest version of its state: that of its own commands before the request. */
  readonly since?: number
  /** With a media server: minted before `ready` is sent. */
  readonly seats?: ConnectionSeats
}

/** `ready`, all missed dispatches, and `caughtUp`. */
export const resumedFrames = (
  connection: Connection,
  place: Place,
  moment: Moment,
  missed: ReadonlyArray<string>,
  seats: ConnectionSeats | undefined,
): ReadonlyArray<string> => [
  readyResumed(connection, place, moment, seats === undefined ? {} : { media: seats.main }),
  ...missed,
  JSON.stringify({ op: 0, t: "caughtUp", d: { v: place.v } }),
]
