/** A browser's WebRTC as tests of the call play it: connections that do what they are told and record what was asked of them. */
import type {
  IceConfiguration,
  PeerConnectionLike,
  SenderLike,
  StreamLike,
  TrackLike,
  WebRtc,
} from "../../../packages/client/src/media/web-rtc.ts"

export const trackOf = (kind: string): TrackLike => ({
  id: kind,
  kind,
  enabled: true,
  getSettings: () => ({ width: 640, height: 360 }),
})

class Sender implements SenderLike {
  track: TrackLike | null
  readonly replaced: Array<string | null> = []
  #parameters = { encodings: [{}] }

  constructor(track: TrackLike) {
    this.track = track
  }

  replaceTrack(track: TrackLike | null): Promise<void> {
    this.replaced.push(track?.kind ?? null)
    this.track = track
    return Promise.resolve()
  }

  getParameters() {
    return this.#parameters
  }

  setParameters(parameters: { encodings: object[] }): Promise<void> {
    this.#parameters = parameters
    return Promise.resolve()
  }
}

type Handlers = Pick<
  PeerConnectionLike,
  "onnegotiationneeded" | "onconnectionstatechange" | "onicecandidate" | "ontrack"
>

/** Negotiates like a browser, as far as the states go. */
export class FakeConnection implements PeerConnectionLike {
  static made: FakeConnection[] = []
  connectionState = "new"
  signalingState = "stable"
  localDescription: { readonly type: string; readonly sdp: string } | null = null
  onnegotiationneeded: Handlers["onnegotiationneeded"] = null
  onconnectionstatechange: Handlers["onconnectionstatechange"] = null
  onicecandidate: Handlers["onicecandidate"] = null
  ontrack: Handlers["ontrack"] = null
  readonly senders: Sender[] = []
  readonly received: string[] = []
  readonly remote: Array<{ readonly type: string; readonly sdp: string }> = []
  readonly candidates: object[] = []
  readonly configurations: IceConfiguration[]
  restarts = 0
  #descriptions = 0

  constructor(configuration: IceConfiguration) {
    this.configurations = [configuration]
    FakeConnection.made.push(this)
  }

  addTrack(track: TrackLike): SenderLike {
    const sender = new Sender(track)
    this.senders.push(sender)
    this.#need()
    return sender
  }

  addTransceiver(given: TrackLike | "audio" | "video"): { readonly sender: SenderLike } {
    const kind = typeof given === "string" ? given : given.kind
    this.received.push(kind)
    this.#need()
    return { sender: new Sender(typeof given === "string" ? trackOf(kind) : given) }
  }

  #need(): void {
    if (this.signalingState === "stable") queueMicrotask(() => this.onnegotiationneeded?.())
  }

  setLocalDescription(): Promise<void> {
    const isAnswer = this.signalingState === "have-remote-offer"
    this.localDescription = { type: isAnswer ? "answer" : "offer", sdp: `sdp ${this.#descriptions++}` }
    this.signalingState = isAnswer ? "stable" : "have-local-offer"
    return Promise.resolve()
  }

  setRemoteDescription(description: { readonly type: string; readonly sdp: string }): Promise<void> {
    if (description.sdp === "garbage") return Promise.reject(new Error("Failed to parse SessionDescription."))
    this.remote.push(description)
    this.signalingState = description.type === "offer" ? "have-remote-offer" : "stable"
    return Promise.resolve()
  }

  addIceCandidate(candidate: object): Promise<void> {
    this.candidates.push(candidate)
    return Promise.resolve()
  }

  setConfiguration(configuration: IceConfiguration): void {
    this.configurations.push(configuration)
  }

  restartIce(): void {
    this.restarts++
    this.#need()
  }

  close(): void {
    this.connectionState = "closed"
    this.signalingState = "closed"
  }

  become(state: string): void {
    this.connectionState = state
    this.onconnectionstatechange?.()
  }
}

class FakeStream implements StreamLike {
  readonly id = "stream"

  getTracks(): ReadonlyArray<TrackLike> {
    return []
  }
}

export const FAKE_WEB_RTC: WebRtc = { RTCPeerConnection: FakeConnection, MediaStream: FakeStream }
