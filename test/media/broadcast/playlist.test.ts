/** Playlists, word for word, and what leaves them. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { type LiveNames, writeLivePlaylist, writeRecordingPlaylist } from "../../../src/media/broadcast/playlist.ts"
import { answerReload } from "../../../src/media/broadcast/reload.ts"
import {
  EMPTY_WINDOW,
  type ListedSegment,
  type WindowState,
  windowOf,
  withSegment,
} from "../../../src/media/broadcast/window.ts"
import { recordedFacts } from "../../../src/media/live/recorded-facts.ts"
import { fixture, initOf } from "./support.ts"

const NAMES: LiveNames = {
  init: (take) => `init${take}.mp4`,
  segment: (segment) => `s${segment}.m4s`,
  part: (segment, index) => `p${segment}.${index}.m4s`,
}

const BEGAN = Date.UTC(2026, 10, 22, 12)

const segment = (number: number, given: Partial<ListedSegment> = {}): ListedSegment => ({
  number,
  take: 1,
  offset: 1000 + number * 5000,
  bytes: 5000,
  startMs: number * 1000,
  durationMs: 1000,
  isDiscontinuous: false,
  at: BEGAN + number * 1000,
  parts: [
    { durationMs: 500, isIndependent: true },
    { durationMs: 500, isIndependent: false },
  ],
  ...given,
})

const live = (segments: ReadonlyArray<ListedSegment>, given: Partial<WindowState> = {}): WindowState => ({
  window: { segments, discontinuities: 0 },
  open: undefined,
  nextSegment: (segments.at(-1)?.number ?? -1) + 1,
  hasEnded: false,
  ...given,
})

const lines = (playlist: string): ReadonlyArray<string> => playlist.split("\n")

test("a live playlist has the segments of the window, their takes and their times", () => {
  const segments = [segment(7), segment(8), segment(9, { take: 2, isDiscontinuous: true, durationMs: 1030 })]
  const state = live(segments, { window: { segments, discontinuities: 3 } })
  expect(writeLivePlaylist(state, { names: NAMES, segmentMs: 1000 })).toBe(`#EXTM3U
#EXT-X-VERSION:6
#EXT-X-TARGETDURATION:1
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="init1.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:07.000Z
#EXTINF:1.000,
s7.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:08.000Z
#EXTINF:1.000,
s8.m4s
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="init2.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:09.000Z
#EXTINF:1.030,
s9.m4s
`)
})

test("a playlist with parts has those of the last three target durations, of the open segment, and the next one", () => {
  const segments = [segment(0), segment(1), segment(2), segment(3), segment(4)]
  const { durationMs: _durationMs, bytes: _bytes, ...head } = segment(5, { take: 2, isDiscontinuous: true })
  const open = { ...head, parts: [{ durationMs: 520, isIndependent: true }] }
  const playlist = writeLivePlaylist(live(segments, { open }), { names: NAMES, segmentMs: 1000, partMs: 500 })
  expect(playlist).toBe(`#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:1
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.560
#EXT-X-PART-INF:PART-TARGET=0.520
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-DISCONTINUITY-SEQUENCE:0
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="init1.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:00.000Z
#EXTINF:1.000,
s0.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:01.000Z
#EXTINF:1.000,
s1.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:02.000Z
#EXT-X-PART:DURATION=0.500,URI="p2.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.500,URI="p2.1.m4s"
#EXTINF:1.000,
s2.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:03.000Z
#EXT-X-PART:DURATION=0.500,URI="p3.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.500,URI="p3.1.m4s"
#EXTINF:1.000,
s3.m4s
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:04.000Z
#EXT-X-PART:DURATION=0.500,URI="p4.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.500,URI="p4.1.m4s"
#EXTINF:1.000,
s4.m4s
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="init2.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:05.000Z
#EXT-X-PART:DURATION=0.520,URI="p5.0.m4s",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p5.1.m4s"
`)
})

test("between two segments the next one's first part is the hint, and nothing is said of its clock yet", () => {
  const playlist = writeLivePlaylist(live([segment(0), segment(1)]), { names: NAMES, segmentMs: 1000, partMs: 500 })
  expect(lines(playlist).slice(-3)).toEqual(["s1.m4s", '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p2.0.m4s"', ""])
})

test("a segment without a whole part yet is not told of, but for the hint", () => {
  const { durationMs: _durationMs, bytes: _bytes, ...head } = segment(1, { take: 2, isDiscontinuous: true })
  const state = live([segment(0)], { open: { ...head, parts: [] } })
  const playlist = writeLivePlaylist(state, { names: NAMES, segmentMs: 1000, partMs: 500 })
  expect(lines(playlist).slice(-3)).toEqual(["s0.m4s", '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p1.0.m4s"', ""])
})

test("a broadcast that has ended says so, and promises no parts", () => {
  const ended = live([segment(0), segment(1)], { hasEnded: true })
  const playlist = writeLivePlaylist(ended, { names: NAMES, segmentMs: 1000, partMs: 500 })
  expect(lines(playlist).slice(-3)).toEqual(["s1.m4s", "#EXT-X-ENDLIST", ""])
  expect(playlist).not.toMatch(/PART|PRELOAD|SERVER-CONTROL/)
})

test("the target duration is the longest segment, rounded", () => {
  for (const [durations, target] of [
    [[1000, 1030, 1499], 1],
    [[1000, 1500], 2],
    [[200], 1],
    [[], 1],
  ] as const) {
    const segments = durations.map((durationMs, number) => segment(number, { durationMs }))
    const playlist = writeLivePlaylist(live(segments), { names: NAMES, segmentMs: 1000 })
    expect(playlist).toContain(`#EXT-X-TARGETDURATION:${target}\n`)
  }
})

/** As RFC 8216 numbers them: the tag's value and the discontinuities before each segment in the playlist. */
const discontinuityNumbers = (playlist: string): ReadonlyMap<string, number> => {
  const numbers = new Map<string, number>()
  let number = Number(/DISCONTINUITY-SEQUENCE:(\d+)/.exec(playlist)?.[1])
  for (const line of lines(playlist)) {
    if (line === "#EXT-X-DISCONTINUITY") number += 1
    else if (line.startsWith("s")) numbers.set(line, number)
  }
  return numbers
}

test("a segment keeps its discontinuity number for as long as it is listed", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      (breaks, size) => {
        const known = new Map<string, number>()
        let window = EMPTY_WINDOW
        for (const [number, isBreak] of breaks.entries()) {
          window = withSegment(window, segment(number, { isDiscontinuous: isBreak && number > 0 }), size)
          expect(window.segments.length).toBe(Math.min(size, number + 1))
          const state = live(window.segments, { window })
          for (const [name, found] of discontinuityNumbers(
            writeLivePlaylist(state, { names: NAMES, segmentMs: 1000 }),
          )) {
            expect(known.get(name) ?? found).toBe(found)
            known.set(name, found)
          }
        }
      },
    ),
  )
})

test("the window from rows is the one that grew, without parts", () => {
  const rows = [0, 1, 2, 3, 4].map((number) => segment(number, { isDiscontinuous: number === 1 || number === 4 }))
  const grown = rows.reduce((window, row) => withSegment(window, row, 3), EMPTY_WINDOW)
  const restored = windowOf(rows, 3)
  expect(restored.discontinuities).toBe(grown.discontinuities)
  expect(restored.segments).toEqual(grown.segments.map((one) => ({ ...one, parts: [] })))
})

test("a recording is one playlist over all takes, as stretches of one file for each", () => {
  const segments = [
    segment(0),
    segment(1, { durationMs: 900 }),
    segment(2, { take: 2, isDiscontinuous: true, offset: 1300, bytes: 700, durationMs: 480 }),
  ]
  const playlist = writeRecordingPlaylist(segments, {
    form: "ranges",
    file: (take) => `${take}.mp4`,
    initBytes: (take) => (take === 1 ? 1000 : 1300),
  })
  expect(playlist).toBe(`#EXTM3U
#EXT-X-VERSION:6
#EXT-X-TARGETDURATION:1
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="1.mp4",BYTERANGE="1000@0"
#EXTINF:1.000,
#EXT-X-BYTERANGE:5000@1000
1.mp4
#EXTINF:1.000,
#EXT-X-BYTERANGE:5000@6000
1.mp4
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="2.mp4",BYTERANGE="1300@0"
#EXTINF:0.480,
#EXT-X-BYTERANGE:700@1300
2.mp4
#EXT-X-ENDLIST
`)
})

test("a recording of which the middle is not stored jumps there, and is no longer for it", () => {
  const names = { form: "names", init: NAMES.init, segment: NAMES.segment } as const
  const segments = [segment(0), segment(1), { ...segment(600), durationMs: 980 }, segment(601)]
  expect(lines(writeRecordingPlaylist(segments, names)).slice(2)).toEqual([
    "#EXT-X-TARGETDURATION:1",
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    '#EXT-X-MAP:URI="init1.mp4"',
    "#EXTINF:1.000,",
    "s0.m4s",
    "#EXTINF:1.000,",
    "s1.m4s",
    "#EXT-X-DISCONTINUITY",
    // As long as it is until the next one.
    "#EXTINF:1.000,",
    "s600.m4s",
    "#EXTINF:1.000,",
    "s601.m4s",
    "#EXT-X-ENDLIST",
    "",
  ])
  const take = { number: 1, identity: "one", init: initOf(fixture("ffmpeg-stream.mp4")).bytes, storageKey: "key" }
  expect(recordedFacts([take], segments)?.facts.durationMs).toBe(4000)
})

test("a recording by names, with the time of day", () => {
  const names = { form: "names", init: NAMES.init, segment: NAMES.segment } as const
  expect(lines(writeRecordingPlaylist([segment(0)], names, { withDates: true })).slice(6)).toEqual([
    '#EXT-X-MAP:URI="init1.mp4"',
    "#EXT-X-PROGRAM-DATE-TIME:2026-11-22T12:00:00.000Z",
    "#EXTINF:1.000,",
    "s0.m4s",
    "#EXT-X-ENDLIST",
    "",
  ])
})

test("a request is ready, waits or is invalid by its segment and part", () => {
  for (const [msn, part, answer] of [
    [undefined, undefined, "ready"],
    ["8", undefined, "ready"],
    ["8", "1", "ready"],
    ["8", "7", "ready"],
    // The open segment has two parts.
    ["9", "1", "ready"],
    ["9", "2", "wait"],
    ["9", "7", "wait"],
    ["9", "8", "invalid"],
    ["9", undefined, "wait"],
    ["10", undefined, "wait"],
    ["10", "0", "wait"],
    ["10", "6", "invalid"],
    ["11", undefined, "invalid"],
    ["2", undefined, "ready"],
    [undefined, "1", "invalid"],
    ["-1", undefined, "invalid"],
    ["9.5", undefined, "invalid"],
    ["9", "", "invalid"],
    ["9999999999999999999", undefined, "invalid"],
  ] as const) {
    const { durationMs: _durationMs, bytes: _bytes, ...open } = segment(9)
    expect(answerReload(live([segment(7), segment(8)], { open, nextSegment: 9 }), { msn, part }, 500)).toBe(answer)
  }
})

test("parts behind the last of a whole segment are the next one's, which is awaited", () => {
  const state = live([segment(7), segment(8)])
  expect(answerReload(state, { msn: "8", part: "1" }, 500)).toBe("ready")
  expect(answerReload(state, { msn: "8", part: "2" }, 500)).toBe("wait")
  expect(answerReload(state, { msn: "8", part: "9" }, 500)).toBe("invalid")
})

test("nobody waits for a broadcast that has ended, nor where there are no parts", () => {
  expect(answerReload(live([segment(0)], { hasEnded: true }), { msn: "5", part: "0" }, 500)).toBe("ready")
  expect(answerReload(live([segment(0)]), { msn: "5", part: "0" }, undefined)).toBe("ready")
})

test("whatever a request names, waiting for it ends with the next segments", () => {
  fc.assert(
    fc.property(
      fc.nat(30),
      fc.option(fc.nat(30), { nil: undefined }),
      fc.integer({ min: 100, max: 3000 }),
      (msn, part, partMs) => {
        const query = { msn: String(msn), part: part === undefined ? undefined : String(part) }
        const segments = Array.from({ length: 10 }, (_, number) => segment(number))
        if (answerReload(live(segments), query, partMs) !== "wait") return
        const later = [...segments, segment(10), segment(11), segment(12)]
        expect(answerReload(live(later), query, partMs)).toBe("ready")
      },
    ),
  )
})
