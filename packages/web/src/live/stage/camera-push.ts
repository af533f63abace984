/**
 * Sends this browser's camera and microphone to the broadcast. Devices are on only while they are used: they are switched off at once when
 * it ends, for whatever reason, even when it is stopped before it has begun.
 */
import type { GatewayClient } from "@gathercue/client"
import type { BroadcastPush } from "@gathercue/client/media"

/** `camera` means that the camera itself ended. Other codes are the server's. */
export interface PushEnd {
  readonly code: string
  readonly detail: string
}

export interface CameraView {
  /** Sent stream, for the preview; undefined while the camera is off. */
  readonly stream: MediaStream | undefined
  /** `waiting` means that the server is unreachable or overloaded. */
  readonly state: "off" | "starting" | "pushing" | "waiting"
  /** Reason of an end that was not requested. */
  readonly end: PushEnd | undefined
}

/** The browser has no recorder for the formats of broadcasts. */
export class NoRecorder extends Error {
  override readonly name = "NoRecorder"
}

/** Browsers give devices only to pages on https and localhost. */
export class InsecurePage extends Error {
  override readonly name = "InsecurePage"
}

const OFF: CameraView = { stream: undefined, state: "off", end: undefined }

/** AAC plays everywhere, Opus in MP4 on iOS 17 and later only. */
const CODECS = ["avc1.42E01F,mp4a.40.2", "avc1.42E01F,opus"]
const KEY_FRAME_MS = 1000

const mimeTypeHere = (): string => {
  if (typeof MediaRecorder === "undefined") throw new NoRecorder("no recorder")
  const type = CODECS.map((codecs) => `video/mp4;codecs=${codecs}`).find((one) => MediaRecorder.isTypeSupported(one))
  if (type === undefined) throw new NoRecorder("no recorder of H.264 in MP4")
  return type
}

const openCamera = (): Promise<MediaStream> => {
  if (navigator.mediaDevices === undefined) throw new InsecurePage("no devices for this page")
  return navigator.mediaDevices.getUserMedia({ video: { width: 1280, height: 720 }, audio: true })
}

const switchOff = (stream: MediaStream | undefined): void => {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

export class CameraPush {
  readonly #listeners = new Set<() => void>()
  #view = OFF
  #push: BroadcastPush | undefined
  /** Number of the current start: results of an earlier one are ignored. */
  #start = 0

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => {
      this.#listeners.delete(changed)
    }
  }

  readonly read = (): CameraView => this.#view

  /** Rejects when the camera is denied, or the server gives no address. A new address ends the current encoder, so it is requested last. */
  async start(client: GatewayClient): Promise<void> {
    if (this.#view.stream !== undefined) return
    const start = ++this.#start
    const isOver = (): boolean => start !== this.#start
    const mimeType = mimeTypeHere()
    const stream = await openCamera()
    if (isOver()) {
      switchOff(stream)
      return
    }
    this.#show({ stream, state: "starting", end: undefined })
    try {
      const [{ BroadcastPush: Push }, { d }] = await Promise.all([
        import("@gathercue/client/media"),
        client.command("broadcast.ingest", {}),
      ])
      if (isOver()) return
      const options = { mimeType, videoKeyFrameIntervalDuration: KEY_FRAME_MS }
      this.#push = new Push({
        streamUrl: d.streamUrl,
        makeRecorder: () => new MediaRecorder(stream, options),
        onState: (state, detail = "", code = "camera") => {
          if (isOver()) return
          if (state === "pushing" || state === "waiting") this.#show({ ...this.#view, state })
          else this.#end({ code, detail })
        },
      })
      this.#push.start()
    } catch (failure) {
      if (isOver()) return
      this.stop()
      throw failure
    }
  }

  stop(): void {
    this.#start++
    if (this.#view !== OFF) this.#end(undefined)
  }

  #end(end: PushEnd | undefined): void {
    this.#start++
    const { stream } = this.#view
    // The recorder stops first, because it still sends its last piece. The devices do not wait for the server to accept it.
    this.#push?.stop().catch(() => {})
    this.#push = undefined
    switchOff(stream)
    this.#show(end === undefined ? OFF : { ...OFF, end })
  }

  #show(view: CameraView): void {
    this.#view = view
    for (const changed of [...this.#listeners]) changed()
  }
}
