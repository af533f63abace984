/**
 * The microphone, the camera and the shared screen of this person. Devices are on only while they are used. A screen is sent in place of
 * the camera, and its sound is mixed with the microphone's.
 */
import type { CallProblem } from "./call-line.ts"
import { type DeviceKind, type DeviceLists, listDevices, openDevice, openScreen } from "./devices.ts"
import { type Mixture, mixed } from "./sounds.ts"

export interface DevicesView {
  readonly isMuted: boolean
  readonly hasCamera: boolean
  readonly isSharing: boolean
  /** The person's own picture: the screen, or the camera. */
  readonly picture: MediaStream | null
  /** The microphone alone; null without one. */
  readonly microphone: MediaStream | null
  readonly lists: DeviceLists
  readonly chosen: { readonly [kind in DeviceKind]: string | null }
}

export const NO_DEVICES: DevicesView = {
  isMuted: false,
  hasCamera: false,
  isSharing: false,
  picture: null,
  microphone: null,
  lists: { microphone: [], camera: [] },
  chosen: { microphone: null, camera: null },
}

/** Receives what is sent from now on. */
interface Sending {
  readonly sound: (track: MediaStreamTrack | null) => void
  readonly picture: (track: MediaStreamTrack | null) => void
  readonly muted: (isMuted: boolean) => void
  readonly changed: (view: DevicesView, problem?: CallProblem | null) => void
}

const streamOf = (track: MediaStreamTrack | null): MediaStream | null =>
  track === null ? null : new MediaStream([track])

export class OwnDevices {
  readonly #sending: Sending
  readonly #tracks: Record<DeviceKind, MediaStreamTrack | null> = { microphone: null, camera: null }
  #screen: MediaStream | null = null
  #mixture: Mixture | null = null
  #view = NO_DEVICES
  /** Number of the current use: devices that open after its end are closed again. */
  #use = 0

  constructor(sending: Sending) {
    this.#sending = sending
  }

  get sound(): MediaStreamTrack | null {
    return this.#mixture?.track ?? this.#tracks.microphone
  }

  get picture(): MediaStreamTrack | null {
    return this.#screen?.getVideoTracks()[0] ?? this.#tracks.camera
  }

  /** Opens the devices that are off. A missing microphone is a problem; a missing camera is none. */
  async openBoth(): Promise<void> {
    const use = this.#use
    const problem = await this.#open("microphone")
    if (use === this.#use) await this.#open("camera")
    if (use === this.#use) this.#show(problem)
  }

  /** Resolves to the problem, or to null once the device is on. */
  async #open(kind: DeviceKind): Promise<CallProblem | null> {
    if (this.#tracks[kind] !== null) return null
    const use = this.#use
    const track = await openDevice(kind, this.#view.chosen[kind])
    if (typeof track === "string") return track
    if (use !== this.#use || this.#tracks[kind] !== null) {
      track.stop()
      return null
    }
    this.#tracks[kind] = track
    // A device that is unplugged ends its track.
    track.addEventListener("ended", () => {
      if (this.#tracks[kind] === track) this.#off(kind, "noDevice")
    })
    if (kind === "microphone") track.enabled = !this.#view.isMuted
    await this.#list()
    return null
  }

  async #list(): Promise<void> {
    const lists = await listDevices()
    this.#view = { ...this.#view, lists }
  }

  #off(kind: DeviceKind, problem: CallProblem | null): void {
    this.#tracks[kind]?.stop()
    this.#tracks[kind] = null
    this.#send(kind)
    this.#show(problem)
  }

  #send(kind: DeviceKind): void {
    if (kind === "microphone") this.#sendSound()
    else if (this.#screen === null) this.#sending.picture(this.picture)
  }

  async turnOn(kind: DeviceKind): Promise<void> {
    const use = this.#use
    const problem = await this.#open(kind)
    if (use !== this.#use) return
    if (problem === null) this.#send(kind)
    this.#show(problem)
  }

  turnOffCamera(): void {
    this.#off("camera", null)
  }

  /** Uses another device of the kind, at once if one is on. The previous one ends first: phones open one camera at a time. */
  async choose(kind: DeviceKind, id: string): Promise<void> {
    this.#view = { ...this.#view, chosen: { ...this.#view.chosen, [kind]: id } }
    this.#show()
    const before = this.#tracks[kind]
    if (before === null) return
    before.stop()
    this.#tracks[kind] = null
    await this.turnOn(kind)
    if (this.#tracks[kind] === null) this.#send(kind)
  }

  setMuted(isMuted: boolean): void {
    const { microphone } = this.#tracks
    if (microphone !== null) microphone.enabled = !isMuted
    this.#view = { ...this.#view, isMuted }
    // The sound of a shared screen goes on without the microphone's.
    this.#sending.muted(isMuted && this.#mixture === null)
    this.#show()
  }

  async share(): Promise<void> {
    const use = this.#use
    const screen = await openScreen()
    if (screen === null) return
    const stop = (): void => {
      for (const track of screen.getTracks()) track.stop()
    }
    if (use !== this.#use || this.#screen !== null) {
      stop()
      return
    }
    this.#screen = screen
    // The browser's own button ends a share as well.
    for (const track of screen.getVideoTracks()) track.addEventListener("ended", () => this.stopSharing(screen))
    this.#sending.picture(this.picture)
    if (screen.getAudioTracks().length > 0) this.#send("microphone")
    this.#show(null)
  }

  stopSharing(which = this.#screen): void {
    if (which === null || which !== this.#screen) return
    this.#screen = null
    for (const track of which.getTracks()) track.stop()
    this.#sending.picture(this.picture)
    if (this.#mixture !== null) this.#send("microphone")
    this.#show(null)
  }

  #sendSound(): void {
    this.#mixture?.stop()
    const sound = this.#screen?.getAudioTracks()[0]
    const { microphone } = this.#tracks
    this.#mixture = sound === undefined ? null : mixed(microphone === null ? [sound] : [sound, microphone])
    this.#sending.sound(this.sound)
    this.#sending.muted(this.#view.isMuted && this.#mixture === null)
    // A call that is no longer muted turns on what it sent until now: a muted microphone stays silent in the mixture.
    if (microphone !== null) microphone.enabled = !this.#view.isMuted
  }

  close(): void {
    this.#use++
    this.#mixture?.stop()
    this.#mixture = null
    for (const track of this.#screen?.getTracks() ?? []) track.stop()
    this.#screen = null
    for (const kind of ["microphone", "camera"] as const) {
      this.#tracks[kind]?.stop()
      this.#tracks[kind] = null
    }
    this.#view = { ...this.#view, isMuted: false }
    this.#show()
  }

  #show(problem?: CallProblem | null): void {
    const { microphone, camera } = this.#tracks
    const picture = this.picture
    const view = this.#view
    this.#view = {
      ...view,
      hasCamera: camera !== null,
      isSharing: this.#screen !== null,
      // The same stream as long as the track is the same, so that no picture starts anew.
      picture: view.picture?.getTracks()[0] === picture ? view.picture : streamOf(picture),
      microphone: view.microphone?.getTracks()[0] === microphone ? view.microphone : streamOf(microphone),
    }
    this.#sending.changed(this.#view, problem)
  }
}
