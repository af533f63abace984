/**
 * The devices of this person and their call: what it shows, and what its buttons do. Each client and line has one session. A person who has
 * joined once takes part in every room that they enter, until they leave the call.
 */
import type { GatewayClient } from "@gathercue/client"
import type { MutedSource } from "@gathercue/client/media"
import type { CallProblem, CallState, CallTransport, LineNews } from "./call-line.ts"
import type { DeviceKind } from "./devices.ts"
import { type DevicesView, NO_DEVICES, OwnDevices } from "./own-devices.ts"

export interface CallView<People> extends DevicesView {
  readonly state: CallState
  readonly people: People
  readonly problem: CallProblem | null
  readonly held: ReadonlyArray<MutedSource>
  /** The source that a host asks for. */
  readonly asked: MutedSource | null
}

/** Whether the question of a host is settled: the source is on, is muted again, or belongs to a call that is over. */
const isAnswered = ({ asked, state, held, microphone, isMuted, hasCamera }: CallView<unknown>): boolean => {
  if (asked === null || state !== "joined" || held.includes(asked)) return true
  return asked === "camera" ? hasCamera : microphone !== null && !isMuted
}

export class CallSession<People> {
  readonly #line: CallTransport<People>
  readonly #listeners = new Set<() => void>()
  readonly #devices: OwnDevices
  #view: CallView<People>
  /** Number of the current start: a leave while devices open ends it. */
  #start = 0

  constructor(line: CallTransport<People>) {
    this.#line = line
    this.#view = { ...NO_DEVICES, state: "off", problem: null, people: line.nobody, held: [], asked: null }
    this.#devices = new OwnDevices({
      sound: (track) => void line.setMicrophone(track),
      picture: (track) => void line.setCamera(track),
      muted: (isMuted) => line.setMuted(isMuted),
      changed: (view, problem) => this.#show(problem === undefined ? view : { ...view, problem }),
    })
    line.listen((news) => this.#heard(news))
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => {
      this.#listeners.delete(changed)
    }
  }

  readonly read = (): CallView<People> => this.#view

  /** Opens the devices before the call, for the person alone. */
  async preview(): Promise<void> {
    this.#show({ problem: null })
    await this.#devices.openBoth()
  }

  /** Joins with the available microphone and camera; without `hasDevices` only to see and hear. */
  async join(hasDevices: boolean): Promise<void> {
    const start = ++this.#start
    this.#show({ problem: null })
    if (hasDevices) await this.#devices.openBoth()
    else this.#devices.close()
    if (start === this.#start) this.#line.start({ audio: this.#devices.sound, video: this.#devices.picture })
  }

  /** Leaves the call, or ends the preview. */
  leave(): void {
    this.#start++
    this.#line.stop()
    this.#devices.close()
    this.#show({ problem: null, held: [], asked: null })
  }

  retry(): void {
    this.#show({ problem: null })
    this.#line.retry()
  }

  async toggleMicrophone(): Promise<void> {
    const { microphone, isMuted, held } = this.#view
    if (held.includes("microphone") && (microphone === null || isMuted)) return
    if (microphone !== null) this.#devices.setMuted(!isMuted)
    else {
      this.#devices.setMuted(false)
      await this.#devices.turnOn("microphone")
    }
  }

  /** Sends the sound of the microphone as long as a key is held. Without a microphone nothing happens. */
  talk(isHeld: boolean): void {
    if (this.#view.held.includes("microphone")) return
    if (this.#view.microphone !== null && this.#view.isMuted === isHeld) this.#devices.setMuted(!isHeld)
  }

  async toggleCamera(): Promise<void> {
    if (this.#view.hasCamera) this.#devices.turnOffCamera()
    else if (!this.#view.held.includes("camera")) await this.#devices.turnOn("camera")
    this.#obey()
  }

  async toggleScreen(): Promise<void> {
    if (this.#view.isSharing) this.#devices.stopSharing()
    else if (!this.#view.held.includes("camera")) await this.#devices.share()
    this.#obey()
  }

  choose(kind: DeviceKind, id: string): Promise<void> {
    return this.#devices.choose(kind, id)
  }

  show(heights: ReadonlyMap<string, number>): void {
    this.#line.show?.(heights)
  }

  /** Turns on what a host asked for. */
  async answer(): Promise<void> {
    const { asked } = this.#view
    this.#show({ asked: null })
    if (asked === "camera") await this.#devices.turnOn("camera")
    else if (asked === "microphone") {
      this.#devices.setMuted(false)
      await this.#devices.turnOn("microphone")
    }
    this.#obey()
  }

  decline(): void {
    this.#show({ asked: null })
  }

  #heard(news: LineNews<People>): void {
    this.#show(news)
    if (news.held !== undefined) {
      this.#obey()
      // The sound of a shared screen goes on when its person is no longer muted.
      this.#devices.setMuted(this.#view.isMuted)
    }
    if (news.state === "off") this.#devices.close()
  }

  /** A device may have opened while a host muted it: its picker and its prompt wait for the person. */
  #obey(): void {
    const { held, isSharing, hasCamera } = this.#view
    if (held.includes("microphone")) this.#devices.setMuted(true)
    if (held.includes("camera") && isSharing) this.#devices.stopSharing()
    if (held.includes("camera") && hasCamera) this.#devices.turnOffCamera()
  }

  #show(change: Partial<CallView<People>>): void {
    const view = { ...this.#view, ...change }
    this.#view = isAnswered(view) ? { ...view, asked: null } : view
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
