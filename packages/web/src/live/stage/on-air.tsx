/** Controls for a person on stage to send their own camera to the broadcast, where no media server shows the stage. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useEffect } from "react"
import { useTexts } from "../../texts/language.tsx"
import { CameraControls } from "./camera-controls.tsx"
import { useCameraPush, useIsOnAir } from "./use-camera-push.ts"

export interface OnAirProps {
  readonly client: GatewayClient
  /** Whether the camera is on. */
  readonly onSending: (isSending: boolean) => void
}

export const OnAir = ({ client, onSending }: OnAirProps) => {
  const { live } = useTexts()
  const sending = useCameraPush(client)
  const isOnAir = useIsOnAir(client)
  const isOver = useEvent(client, ({ broadcast }) => broadcast?.status === "ended") ?? false
  const isSending = sending.view.stream !== undefined
  useEffect(() => {
    onSending(isSending)
    return () => onSending(false)
  }, [isSending, onSending])
  if (isOver) return null
  if (!isOnAir) return <p>{live.onAir.later}</p>
  return (
    <>
      <CameraControls {...sending} />
      {isSending ? <p className="quiet">{live.onAir.stageMuted}</p> : null}
    </>
  )
}
