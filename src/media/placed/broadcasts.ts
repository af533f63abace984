/** Common interface of both placements of broadcasts: all in this process, or each at one of several nodes. */
import type { Effect } from "effect"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import type { EncoderState } from "../../model/live/live-values.ts"
import type { EncoderFailure } from "../live/live-broadcast.ts"
import type { OpenBroadcast, OpenBroadcasts } from "../live/open-broadcasts.ts"
import type { StageReport } from "../live/recorder-reports.ts"
import type { EncoderPort } from "./encoder-port.ts"
import type { EncoderAdmission } from "./own-broadcasts.ts"
import type { WatchedBroadcast } from "./watched-broadcast.ts"

/** State of the encoder of an event's broadcast, or of the media server that makes it. */
export interface EncoderReport {
  readonly broadcastId: string
  readonly phaseId: string
  readonly state: EncoderState
  readonly failure: EncoderFailure | StageReport["failure"]
}

/** Results of one broadcast's encoder so far. */
export interface EncoderDetail {
  readonly state: EncoderState
  /** Time in Unix milliseconds. */
  readonly lastSegmentAt: number | null
  readonly takes: number
  readonly durationMs: number
  readonly failure: EncoderFailure | null
}

/** A broadcast, and the event by which its owner is found. */
export interface BroadcastOf {
  readonly id: string
  readonly eventId: string
}

export interface BroadcastPlacement {
  /** Finds a broadcast that viewers of this process have requested. */
  readonly peek: (broadcastId: string) => WatchedBroadcast | undefined
  readonly open: (broadcastId: string) => Effect.Effect<WatchedBroadcast, NotFound | Unavailable>
  /** Afterwards the event's broadcasts are live or paused as committed before the call. */
  readonly refresh: (eventId: string) => Effect.Effect<void>
  /** Admits an encoder by the hash of its token. */
  readonly admit: (tokenHash: Uint8Array) => Effect.Effect<EncoderPort, EncoderAdmission>
  /** Succeeds when everything received by an ended broadcast is stored. */
  readonly finish: (of: BroadcastOf) => Effect.Effect<void, Unavailable>
  readonly detailOf: (of: BroadcastOf) => Effect.Effect<EncoderDetail, NotFound | Unavailable>
  /** Report on the event's ongoing broadcast. `undefined` when no encoder and no viewer has requested it recently. */
  readonly encoderOf: (eventId: string) => EncoderReport | undefined
}

export const detailOf = (opened: OpenBroadcasts, one: OpenBroadcast): EncoderDetail => {
  const { lastSegmentAt, takes, durationMs, failure } = one.live
  return {
    state: opened.stateOf(one),
    lastSegmentAt: lastSegmentAt ?? null,
    takes,
    durationMs,
    failure: failure ?? null,
  }
}

/** Report on the event's broadcast in this process's memory. */
export const ownReport = (opened: OpenBroadcasts, eventId: string): EncoderReport | undefined => {
  const found = opened.findOfEvent(eventId)
  if (found === undefined) return undefined
  const [broadcastId, one] = found
  const { phaseId, live } = one
  return { broadcastId, phaseId, state: opened.stateOf(one), failure: live.failure ?? null }
}
