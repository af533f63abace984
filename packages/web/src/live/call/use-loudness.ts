/** Loudness of a stream's sound, for a component. */
import { useEffect, useState } from "react"
import { watchLoudness } from "./sounds.ts"

/** From 0 (silence) to 1, in tenths, so that a component renders only when something is seen. */
export const useLoudness = (stream: MediaStream | null): number => {
  const [loudness, set] = useState(0)
  // A stream of the call gets its tracks one by one.
  const track = stream?.getAudioTracks()[0]
  useEffect(() => {
    if (track === undefined) return
    const unwatch = watchLoudness(track, (now) => set(Math.round(now * 10) / 10))
    return () => {
      unwatch()
      set(0)
    }
  }, [track])
  return loudness
}
