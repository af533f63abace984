/**
 * User text in emails, reduced to one line as for a subject. A member's text stays as it is. A stranger's text reads as typed, and no mail
 * program makes a link of it, because an email from this server must link to this server alone.
 */
import { cut } from "../model/text/cut.ts"
import { isVisible, withoutUnseen } from "../model/text/shown-text.ts"

/** Longer text is truncated, because subjects are read in lists. */
export const MAX_LENGTH_IN_SUBJECT = 100
const MAX_LENGTH = 300

/** Line breaks and other control characters, with the surrounding blanks. Other blanks stay: Japanese and French have some of their own. */
const BREAKS = /\s*[\p{Cc}\p{Zl}\p{Zp}][\s\p{Cc}]*/gu
/**
 * Characters that join the parts of an address. U+2060 (word joiner) after one, which has no width, keeps mail programs from recognising an
 * address.
 */
const JOINT = /(?<=\S)([.．。｡:/@])(?=\S)/gu

/** At most `most` UTF-16 units; the fallback when the text has nothing visible. */
export const membersLine = (text: string, fallback: string, most: number = MAX_LENGTH): string => {
  const line = text.replace(BREAKS, " ").trim()
  if (!isVisible(line)) return fallback
  return line.length <= most ? line : `${cut(line, most - 1).trimEnd()}…`
}

/** Like `membersLine`, with a word joiner after each character that could join the parts of an address. */
export const strangersLine = (text: string, fallback: string): string =>
  membersLine(withoutUnseen(text), fallback).replace(JOINT, "$1\u2060")
