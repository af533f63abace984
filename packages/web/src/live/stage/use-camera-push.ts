/** Camera push of a component: it ends with the component, and with the right to send. */
import type { GatewayClient } from "@gathercue/client"
import { useConnection, useEvent } from "@gathercue/client/react"
import { useCallback, useEffect, useState, useSyncExternalStore } from "react"
import { CameraPush, type CameraView } from "./camera-push.ts"

export interface Sending {
  readonly view: CameraView
  /** Rejects when the camera is denied, or the server gives no address. */
  readonly start: () => Promise<void>
  readonly stop: () => void
}

/** Whether a picture is accepted now: during a pause the server accepts it, but shows it to nobody. */
export const useIsOnAir = (client: GatewayClient): boolean =>
  useEvent(client, ({ broadcast }) => broadcast?.status === "live" || broadcast?.status === "paused") ?? false

export const useCameraPush = (client: GatewayClient): Sending => {
  const [push] = useState(() => new CameraPush())
  const view = useSyncExternalStore(push.subscribe, push.read)
  const isOnAir = useIsOnAir(client)
  const mayPush = useEvent(client, ({ me }) => me.can.includes("broadcast.ingest")) ?? false
  const { status } = useConnection(client)
  // A lost connection comes back, and the picture continues meanwhile.
  const isOver = !(isOnAir && mayPush) || status === "closed" || status === "lobby"
  useEffect(() => {
    if (isOver) push.stop()
  }, [isOver, push])
  useEffect(() => () => push.stop(), [push])
  const start = useCallback(() => push.start(client), [push, client])
  const stop = useCallback(() => push.stop(), [push])
  return { view, start, stop }
}
