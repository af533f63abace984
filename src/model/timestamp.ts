/**
 * Times on the wire are RFC 3339 with an offset. Internally a time is the same text normalised to UTC with milliseconds, so that rows,
 * views and frames need no conversion and compare as strings.
 */
import { Schema, SchemaTransformation } from "effect"

/** RFC 3339 in UTC with milliseconds: `2026-11-20T18:00:00.000Z`. */
export type Timestamp = string

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Normalises RFC 3339 text; `undefined` for a date without time, a time without offset, or a day that does not exist. */
export const parseTimestamp = (text: string): Timestamp | undefined => {
  if (!RFC3339.test(text)) return undefined
  const millis = Date.parse(text)
  if (Number.isNaN(millis)) return undefined
  // Date.parse rolls 30 February over to March; the calendar day must be the one that was written.
  const day = Number(text.slice(8, 10))
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
  if (day > daysInMonth) return undefined
  const normalised = new Date(millis).toISOString()
  // Years 1 to 9999: four digits on the wire, and the database knows no year 0.
  return normalised.length === 24 && normalised >= "0001" ? normalised : undefined
}

/** The last conversion is cached: a batch of commands asks for the same millisecond many times. */
let lastMillis = 0
let lastTimestamp: Timestamp = "1970-01-01T00:00:00.000Z"

/** `millis`: Unix milliseconds. Throws `RangeError` if out of the range of `Date`. */
export const toTimestamp = (millis: number): Timestamp => {
  if (millis !== lastMillis) {
    lastTimestamp = new Date(millis).toISOString()
    lastMillis = millis
  }
  return lastTimestamp
}

/** Unix milliseconds. */
export const toMillis = (timestamp: Timestamp): number =>
  timestamp === lastTimestamp ? lastMillis : Date.parse(timestamp)

/** A timestamp in an answer: already normalised, so it is not validated again. */
export const Instant = Schema.String.annotate({ format: "date-time" })

/** A timestamp from a client: any RFC 3339 offset, UTC with milliseconds after decoding. */
export const InstantInput = Schema.String.annotate({ format: "date-time" })
  .check(
    Schema.makeFilter(
      (text) =>
        parseTimestamp(text) !== undefined ||
        "must be an RFC 3339 time with an offset, of a day that exists, and no leap second",
    ),
  )
  .pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({
        decode: (text: string) => parseTimestamp(text) ?? text,
        encode: (text) => text,
      }),
    ),
  )
