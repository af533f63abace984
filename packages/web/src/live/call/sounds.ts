/** Work on sounds in the browser: the loudness of a track, and one track made of two. */

let shared: AudioContext | undefined

/** Browsers allow few contexts, so the page has one. It is created after a press, because it stays silent before one. */
const context = (): AudioContext => {
  shared ??= new AudioContext()
  if (shared.state === "suspended") void shared.resume().catch(() => {})
  return shared
}

const INTERVAL_MS = 100

/** Reports the loudness of the track ten times a second, from 0 (silence) to 1. Returns a function that stops it. */
export const watchLoudness = (track: MediaStreamTrack, heard: (loudness: number) => void): (() => void) => {
  const source = context().createMediaStreamSource(new MediaStream([track]))
  const analyser = context().createAnalyser()
  analyser.fftSize = 1024
  source.connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length
    // Speech has an effective value of about 0.1.
    heard(Math.min(1, Math.sqrt(power) * 5))
  }, INTERVAL_MS)
  return () => {
    clearInterval(timer)
    source.disconnect()
  }
}

export interface Mixture {
  readonly track: MediaStreamTrack
  readonly stop: () => void
}

/** One track with the sound of all: a call carries one sound of each person. */
export const mixed = (tracks: ReadonlyArray<MediaStreamTrack>): Mixture | null => {
  const output = context().createMediaStreamDestination()
  const sources = tracks.map((track) => context().createMediaStreamSource(new MediaStream([track])))
  for (const source of sources) source.connect(output)
  const [track] = output.stream.getAudioTracks()
  if (track === undefined) return null
  return {
    track,
    stop: () => {
      for (const source of sources) source.disconnect()
      track.stop()
    },
  }
}
