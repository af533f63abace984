/**
 * Writes a transcript in the formats that players and people read. Whatever is stored, a cue has no empty line, and it ends after it
 * begins, as WebVTT requires.
 */
import { tidyLine, tidyText } from "../../model/text/tidy-text.ts"
import { timesOf, timeText } from "./lines.ts"
import type { Segment } from "./segments.ts"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const tidy = ({ speaker, lang, t0, t1, text }: Segment): Segment => ({
  speaker: tidyLine(speaker),
  lang: tidyLine(lang),
  t0,
  t1: Math.max(t0 + 1, t1),
  text: tidyText(text),
})

const voiced = ({ speaker, lang, text }: Segment): string => {
  const said = lang === "" ? escaped(text) : `<lang ${escaped(lang)}>${escaped(text)}</lang>`
  return speaker === "" ? said : `<v ${escaped(speaker)}>${said}</v>`
}

const times = ({ t0, t1 }: Segment, point: "." | ","): string => `${timeText(t0, point)} --> ${timeText(t1, point)}`

/** Takes segments in order, some at a time, so that a long transcript does not block the event loop. */
export interface Writer {
  readonly add: (segments: ReadonlyArray<Segment>) => void
  readonly text: () => string
}

/** WebVTT with voices and languages. */
export const vttWriter = (): Writer => {
  const pieces = ["WEBVTT"]
  return {
    add: (segments) => {
      const cues = segments.map(tidy).map((segment) => `${times(segment, ".")}\n${voiced(segment)}`)
      if (cues.length > 0) pieces.push(cues.join("\n\n"))
    },
    text: () => `${pieces.join("\n\n")}\n`,
  }
}

/** SubRip has no escapes: a spoken line that reads like times gets another arrow, so that no cue begins there. */
const withoutTimes = (text: string): string =>
  text
    .split("\n")
    .map((line) => (timesOf(line) === undefined ? line : line.replace("-->", "→")))
    .join("\n")

/** SubRip, which has no speakers and languages. */
export const srtWriter = (): Writer => {
  const pieces: string[] = []
  let count = 0
  return {
    add: (segments) => {
      const cues = segments
        .map(tidy)
        .map((segment) => `${++count}\n${times(segment, ",")}\n${withoutTimes(segment.text)}\n`)
      if (cues.length > 0) pieces.push(cues.join("\n"))
    },
    text: () => pieces.join("\n"),
  }
}

/** Paragraphs, one per change of speaker. */
export const textWriter = (): Writer => {
  const paragraphs: string[] = []
  let speaker: string | undefined
  return {
    add: (segments) => {
      for (const { speaker: name, text } of segments.map(tidy)) {
        const said = text.replaceAll("\n", " ")
        if (name === speaker) paragraphs.push(`${paragraphs.pop()} ${said}`)
        else paragraphs.push(name === "" ? said : `${name}: ${said}`)
        speaker = name
      }
    },
    text: () => paragraphs.map((paragraph) => `${paragraph}\n`).join("\n"),
  }
}

const written = (writer: Writer, segments: ReadonlyArray<Segment>): string => {
  writer.add(segments)
  return writer.text()
}

export const writeVtt = (segments: ReadonlyArray<Segment>): string => written(vttWriter(), segments)
export const writeSrt = (segments: ReadonlyArray<Segment>): string => written(srtWriter(), segments)
export const writeText = (segments: ReadonlyArray<Segment>): string => written(textWriter(), segments)
