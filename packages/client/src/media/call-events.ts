/** Options of a call, and its events for the application. */
import type { MutedSource, RtcLimits, RtcTracks } from "../contract/types.ts"
import type { StreamLike, TrackLike } from "./web-rtc.ts"

export interface LocalMedia {
  readonly audio?: TrackLike | null | undefined
  readonly video?: TrackLike | null | undefined
}

/**
 * `connecting` includes the time before the first connection and between two; `interrupted` means that it was connected, and may be again.
 */
export type MediaPeerState = "connecting" | "connected" | "interrupted"

/** Another participant of the call. */
export interface MediaPeer {
  readonly connectionId: string
  readonly participantId: string
  readonly name: string
  /** Tracks sent by the peer. */
  readonly have: RtcTracks
  /** Sources that a host muted for everybody; absent without any. */
  readonly muted?: ReadonlyArray<MutedSource>
  readonly state: MediaPeerState
  /** Value for the `srcObject` of an element; null until the peer's first track. A new connection has another object. */
  readonly stream: StreamLike | null
}

/**
 * `off` means not started, `waiting` that the participant is in no room with such a call, and `refused` that the call takes no more people,
 * or another tab of the participant has it.
 */
export type MediaState = "off" | "waiting" | "joining" | "joined" | "refused"

/**
 * `full` means that the room has as many people as browsers can connect, with the number in the message; `replaced` that another tab
 * joined; `mediaServer` that the seat is on a media server, which has its own client; `unsupported` that this is no browser with WebRTC;
 * and `link` that the connection to one peer failed and is restarted.
 */
export interface MediaProblem {
  readonly code: "full" | "replaced" | "mediaServer" | "unsupported" | "link"
  readonly message: string
}

export interface MediaCallEvents {
  readonly peers: ReadonlyArray<MediaPeer>
  readonly state: MediaState
  readonly limits: RtcLimits
  readonly problem: MediaProblem
  /** A host muted these sources of this participant: nobody receives them. */
  readonly muted: ReadonlyArray<MutedSource>
  /** A host asks this participant to turn the source on. */
  readonly asked: MutedSource
}
