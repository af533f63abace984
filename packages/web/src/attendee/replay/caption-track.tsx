/** Captions of a recording, displayed with its picture, and their lines. */
import { useEffect, useRef } from "react"
import { useLanguage, useTexts } from "../../texts/language.tsx"
import type { Line } from "./transcript-search.tsx"

interface Props {
  readonly src: string
  readonly onLines: (lines: ReadonlyArray<Line>) => void
}

const lineOf = (cue: TextTrackCue): Line => ({
  seconds: cue.startTime,
  text: cue instanceof VTTCue ? (cue.getCueAsHTML().textContent ?? "") : "",
})

export const CaptionTrack = ({ src, onLines }: Props) => {
  const { live } = useTexts()
  const language = useLanguage()
  const element = useRef<HTMLTrackElement>(null)
  useEffect(() => {
    const { current: shown } = element
    if (shown === null) return
    const loaded = (): void => onLines(Array.from(shown.track.cues ?? [], lineOf))
    // React does not forward this event of a track.
    shown.addEventListener("load", loaded)
    // A browser loads only tracks that it shows.
    shown.track.mode = "showing"
    return () => shown.removeEventListener("load", loaded)
  }, [onLines])
  return <track ref={element} kind="captions" label={live.captions} srcLang={language} src={src} />
}
