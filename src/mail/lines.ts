/**
 * Text of users as letters hold it: on one line, which a subject is. What a member wrote stays as it is. What a stranger typed reads as it
 * was typed, and no mail program makes a link of it, because a letter from this server must link to this server alone.
 */
import { cut } from "../model/text/cut.ts"
import { isVisible, withoutUnseen } from "../model/text/shown-text.ts"

/** Longer text is cut. A subject is read in a list of subjects. */
export const MAX_LENGTH_IN_SUBJECT = 100
const MAX_LENGTH = 300

/** Line breaks and other controls, with the blanks around them. Other blanks stay: Japanese and French have some of their own. */
const BREAKS = /\s*[\p{Cc}\p{Zl}\p{Zp}][\s\p{Cc}]*/gu
/** Signs that join the parts of an address. U+2060 (word joiner) after one, which has no width, keeps mail programs from seeing an address. */
const JOINT = /(?<=\S)([.．。｡:/@])(?=\S)/gu

/** At most `most` UTF-16 units; the fallback when nothing of the text is visible. */
export const membersLine = (text: string, fallback: string, most: number = MAX_LENGTH): string => {
  const line = text.replace(BREAKS, " ").trim()
  if (!isVisible(line)) return fallback
  return line.length <= most ? line : `${cut(line, most - 1).trimEnd()}…`
}

/** As `membersLine`, with a word joiner after each sign that could join the parts of an address. */
export const strangersLine = (text: string, fallback: string): string =>
  membersLine(withoutUnseen(text), fallback).replace(JOINT, "$1\u2060")
