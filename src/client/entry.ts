// biome-ignore-all lint/performance/noBarrelFile: the package's one entry point; names that are absent here are not public.
/** `gathercue/client`: the REST client and the live gateway's, for browsers and Node. */

export type { Transcript } from "./broadcast-state.ts"
export type { ChatState } from "./chat-state.ts"
export { activePhase, type EventState } from "./event-state.ts"
export { type ConnectionStatus, GatewayClient, type GatewayClientOptions, type GatewayToken } from "./gateway-client.ts"
export type { HandState, StagePlace } from "./hand-state.ts"
export type { LobbyState } from "./lobby-state.ts"
export { CommandRefused, CommandUnanswered } from "./pending-commands.ts"
export type { PollState } from "./poll-state.ts"
export { pendingQuestions, type QuestionState, shownQuestions } from "./question-state.ts"
export type { ReplyData } from "./replies.ts"
export {
  type CallSettings,
  type EndpointName,
  makeRestClient,
  type RestClient,
  type RestClientOptions,
  RestProblem,
} from "./rest-client.ts"
export type { RoomState } from "./room-state.ts"
export type { CommandData, CommandName, CommandReply, Dispatch, DispatchData, DispatchName } from "./wire.ts"
