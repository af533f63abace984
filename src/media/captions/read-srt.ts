/** SubRip: numbered blocks of times and text, without speakers and languages; style tags are removed. */
import { blocksOf, linesOf, timesOf } from "./lines.ts"
import { type Segment, SegmentList, UnreadableCaptions } from "./segments.ts"

/** Style tags that players know, and positions such as `{\an8}`. Bounded, so that a text of opening brackets is read in linear time. */
const MARKS = /<\/?(?:b|i|u|s|font)(?:\s[^>]{0,200})?>|\{\\[^}]{0,200}\}/gi

/** Throws `UnreadableCaptions`. */
export const readSrt = (text: string): ReadonlyArray<Segment> => {
  const segments = new SegmentList()
  for (const { line, lines } of blocksOf(linesOf(text))) {
    const at = /^\s*\d+\s*$/.test(lines[0] ?? "") && lines.length > 1 ? 1 : 0
    const times = timesOf(lines[at] ?? "")
    if (times === undefined)
      throw new UnreadableCaptions(line + at, "expected times such as 00:00:01,000 --> 00:00:02,500")
    const said = lines
      .slice(at + 1)
      .join("\n")
      .replace(MARKS, "")
    segments.add({ speaker: "", lang: "", ...times, text: said }, line + at)
  }
  return segments.inOrder()
}
