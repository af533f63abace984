/** Player with sound: a live broadcast, a recording or a clip. */
import { type RefObject, useEffect, useRef } from "react"
import { attach } from "./attach.ts"
import "./stage.css"

interface Props {
  readonly label: string
  readonly url: string
  readonly isLive?: boolean
  /** Temporarily without sound, whatever the viewer chose. */
  readonly isMuted?: boolean
  readonly video?: RefObject<HTMLVideoElement | null>
  /** Caption tracks. */
  readonly children?: React.ReactNode
}

export const Player = ({ label, url, isLive = false, isMuted = false, video, children }: Props) => {
  const own = useRef<HTMLVideoElement>(null)
  const element = video ?? own
  useEffect(() => (element.current === null ? undefined : attach(element.current, url, isLive)), [element, url, isLive])
  useEffect(() => {
    const player = element.current
    if (player === null || !isMuted) return
    const before = player.muted
    player.muted = true
    return () => {
      player.muted = before
    }
  }, [element, isMuted])
  return (
    // biome-ignore lint/a11y/useMediaCaption: a recording has its track among the children; what is said live stands below the picture.
    <video ref={element} className="player" aria-label={label} controls playsInline preload="metadata">
      {children}
    </video>
  )
}
