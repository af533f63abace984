/** The browser's microphones, cameras and screens. */
import type { CallProblem } from "./call-line.ts"

export type DeviceKind = "microphone" | "camera"

export interface Device {
  readonly id: string
  /** Label given by the browser; empty until it has allowed a device of this kind. */
  readonly label: string
}

export type DeviceLists = { readonly [kind in DeviceKind]: ReadonlyArray<Device> }

const problemOf = (cause: unknown): CallProblem =>
  cause instanceof DOMException && cause.name === "NotAllowedError" ? "denied" : "noDevice"

/** Opens the chosen device, or the browser's own choice when it is null or gone. */
export const openDevice = async (kind: DeviceKind, id: string | null): Promise<MediaStreamTrack | CallProblem> => {
  // Browsers give devices only to pages on https and localhost.
  if (navigator.mediaDevices === undefined) return "insecure"
  const which = id === null ? true : { deviceId: { exact: id } }
  try {
    const stream = await navigator.mediaDevices.getUserMedia(
      kind === "microphone" ? { audio: which } : { video: which },
    )
    return stream.getTracks()[0] ?? "noDevice"
  } catch (cause) {
    const isGone = cause instanceof DOMException && cause.name === "OverconstrainedError"
    return isGone && id !== null ? openDevice(kind, null) : problemOf(cause)
  }
}

/** Whether the browser can share a screen: those of phones cannot. */
export const canShareScreen = (): boolean => navigator.mediaDevices?.getDisplayMedia !== undefined

/** Asks for a screen, with its sound where the browser has it. Null when the person or the browser declines. */
export const openScreen = async (): Promise<MediaStream | null> => {
  try {
    const stream = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: true })
    // Text must stay legible: the browser lowers the rate before the size.
    for (const track of stream.getVideoTracks()) track.contentHint = "detail"
    return stream
  } catch {
    return null
  }
}

export const listDevices = async (): Promise<DeviceLists> => {
  const all = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? []
  const of = (kind: MediaDeviceKind): ReadonlyArray<Device> =>
    all.filter((one) => one.kind === kind && one.deviceId !== "").map(({ deviceId: id, label }) => ({ id, label }))
  return { microphone: of("audioinput"), camera: of("videoinput") }
}
