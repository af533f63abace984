/** The recording with its captions, and a search in them. */
import { useRef, useState } from "react"
import { Player } from "../../live/stage/player.tsx"
import { CaptionTrack } from "./caption-track.tsx"
import { type Line, TranscriptSearch } from "./transcript-search.tsx"
import { useBlobUrl } from "./use-blob-url.ts"

interface Props {
  readonly title: string
  readonly url: string
  readonly captionsUrl: string | null
}

export const RecordingPlayer = ({ title, url, captionsUrl }: Props) => {
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
    </>
  )
}
