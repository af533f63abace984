/** A transcript in the formats that players and people read. Whatever is stored, a cue has no empty line and no time that runs back. */
import { tidyLine, tidyText } from "../../model/text/tidy-text.ts"
import { timeText } from "./lines.ts"
import type { Segment } from "./segments.ts"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const tidy = ({ speaker, lang, t0, t1, text }: Segment): Segment => ({
  speaker: tidyLine(speaker),
  lang: tidyLine(lang),
  t0,
  t1: Math.max(t0, t1),
  text: tidyText(text),
})

const voiced = ({ speaker, lang, text }: Segment): string => {
  const said = lang === "" ? escaped(text) : `<lang ${escaped(lang)}>${escaped(text)}</lang>`
  return speaker === "" ? said : `<v ${escaped(speaker)}>${said}</v>`
}

const times = ({ t0, t1 }: Segment, point: "." | ","): string => `${timeText(t0, point)} --> ${timeText(t1, point)}`

/** WebVTT with voices and languages. */
export const writeVtt = (segments: ReadonlyArray<Segment>): string =>
  ["WEBVTT", ...segments.map(tidy).map((segment) => `${times(segment, ".")}\n${voiced(segment)}`)]
    .join("\n\n")
    .concat("\n")

/** SubRip. It has no place for speakers and languages. */
export const writeSrt = (segments: ReadonlyArray<Segment>): string =>
  segments
    .map(tidy)
    .map((segment, index) => `${index + 1}\n${times(segment, ",")}\n${segment.text}\n`)
    .join("\n")

/** Paragraphs, one for each time that another speaker begins. */
export const writeText = (segments: ReadonlyArray<Segment>): string => {
  const paragraphs: string[] = []
  let speaker: string | undefined
  for (const { speaker: name, text } of segments.map(tidy)) {
    const said = text.replaceAll("\n", " ")
    if (name === speaker) paragraphs.push(`${paragraphs.pop()} ${said}`)
    else paragraphs.push(name === "" ? said : `${name}: ${said}`)
    speaker = name
  }
  return paragraphs.map((paragraph) => `${paragraph}\n`).join("\n")
}
