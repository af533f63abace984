/**
 * The requests of a gateway to the calls of an event, and the replies. A socket is named by its node and its number there, so that a
 * gateway need not know the id of a peer whose join is still on its way.
 */
import { Schema } from "effect"
import { COMMANDS } from "../../protocol/contract.ts"
import { RtcTracks } from "../../protocol/messages/media.ts"
import { Refusal } from "../../protocol/refusals.ts"

const { Int, optionalKey: optional, String: Text } = Schema

export const ListedPeer = Schema.Struct({ connectionId: Text, participantId: Text, name: Text, have: RtcTracks })

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
  /** The peer knows that it is out. `connectionId`: only this one, as the socket may have joined again since. */
  Schema.Struct({ type: Schema.Literal("leave"), socket: Int, connectionId: optional(Text) }),
  /** The socket is lost: the peer keeps its place for a while. */
  Schema.Struct({ type: Schema.Literal("lose"), socket: Int }),
  Schema.Struct({ type: Schema.Literal("signal"), socket: Int, signal: COMMANDS["rtc.signal"].data }),
])
export type CallStep = typeof CallStep.Type

/** A room as a node knows it. */
const RememberedRoom = Schema.Struct({
  roomId: Text,
  peers: Schema.Array(
    Schema.Struct({
      ...ListedPeer.fields,
      /** Of a peer of this node. `graceMs`: its socket is lost, and so much of its time is left. */
      own: optional(Schema.Struct({ socket: Int, graceMs: Schema.NullOr(Schema.Number) })),
    }),
  ),
})
export type RememberedRoom = typeof RememberedRoom.Type

export const CallRequest = Schema.Struct({
  /** A request that is made again has its id again, and is done once. */
  id: Text,
  node: Text,
  /** The name of the sequence in which messages to the node are numbered. */
  sequence: Text,
  /** All peers of the node, with what it knows of their rooms: begins the sequence. */
  remembered: optional(Schema.Struct({ maxPeers: Int, rooms: Schema.Array(RememberedRoom) })),
  steps: Schema.Array(CallStep),
})
export type CallRequest = typeof CallRequest.Type

const StepAnswer = Schema.Struct({
  refusal: optional(Refusal),
  /** Of a join. */
  joined: optional(Schema.Struct({ connectionId: Text, resumed: Schema.Boolean })),
})
export type StepAnswer = typeof StepAnswer.Type

export const CallReply = Schema.Struct({
  /** False: the sequence is not known here, because another activation began it. Nothing was done. */
  isKnown: Schema.Boolean,
  /** The number of the latest message to the node. */
  sent: Int,
  /** In the order of the steps. */
  answers: Schema.Array(StepAnswer),
})
export type CallReply = typeof CallReply.Type
