/** Starts or stops sending this browser's camera, with a preview. */
import { useEffect, useRef } from "react"
import { useAction } from "../../api/use-action.ts"
import type { Texts } from "../../texts/en.ts"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { InsecurePage, NoRecorder } from "./camera-push.ts"
import type { Sending } from "./use-camera-push.ts"
import "./stage.css"

const Preview = ({ stream }: { readonly stream: MediaStream }) => {
  const { live } = useTexts()
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current !== null) video.current.srcObject = stream
  }, [stream])
  return <video ref={video} className="camera" aria-label={live.onAir.preview} muted autoPlay playsInline />
}

const whyNot = (texts: Texts, error: unknown): string | null => {
  const { onAir } = texts.live
  if (error instanceof NoRecorder) return onAir.noRecorder
  if (error instanceof InsecurePage) return onAir.insecure
  return error instanceof DOMException ? onAir.noCamera : whyFailed(texts, error)
}

export const CameraControls = ({ view, start, stop }: Sending) => {
  const texts = useTexts()
  const { onAir } = texts.live
  const { stream, state, end } = view
  const starting = useAction(start)
  const ended = end === undefined ? null : (onAir.ends[end.code] ?? `${onAir.refused} ${end.detail}`)
  return (
    <>
      <p>{onAir.takesOver}</p>
      <p role="status">{state === "off" ? "" : onAir.state[state]}</p>
      <ProblemNotice>{ended}</ProblemNotice>
      <ProblemNotice>{whyNot(texts, starting.error)}</ProblemNotice>
      {stream === undefined ? null : <Preview stream={stream} />}
      <div className="row">
        {stream === undefined ? (
          <Button isPending={starting.isPending} onPress={() => void starting.run()}>
            {onAir.start}
          </Button>
        ) : (
          <Button onPress={stop}>{onAir.stop}</Button>
        )}
      </div>
    </>
  )
}
