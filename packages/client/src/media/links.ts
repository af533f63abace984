/** The connections of a call, behind one interface: to each other browser, or to the media server. */
import type { DispatchData } from "../wire.ts"
import type { MediaPeer } from "./call-events.ts"
import type { PeerList } from "./call-rules.ts"
import type { LocalTracks, TrackKind } from "./local-tracks.ts"
import type { Signal } from "./outbox.ts"
import type { IceConfiguration, TrackLike, WebRtc } from "./web-rtc.ts"

export type IncomingSignal = DispatchData<"rtc.signal">

/** Pictures of others that a browser receives at once from a media server. */
export const MOST_PICTURES = 9

/** A tile that the page shows. */
export interface MediaView {
  readonly connectionId: string
  /** In pixels of the screen. */
  readonly height: number
}

export interface CallLinks {
  readonly peers: ReadonlyArray<MediaPeer>
  /** Begins to connect. */
  readonly start: () => void
  /** Takes the present list of the call, of which these links are. */
  readonly take: (list: PeerList) => void
  readonly receive: (signal: IncomingSignal) => void
  /** A track of this participant changed; null means that it is off. */
  readonly setTrack: (kind: TrackKind, track: TrackLike | null) => void
  /** The most important first. Without a media server each picture comes as its sender sends it. */
  readonly show: (views: ReadonlyArray<MediaView>) => void
  /** A lost socket is back. */
  readonly resumed: () => void
  readonly close: () => void
}

export interface LinksNeeds {
  readonly webRtc: WebRtc
  readonly ownId: string
  readonly tracks: LocalTracks
  readonly configuration: () => IceConfiguration
  readonly send: (signal: Signal) => Promise<unknown>
  /** Fetches fresh credentials; `configuration` has them when it resolves. Never rejects. */
  readonly refresh: () => Promise<void>
  readonly changed: () => void
  /** Reports a failure of the browser, which the links repair. */
  readonly failed: (detail: string) => void
}
