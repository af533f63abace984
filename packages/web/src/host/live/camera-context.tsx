/** The push of this browser's camera. It goes on while the host looks at other parts of the console, and ends with the console. */
import type { GatewayClient } from "@gathercue/client"
import type { BroadcastPush, PushState } from "@gathercue/client/media"
import { createContext, useContext, useEffect, useMemo, useRef, useState } from "react"

export interface Pushing {
  /** The stream that is sent, for the preview. */
  readonly stream: MediaStream | undefined
  readonly state: PushState
  /** The server's reason for refusing. */
  readonly detail: string | undefined
  /** Rejects where the camera is not given, or the server gives no address. */
  readonly start: (client: GatewayClient) => Promise<void>
  readonly stop: () => Promise<void>
}

const Camera = createContext<Pushing | undefined>(undefined)

/** AAC plays everywhere, Opus in MP4 on iOS 17 and later only. */
const CODECS = ["avc1.42E01F,mp4a.40.2", "avc1.42E01F,opus"]

/** The browser has no recorder for what broadcasts are made of. */
export class NoRecorder extends Error {
  override readonly name = "NoRecorder"
}

const mimeTypeHere = (): string => {
  const type = CODECS.map((codecs) => `video/mp4;codecs=${codecs}`).find((one) => MediaRecorder.isTypeSupported(one))
  if (type === undefined) throw new NoRecorder("no recorder of H.264 in MP4")
  return type
}

const KEY_FRAME_MS = 1000

const end = (stream: MediaStream | undefined): void => {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

interface Shown {
  readonly stream: MediaStream | undefined
  readonly state: PushState
  readonly detail: string | undefined
}

const OFF: Shown = { stream: undefined, state: "stopped", detail: undefined }

export const CameraProvider = ({ children }: { readonly children: React.ReactNode }) => {
  const [shown, show] = useState<Shown>(OFF)
  const running = useRef<{ readonly push: BroadcastPush; readonly stream: MediaStream } | undefined>(undefined)
  const actions = useMemo(() => {
    const stop = async (): Promise<void> => {
      const now = running.current
      running.current = undefined
      await now?.push.stop()
      end(now?.stream)
      show((last) => ({ ...OFF, detail: last.detail }))
    }
    const start = async (client: GatewayClient): Promise<void> => {
      if (running.current !== undefined) return
      const mimeType = mimeTypeHere()
      const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 1280, height: 720 }, audio: true })
      try {
        const [{ BroadcastPush }, { d }] = await Promise.all([
          import("@gathercue/client/media"),
          client.command("broadcast.ingest", {}),
        ])
        const options = { mimeType, videoKeyFrameIntervalDuration: KEY_FRAME_MS }
        const push = new BroadcastPush({
          streamUrl: d.streamUrl,
          makeRecorder: () => new MediaRecorder(stream, options),
          onState: (state, detail) => show({ stream, state, detail }),
        })
        running.current = { push, stream }
        push.start()
      } catch (failure) {
        end(stream)
        throw failure
      }
    }
    return { start, stop }
  }, [])
  useEffect(() => () => void actions.stop(), [actions])
  const value = useMemo(() => ({ ...shown, ...actions }), [shown, actions])
  return <Camera value={value}>{children}</Camera>
}

export const useCamera = (): Pushing => {
  const camera = useContext(Camera)
  if (camera === undefined) throw new Error("a component is outside of CameraProvider")
  return camera
}
