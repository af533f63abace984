/** The share card of an event as SVG: its title, its time in its own zone, and the name of its workspace, on the accent. */

import { contrastOf, coverPattern, WANTED_CONTRAST } from "../../model/shades.ts"
import { cut } from "../../model/text/cut.ts"
import { escapeHtml } from "../../model/text/escape-html.ts"
import { FONT_FAMILY, hasCharacter, widthOf } from "./card-fonts.ts"

export const CARD_WIDTH = 1200
export const CARD_HEIGHT = 630
const MARGIN = 80
const TEXT_WIDTH = CARD_WIDTH - 2 * MARGIN

/** The accent of a card whose event has none, as on pages (`packages/web/src/ui/base.css`). */
const USUAL_ACCENT = "#4a3fd1"

interface CardFacts {
  readonly title: string
  readonly workspace: string
  /** The event's time in words; empty where it has none. */
  readonly when: string
  readonly accent: string | null
}

/**
 * The part of a text that the fonts can show, on one line. Pictures and marks that they lack are left out. A text in a script that they lack is left
 * out as a whole, because what remains of its words would be wrong.
 */
const shownOf = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, " ")
  const known = [...line].filter(hasCharacter).join("").replaceAll(/ +/g, " ").trim()
  return [...line].some((one) => /\p{L}|\p{N}/u.test(one) && !hasCharacter(one)) ? "" : known
}

/** Lines break at blanks, and around each character of scripts without blanks. */
const PIECE = /[\u3000-\u9fff\uff00-\uff9f]|[^\s\u3000-\u9fff\uff00-\uff9f]+|\s+/gu

/** A word that is wider than a line is broken within. */
const piecesOf = (text: string, size: number): ReadonlyArray<string> =>
  (text.match(PIECE) ?? []).flatMap((piece) => (widthOf(piece) * size <= TEXT_WIDTH ? [piece] : [...piece]))

const linesOf = (text: string, size: number): ReadonlyArray<string> => {
  const lines: string[] = []
  let line = ""
  for (const piece of piecesOf(text, size)) {
    if (line !== "" && widthOf((line + piece).trimEnd()) * size > TEXT_WIDTH) {
      lines.push(line.trim())
      line = ""
    }
    line += piece
  }
  return [...lines, line.trim()].filter((one) => one !== "")
}

const SIZES = [84, 68, 56] as const
const MOST_LINES = 3
/** No more characters fit on the lines of the smallest size, whose narrowest characters are a quarter as wide as high. */
const MOST_CHARACTERS = 230

/** The title at the largest size at which it fits, cut at the smallest one. */
const setTitle = (title: string): { readonly size: number; readonly lines: ReadonlyArray<string> } => {
  const text = cut(title, MOST_CHARACTERS)
  const size = SIZES.find((one) => linesOf(text, one).length <= MOST_LINES) ?? SIZES[2]
  const lines = linesOf(text, size)
  if (lines.length <= MOST_LINES && text === title) return { size, lines }
  const kept = lines.slice(0, MOST_LINES)
  const last = [...(kept.pop() ?? "")]
  while (widthOf(`${last.join("")}…`) * size > TEXT_WIDTH) last.pop()
  return { size, lines: [...kept, `${last.join("")}…`] }
}

/** A single line, cut where it is too long. */
const oneLine = (text: string, size: number): string => {
  if (widthOf(text) * size <= TEXT_WIDTH) return text
  const left = [...text]
  while (widthOf(`${left.join("")}…`) * size > TEXT_WIDTH) left.pop()
  return `${left.join("")}…`
}

const textAt = (y: number, size: number, text: string): string =>
  `<text x="${MARGIN}" y="${y}" font-size="${size}">${escapeHtml(text)}</text>`

/** The accent as it was chosen, with white text where that is legible, and else with black text, which is. */
const colorsOf = (accent: string) =>
  contrastOf(accent, "#ffffff") >= WANTED_CONTRAST
    ? { ground: accent, text: "#ffffff", pattern: "#000000" }
    : { ground: accent, text: "#000000", pattern: "#ffffff" }

/** Circles that move the ground away from the text's colour. */
const PATTERNS: ReadonlyArray<string> = [
  '<circle cx="1060" cy="60" r="400"/><circle cx="180" cy="640" r="220"/>',
  '<circle cx="160" cy="40" r="360"/><circle cx="1090" cy="620" r="280"/>',
  '<circle cx="820" cy="-40" r="420"/><circle cx="1180" cy="560" r="220"/>',
  '<circle cx="420" cy="700" r="420"/><circle cx="1080" cy="40" r="240"/>',
  '<circle cx="1200" cy="320" r="420"/><circle cx="60" cy="60" r="200"/>',
  '<circle cx="20" cy="560" r="420"/><circle cx="900" cy="20" r="260"/>',
]

const SMALL = 34

/** The same text for the same facts: it also names the version of the card. */
export const cardSvg = ({ title, workspace, when, accent }: CardFacts): string => {
  const { size, lines } = setTitle(shownOf(title))
  const step = size * 1.2
  const first = (CARD_HEIGHT - step * lines.length) / 2 + size
  const titles = lines.map((line, index) => textAt(Math.round(first + index * step), size, line)).join("")
  const organiser = textAt(MARGIN + SMALL, SMALL, oneLine(shownOf(workspace), SMALL))
  const time = when === "" ? "" : textAt(CARD_HEIGHT - MARGIN, SMALL, oneLine(shownOf(when), SMALL))
  const { ground, text, pattern } = colorsOf(accent ?? USUAL_ACCENT)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}"><rect width="100%" height="100%" fill="${ground}"/><g fill="${pattern}" fill-opacity="0.14">${PATTERNS[coverPattern(title)]}</g><g fill="${text}" font-family="${FONT_FAMILY}" font-weight="700">${organiser}${titles}${time}</g></svg>`
}
