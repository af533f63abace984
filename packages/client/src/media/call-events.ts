/** The options of a call, and its events for the application. */
import type { RtcLimits, RtcTracks } from "../contract/types.ts"
import type { StreamLike, TrackLike } from "./web-rtc.ts"

export interface LocalMedia {
  readonly audio?: TrackLike | null | undefined
  readonly video?: TrackLike | null | undefined
}

/** `connecting` also before the first connection and between two; `interrupted`: it was connected, and may be again. */
export type MediaPeerState = "connecting" | "connected" | "interrupted"

/** Another participant of the call. */
export interface MediaPeer {
  readonly connectionId: string
  readonly participantId: string
  readonly name: string
  /** The tracks that the peer sends. */
  readonly have: RtcTracks
  readonly state: MediaPeerState
  /** For the `srcObject` of an element; null until the peer's first track. Another object after a new connection. */
  readonly stream: StreamLike | null
}

/**
 * `off`: not started. `waiting`: the participant is in no room with such a call. `refused`: the call takes no more people, or
 * another tab of the participant has it.
 */
export type MediaState = "off" | "waiting" | "joining" | "joined" | "refused"

/**
 * `full`: the room has as many people as browsers can connect; the message has the number. `replaced`: another tab joined.
 * `mediaServer`: the seat is on a media server, which has a client of its own. `unsupported`: this is no browser with WebRTC.
 * `link`: the connection to one peer had a fault; it is begun anew.
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
}
