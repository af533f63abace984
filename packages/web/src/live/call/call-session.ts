/**
 * The devices of this person and their call: what it shows, and what its buttons do. Each client and line has one session. A person who has
 * joined once takes part in every room that they enter, until they leave the call.
 */
import type { GatewayClient } from "@gathercue/client"
import type { CallProblem, CallState, CallTransport, LineNews } from "./call-line.ts"

export interface CallView<People> {
  readonly state: CallState
  readonly people: People
  readonly isMuted: boolean
  readonly hasMicrophone: boolean
  /** The person's own picture. */
  readonly picture: MediaStream | null
  readonly problem: CallProblem | null
}

const BEFORE = { state: "off", isMuted: false, hasMicrophone: false, picture: null, problem: null } as const

const problemOf = (cause: unknown): CallProblem =>
  cause instanceof DOMException && cause.name === "NotAllowedError" ? "denied" : "noDevice"

const open = async (wanted: MediaStreamConstraints): Promise<MediaStreamTrack | CallProblem> => {
  // Browsers give devices only to pages on https and localhost.
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

export class CallSession<People> {
  readonly #line: CallTransport<People>
  readonly #listeners = new Set<() => void>()
  #view: CallView<People>
  #microphone: MediaStreamTrack | null = null
  #camera: MediaStreamTrack | null = null
  /** Number of the current start: devices that open after a leave are closed again. */
  #start = 0

  constructor(line: CallTransport<People>) {
    this.#line = line
    this.#view = { ...BEFORE, people: line.nobody }
    line.listen((news) => this.#heard(news))
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => {
      this.#listeners.delete(changed)
    }
  }

  readonly read = (): CallView<People> => this.#view

  /** Joins with the available microphone and camera; without `hasDevices` only to see and hear. */
  async join(hasDevices: boolean): Promise<void> {
    const start = ++this.#start
    this.#show({ problem: null, isMuted: false })
    if (hasDevices) await this.#openBoth(start)
    if (start === this.#start) this.#line.start({ audio: this.#microphone, video: this.#camera })
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
    this.#line.stop()
    this.#closeDevices()
    this.#show({ problem: null })
  }

  #closeDevices(): void {
    this.#start++
    for (const track of [this.#microphone, this.#camera]) track?.stop()
    this.#microphone = null
    this.#camera = null
    this.#show({ hasMicrophone: false, picture: null })
  }

  retry(): void {
    this.#show({ problem: null })
    this.#line.retry()
  }

  async toggleMicrophone(): Promise<void> {
    if (this.#microphone !== null) {
      const isMuted = !this.#view.isMuted
      this.#line.setMuted(isMuted)
      this.#show({ isMuted })
      return
    }
    const track = await this.#openLater({ audio: true })
    if (track === undefined) return
    this.#microphone = track
    this.#show({ hasMicrophone: true, isMuted: false, problem: null })
    await this.#line.setMicrophone(track)
  }

  async toggleCamera(): Promise<void> {
    if (this.#camera !== null) {
      this.#camera.stop()
      this.#camera = null
      this.#show({ picture: null, problem: null })
      await this.#line.setCamera(null)
      return
    }
    const track = await this.#openLater({ video: true })
    if (track === undefined) return
    this.#camera = track
    this.#show({ picture: this.#picture(), problem: null })
    await this.#line.setCamera(track)
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

  #heard(news: LineNews<People>): void {
    this.#show(news)
    if (news.state === "off") this.#closeDevices()
  }

  #show(change: Partial<CallView<People>>): void {
    this.#view = { ...this.#view, ...change }
    for (const changed of [...this.#listeners]) changed()
  }
}

/** A line listens to its client for the client's lifetime, so there is one session for each. */
export const sessionsOf = <People>(
  lineOf: (client: GatewayClient) => CallTransport<People>,
): ((client: GatewayClient) => CallSession<People>) => {
  const sessions = new WeakMap<GatewayClient, CallSession<People>>()
  return (client) => {
    const session = sessions.get(client) ?? new CallSession(lineOf(client))
    sessions.set(client, session)
    return session
  }
}
