/** The interface of both placements of broadcasts: all in this process, or each at one of several nodes. */
import type { Effect } from "effect"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import type { EncoderState } from "../../model/live/live-values.ts"
import type { EncoderFailure } from "../live/live-broadcast.ts"
import type { OpenBroadcast, OpenBroadcasts } from "../live/open-broadcasts.ts"
import type { StageReport } from "../live/recorder-reports.ts"
import type { EncoderPort } from "./encoder-port.ts"
import type { EncoderAdmission } from "./own-broadcasts.ts"
import type { WatchedBroadcast } from "./watched-broadcast.ts"

/** The state of the encoder of an event's broadcast, or of the media server that makes it. */
export interface EncoderReport {
  readonly broadcastId: string
  readonly phaseId: string
  readonly state: EncoderState
  readonly failure: EncoderFailure | StageReport["failure"]
}

/** The result of the encoder of one broadcast so far. */
export interface EncoderDetail {
  readonly state: EncoderState
  /** Unix milliseconds. */
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
  /** One that viewers of this process have asked for. */
  readonly peek: (broadcastId: string) => WatchedBroadcast | undefined
  readonly open: (broadcastId: string) => Effect.Effect<WatchedBroadcast, NotFound | Unavailable>
  /** Afterwards the event's broadcasts are live or paused as was committed before the call. */
  readonly refresh: (eventId: string) => Effect.Effect<void>
  /** For an encoder, by the hash of its token. */
  readonly admit: (tokenHash: Uint8Array) => Effect.Effect<EncoderPort, EncoderAdmission>
  /** Succeeds when all that came of an ended broadcast is stored. */
  readonly finish: (of: BroadcastOf) => Effect.Effect<void, Unavailable>
  readonly detailOf: (of: BroadcastOf) => Effect.Effect<EncoderDetail, NotFound | Unavailable>
  /** Of the event's broadcast that goes on. `undefined`: no encoder and no viewer has asked for it lately. */
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

/** Of the event's broadcast in this process' memory. */
export const ownReport = (opened: OpenBroadcasts, eventId: string): EncoderReport | undefined => {
  const found = opened.findOfEvent(eventId)
  if (found === undefined) return undefined
  const [broadcastId, one] = found
  const { phaseId, live } = one
  return { broadcastId, phaseId, state: opened.stateOf(one), failure: live.failure ?? null }
}
