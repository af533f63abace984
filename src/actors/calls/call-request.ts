/**
 * Requests of a gateway to the calls of an event, and their replies. A socket is named by its node and its number on that node, so that a
 * gateway need not know the id of a peer whose join is still in flight.
 */
import { Schema } from "effect"
import { COMMANDS } from "../../protocol/contract.ts"
import { MutedSource, RtcTracks } from "../../protocol/messages/media.ts"
import { Refusal } from "../../protocol/refusals.ts"

const { Int, optionalKey: optional, String: Text } = Schema

export const PeerEntry = Schema.Struct({
  connectionId: Text,
  participantId: Text,
  name: Text,
  have: RtcTracks,
  /** Absent when a host muted nothing. */
  muted: optional(Schema.Array(MutedSource)),
})

const CallStep = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("join"),
    socket: Int,
    roomId: Text,
    resume: optional(Text),
    participantId: Text,
    name: Text,
    have: RtcTracks,
    maxPeers: Int,
  }),
  /** The client has left and knows it. `connectionId`: limits the step to this peer, because the socket may have joined again since. */
  Schema.Struct({ type: Schema.Literal("leave"), socket: Int, connectionId: optional(Text) }),
  /** The socket closed without a leave: the peer keeps its seat for a while. */
  Schema.Struct({ type: Schema.Literal("lose"), socket: Int }),
  Schema.Struct({ type: Schema.Literal("signal"), socket: Int, signal: COMMANDS["rtc.signal"].data }),
  /** A host mutes a participant, or everybody in `roomId` but the host (`by`). */
  Schema.Struct({
    type: Schema.Literal("mute"),
    roomId: Text,
    by: Text,
    participantId: optional(Text),
    source: MutedSource,
    on: Schema.Boolean,
  }),
])
export type CallStep = typeof CallStep.Type

/** A node's view of a room. */
const RememberedRoom = Schema.Struct({
  roomId: Text,
  peers: Schema.Array(
    Schema.Struct({
      ...PeerEntry.fields,
      /** Set for peers of this node. `graceMs`: the time left to reconnect, when the socket is lost. */
      own: optional(Schema.Struct({ socket: Int, graceMs: Schema.NullOr(Schema.Number) })),
    }),
  ),
})
export type RememberedRoom = typeof RememberedRoom.Type

export const CallRequest = Schema.Struct({
  /** Idempotency key: a repeated request has the same id and is applied once. */
  id: Text,
  node: Text,
  /** Name of the sequence that numbers the messages to the node. */
  sequence: Text,
  /** All peers of the node and its view of their rooms. Starts a new sequence. */
  remembered: optional(Schema.Struct({ maxPeers: Int, rooms: Schema.Array(RememberedRoom) })),
  steps: Schema.Array(CallStep),
})
export type CallRequest = typeof CallRequest.Type

const StepAnswer = Schema.Struct({
  refusal: optional(Refusal),
  /** Result of a join step. */
  joined: optional(Schema.Struct({ connectionId: Text, resumed: Schema.Boolean })),
})
export type StepAnswer = typeof StepAnswer.Type

export const CallReply = Schema.Struct({
  /** False: this activation does not know the sequence, because another one started it. No step was applied. */
  isKnown: Schema.Boolean,
  /** Number of the latest message to the node. */
  sent: Int,
  /** One answer for each step, in the same order. */
  answers: Schema.Array(StepAnswer),
})
export type CallReply = typeof CallReply.Type
