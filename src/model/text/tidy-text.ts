/**
 * Spoken text in a form that every caption format can hold: an empty line would end a cue, and a line break a name. Most texts are tidy
 * already, and are scanned once.
 */
import { Schema, SchemaTransformation } from "effect"
import { withoutUnseen } from "./shown-text.ts"

const UNTIDY_TEXT = /^\s|\s\s|\s$|[^\S \n]/
const UNTIDY_LINE = /^\s|\s\s|\s$|[^\S ]/

/** Lines of a caption: none is empty, and none begins or ends with a space. */
export const tidyText = (text: string): string =>
  UNTIDY_TEXT.test(text)
    ? text
        .split(/\r\n?|\n|\u2028|\u2029/)
        .map((line) => line.replace(/\s+/g, " ").trim())
        .filter((line) => line !== "")
        .join("\n")
    : text

/** A name or a language as one line. */
export const tidyLine = (text: string): string => (UNTIDY_LINE.test(text) ? text.replace(/\s+/g, " ").trim() : text)

/** Removes invisible characters first: a line that has only those becomes empty. */
export const spokenText = (text: string): string => tidyText(withoutUnseen(text))
export const spokenName = (text: string): string => tidyLine(withoutUnseen(text))

const decodedBy = (decode: (text: string) => string) =>
  SchemaTransformation.transform({ decode, encode: (text: string) => text })

/** Up to `maximum` characters as sent, with a visible one. */
export const SpokenText = (maximum: number) =>
  Schema.String.check(Schema.isBetweenLength(1, maximum)).pipe(
    Schema.decodeTo(Schema.String.check(Schema.isMinLength(1)), decodedBy(spokenText)),
  )

/** Up to `maximum` characters as sent; may be empty. */
export const SpokenName = (maximum: number) =>
  Schema.String.check(Schema.isBetweenLength(0, maximum)).pipe(Schema.decodeTo(Schema.String, decodedBy(spokenName)))

/** Form of a language tag (BCP 47); some recognisers write `en_GB`. */
export const LANGUAGE_TAG = /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/
export const LONGEST_LANGUAGE = 35
