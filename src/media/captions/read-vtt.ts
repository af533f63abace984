/**
 * WebVTT (W3C): cues with their voices and languages. Styles, regions, notes, positions and all other tags inside a cue are removed. A cue
 * of several voices becomes one segment per voice.
 */
import { type Block, blocksOf, linesOf, timesOf } from "./lines.ts"
import { type ReadSegments, type Segment, SegmentList, UnreadableCaptions } from "./segments.ts"

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  lrm: "",
  rlm: "",
}

const characterOf = (code: number): string =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ""

/** Unknown references stay unchanged, as in browsers. */
const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-zA-Z]{2,6}));/g, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return characterOf(Number(decimal))
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
    return ENTITIES[name] ?? whole
  })

const LONGEST_TAG = 500

interface Tag {
  readonly from: number
  /** Offset after its closing bracket. */
  readonly to: number
  /** Tag without its brackets. */
  readonly tag: string
}

/** Each closing bracket is searched for once, so that a text of opening brackets is read in linear time. */
function* tagsOf(payload: string): Generator<Tag> {
  let close = -1
  let from = payload.indexOf("<")
  while (from >= 0) {
    if (close < from) close = payload.indexOf(">", from)
    if (close < 0) return
    const isTag = close - from - 1 <= LONGEST_TAG
    const to = isTag ? close + 1 : from + 1
    if (isTag) yield { from, to, tag: payload.slice(from + 1, close) }
    from = payload.indexOf("<", to)
  }
}

/** Text of one voice and language. */
type Stretch = Pick<Segment, "speaker" | "lang" | "text">

/** `v.loud Ada` is the voice tag with a class and the annotation `Ada`. */
const annotationOf = (tag: string): string => unescaped(/^[^\s]*\s+(.*)$/s.exec(tag)?.[1] ?? "")

const stretchesOf = (payload: string): ReadonlyArray<Stretch> => {
  const stretches: Stretch[] = []
  let speaker = ""
  const langs: string[] = [""]
  let from = 0
  let text = ""
  const end = (): void => {
    if (text.trim() !== "") stretches.push({ speaker, lang: langs.at(-1) ?? "", text })
    text = ""
  }
  const apply = (tag: string): void => {
    const [, isEnd, name] = /^(\/?)([a-z]*)/.exec(tag) ?? []
    if (name !== "v" && name !== "lang") return
    end()
    if (name === "v") speaker = isEnd === "/" ? "" : annotationOf(tag)
    else if (isEnd !== "/") langs.push(annotationOf(tag))
    else if (langs.length > 1) langs.pop()
  }
  for (const one of tagsOf(payload)) {
    text += unescaped(payload.slice(from, one.from))
    from = one.to
    apply(one.tag)
  }
  text += unescaped(payload.slice(from))
  end()
  return stretches
}

const addCue = ({ line, lines }: Block, segments: SegmentList): void => {
  // The times are in the first line or, after a cue name, in the second.
  const at = lines.slice(0, 2).findIndex((one) => one.includes("-->"))
  if (at < 0) return
  const times = timesOf(lines[at] ?? "")
  if (times === undefined) throw new UnreadableCaptions(line + at, "the times of a cue cannot be read")
  for (const stretch of stretchesOf(lines.slice(at + 1).join("\n"))) segments.add({ ...times, ...stretch }, line + at)
}

/** A line with an arrow begins a cue, also where no empty line ends the one before. A cue name in between stays with the text before it. */
const cuesOf = ({ line, lines }: Block): ReadonlyArray<Block> => {
  const starts = lines.flatMap((text, index) => (text.includes("-->") ? [index] : []))
  const [first, ...others] = starts
  // A second line with an arrow is the times of a named cue, unless the first line has one.
  const from = first === 1 ? 0 : (first ?? 0)
  return [from, ...others].map((start, index, all) => ({
    line: line + start,
    lines: lines.slice(start, all[index + 1]),
  }))
}

/** Throws `UnreadableCaptions`: at the first cue that cannot be read, unless `lenient` leaves it out. */
export const readVtt = (text: string, lenient: boolean): ReadSegments => {
  const lines = linesOf(text)
  if (!/^WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? "")) throw new UnreadableCaptions(1, "a WebVTT file begins with WEBVTT")
  const segments = new SegmentList(lenient)
  const [head, ...blocks] = blocksOf(lines)
  // Cues may follow the head without an empty line.
  const afterHead = { line: 2, lines: head?.lines.slice(1) ?? [] }
  for (const block of [afterHead, ...blocks]) {
    if (/^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(block.lines[0] ?? "")) continue
    for (const cue of cuesOf(block)) segments.cue(() => addCue(cue, segments))
  }
  return segments.result()
}
