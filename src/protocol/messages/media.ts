/** Media: seats in calls, the broadcast that viewers watch, recording, and transcripts. */
import { Schema } from "effect"
import { Id, Uuid } from "../../model/ids.ts"
import {
  CaptureKind,
  EncoderState,
  IngestFailure,
  ParticipantId,
  TranscriptSegment,
} from "../../model/live/live-values.ts"
import { Instant } from "../../model/timestamp.ts"
import { activityCommand, connectionCommand, Done, gatewayCommand, NoData } from "../command.ts"
import { direct, ephemeral, ordered } from "../dispatch.ts"
import { CALL, everywhere, inCalls, type Rule, STAFF, STAGE } from "../rule.ts"
import { between } from "./fields.ts"

const { NullOr: nullable, optionalKey: optional } = Schema

/**
 * A seat in a room's call: on a media server, or without one in a browser-to-browser call, where browsers join `roomId` with `rtc.join`.
 */
export const MediaSeat = Schema.Union([
  Schema.Struct({ provider: Schema.Literal("livekit"), url: Schema.String, token: Schema.String }),
  Schema.Struct({ provider: Schema.Literal("mesh"), roomId: Uuid }),
])
export type MediaSeat = typeof MediaSeat.Type
export type MeshSeat = Extract<MediaSeat, { readonly provider: "mesh" }>

/** Device or screen whose track a person sends in a call. */
export const MediaSource = Schema.Literals(["microphone", "camera", "screen"])

/** Source that hosts can mute; the screen goes with the camera. */
export const MutedSource = Schema.Literals(["microphone", "camera"])
export type MutedSource = typeof MutedSource.Type

/** The tracks that a peer sends. */
export const RtcTracks = Schema.Struct({ audio: Schema.Boolean, video: Schema.Boolean })
export type RtcTracks = typeof RtcTracks.Type

const RtcPeer = Schema.Struct({
  connectionId: Uuid,
  participantId: Schema.String,
  name: Schema.String,
  have: RtcTracks,
  /** Sources that a host muted for everybody; absent without any. */
  muted: optional(Schema.Array(MutedSource)),
})

/** The most that each peer may send to each other peer, depending on the current number of peers in the room. */
export const RtcLimits = Schema.Struct({
  /** Limits of peers with video, and with audio only. */
  maxPeers: Schema.Int,
  maxAudioPeers: Schema.Int,
  /** Null: no video. */
  video: nullable(Schema.Struct({ width: Schema.Int, height: Schema.Int, frameRate: Schema.Int, maxKbps: Schema.Int })),
  audio: Schema.Struct({ maxKbps: Schema.Int }),
})
export type RtcLimits = typeof RtcLimits.Type

/** ICE servers in the form of `iceServers` of a browser's `RTCPeerConnection`; credentials are valid for an hour. */
export const IceServer = Schema.Struct({
  urls: Schema.Array(Schema.String),
  username: optional(Schema.String),
  credential: optional(Schema.String),
})
export type IceServer = typeof IceServer.Type

export const RtcPolicy = Schema.Literals(["all", "relay"])
export type RtcPolicy = typeof RtcPolicy.Type

/** Incremented with each new connection between the same two peers, so that signals for an earlier one are recognised. */
const Generation = between(0, 1_000_000)
/** The text of a session description. */
const Description = Schema.String.check(Schema.isBetweenLength(1, 12_288))
/** Each candidate as JSON text. */
const Candidates = Schema.Array(Schema.String.check(Schema.isBetweenLength(1, 512))).check(
  Schema.isBetweenLength(1, 16),
)
const DescriptionKind = Schema.Literals(["offer", "answer"])
const ViewsKind = Schema.Literal("views")
/** Tiles that the sender's page shows, the most important first. */
const Views = Schema.Array(
  Schema.Struct({
    /** `connectionId` of the person. */
    peer: Id,
    source: Schema.Literals(["camera", "screen"]),
    /** Height of the tile in pixels of the screen. */
    height: between(1, 4320),
  }),
).check(Schema.isMaxLength(25))
const SlotsKind = Schema.Literal("slots")
/** The person in each place of the receiver's offer, by the name of its section; `peer` is null where the place is empty. */
const Slots = Schema.Array(
  Schema.Struct({
    mid: Schema.String,
    peer: nullable(Schema.String),
    source: nullable(MediaSource),
  }),
)
const CandidatesKind = Schema.Literal("candidates")

/** Browser-to-browser calls. Signals contain addresses of people: they are sent to one connection, and never stored or logged. */
const CALLING = { allowed: inCalls(CALL), budget: "signals" } as const

export const BroadcastView = Schema.Struct({
  broadcastId: Uuid,
  phaseId: Uuid,
  status: Schema.Literals(["idle", "live", "paused", "ended"]),
  playbackUrl: nullable(Schema.String),
  startedAt: nullable(Instant),
})
export type BroadcastView = typeof BroadcastView.Type

/** The encoder that pushes a broadcast to this server, or the media server's recorder that produces it. */
export const EncoderView = Schema.Struct({
  broadcastId: Uuid,
  phaseId: Uuid,
  state: EncoderState,
  /** Why the encoder's bytes were refused or are not recorded; null once they are. */
  failure: nullable(IngestFailure),
})
export type EncoderView = typeof EncoderView.Type

export const CaptureView = Schema.Struct({
  on: Schema.Boolean,
  kinds: Schema.Array(CaptureKind),
  since: nullable(Instant),
})
export type CaptureView = typeof CaptureView.Type

const BROADCASTING = { allowed: { broadcast: STAFF } } as const satisfies Rule
const CAPTURING = { allowed: everywhere(STAFF), feature: "capture" } as const satisfies Rule
const BroadcastReply = Schema.Struct({ broadcast: BroadcastView })
/** Names a phase; the active one by default. */
const ofPhase = { ...BROADCASTING, data: Schema.Struct({ phaseId: optional(Id) }), reply: BroadcastReply } as const

export const MEDIA_COMMANDS = {
  "broadcast.start": activityCommand({
    ...ofPhase,
    data: Schema.Struct({ phaseId: optional(Id), playbackUrl: optional(Schema.String) }),
  }),
  "broadcast.pause": activityCommand(ofPhase),
  "broadcast.resume": activityCommand(ofPhase),
  "broadcast.stop": activityCommand(ofPhase),
  /** Issues a new address for an encoder of the active phase's broadcast; the sender's previous address is refused from now on. */
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
  /**
   * Joins the call of the sender's room, or changes its tracks. `resume`: the sender's `connectionId` before its socket was lost, which it
   * keeps.
   */
  "rtc.join": connectionCommand({
    ...CALLING,
    data: Schema.Struct({ roomId: Id, resume: optional(Id), have: RtcTracks }),
    reply: Schema.Struct({ connectionId: Uuid, resumed: Schema.Boolean }),
  }),
  "rtc.leave": connectionCommand({ ...CALLING, data: NoData, reply: Done }),
  /** Sends a signal to one peer of the call, or to the call's media server, whose name is the room's id. */
  "rtc.signal": connectionCommand({
    ...CALLING,
    data: Schema.Union([
      Schema.Struct({ to: Id, kind: DescriptionKind, data: Description, gen: Generation }),
      Schema.Struct({ to: Id, kind: CandidatesKind, data: Candidates, gen: Generation }),
      Schema.Struct({ to: Id, kind: ViewsKind, data: Views, gen: Generation }),
    ]),
    reply: Done,
  }),
  /**
   * Mutes a source of a participant in a call, or without `participantId` that of everybody in the sender's room but the sender. With
   * `on: false` the participant may send it again, and is asked to. The media server inside forwards no muted source; in a call between
   * browsers the muted one stops sending.
   */
  "rtc.mute": connectionCommand({
    allowed: inCalls(STAFF),
    data: Schema.Struct({
      participantId: optional(ParticipantId),
      source: MutedSource,
      on: optional(Schema.Boolean),
    }),
    reply: Done,
    managersExemptIn: [],
  }),
} as const

export const MEDIA_DISPATCHES = {
  "broadcast.live": ordered(["event"], BroadcastReply, ["broadcast"]),
  "broadcast.paused": ordered(["event"], BroadcastReply, ["broadcast"]),
  "broadcast.ended": ordered(["event"], BroadcastReply, ["broadcast", "encoder"]),
  /** The encoder of the broadcast connected, was lost, is back, or was refused; or the media server's recorder started or failed. */
  "broadcast.stream": ephemeral(["staff"], EncoderView, ["encoder"]),
  "capture.state": ordered(["event"], CaptureView, ["capture"]),
  "transcript.segment": ordered(["event", "room"], TranscriptSegment, ["transcript"]),
  /** Interim segments; the final one has a position in the stream. */
  "transcript.interim": ephemeral(["event", "room"], TranscriptSegment, ["transcript"], { optOut: "transcript" }),
  /** The whole call after a change, with the receiver and its `connectionId`. With `closed` the receiver is no longer in it. */
  "rtc.peers": direct(
    Schema.Struct({
      roomId: Uuid,
      connectionId: Uuid,
      peers: Schema.Array(RtcPeer),
      limits: RtcLimits,
      iceServers: Schema.Array(IceServer),
      policy: RtcPolicy,
      /** The call goes through this server. Another session has begun anew: connect to it again. */
      server: optional(Schema.Struct({ session: Schema.String })),
      /** The receiver moved to another room or lost its seat, or another tab of the participant joined. */
      closed: optional(Schema.Literals(["moved", "replaced"])),
    }),
    [],
  ),
  /** A host asks the receiver to turn the source on; it is not muted any more. */
  "rtc.asked": direct(Schema.Struct({ roomId: Uuid, source: MutedSource }), []),
  "rtc.signal": direct(
    Schema.Union([
      Schema.Struct({ from: Schema.String, kind: DescriptionKind, data: Schema.String, gen: Schema.Int }),
      Schema.Struct({ from: Schema.String, kind: CandidatesKind, data: Schema.Array(Schema.String), gen: Schema.Int }),
      Schema.Struct({ from: Schema.String, kind: SlotsKind, data: Slots, gen: Schema.Int }),
    ]),
    [],
  ),
} as const
