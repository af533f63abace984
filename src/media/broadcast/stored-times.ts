/** Durations of the stored segments of a recording. */
import type { MediaSegment } from "./segments.ts"

/**
 * A segment lasts until the next one starts, which is exact to the millisecond even where the encoder guessed the duration of its last
 * frames. Where segments in between were not stored, it has its own duration, and the time jumps.
 */
export const storedTimes = (segments: ReadonlyArray<MediaSegment>): ReadonlyArray<MediaSegment> =>
  segments.map((segment, index) => {
    const [before, next] = [segments[index - 1], segments[index + 1]]
    return {
      ...segment,
      isDiscontinuous: segment.isDiscontinuous || (before !== undefined && before.number + 1 !== segment.number),
      durationMs: next?.number === segment.number + 1 ? next.startMs - segment.startMs : segment.durationMs,
    }
  })
