/** One person of a call: their picture, or only their name. */
import { useEffect, useRef } from "react"

interface Props {
  readonly name: string
  readonly stream: MediaStream | null
  readonly hasPicture: boolean
  /** Whether it is one's own tile, which is muted and mirrored. */
  readonly isOwn?: boolean
  /** Remark such as "connecting". */
  readonly remark?: string | null
}

export const Tile = ({ name, stream, hasPicture, isOwn = false, remark = null }: Props) => {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current !== null && video.current.srcObject !== stream) video.current.srcObject = stream
  }, [stream])
  return (
    <li className="tile">
      <video
        ref={video}
        aria-label={name}
        className={isOwn ? "tile-own" : undefined}
        hidden={!hasPicture}
        autoPlay
        playsInline
        muted={isOwn}
      />
      <span className="tile-name">
        <bdi>{name}</bdi>
        {remark === null ? null : ` (${remark})`}
      </span>
    </li>
  )
}
