/**
 * Text of users as letters may hold it: one line without addresses, because mail programs turn addresses into links, and a
 * letter from this server must link to this server alone.
 */
import { cut } from "../model/text/cut.ts"

/** Longer text is cut. A subject is read in a list of subjects. */
export const MAX_WORDS_IN_SUBJECT = 100
const MAX_WORDS = 300

const UNSEEN = /\p{Cf}+/gu
const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu
/** `https://host/path`, and other schemes written like it. */
const WITH_SCHEME = /[\p{L}\p{N}+.-]*:\/\/\S*/gu
const WITH_WWW = /www[.．。｡]\S*/giu
/** A dot before two letters makes the end of a domain: `host.example`, also with the full stops of other scripts. */
const DOT_IN_A_NAME = /(?<=\S)[.．。｡](?=[\p{L}\p{M}]{2})/gu

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${cut(text, most - 1).trimEnd()}…`

/** The text in at most `most` UTF-16 units; the fallback when nothing is left of it. */
export const plainWords = (text: string, fallback: string, most: number = MAX_WORDS): string => {
  const line = text
    .replace(UNSEEN, "")
    .replace(BREAKS, " ")
    .replace(WITH_SCHEME, "…")
    .replace(WITH_WWW, "…")
    .replace(DOT_IN_A_NAME, " ")
    .trim()
  return shortened(line === "" ? fallback : line, most)
}
