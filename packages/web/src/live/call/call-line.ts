/** The transport of a call: connections between browsers, or those to a media server. A line follows the person from room to room. */
import type { MediaState } from "@gathercue/client/media"

/** Besides those of the call: why there is no camera or microphone. `lost`: the media server cannot be reached. */
export type CallProblem = "full" | "replaced" | "unsupported" | "lost" | "denied" | "noDevice" | "insecure"

/** `reconnecting`: the person was in the call and comes back without a press. */
export type CallState = MediaState | "reconnecting"

/** `People`: those in the call, as the line knows them. */
export interface LineNews<People> {
  readonly state?: CallState
  readonly people?: People
  readonly problem?: CallProblem
}

export interface CallLine<People> {
  /** Before anybody is there. */
  readonly nobody: People
  /** The tracks stay the caller's. */
  readonly start: (tracks: { readonly audio: MediaStreamTrack | null; readonly video: MediaStreamTrack | null }) => void
  readonly stop: () => void
  /** After it was refused. */
  readonly retry: () => void
  readonly setMuted: (isMuted: boolean) => void
  readonly setMicrophone: (track: MediaStreamTrack) => Promise<void>
  readonly setCamera: (track: MediaStreamTrack | null) => Promise<void>
  /** There is one listener. */
  readonly listen: (listener: (news: LineNews<People>) => void) => void
}
