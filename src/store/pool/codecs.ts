/**
 * Wire formats of values: times as RFC 3339 text, bigint as number (our counters stay below 2^53), and arrays of text and uuid by their
 * fixed type numbers, so that no connection has to ask the catalogue for them first.
 */

/** Type numbers of PostgreSQL's catalogue (`pg_type.dat`); built-in ones never change. */
const TIMESTAMPTZ = 1184
const INT8 = 20
const TEXT_ARRAY = 1009
const UUID_ARRAY = 2951

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

/** Writes an array literal for PostgreSQL, each element in quotes: `{"a","b"}`. */
export const writeArray = (elements: ReadonlyArray<string | null>): string =>
  `{${elements.map((element) => (element === null ? "NULL" : quoted(element))).join(",")}}`

const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs

/** Reads a one-dimensional array literal of PostgreSQL, which quotes elements only where necessary. */
export const readArray = (literal: string): ReadonlyArray<string | null> =>
  Array.from(literal.slice(1, -1).matchAll(ELEMENT), ([, inQuotes, bare]) => {
    if (inQuotes !== undefined) return inQuotes.replace(/\\(.)/gs, "$1")
    return bare === "NULL" || bare === undefined ? null : bare
  })

/** Maximum number of shared arrays. */
export const MOST_SHARED = 500
/** Maximum length of the literal of one. */
const LONGEST_SHARED = 100

const shared = new Map<string, ReadonlyArray<string | null>>()

/**
 * Reads an array of a few words, such as the features of a phase. Equal arrays are one frozen object, because many rows in memory have
 * them.
 */
export const readWords = (literal: string): ReadonlyArray<string | null> => {
  if (literal.length > LONGEST_SHARED) return readArray(literal)
  const known = shared.get(literal)
  if (known !== undefined) return known
  const words = Object.freeze(readArray(literal))
  if (shared.size >= MOST_SHARED) shared.clear()
  shared.set(literal, words)
  return words
}

/** Codecs for the driver's `types` option; only the numbers are used, not the names. */
export const CODECS = {
  timestamp: {
    to: TIMESTAMPTZ,
    from: [TIMESTAMPTZ],
    serialize: (value: string) => value,
    parse: (text: string) => new Date(text).toISOString(),
  },
  counter: { to: INT8, from: [INT8], serialize: String, parse: Number },
  texts: { to: TEXT_ARRAY, from: [TEXT_ARRAY], serialize: writeArray, parse: readWords },
  ids: { to: UUID_ARRAY, from: [UUID_ARRAY], serialize: writeArray, parse: readArray },
}
