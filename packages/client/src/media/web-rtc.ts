/** The used parts of the browser's WebRTC and media capture. The client is compiled without browser types. */
import type { IceServer, RtcPolicy } from "../contract/types.ts"

export interface TrackLike {
  readonly id: string
  readonly kind: string
  enabled: boolean
  getSettings?(): { readonly width?: number; readonly height?: number }
}

export interface StreamLike {
  readonly id: string
  getTracks(): ReadonlyArray<TrackLike>
}

interface Encoding {
  rid?: string
  active?: boolean
  maxBitrate?: number
  maxFramerate?: number
  scaleResolutionDownBy?: number
}

export interface SenderLike {
  readonly track: TrackLike | null
  replaceTrack(track: TrackLike | null): Promise<void>
  getParameters(): { encodings: Encoding[] }
  setParameters(parameters: { encodings: Encoding[] }): Promise<void>
}

export interface IceConfiguration {
  readonly iceServers: ReadonlyArray<IceServer>
  readonly iceTransportPolicy: RtcPolicy
}

interface Description {
  readonly type: string
  readonly sdp: string
}

export interface PeerConnectionLike {
  readonly connectionState: string
  readonly signalingState: string
  readonly localDescription: Description | null
  onnegotiationneeded: (() => void) | null
  onconnectionstatechange: (() => void) | null
  onicecandidate: ((event: { readonly candidate: { readonly candidate: string } | null }) => void) | null
  ontrack:
    | ((event: {
        readonly track: TrackLike
        readonly streams: ReadonlyArray<StreamLike>
        readonly transceiver: { readonly mid: string | null }
      }) => void)
    | null
  addTrack(track: TrackLike, stream: StreamLike): SenderLike
  addTransceiver(
    trackOrKind: TrackLike | "audio" | "video",
    init: { readonly direction: "recvonly" | "sendonly"; readonly sendEncodings?: ReadonlyArray<Readonly<Encoding>> },
  ): { readonly sender: SenderLike }
  setLocalDescription(): Promise<void>
  setRemoteDescription(description: Description): Promise<void>
  addIceCandidate(candidate: object): Promise<void>
  setConfiguration(configuration: IceConfiguration): void
  restartIce(): void
  close(): void
}

/** Defaults to the browser's own. */
export interface WebRtc {
  readonly RTCPeerConnection: new (configuration: IceConfiguration) => PeerConnectionLike
  readonly MediaStream: new (tracks?: ReadonlyArray<TrackLike>) => StreamLike
}

/** Undefined outside a browser with WebRTC. */
export const platformWebRtc = (): WebRtc | undefined => {
  const { RTCPeerConnection, MediaStream } = globalThis as unknown as Partial<WebRtc>
  return RTCPeerConnection === undefined || MediaStream === undefined ? undefined : { RTCPeerConnection, MediaStream }
}
