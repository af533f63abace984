/** Caption files as other programs write them: without empty lines, in other encodings, and with broken cues. */
import { expect, test } from "vitest"
import { readTranscript } from "../../src/media/captions/read.ts"

const encoder = new TextEncoder()

const segmentsOf = (form: "vtt" | "srt", body: string | Uint8Array, lenient = false) => {
  const read = readTranscript(form, typeof body === "string" ? encoder.encode(body) : body, lenient)
  if (read.outcome !== "read") return read
  const segments = read.slices.flatMap((slice) => JSON.parse(slice)) as ReadonlyArray<{
    readonly t0: number
    readonly t1: number
    readonly text: string
  }>
  return { cues: segments.map(({ t0, t1, text }) => [t0, t1, text]), skipped: read.skipped }
}

const NONE = { count: 0, first: [] }

test("a WebVTT cue ends where the next one begins, also without an empty line, and after the head", () => {
  const file =
    "WEBVTT\n00:00.000 --> 00:01.000\nZero\n00:01.000 --> 00:02.000\nOne\nmore\n00:02.000 --> 00:03.000\nTwo\n\nname\n00:03.000 --> 00:04.000\nThree\n00:04.000 --> 00:05.000\nFour\n"
  expect(segmentsOf("vtt", file)).toEqual({
    cues: [
      [0, 1000, "Zero"],
      [1000, 2000, "One\nmore"],
      [2000, 3000, "Two"],
      [3000, 4000, "Three"],
      [4000, 5000, "Four"],
    ],
    skipped: NONE,
  })
})

test("a SubRip cue ends where the next one begins, with its number", () => {
  const file =
    "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,0\nTwo\n00:00:03,00 --> 00:00:04,05\nThree\n"
  expect(segmentsOf("srt", file)).toEqual({
    cues: [
      [1000, 2000, "One"],
      [2000, 3000, "Two"],
      [3000, 4050, "Three"],
    ],
    skipped: NONE,
  })
})

test.each([
  [
    "UTF-16, least significant byte first",
    Buffer.from("\ufeff1\n00:00:01,000 --> 00:00:02,000\nGrüße – 你好\n", "utf16le"),
  ],
  [
    "UTF-16, most significant byte first",
    Buffer.from("\ufeff1\n00:00:01,000 --> 00:00:02,000\nGrüße – 你好\n", "utf16le").swap16(),
  ],
])("SubRip in %s", (_, body) => {
  expect(segmentsOf("srt", body)).toEqual({ cues: [[1000, 2000, "Grüße – 你好"]], skipped: NONE })
})

test("SubRip in Windows-1252", () => {
  // The bytes of «“Grüße” – 5 €…» in Windows-1252, by its table.
  const said = [0x93, 0x47, 0x72, 0xfc, 0xdf, 0x65, 0x94, 0x20, 0x96, 0x20, 0x35, 0x20, 0x80, 0x85]
  const body = Buffer.concat([Buffer.from("1\r\n00:00:01,000 --> 00:00:02,000\r\n"), Buffer.from(said)])
  expect(segmentsOf("srt", body)).toEqual({ cues: [[1000, 2000, "“Grüße” – 5 €…"]], skipped: NONE })
  expect(segmentsOf("vtt", Buffer.concat([Buffer.from("WEBVTT\n\n"), body]))).toMatchObject({ outcome: "unreadable" })
})

test("UTF-16 that is cut in the middle of a character is refused", () => {
  const body = Buffer.from("\ufeff1\n00:00:01,000 --> 00:00:02,000\nx", "utf16le")
  expect(segmentsOf("srt", body.subarray(0, -1))).toMatchObject({ outcome: "unreadable" })
})

const BROKEN_VTT =
  "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:03.000 --> later\nlost\n\n00:05.000 --> 00:04.000\nlost too\n\n00:06.000 --> 00:07.000\nTwo\n"

test("a broken cue is refused with its line; a lenient reader leaves it out and keeps the others", () => {
  expect(segmentsOf("vtt", BROKEN_VTT)).toMatchObject({
    outcome: "unreadable",
    detail: expect.stringContaining("line 6: the times of a cue cannot be read"),
  })
  expect(segmentsOf("vtt", BROKEN_VTT, true)).toEqual({
    cues: [
      [1000, 2000, "One"],
      [6000, 7000, "Two"],
    ],
    skipped: {
      count: 2,
      first: [
        { line: 6, reason: "the times of a cue cannot be read" },
        { line: 9, reason: "ends before it begins" },
      ],
    },
  })
})

test("a lenient reader counts all that it leaves out, lists a hundred, and refuses a file of nothing else", () => {
  const bad = "1\nnever\nx\n\n".repeat(250)
  const good = "1\n00:00:01,000 --> 00:00:02,000\nOne\n"
  const read = segmentsOf("srt", bad + good, true)
  expect(read).toMatchObject({ cues: [[1000, 2000, "One"]], skipped: { count: 250 } })
  if (!("skipped" in read)) throw new Error("the file was refused")
  expect(read.skipped.first).toHaveLength(100)
  expect(read.skipped.first[1]).toEqual({ line: 6, reason: "expected times such as 00:00:01,000 --> 00:00:02,500" })
  expect(segmentsOf("srt", bad, true)).toMatchObject({ outcome: "unreadable" })
})

test("more segments than a transcript may have are refused, leniently too", () => {
  const cue = "00:01.000 --> 00:02.000\nx\n\n"
  expect(segmentsOf("vtt", `WEBVTT\n\n${cue.repeat(50_001)}`, true)).toMatchObject({
    outcome: "unreadable",
    detail: expect.stringContaining("more than 50000 segments"),
  })
})
