/** Transport of a call: connections between browsers, or to a media server. A line follows the person from room to room. */
import type { MediaState, MutedSource } from "@gathercue/client/media"

/** Problems of the call, and reasons for a missing camera or microphone. `lost` means that the media server is unreachable. */
export type CallProblem = "full" | "replaced" | "unsupported" | "lost" | "denied" | "noDevice" | "insecure"

/** `reconnecting` means that the person was in the call and returns without a press. */
export type CallState = MediaState | "reconnecting"

/** `People` are those in the call, in the form that the line knows. */
export interface LineNews<People> {
  readonly state?: CallState
  readonly people?: People
  readonly problem?: CallProblem
  /** Sources of this person that a host muted. */
  readonly held?: ReadonlyArray<MutedSource>
  /** A host asks the person to turn this source on. */
  readonly asked?: MutedSource
}

export interface CallTransport<People> {
  /** Value before anybody is in the call. */
  readonly nobody: People
  /** The tracks stay the caller's. */
  readonly start: (tracks: { readonly audio: MediaStreamTrack | null; readonly video: MediaStreamTrack | null }) => void
  readonly stop: () => void
  /** Retries after a refusal. */
  readonly retry: () => void
  readonly setMuted: (isMuted: boolean) => void
  readonly setMicrophone: (track: MediaStreamTrack | null) => Promise<void>
  readonly setCamera: (track: MediaStreamTrack | null) => Promise<void>
  /** Says how large each person is shown, where a server chooses the size of pictures; heights in pixels by connection. */
  readonly show?: (heights: ReadonlyMap<string, number>) => void
  /** Sets the only listener. */
  readonly listen: (listener: (news: LineNews<People>) => void) => void
}
