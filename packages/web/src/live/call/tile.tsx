/** One person of a call: their picture, or their initials. */
import { Maximize, PictureInPicture2 } from "lucide-react"
import { type ReactNode, useEffect, useRef } from "react"
import { useTexts } from "../../texts/language.tsx"
import { IconButton } from "../../ui/icon-button.tsx"
import { useLoudness } from "./use-loudness.ts"

/** First characters of the first and the last word of the name. */
const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== "")
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => (word === undefined ? "" : (Array.from(word)[0] ?? "").toLocaleUpperCase()))
    .join("")
}

interface TileFrameProps {
  readonly name: string
  readonly hasPicture: boolean
  readonly isSpeaking: boolean
  /** Remark such as "connecting". */
  readonly remark?: string | null
  /** Buttons of hosts. */
  readonly controls?: ReactNode
  /** The `<video>`, if there is one. */
  readonly children: ReactNode
}

/** The place of a person, with buttons that enlarge their picture. */
export const TileFrame = ({ name, hasPicture, isSpeaking, remark = null, controls, children }: TileFrameProps) => {
  const { live } = useTexts()
  const tile = useRef<HTMLLIElement>(null)
  const float = (): void =>
    void tile.current
      ?.querySelector("video")
      ?.requestPictureInPicture()
      .catch(() => {})
  return (
    <li ref={tile} className="tile" data-speaking={isSpeaking || undefined}>
      {children}
      {hasPicture ? null : (
        <span className="tile-initials" aria-hidden="true">
          {initialsOf(name)}
        </span>
      )}
      <span className="tile-name">
        <bdi>{name}</bdi>
        {remark === null ? null : ` (${remark})`}
      </span>
      <span className="tile-buttons">
        {controls}
        {hasPicture ? (
          <IconButton
            label={live.fullScreen(name)}
            onPress={() => {
              if (document.fullscreenElement === tile.current) void document.exitFullscreen()
              else void tile.current?.requestFullscreen().catch(() => {})
            }}
          >
            <Maximize />
          </IconButton>
        ) : null}
        {hasPicture && document.pictureInPictureEnabled ? (
          <IconButton label={live.floating(name)} onPress={float}>
            <PictureInPicture2 />
          </IconButton>
        ) : null}
      </span>
    </li>
  )
}

interface TileProps extends Pick<TileFrameProps, "name" | "hasPicture" | "remark" | "controls"> {
  readonly stream: MediaStream | null
  /** Stream whose sound marks the person as speaking, if it is not the one that is played. */
  readonly sound?: MediaStream | null
  /** `own` is the person's own camera, which is muted and mirrored; `screen` their own screen, which is muted. */
  readonly whose?: "other" | "own" | "screen"
  /** Height of the tile in pixels of the screen, after each change; null when the tile goes. */
  readonly onHeight?: (height: number | null) => void
}

/** Loudness from which a person counts as speaking. */
const SPEAKING = 0.1

export const Tile = ({
  name,
  stream,
  hasPicture,
  remark = null,
  sound = stream,
  whose = "other",
  onHeight,
  controls,
}: TileProps) => {
  const video = useRef<HTMLVideoElement>(null)
  const loudness = useLoudness(sound)
  useEffect(() => {
    if (video.current !== null && video.current.srcObject !== stream) video.current.srcObject = stream
  }, [stream])
  useEffect(() => {
    const tile = video.current?.parentElement
    if (tile == null || onHeight === undefined) return undefined
    const observer = new ResizeObserver(() => onHeight(Math.max(1, tile.clientHeight * devicePixelRatio)))
    observer.observe(tile)
    return () => {
      observer.disconnect()
      onHeight(null)
    }
  }, [onHeight])
  return (
    <TileFrame
      name={name}
      hasPicture={hasPicture}
      isSpeaking={loudness >= SPEAKING}
      remark={remark}
      controls={controls}
    >
      <video
        ref={video}
        aria-label={name}
        className={whose === "own" ? "tile-own" : undefined}
        hidden={!hasPicture}
        autoPlay
        playsInline
        muted={whose !== "other"}
      />
    </TileFrame>
  )
}
