/** Whatever encoders and hosts do, in any order, a broadcast is one timeline, and its files are its rows. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { broadcastPositionAfter } from "../../../src/media/broadcast/segments.ts"
import { Timeline } from "../../../src/media/broadcast/timeline.ts"
import { FFMPEG_FILES, fixture, fragmentsOf, initOf, joined, NOW, OPTIONS, Recorded } from "./support.ts"

const files = joined([fixture("ffmpeg-files/init.mp4"), ...FFMPEG_FILES.map(fixture)])
const SOURCES = [
  fixture("ffmpeg-stream.mp4"),
  fixture("ffmpeg-other-size.mp4"),
  fixture("media-recorder.mp4"),
  fixture("media-recorder-again.mp4"),
  fixture("mediabunny-browser.mp4"),
  files,
]

type Step =
  | { readonly does: "run"; readonly source: number; readonly from: number; readonly count: number }
  | { readonly does: "pause" | "resume" | "endFile" | "end" | "crash" }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("run" as const),
      source: fc.nat(SOURCES.length - 1),
      from: fc.nat(3),
      count: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom("pause", "resume", "resume", "endFile", "end", "crash") }),
  },
)

/** Answers the timeline that goes on: after a crash it is another one. */
const perform = (recording: Recorded, timeline: Timeline, one: Step): Timeline => {
  switch (one.does) {
    case "run": {
      const source = SOURCES[one.source] ?? files
      recording.add(timeline.begin(initOf(source)))
      for (const fragment of fragmentsOf(source).slice(one.from, one.from + one.count))
        recording.add(timeline.push(fragment, NOW))
      return timeline
    }
    case "resume":
      timeline.resume()
      return timeline
    case "crash":
      return recovered(recording)
    default:
      recording.add(timeline[one.does]())
      return timeline
  }
}

const recovered = (recording: Recorded): Timeline => {
  const last = recording.segments.at(-1)
  const take = recording.takes.find(({ number }) => number === last?.take)
  // A take of which no segment got its row was never there.
  recording.takes.splice(last?.take ?? 0)
  const init = last === undefined ? undefined : initOf(recording.file(last.take))
  return new Timeline(OPTIONS, broadcastPositionAfter(last, take), init)
}

test("segments follow upon each other, no track goes back, and the files are what the rows say", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const recording = new Recorded()
      let timeline = recording.timeline
      for (const one of steps) timeline = perform(recording, timeline, one)
      recording.add(timeline.end())

      let endMs = 0
      const ends = new Map(recording.takes.map(({ number, initBytes }) => [number, initBytes]))
      for (const [index, segment] of recording.segments.entries()) {
        expect(segment).toMatchObject({ number: index, offset: ends.get(segment.take) })
        expect(segment.isDiscontinuous || segment.take === recording.segments[index - 1]?.take || index === 0).toBe(
          true,
        )
        // Sound may end later than the picture of a file, and a crash leaves room.
        expect(segment.startMs - endMs).toBeGreaterThanOrEqual(0)
        expect(segment.startMs - endMs).toBeLessThan(150)
        endMs = segment.startMs + segment.durationMs
        ends.set(segment.take, segment.offset + segment.bytes)
      }
      for (const { number } of recording.takes) {
        const file = recording.file(number)
        expect(file.length).toBe(ends.get(number))
        expectForward(file)
      }
    }),
    { numRuns: 300 },
  )
})

const expectForward = (file: Uint8Array): void => {
  const ends = new Map<string, number>()
  for (const { tracks } of fragmentsOf(file)) {
    for (const { track, decodeTime, duration, lastSampleDuration, samples } of tracks) {
      if (samples === 0) continue
      // Not before the last sample of the fragment before; its duration may be too long by a guess.
      expect(decodeTime).toBeGreaterThan(ends.get(track.kind) ?? -1)
      ends.set(track.kind, decodeTime + duration - lastSampleDuration)
    }
  }
}
