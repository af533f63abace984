// biome-ignore-all lint/performance/noBarrelFile: the package's one entry point; names that are absent here are not public.
/** `gathercue/client`: the REST client and the live gateway's, for browsers and Node. */

export {
  BroadcastPush,
  type BroadcastPushOptions,
  type PieceRecorder,
  type PushState,
} from "./broadcast/broadcast-push.ts"
export type { GatewayClientOptions, GatewayToken } from "./client-options.ts"
export { CommandRefused, CommandUnanswered } from "./connection/pending-commands.ts"
export type { ReplyData } from "./connection/replies.ts"
export { GatewayClient } from "./gateway-client.ts"
export type { LocalMedia, MediaPeer, MediaPeerState, MediaProblem, MediaState } from "./media/call-events.ts"
export { MediaCall } from "./media/media-call.ts"
export type { StreamLike, TrackLike, WebRtc } from "./media/web-rtc.ts"
export {
  type CallSettings,
  type EndpointName,
  makeRestClient,
  type RestClient,
  type RestClientOptions,
  RestProblem,
} from "./rest-client.ts"
export type { Transcript } from "./state/broadcast-state.ts"
export type { ChatState } from "./state/chat-state.ts"
export { activePhase, type EventState } from "./state/event-state.ts"
export type { HandState, StagePlace } from "./state/hand-state.ts"
export type { LobbyState } from "./state/lobby-state.ts"
export type { PollState } from "./state/poll-state.ts"
export { pendingQuestions, type QuestionState, shownQuestions } from "./state/question-state.ts"
export type { RoomState } from "./state/room-state.ts"
export type {
  CommandData,
  CommandName,
  CommandReply,
  ConnectionStatus,
  Dispatch,
  DispatchData,
  DispatchName,
} from "./wire.ts"
