/** Broadcasts this browser's camera and microphone. */
import { CameraControls } from "../../live/stage/camera-controls.tsx"
import { useConsoleTexts } from "../../texts/language.tsx"
import { useCamera } from "./camera-context.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

export const Camera = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const sending = useCamera()
  const mayPush = useCan(client, "broadcast.ingest")
  if (!mayPush) return null
  return (
    <section className="panel stack" aria-label={host.camera}>
      <h3>{host.camera}</h3>
      <CameraControls {...sending} />
    </section>
  )
}
