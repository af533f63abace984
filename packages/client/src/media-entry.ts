// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package; names that are absent here are not public.
/** `@gathercue/client/media`: sound and picture between browsers, and a browser's picture for a broadcast. */

export {
  BroadcastPush,
  type BroadcastPushOptions,
  type PieceRecorder,
  type PushState,
} from "./broadcast/broadcast-push.ts"
export type { MutedSource } from "./contract/types.ts"
export type {
  LocalMedia,
  MediaPeer,
  MediaPeerState,
  MediaProblem,
  MediaState,
} from "./media/call-events.ts"
export type { CallGateway } from "./media/call-gateway.ts"
export { presentSeat } from "./media/call-rules.ts"
export { type MediaView, MOST_PICTURES } from "./media/links.ts"
export { MediaCall } from "./media/media-call.ts"
export type { StreamLike, TrackLike, WebRtc } from "./media/web-rtc.ts"
