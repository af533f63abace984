/** One clock over encoders that come and go. */
import { expect, test } from "vitest"
import type { Fragment } from "../../../src/media/broadcast/fmp4/fragment.ts"
import { broadcastPositionAfter } from "../../../src/media/broadcast/segments.ts"
import { Timeline } from "../../../src/media/broadcast/timeline.ts"
import {
  clockOf,
  FFMPEG_FILES,
  fixture,
  fragmentsOf,
  initOf,
  joined,
  NOW,
  OPTIONS,
  played,
  Recorded,
  recorded,
  samplesOf,
} from "./support.ts"

const stream = fixture("ffmpeg-stream.mp4")
const otherSize = fixture("ffmpeg-other-size.mp4")

/** Each segment begins where the one before it ends, and its bytes stand behind that one's. */
const expectOneTimeline = ({ segments, takes }: Recorded): void => {
  let endMs = 0
  const ends = new Map(takes.map(({ number, initBytes }) => [number, initBytes]))
  for (const [index, segment] of segments.entries()) {
    expect(segment).toMatchObject({ number: index, startMs: endMs, offset: ends.get(segment.take) })
    endMs += segment.durationMs
    ends.set(segment.take, segment.offset + segment.bytes)
  }
}

/** Samples of each track in a take's file follow upon each other: the greatest hole and the greatest overlap, in seconds. */
const seamsOf = (file: Uint8Array, kind: "video" | "audio"): { readonly hole: number; readonly overlap: number } => {
  const parts = fragmentsOf(file)
    .flatMap(({ tracks }) => tracks)
    .filter(({ track, samples }) => track.kind === kind && samples > 0)
  const gaps = parts.slice(1).map((one, index) => {
    const before = parts[index]
    return before === undefined ? 0 : (one.decodeTime - before.decodeTime - before.duration) / one.track.timescale
  })
  return { hole: Math.max(0, ...gaps), overlap: Math.max(0, ...gaps.map((gap) => -gap)) }
}

test("a stream is cut at key frames into segments of about a second", () => {
  const recording = recorded(stream)
  expectOneTimeline(recording)
  expect(clockOf(recording.segments)).toEqual([
    [1, 0, 1021, false],
    [1, 1021, 1000, false],
    [1, 2021, 1000, false],
    [1, 3021, 1001, false],
  ])
  for (const segment of recording.segments)
    expect(fragmentsOf(recording.segmentBytes(segment), initOf(stream))[0]?.tracks[0]?.startsWithSync).toBe(true)
})

test("segments of two seconds have twice as much", () => {
  const recording = new Recorded(new Timeline({ segmentMs: 2000, partMs: 500 }))
  recording.stream(stream)
  recording.end()
  expect(recording.segments.map(({ durationMs, parts }) => [durationMs, parts.length])).toEqual([
    [2021, 4],
    [2001, 4],
  ])
})

test("parts are the fragments of a segment; the first one is independent, and each has its bytes", () => {
  const { events, segments } = recorded(stream)
  const parts = events.flatMap((event) => (event.type === "part" ? [event] : []))
  expect(
    parts.slice(0, 4).map(({ segment, index, part }) => [segment, index, part.durationMs, part.isIndependent]),
  ).toEqual([
    [0, 0, 501, true],
    [0, 1, 520, false],
    [1, 0, 520, true],
    [1, 1, 480, false],
  ])
  expect(segments[0]?.parts).toEqual(parts.slice(0, 2).map(({ part }) => part))
  const [first] = events.flatMap((event) => (event.type === "segment" ? [event] : []))
  expect(joined(parts.slice(0, 2).flatMap(({ data }) => data))).toEqual(joined(first?.data ?? []))
})

test("small fragments are gathered into parts of the wanted length", () => {
  const recording = new Recorded(new Timeline({ segmentMs: 2000, partMs: 1000 }))
  recording.stream(stream)
  expect(recording.timeline.open?.parts).toEqual([
    { durationMs: 1000, isIndependent: true },
    { durationMs: 1000, isIndependent: true },
  ])
})

test("a part is told before the segment is whole, and a segment when the next key frame has come", () => {
  const recording = new Recorded()
  const [first, second, third] = fragmentsOf(stream)
  if (first === undefined || second === undefined || third === undefined) throw new Error("too few fragments")
  recording.add(recording.timeline.begin(initOf(stream)))
  const told = [first, second, third].map((fragment) => recording.timeline.push(fragment, NOW).map(({ type }) => type))
  expect(told).toEqual([["take", "part"], ["part"], ["segment", "part"]])
})

test("the end of a file ends its segment, without waiting for the next one", () => {
  const init = initOf(fixture("ffmpeg-files/init.mp4"))
  const recording = new Recorded()
  recording.add(recording.timeline.begin(init))
  for (const [index, name] of FFMPEG_FILES.entries()) {
    for (const fragment of fragmentsOf(fixture(name), init)) recording.add(recording.timeline.push(fragment, NOW))
    recording.add(recording.timeline.endFile())
    expect(recording.segments).toHaveLength(index + 1)
  }
  expectOneTimeline(recording)
  expect(recording.segments.map(({ durationMs }) => durationMs)).toEqual([1000, 1000, 1000])
  // Sound goes on for a frame after the picture, and what follows leaves room for it.
  recording.add(recording.timeline.end())
  expect(recording.timeline.position.endMs).toBeGreaterThan(3000)
})

test("an encoder that is killed and begins again with the same init and at 0 goes on in the same take", () => {
  // Within a fragment, which is lost.
  const recording = recorded(stream.subarray(0, 30_000), stream)
  expect(recording.takes).toHaveLength(1)
  expectOneTimeline(recording)
  expect(clockOf(recording.segments)).toEqual([
    [1, 0, 1021, false],
    // Sound went on for five milliseconds after the picture.
    [1, 1021, 1006, false],
    [1, 2027, 1021, true],
    [1, 3048, 1000, false],
    [1, 4048, 1000, false],
    [1, 5048, 1001, false],
  ])
  const file = recording.file(1)
  for (const kind of ["video", "audio"] as const) {
    expect(samplesOf(file, kind)).toBe(samplesOf(stream.subarray(0, 30_000), kind) + samplesOf(stream, kind))
    expect(seamsOf(file, kind)).toMatchObject({ overlap: 0 })
    expect(seamsOf(file, kind).hole).toBeLessThan(0.03)
  }
  // What the segments say together is what the last picture's time says.
  const last = fragmentsOf(file).at(-1)?.tracks[0]
  const lastMs = (((last?.decodeTime ?? 0) + (last?.duration ?? 0)) / (last?.track.timescale ?? 1)) * 1000
  const total = recording.segments.reduce((sum, { durationMs }) => sum + durationMs, 0)
  expect(Math.abs(total - lastMs)).toBeLessThan(25)
})

test("runs of MediaRecorder that number their tracks differently are one take, with the numbers of its first", () => {
  const [first, again] = [fixture("media-recorder.mp4"), fixture("media-recorder-again.mp4")]
  const recording = recorded(first, again)
  expect(recording.takes).toHaveLength(1)
  expectOneTimeline(recording)
  for (const kind of ["video", "audio"] as const) {
    expect(samplesOf(recording.file(1), kind)).toBe(samplesOf(first, kind) + samplesOf(again, kind))
    expect(seamsOf(recording.file(1), kind).overlap).toBeLessThan(0.02)
  }
})

test("sound of MediaRecorder has no hole behind each fragment, for which browsers would drop pictures", () => {
  const source = fixture("media-recorder.mp4")
  // Its last packet is said to last 21 milliseconds; it lasts 60.
  expect(seamsOf(source, "audio").hole).toBeGreaterThan(0.035)
  const { hole, overlap } = seamsOf(recorded(source).file(1), "audio")
  expect([hole, overlap]).toEqual([expect.closeTo(0, 2), expect.closeTo(0, 2)])
})

test("frames at a variable rate: a segment lasts until the next one begins, which its own durations fall short of", () => {
  const recorder = fixture("media-recorder.mp4")
  const said = fragmentsOf(recorder).map(({ tracks }) => Math.round(((tracks[0]?.duration ?? 0) / 30_000) * 1000))
  const recording = recorded(recorder)
  expect(said).toEqual([1018, 1018, 1025, 993, 33])
  expect(recording.segments.map(({ durationMs }) => durationMs)).toEqual([1036, 1033, 1032, 1038])
})

test("a run whose picture begins after its sound begins where the run before it ended", () => {
  const recording = recorded(fixture("mediabunny-browser.mp4"), fixture("mediabunny-browser.mp4"))
  expectOneTimeline(recording)
  expect(recording.takes).toHaveLength(1)
})

test("a track without samples gets the time of the other, and not the start of the broadcast", () => {
  const last = fragmentsOf(recorded(fixture("media-recorder.mp4")).file(1)).at(-1)
  const [picture, sound] = last?.tracks ?? []
  expect(sound?.samples).toBe(0)
  const seconds = [picture, sound].map((one) => (one?.decodeTime ?? 0) / (one?.track.timescale ?? 1))
  expect(seconds[0]).toBeCloseTo(4.103, 2)
  expect(seconds[1]).toBeCloseTo(seconds[0] ?? 0, 3)
})

test("a fragment without sound begins no segment of its own at once, but a sound that stays away does not end the cutting", () => {
  const soundless = (from: number): Recorded =>
    played(
      stream,
      fragmentsOf(stream).map((fragment, index) =>
        index < from
          ? fragment
          : { ...fragment, tracks: fragment.tracks.filter(({ track }) => track.kind === "video") },
      ),
    )
  expect(soundless(6).segments.map(({ durationMs }) => durationMs)).toEqual([1021, 1000, 2001])
  expect(soundless(2).segments.map(({ durationMs }) => durationMs)).toEqual([3021, 1001])
})

test("another picture size takes over as another take, whose file begins anew", () => {
  const recording = recorded(stream, otherSize)
  expectOneTimeline(recording)
  expect(recording.takes.map(({ number }) => number)).toEqual([1, 2])
  expect(clockOf(recording.segments).slice(3)).toEqual([
    [1, 3021, 1001, false],
    [2, 4022, 1021, true],
    [2, 5043, 1001, false],
  ])
  expect(initOf(recording.file(2)).tracks[0]?.size).toEqual({ width: 256, height: 144 })
  expect(samplesOf(recording.file(1), "video") + samplesOf(recording.file(2), "video")).toBe(150)
})

test("a take that comes back after another one is a third one", () => {
  expect(recorded(stream, otherSize, stream).takes.map(({ number }) => number)).toEqual([1, 2, 3])
})

test("a pause drops what comes, and the recording has neither it nor a gap", () => {
  const recording = new Recorded()
  recording.add(recording.timeline.begin(initOf(stream)))
  for (const [index, fragment] of fragmentsOf(stream).entries()) {
    // The third second is dropped; it is resumed within the fourth, which has no key frame left.
    if (index === 4) recording.add(recording.timeline.pause())
    if (index === 5) recording.timeline.resume()
    recording.add(recording.timeline.push(fragment, NOW + index * 500))
  }
  recording.end()
  expectOneTimeline(recording)
  expect(clockOf(recording.segments)).toEqual([
    [1, 0, 1021, false],
    [1, 1021, 1006, false],
    [1, 2027, 1000, true],
  ])
  expect(recording.takes).toHaveLength(1)
  expect(seamsOf(recording.file(1), "video").overlap).toBe(0)
})

test("a pause in the middle of a segment ends it there", () => {
  const recording = new Recorded()
  recording.stream(stream.subarray(0, 10_000))
  recording.add(recording.timeline.pause())
  expect(recording.timeline.isPaused).toBe(true)
  expect(clockOf(recording.segments)).toEqual([[1, 0, 512, false]])
})

/** Fragments as an encoder would have written them at another time: `from` on, by seconds. */
const movedFrom = (from: number, seconds: number): ReadonlyArray<Fragment> =>
  fragmentsOf(stream).map((fragment, index) => ({
    bytes: fragment.bytes,
    tracks: fragment.tracks.map((one) => ({
      ...one,
      decodeTime: one.decodeTime + (index < from ? 0 : Math.round(seconds * one.track.timescale)),
    })),
  }))

test.each([
  ["goes back", -1],
  ["begins anew", -2],
  ["jumps ahead", 3],
  ["is set to the time of day", 1_780_000_000],
])("a clock that %s makes a discontinuity and no gap", (_, seconds) => {
  const recording = played(stream, movedFrom(4, seconds))
  expectOneTimeline(recording)
  expect(recording.segments.map(({ isDiscontinuous }) => isDiscontinuous)).toEqual([false, false, true, false])
  expect(recording.timeline.position.endMs).toBe(4027)
  for (const kind of ["video", "audio"] as const) expect(seamsOf(recording.file(1), kind)).toMatchObject({ overlap: 0 })
})

test("a fifth of a second is no gap", () => {
  const recording = played(stream, movedFrom(4, 0.2))
  expect(recording.segments.some(({ isDiscontinuous }) => isDiscontinuous)).toBe(false)
  expectOneTimeline(recording)
})

test("a picture that stands while the sound goes on is no gap", () => {
  const recording = played(
    stream,
    movedFrom(4, 0).map((fragment, index) =>
      index < 4
        ? fragment
        : {
            ...fragment,
            tracks: fragment.tracks.map((one) =>
              one.track.kind === "video" ? { ...one, decodeTime: one.decodeTime + one.track.timescale } : one,
            ),
          },
    ),
  )
  expect(recording.segments.some(({ isDiscontinuous }) => isDiscontinuous)).toBe(false)
})

test("a stream that begins within a scene waits for its first key frame", () => {
  const recording = played(stream, fragmentsOf(stream).slice(1))
  expect(clockOf(recording.segments)).toEqual([
    [1, 0, 1000, false],
    [1, 1000, 1000, false],
    [1, 2000, 1000, false],
  ])
})

test("after a crash the rows say where the timeline and the file go on", () => {
  const whole = recorded(stream)
  const [take] = whole.takes
  // The third segment's row is not there; its bytes may be.
  const last = whole.segments[1]
  const position = broadcastPositionAfter(last, take)
  const file = whole.file(1).slice(0, position.fileBytes)
  const timeline = new Timeline(OPTIONS, position, initOf(file))
  const next = new Recorded(timeline)
  next.stream(stream)
  next.end()
  expect(next.takes).toEqual([])
  expect(next.segments[0]).toMatchObject({ number: 2, take: 1, offset: file.length, isDiscontinuous: true })
  const segments = next.events.flatMap((event) => (event.type === "segment" ? event.data : []))
  const goneOn = joined([file, ...segments])
  for (const kind of ["video", "audio"] as const) {
    expect(seamsOf(goneOn, kind).overlap).toBe(0)
    expect(seamsOf(goneOn, kind).hole).toBeLessThan(0.15)
  }
  expect(broadcastPositionAfter(undefined, undefined)).toMatchObject({ nextSegment: 0, endMs: 0 })
})

test("each run begins at the time of day at which its first moment was made", () => {
  const recording = new Recorded()
  recording.stream(stream.subarray(0, 23_000), NOW)
  recording.stream(stream, NOW + 60_000)
  recording.end()
  expect(recording.segments.map(({ at }) => at - NOW)).toEqual([-501, 520, 59_499, 60_520, 61_520, 62_520])
})
