/** Formats of captions against each other, against rubbish, and by hand-written files. */
import { Schema } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import * as srt from "../../src/media/captions/read-srt.ts"
import * as vtt from "../../src/media/captions/read-vtt.ts"
import { inOrder, type Segment, segmentOf, UnreadableCaptions } from "../../src/media/captions/segments.ts"
import { writeSrt, writeText, writeVtt } from "../../src/media/captions/write.ts"
import { TranscriptSegment } from "../../src/model/live/live-values.ts"

const readVtt = (text: string) => vtt.readVtt(text, false).segments
const readSrt = (text: string) => srt.readSrt(text, false).segments

const words = fc.string({ unit: "grapheme", maxLength: 60 })
const tricky = fc.constantFrom(
  "\u200b",
  "\u200b\n\u2060",
  " \u202e ",
  "a\n\n\nb",
  "\r",
  "\u2028",
  "\u{1f468}\u200d\u{1f469}",
  "-->",
  "<v Bob>",
  "&amp;",
  "a < b & c > d",
  "1",
  "00:00:01.000 --> 00:00:02.000",
  "NOTE x",
  "WEBVTT",
  "&#0;",
)
const text = fc.array(fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: tricky }), {
  minLength: 1,
  maxLength: 3,
})
const segment: fc.Arbitrary<Segment> = fc
  .record({
    speaker: fc.oneof(fc.constant(""), words, tricky),
    lang: fc.constantFrom("", "en", "pt-BR", "no language", "x".repeat(36), "<en>", "\n"),
    t0: fc.nat(400_000_000),
    length: fc.nat(60_000),
    lines: text,
  })
  .map(({ speaker, lang, t0, length, lines }) => ({ speaker, lang, t0, t1: t0 + length, text: lines.join("\n") }))

/** As JSON segments are read. */
const uploaded = (given: Segment): ReadonlyArray<Segment> => {
  const read = segmentOf(given, 1)
  return read === undefined ? [] : [read]
}

/** As a caption that is pushed live is stored. */
const pushed = (given: Segment): ReadonlyArray<Segment> => {
  const decoded = Schema.decodeUnknownExit(TranscriptSegment)({ ...given, segment: "1", final: true })
  if (decoded._tag === "Failure") return []
  const { speaker, lang, t0, t1, text: said } = decoded.value
  return [{ speaker, lang, t0, t1, text: said }]
}

const transcript = fc
  .array(fc.tuple(segment, fc.constantFrom(uploaded, pushed)), { maxLength: 20 })
  .map((segments) => [...inOrder(segments.flatMap(([given, read]) => read(given)))])

/** Characters that WebVTT's references for directions leave out, and SubRip's marks and times, which it cannot escape. */
const sayable = (said: string): boolean => !/<\/?(?:b|i|u|s|font)[\s>]|\{\\|[.,]\d+[ \t]*-->/i.test(said)

/** A cue without a length gets the shortest. */
const lasting = (segments: ReadonlyArray<Segment>): ReadonlyArray<Segment> =>
  segments.map((one) => (one.t1 > one.t0 ? one : { ...one, t1: one.t0 + 1 }))

test("a transcript is the same after WebVTT", () => {
  fc.assert(
    fc.property(transcript, (segments) => {
      expect(readVtt(writeVtt(segments))).toEqual(lasting(segments))
    }),
    { numRuns: 60 },
  )
})

test("a transcript is the same after SubRip, but for speakers and languages", () => {
  fc.assert(
    fc.property(transcript, (segments) => {
      const plain = segments.filter((one) => sayable(one.text)).map((one) => ({ ...one, speaker: "", lang: "" }))
      expect(readSrt(writeSrt(plain))).toEqual(inOrder(lasting(plain)))
    }),
    { numRuns: 60 },
  )
})

test("a transcript that was read once is read the same way again", () => {
  fc.assert(
    fc.property(transcript, (segments) => {
      expect(segments.flatMap((one) => uploaded(one))).toEqual(segments)
      for (const { speaker, lang, text: said } of segments) {
        expect(said).not.toMatch(/\n\s|^\s|\s$/)
        expect(speaker).not.toContain("\n")
        expect(lang).toMatch(/^[A-Za-z-]{0,35}$/)
      }
    }),
    { numRuns: 60 },
  )
})

test("cues are whole and no time runs back, also of segments that are stored otherwise", () => {
  const stored = { speaker: "Ada\n\nLovelace", lang: "en", t0: 2000, t1: 1000, text: "One\n\ntwo\r\n \nthree" }
  const read = { speaker: "Ada Lovelace", lang: "en", t0: 2000, t1: 2001, text: "One\ntwo\nthree" }
  expect(readVtt(writeVtt([stored]))).toEqual([read])
  expect(readSrt(writeSrt([stored]))).toEqual([{ ...read, speaker: "", lang: "" }])
  expect(writeText([stored])).toBe("Ada Lovelace: One two three\n")
})

test("no text makes a reader fail otherwise than with a line and a reason, nor take long", () => {
  const rubbish = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2000 }),
    fc
      .array(fc.oneof(words, tricky, fc.constantFrom("", "\r", "\uFEFF", "STYLE", "<", "<v ", "</lang>")), {
        maxLength: 60,
      })
      .map((lines) => lines.join("\n")),
  )
  fc.assert(
    fc.property(rubbish, fc.boolean(), (given, isHeaded) => {
      const input = isHeaded ? `WEBVTT\n\n${given}` : given
      for (const [read, lenient] of [
        [vtt.readVtt, false],
        [srt.readSrt, false],
        [srt.readSrt, true],
      ] as const) {
        try {
          const { segments, skipped } = read(input, lenient)
          for (const { t0, t1, text: said } of segments) {
            expect(t0 <= t1 && said !== "" && !said.includes("\n\n")).toBe(true)
          }
          if (!lenient) expect(skipped.count).toBe(0)
        } catch (cause) {
          expect(lenient).toBe(false)
          expect(cause).toBeInstanceOf(UnreadableCaptions)
        }
      }
    }),
    { numRuns: 120 },
  )
})

test("a file of one sign again and again is read in one go", () => {
  for (const piece of ["<", "<v ", "<b ", "{\\", "&", "-->", "1\n", "\n", "\r"]) {
    const times = "00:00:01.000 --> 00:00:02.000\n"
    const given = times + piece.repeat(2_000_000 / piece.length)
    for (const read of [() => readVtt(`WEBVTT\n\n${given}`), () => readSrt(given)]) {
      try {
        expect(read().length).toBeLessThan(2)
      } catch (cause) {
        expect(cause).toBeInstanceOf(UnreadableCaptions)
      }
    }
  }
})

test("a WebVTT file of the wild: notes, styles, names of cues, classes, positions, references, voices", () => {
  const file = `\uFEFFWEBVTT - a talk\r\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nNOTE two\r\nlines\r\n\r\nintro\r\n00:01.000 --> 00:02.500 align:start position:0%\r\n<v.loud Ada Lovelace>Hello <i.x>there</i> &amp; <00:00:01.500><c>welcome</c></v>\r\n\r\n01:00:00.000 --> 01:00:01.000\r\n<v Bob>One</v> <v Eve>Two\r\nlines\r\n\r\n00:03.000 --> 00:04.000\r\n \r\n`
  expect(readVtt(file)).toEqual([
    { speaker: "Ada Lovelace", lang: "", t0: 1000, t1: 2500, text: "Hello there & welcome" },
    { speaker: "Bob", lang: "", t0: 3_600_000, t1: 3_601_000, text: "One" },
    { speaker: "Eve", lang: "", t0: 3_600_000, t1: 3_601_000, text: "Two\nlines" },
  ])
})

test("a SubRip file of the wild: no numbers, points for commas, marks, short fractions", () => {
  const file =
    '1\n00:00:01,5 --> 00:00:02,000 X1:10\n{\\an8}<font color="#fff">Hello</font>\n<b>you</b>\n\n00:00:03.000 --> 00:00:04.000\nNo number\n'
  expect(readSrt(file)).toEqual([
    { speaker: "", lang: "", t0: 1500, t1: 2000, text: "Hello\nyou" },
    { speaker: "", lang: "", t0: 3000, t1: 4000, text: "No number" },
  ])
})

test.each([
  [readVtt, "1\n00:00:01,000 --> 00:00:02,000\nx", "line 1: a WebVTT file begins with WEBVTT"],
  [readVtt, "WEBVTT\n\n00:01.000 --> later\nx", "line 3: the times of a cue cannot be read"],
  [readVtt, "WEBVTT\n\n00:02.000 --> 00:01.000\nx", "line 3: ends before it begins"],
  [readSrt, "<html>", "line 1: expected times such as 00:00:01,000 --> 00:00:02,500"],
  [readSrt, `1\n00:00:01,000 --> 00:00:02,000\n${"x".repeat(2001)}`, "line 2: more than 2000 characters of text"],
])("%o refuses a file, %#", (read, given, why) => {
  expect(() => read(given)).toThrow(why)
})

test("plain text has a paragraph for each turn of a speaker", () => {
  const said = (speaker: string, words: string): Segment => ({ speaker, lang: "", t0: 0, t1: 1, text: words })
  expect(writeText([said("Ada", "One\ntwo"), said("Ada", "three"), said("", "four"), said("Bob", "five")])).toBe(
    "Ada: One two three\n\nfour\n\nBob: five\n",
  )
})
