/** Files for other programs are read by strict readers of others, whatever the texts in them: captions and CSV. */
import { createRequire } from "node:module"
import { parse as readSrt } from "@plussub/srt-vtt-parser"
import { parse as readCsv } from "csv-parse/sync"
import Papa from "papaparse"
import { expect, test } from "vitest"
import { CsvWriter } from "../../src/http/requests/csv.ts"
import { writeSrt, writeVtt } from "../../src/media/captions/write.ts"

interface Cue {
  readonly startTime: number
  readonly endTime: number
  readonly tree: { readonly children: ReadonlyArray<Node> }
}
interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: string
  readonly children?: ReadonlyArray<Node>
}
type Parser = new (
  entities: object,
) => {
  readonly parse: (text: string, mode: "subtitles") => { readonly cues: ReadonlyArray<Cue>; readonly errors: unknown[] }
}

// The validator of the W3C, which comes without types.
const load = createRequire(import.meta.url)
const { WebVTTParser } = load("webvtt-parser") as { readonly WebVTTParser: Parser }
const readVtt = (text: string) =>
  new WebVTTParser(load("webvtt-parser/html-entities.json") as object).parse(text, "subtitles")

/** An object has its annotation, such as the name of a voice, as its value. */
const textOf = ({ type, value = "", children = [] }: Node): string =>
  (type === "text" ? value : "") + children.map(textOf).join("")

/** What was said, as stored: texts are checked before. */
const TEXTS = {
  plain: "Hello there.",
  "an arrow": "from a --> to b",
  "times of a cue": "00:00:01.000 --> 00:00:02.000",
  "a number alone": "7",
  "the names of blocks": "NOTE x\nSTYLE\nREGION",
  "the header": "WEBVTT",
  "marks and references": "a < b & c > d <v Bob>x</v> &amp; &lt; {\\an8}",
  lines: "one\ntwo\nthree",
  joiners: "\u06cc\u06a9\u200c\u0634\u0646\u0628\u0647 \u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  "right to left": "\u05e9\u05dc\u05d5\u05dd, world",
  "a flag of tags": "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
  "four bytes": "\u{20000}\u{1d11e}",
  "a mark without an email": "\u0301x",
  "1,024 emails": "\u6f22".repeat(1024),
  "no characters": "\ufffe\u{10ffff}",
}

test.each(Object.entries(TEXTS))("captions with %s", (_name, text) => {
  for (const speaker of ["", "Ann", "A>n & <b>", "7 --> 8"]) {
    const segments = [
      { speaker, lang: "", t0: 0, t1: 0, text },
      { speaker, lang: "de", t0: 1000, t1: 863_999_999, text },
    ]
    const { cues, errors } = readVtt(writeVtt(segments))
    expect(errors, speaker).toEqual([])
    expect(cues.map(({ startTime, endTime }) => [startTime, endTime])).toEqual([
      [0, 0.001],
      [1, 863_999.999],
    ])
    for (const { tree } of cues) expect(tree.children.map(textOf).join("")).toBe(text)
    const { entries } = readSrt(writeSrt(segments))
    // Other readers begin a cue at such a line.
    const plain = text.replace("00:00:01.000 -->", "00:00:01.000 →")
    expect(entries, speaker).toEqual([
      { id: "1", from: 0, to: 1, text: plain },
      { id: "2", from: 1000, to: 863_999_999, text: plain },
    ])
  }
})

/** A cell and what a spreadsheet reads. */
const CELLS: ReadonlyArray<readonly [given: string | number | boolean | null, read: string]> = [
  ["Ada", "Ada"],
  ["", ""],
  [null, ""],
  [0, "0"],
  [false, "false"],
  ["a,b;c\td", "a,b;c\td"],
  ['she said "no"', 'she said "no"'],
  ["one\r\ntwo\rthree\nfour", "one\r\ntwo\rthree\nfour"],
  ["=1+1", "'=1+1"],
  ["@sum", "'@sum"],
  ["+49 30", "'+49 30"],
  [" spaces ", " spaces "],
  ["\u05e9\u05dc\u05d5\u05dd \u{1f468}\u200d\u{1f469}", "\u05e9\u05dc\u05d5\u05dd \u{1f468}\u200d\u{1f469}"],
  ["\u6f22".repeat(1024), "\u6f22".repeat(1024)],
]

test("CSV is read cell by cell by two strict readers", () => {
  const writer = new CsvWriter<(typeof CELLS)[number]>({ names: ["n", "cell"], rowsOf: (cell) => [[1, cell[0]]] })
  writer.add(CELLS)
  const text = writer.text()
  const expected = [["n", "cell"], ...CELLS.map(([, read]) => ["1", read])]
  expect(readCsv(text, { bom: true, record_delimiter: "\r\n", relax_quotes: false })).toEqual(expected)
  const { data, errors } = Papa.parse(text.slice(1), { newline: "\r\n", skipEmptyLines: true })
  expect([data, errors]).toEqual([expected, []])
  expect(text.endsWith("\r\n")).toBe(true)
})
