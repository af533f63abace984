/** Connections that are to be told where they stand, and what those that resume are told. */

import type { Resume } from "../../protocol/frames.ts"
import type { PhaseTraits } from "../../protocol/rule.ts"
import type { ReadyReason } from "../../protocol/state.ts"
import type { Connection } from "../connection/connection.ts"
import type { Seats } from "../event/media-seats.ts"
import { type Place, readyResumed } from "./ready.ts"

/** A connection that is to be told where it stands: from what it held, or with a snapshot for the given reason. */
export interface ReadyRequest {
  readonly connection: Connection
  readonly resume: Resume | undefined
  readonly reason: ReadyReason
  /** The version that it must be told of at least: what it did itself before it asked. */
  readonly since?: number
  /** Where there is a media server: minted before anything can be said. */
  readonly seats?: Seats
}

/** `ready`, everything missed since, and that this was all. */
export const resumedFrames = (
  connection: Connection,
  place: Place,
  phase: PhaseTraits,
  missed: ReadonlyArray<string>,
  seats: Seats | undefined,
): ReadonlyArray<string> => [
  readyResumed(connection, place, phase, seats === undefined ? {} : { media: seats.main }),
  ...missed,
  JSON.stringify({ op: 0, t: "caughtUp", d: { v: place.v } }),
]
