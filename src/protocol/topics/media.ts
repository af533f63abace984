/** Media: seats in calls, the broadcast that viewers watch, capture of recordings, and transcripts. */
import { Schema } from "effect"
import { BroadcastId, Id } from "../../model/ids.ts"
import { CaptureKind, TranscriptSegment } from "../../model/live/live-values.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand, gatewayCommand, NoData } from "../command.ts"
import { ephemeral, ordered } from "../dispatch.ts"
import { everywhere, type Rule, STAFF, STAGE } from "../rule.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

/** A seat in the room's call on a media server. */
export const MediaSeat = Schema.Struct({
  provider: Schema.Literal("livekit"),
  url: Schema.String,
  token: Schema.String,
})
export type MediaSeat = typeof MediaSeat.Type

export const BroadcastView = Schema.Struct({
  broadcastId: BroadcastId,
  phaseId: Schema.String,
  status: Schema.Literals(["idle", "live", "paused", "ended"]),
  playbackUrl: nullable(Schema.String),
  startedAt: nullable(Instant),
})
export type BroadcastView = typeof BroadcastView.Type

export const CaptureView = Schema.Struct({
  on: Schema.Boolean,
  kinds: Schema.Array(CaptureKind),
  since: nullable(Instant),
})
export type CaptureView = typeof CaptureView.Type

const BROADCASTING = { allowed: { broadcast: STAFF } } as const satisfies Rule
const CAPTURING = { allowed: everywhere(STAFF), feature: "capture" } as const satisfies Rule
const BroadcastReply = Schema.Struct({ broadcast: BroadcastView })
/** The active phase by default. */
const ofPhase = { ...BROADCASTING, data: Schema.Struct({ phaseId: optional(Id) }), reply: BroadcastReply } as const

export const MEDIA_COMMANDS = {
  "broadcast.start": activityCommand({
    ...ofPhase,
    data: Schema.Struct({ phaseId: optional(Id), playbackUrl: optional(Schema.String) }),
  }),
  "broadcast.pause": activityCommand(ofPhase),
  "broadcast.resume": activityCommand(ofPhase),
  "broadcast.stop": activityCommand(ofPhase),
  /** A new address for the encoder of the active phase's broadcast; the one before is refused from now on. */
  "broadcast.ingest": gatewayCommand({
    allowed: { broadcast: STAGE },
    data: NoData,
    reply: Schema.Struct({ url: Schema.String, streamUrl: Schema.String, token: Schema.String }),
  }),
  "capture.start": activityCommand({
    ...CAPTURING,
    data: Schema.Struct({ kinds: Schema.Array(CaptureKind).check(Schema.isBetweenLength(1, 2)) }),
    reply: CaptureView,
  }),
  "capture.stop": activityCommand({ ...CAPTURING, data: NoData, reply: CaptureView }),
  "transcript.push": activityCommand({
    allowed: everywhere(STAFF),
    feature: "transcript",
    data: Schema.Struct({ segments: Schema.Array(TranscriptSegment).check(Schema.isBetweenLength(1, 20)) }),
    reply: Schema.Struct({ accepted: Schema.Int }),
  }),
} as const

export const MEDIA_DISPATCHES = {
  "broadcast.live": ordered(["event"], BroadcastReply),
  "broadcast.paused": ordered(["event"], BroadcastReply),
  "broadcast.ended": ordered(["event"], BroadcastReply),
  "capture.state": ordered(["event"], CaptureView),
  "transcript.segment": ordered(["event"], TranscriptSegment),
  /** Interim segments; the final one has a position in the stream. */
  "transcript.interim": ephemeral(["event"], TranscriptSegment, { optOut: "transcript" }),
} as const
