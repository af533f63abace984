/** The devices of this person and their call between browsers: what it shows, and what its buttons do. One for each client. */
import type { GatewayClient } from "@gathercue/client"
import { MediaCall, type MediaPeer, type MediaProblem, type MediaState } from "@gathercue/client/media"

/** Besides those of the call: why there is no camera or microphone. */
export type CallProblem = Exclude<MediaProblem["code"], "link" | "mediaServer"> | "denied" | "noDevice" | "insecure"

export interface CallView {
  readonly state: MediaState
  readonly peers: ReadonlyArray<MediaPeer>
  readonly isMuted: boolean
  readonly hasMicrophone: boolean
  /** The person's own picture. */
  readonly picture: MediaStream | null
  readonly problem: CallProblem | null
}

const BEFORE: CallView = {
  state: "off",
  peers: [],
  isMuted: false,
  hasMicrophone: false,
  picture: null,
  problem: null,
}

const problemOf = (cause: unknown): CallProblem =>
  cause instanceof DOMException && cause.name === "NotAllowedError" ? "denied" : "noDevice"

const open = async (wanted: MediaStreamConstraints): Promise<MediaStreamTrack | CallProblem> => {
  // Browsers give devices to pages on https and localhost alone.
  if (navigator.mediaDevices === undefined) return "insecure"
  try {
    const stream = await navigator.mediaDevices.getUserMedia(wanted)
    return stream.getTracks()[0] ?? "noDevice"
  } catch (cause) {
    return problemOf(cause)
  }
}

const trackIn = (opened: MediaStreamTrack | CallProblem): MediaStreamTrack | null =>
  typeof opened === "string" ? null : opened

export class CallSession {
  readonly #call: MediaCall
  readonly #listeners = new Set<() => void>()
  #view = BEFORE
  #microphone: MediaStreamTrack | null = null
  #camera: MediaStreamTrack | null = null
  /** Of the present start: devices that open after a leave are closed again. */
  #start = 0

  constructor(client: GatewayClient) {
    this.#call = new MediaCall(client)
    this.#call.on("state", (state) => this.#show({ state }))
    this.#call.on("peers", (peers) => this.#show({ peers }))
    this.#call.on("problem", ({ code }) => this.#report(code))
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => {
      this.#listeners.delete(changed)
    }
  }

  readonly read = (): CallView => this.#view

  /** Joins with microphone and camera as far as there are any; without `hasDevices` only to see and hear. */
  async join(hasDevices: boolean): Promise<void> {
    const start = ++this.#start
    this.#show({ problem: null, isMuted: false })
    if (hasDevices) await this.#openBoth(start)
    if (start === this.#start) this.#call.start({ audio: this.#microphone, video: this.#camera })
  }

  async #openBoth(start: number): Promise<void> {
    const audio = await open({ audio: true })
    const video = await open({ video: true })
    const [microphone, camera] = [trackIn(audio), trackIn(video)]
    if (start !== this.#start) {
      microphone?.stop()
      camera?.stop()
      return
    }
    this.#microphone = microphone
    this.#camera = camera
    const problem = typeof audio === "string" ? audio : null
    this.#show({ problem, hasMicrophone: microphone !== null, picture: this.#picture() })
  }

  leave(): void {
    this.#start++
    this.#call.stop()
    for (const track of [this.#microphone, this.#camera]) track?.stop()
    this.#microphone = null
    this.#camera = null
    this.#show({ hasMicrophone: false, picture: null, problem: null })
  }

  retry(): void {
    this.#show({ problem: null })
    this.#call.retry()
  }

  async toggleMicrophone(): Promise<void> {
    if (this.#microphone !== null) {
      const isMuted = !this.#view.isMuted
      this.#call.setMuted(isMuted)
      this.#show({ isMuted })
      return
    }
    const track = await this.#openLater({ audio: true })
    if (track === undefined) return
    this.#microphone = track
    this.#show({ hasMicrophone: true, isMuted: false, problem: null })
    await this.#call.setMicrophone(track)
  }

  async toggleCamera(): Promise<void> {
    if (this.#camera !== null) {
      this.#camera.stop()
      this.#camera = null
      this.#show({ picture: null, problem: null })
      await this.#call.setCamera(null)
      return
    }
    const track = await this.#openLater({ video: true })
    if (track === undefined) return
    this.#camera = track
    this.#show({ picture: this.#picture(), problem: null })
    await this.#call.setCamera(track)
  }

  async #openLater(wanted: MediaStreamConstraints): Promise<MediaStreamTrack | undefined> {
    const start = this.#start
    const track = await open(wanted)
    if (typeof track === "string") {
      this.#show({ problem: track })
      return undefined
    }
    if (start === this.#start) return track
    track.stop()
    return undefined
  }

  #picture(): MediaStream | null {
    return this.#camera === null ? null : new MediaStream([this.#camera])
  }

  #report(code: MediaProblem["code"]): void {
    // A fault of one link is repaired by the call; a seat on a media server has a view of its own.
    if (code === "link" || code === "mediaServer") return
    this.#show({ problem: code })
  }

  #show(change: Partial<CallView>): void {
    this.#view = { ...this.#view, ...change }
    for (const changed of [...this.#listeners]) changed()
  }
}
