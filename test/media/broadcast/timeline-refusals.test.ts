/** Streams that the one clock of a broadcast does not take. */
import { expect, test } from "vitest"
import type { Fragment } from "../../../src/media/broadcast/fmp4/fragment.ts"
import { Timeline } from "../../../src/media/broadcast/timeline.ts"
import { clockOf, fixture, fragmentsOf, initOf, NOW, OPTIONS, played, Recorded } from "./support.ts"

const stream = fixture("ffmpeg-stream.mp4")
const otherSize = fixture("ffmpeg-other-size.mp4")

const refusal = (code: string): object => expect.objectContaining({ name: "EncoderRefused", code })

test("fragments before an init, and a clock that jumps all the time, are refused", () => {
  const [first] = fragmentsOf(stream)
  if (first === undefined) throw new Error("no fragment")
  const timeline = new Timeline(OPTIONS)
  expect(() => timeline.push(first, NOW)).toThrow(refusal("no_init"))
  timeline.begin(initOf(stream))
  const again = (): void => {
    for (let count = 0; count < 100; count++) timeline.push(first, NOW)
  }
  expect(again).toThrow(refusal("clock"))
})

test("an encoder that begins anew all the time is refused", () => {
  const timeline = new Timeline(OPTIONS)
  const [first] = fragmentsOf(stream)
  if (first === undefined) throw new Error("no fragment")
  const again = (count: number, now: number): void => {
    for (let n = 0; n < count; n++) {
      timeline.begin(initOf(stream))
      timeline.push(first, now)
    }
  }
  again(60, NOW)
  expect(() => again(1, NOW)).toThrow(refusal("clock"))
  again(60, NOW + 60_000)
})

test("picture and sound that are far apart, and times beyond a day, are refused", () => {
  const [first] = fragmentsOf(stream)
  if (first === undefined) throw new Error("no fragment")
  const [picture, sound] = first.tracks
  if (picture === undefined || sound === undefined) throw new Error("too few tracks")
  const apart = { ...first, tracks: [picture, { ...sound, decodeTime: 11 * 48_000 }] }
  expect(() => played(stream, [apart])).toThrow(refusal("clock"))
  const late = new Timeline(OPTIONS, { nextSegment: 9, endMs: 24 * 3_600_000 + 1, take: undefined, fileBytes: 0 })
  late.begin(initOf(stream))
  expect(() => late.push(first, NOW)).toThrow(refusal("too_long"))
})

test("a fragment that is refused takes nothing along of those before it, and a take is not lost with its first one", () => {
  const apart = ({ bytes, tracks }: Fragment): Fragment => ({
    bytes,
    tracks: tracks.map((one) =>
      one.track.kind === "audio" ? { ...one, decodeTime: one.decodeTime + 10_000_000 } : one,
    ),
  })
  const recording = new Recorded()
  recording.add(recording.timeline.begin(initOf(stream)))
  const [first, second, third] = fragmentsOf(stream)
  const [other] = fragmentsOf(otherSize)
  if (first === undefined || second === undefined || third === undefined || other === undefined) throw new Error("none")
  for (const fragment of [first, second]) recording.add(recording.timeline.push(fragment, NOW))
  expect(() => recording.timeline.push(apart(third), NOW)).toThrow(refusal("clock"))
  recording.end()
  expect(clockOf(recording.segments)).toEqual([[1, 0, 1024, false]])
  recording.add(recording.timeline.begin(initOf(otherSize)))
  expect(() => recording.timeline.push(apart(other), NOW)).toThrow(refusal("clock"))
  recording.add(recording.timeline.push(other, NOW))
  recording.end()
  expect(recording.takes.map(({ number }) => number)).toEqual([1, 2])
})

test("a stream without key frames is refused after twelve seconds, before its first one and later", () => {
  const isAfter = [false, true]
  for (const hasBegun of isAfter) {
    const timeline = new Timeline(OPTIONS)
    timeline.begin(initOf(stream))
    const [first, second] = fragmentsOf(stream)
    if (first === undefined || second === undefined) throw new Error("too few fragments")
    if (hasBegun) timeline.push(first, NOW)
    const push = (count: number): void => {
      const tracks = second.tracks.map((one) => ({ ...one, decodeTime: one.decodeTime + count * one.duration }))
      timeline.push({ bytes: second.bytes, tracks }, NOW)
    }
    for (let count = 0; count < 22; count++) push(count)
    expect(() => [22, 23, 24].forEach(push)).toThrow(refusal("no_sync_sample"))
  }
})
