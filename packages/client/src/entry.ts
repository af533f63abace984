// biome-ignore-all lint/performance/noBarrelFile: the package's main entry point; names that are absent here are not public.
// biome-ignore-all lint/performance/noReExportAll: every value of the contract is public, and its list is generated.
/** `@gathercue/client`: the client of the REST API and of the live gateway, for browsers and Node. */

export type { GatewayClientOptions, GatewayToken, ReplayOptions } from "./client-options.ts"
export type { Transport } from "./connection/dialer.ts"
export { ConnectionClosed } from "./connection/failures.ts"
export { CommandRefused, CommandUnanswered } from "./connection/pending-commands.ts"
export type { Commands } from "./contract/commands.ts"
export type { Dispatches } from "./contract/dispatches.ts"
export type { RestClient } from "./contract/rest.ts"
export type * from "./contract/types.ts"
export { GatewayClient } from "./gateway-client.ts"
export type { CallSettings } from "./rest-call.ts"
export {
  type EndpointName,
  makeRestClient,
  type RestClientOptions,
  RestProblem,
} from "./rest-client.ts"
export type { Transcript } from "./state/broadcast-state.ts"
export type { ChatState } from "./state/chat-state.ts"
export { activePhase, type EventState } from "./state/event-state.ts"
export type { HandState, StagePlace } from "./state/hand-state.ts"
export type { LobbyState } from "./state/lobby-state.ts"
export { everyoneSees, type PollState } from "./state/poll-state.ts"
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
  ReplyData,
} from "./wire.ts"
