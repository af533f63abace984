/** SubRip: numbered blocks of times and text, without speakers and languages; style tags are removed. */
import { type Block, blocksOf, linesOf, timesOf } from "./lines.ts"
import { type ReadSegments, SegmentList, UnreadableCaptions } from "./segments.ts"

/** Style tags that players know, and positions such as `{\an8}`. Bounded, so that a text of opening brackets is read in linear time. */
const MARKS = /<\/?(?:b|i|u|s|font)(?:\s[^>]{0,200})?>|\{\\[^}]{0,200}\}/gi

const isNumber = (line: string | undefined): boolean => /^\s*\d+\s*$/.test(line ?? "")

/** Readable times, with the number before them, begin a cue, also where no empty line ends the one before. */
const cuesOf = ({ line, lines }: Block): ReadonlyArray<Block> => {
  const starts = lines.flatMap((text, index) =>
    index > 1 && timesOf(text) !== undefined ? [isNumber(lines[index - 1]) ? index - 1 : index] : [],
  )
  return [0, ...starts].map((start, index, all) => ({ line: line + start, lines: lines.slice(start, all[index + 1]) }))
}

const addCue = ({ line, lines }: Block, segments: SegmentList): void => {
  const at = isNumber(lines[0]) && lines.length > 1 ? 1 : 0
  const times = timesOf(lines[at] ?? "")
  if (times === undefined)
    throw new UnreadableCaptions(line + at, "expected times such as 00:00:01,000 --> 00:00:02,500")
  const said = lines
    .slice(at + 1)
    .join("\n")
    .replace(MARKS, "")
  segments.add({ speaker: "", lang: "", ...times, text: said }, line + at)
}

/** Throws `UnreadableCaptions`: at the first cue that cannot be read, unless `lenient` leaves it out. */
export const readSrt = (text: string, lenient: boolean): ReadSegments => {
  const segments = new SegmentList(lenient)
  for (const block of blocksOf(linesOf(text)))
    for (const cue of cuesOf(block)) segments.cue(() => addCue(cue, segments))
  return segments.result()
}
