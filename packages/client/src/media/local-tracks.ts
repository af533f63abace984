/** This participant's tracks. They belong to the application and outlive every call, so that a browser asks for permission once. */
import type { MutedSource, RtcTracks } from "../contract/types.ts"
import type { StreamLike, TrackLike } from "./web-rtc.ts"

export type TrackKind = "audio" | "video"

export class LocalTracks {
  /** Groups this participant's tracks for the peers as one stream. */
  readonly stream: StreamLike
  audio: TrackLike | null
  video: TrackLike | null
  /** Tracks last requested by the application: a track of a kind that was off waits for the server. */
  readonly wanted: Record<TrackKind, TrackLike | null>
  #isMuted = false
  /** Sources that a host muted. Between browsers nothing but this class stops them. */
  muted: ReadonlyArray<MutedSource> = []

  constructor(
    stream: StreamLike,
    { audio, video }: { readonly audio: TrackLike | null; readonly video: TrackLike | null },
  ) {
    this.stream = stream
    this.audio = audio
    this.video = video
    this.wanted = { audio, video }
  }

  use(kind: TrackKind, track: TrackLike | null): void {
    this[kind] = track
    if (kind === "audio" && track !== null && this.#isMuted) track.enabled = false
  }

  setMuted(isMuted: boolean): void {
    this.#isMuted = isMuted || this.muted.includes("microphone")
    if (this.audio !== null) this.audio.enabled = !this.#isMuted
  }

  /** Takes what hosts muted. A microphone stays muted afterwards, until the application turns it on. */
  hold(muted: ReadonlyArray<MutedSource>): void {
    this.muted = muted
    if (muted.includes("microphone")) this.setMuted(true)
  }

  get have(): RtcTracks {
    return { audio: this.audio !== null, video: this.video !== null }
  }
}
