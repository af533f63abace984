/** Broadcasts what the camera and the microphone of this browser take. */
import { useEffect, useRef } from "react"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/notice.tsx"
import { Failure } from "../parts/failure.tsx"
import { NoRecorder, useCamera } from "./camera-context.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

const Preview = ({ stream }: { readonly stream: MediaStream }) => {
  const { host } = useTexts()
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current !== null) video.current.srcObject = stream
  }, [stream])
  return <video ref={video} className="camera" aria-label={host.preview} muted autoPlay playsInline />
}

export const Camera = ({ client }: ClientProps) => {
  const { host } = useTexts()
  const { stream, state, detail, start, stop } = useCamera()
  const mayPush = useCan(client, "broadcast.ingest")
  const starting = useAction(() => start(client))
  const stopping = useAction(stop)
  if (!mayPush) return null
  const { error } = starting
  const isDenied = error instanceof DOMException
  const cannotRecord = error instanceof NoRecorder
  return (
    <section className="panel stack" aria-label={host.camera}>
      <h3>{host.camera}</h3>
      <p role="status">{stream === undefined ? "" : host.pushState[state]}</p>
      <Problem>{state === "refused" ? (detail ?? host.pushState.refused) : null}</Problem>
      <Problem>{isDenied ? host.noCamera : null}</Problem>
      <Problem>{cannotRecord ? host.noRecorder : null}</Problem>
      <Failure error={isDenied || cannotRecord ? null : error} />
      {stream === undefined ? null : <Preview stream={stream} />}
      <div className="row">
        {stream === undefined ? (
          <Button isPending={starting.isPending} onPress={() => void starting.run()}>
            {host.startCamera}
          </Button>
        ) : (
          <Button isPending={stopping.isPending} onPress={() => void stopping.run()}>
            {host.stopCamera}
          </Button>
        )}
      </div>
    </section>
  )
}
