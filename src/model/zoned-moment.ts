/**
 * Times in the time zone of an event, for people whose own zone is not known. Names are those of the IANA database, as far as this runtime
 * has them.
 */
import { Schema } from "effect"
import type { Language } from "./presentation.ts"
import type { Timestamp } from "./timestamp.ts"

/** Maximum length of a name in characters; all names of the database are shorter. */
const LONGEST_NAME = 64
/** The runtime also takes offsets such as +01:00, which know no daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/

const formatter = (
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
  locale = "en-GB",
): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone })
  } catch {
    return undefined
  }
}

export const isTimeZone = (name: string): boolean => NAME.test(name) && formatter(name, {}) !== undefined

export const TimeZoneInput = Schema.String.check(
  Schema.isMaxLength(LONGEST_NAME),
  Schema.makeFilter((name) => isTimeZone(name) || "must be a time zone of the IANA database"),
)

const FULL = { dateStyle: "full", timeStyle: "short" } as const
const LOCALES: { readonly [language in Language]: string } = { en: "en-GB", de: "de-DE" }

/** Offset as in `GMT+5:30`, which tells an hour apart from its repetition when the clocks go back. */
const offsetOf = (at: Date, timeZone: string): string => {
  const parts = formatter(timeZone, { timeZoneName: "shortOffset" })?.formatToParts(at) ?? []
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? ""
  // Versions of ICU differ in this one.
  return offset === "GMT+0" ? "GMT" : offset
}

/**
 * Formats as in "Monday, 1 March 2027 at 18:00 (Europe/Berlin, GMT+1)"; without a zone, or with one that this runtime does not have, as in
 * "Monday, 1 March 2027 at 17:00 UTC".
 */
export const zonedMoment = (when: Timestamp, timeZone: string | null, language: Language): string => {
  const at = new Date(when)
  const locale = LOCALES[language]
  const inZone = timeZone === null || timeZone === "UTC" ? undefined : formatter(timeZone, FULL, locale)
  return inZone === undefined || timeZone === null
    ? `${new Intl.DateTimeFormat(locale, { ...FULL, timeZone: "UTC" }).format(at)} UTC`
    : `${inZone.format(at)} (${timeZone}, ${offsetOf(at, timeZone)})`
}
