/** This participant's tracks. They belong to the application and outlive every call, so that a browser asks for permission once. */
import type { RtcTracks } from "../../protocol/topics/media.ts"
import type { StreamLike, TrackLike } from "./web-rtc.ts"

export type TrackKind = "audio" | "video"

export class LocalTracks {
  /** Names the tracks of this participant to the peers as one stream. */
  readonly stream: StreamLike
  audio: TrackLike | null
  video: TrackLike | null

  constructor(
    stream: StreamLike,
    { audio, video }: { readonly audio: TrackLike | null; readonly video: TrackLike | null },
  ) {
    this.stream = stream
    this.audio = audio
    this.video = video
  }

  get have(): RtcTracks {
    return { audio: this.audio !== null, video: this.video !== null }
  }
}
