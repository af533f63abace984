/** The recording with its captions, a search in them, and what took place meanwhile. */
import { lazy, Suspense, useRef, useState } from "react"
import { Player } from "../../live/stage/player.tsx"
import { CaptionTrack } from "./caption-track.tsx"
import type { Replayed } from "./history.tsx"
import { type Line, TranscriptSearch } from "./transcript-search.tsx"
import { useBlobUrl } from "./use-blob-url.ts"

interface Props {
  readonly title: string
  readonly url: string
  readonly captionsUrl: string | null
  /** Null: no history of the event is kept. */
  readonly replay: Replayed | null
}

const History = lazy(async () => ({ default: (await import("./history.tsx")).History }))

export const RecordingPlayer = ({ title, url, captionsUrl, replay }: Props) => {
  const video = useRef<HTMLVideoElement>(null)
  const [lines, show] = useState<ReadonlyArray<Line>>([])
  const captions = useBlobUrl(captionsUrl)
  const seek = (seconds: number) => {
    const { current: element } = video
    if (element === null) return
    element.currentTime = seconds
    element.play().catch(() => {})
    element.focus()
  }
  return (
    <>
      <Player label={title} url={url} video={video}>
        {captions === null ? null : <CaptionTrack key={captions} src={captions} onLines={show} />}
      </Player>
      {lines.length === 0 ? null : <TranscriptSearch lines={lines} onSeek={seek} />}
      {replay === null ? null : (
        <Suspense>
          <History {...replay} video={video} hasCaptions={captionsUrl !== null} />
        </Suspense>
      )}
    </>
  )
}
