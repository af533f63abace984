/**
 * JSON from clients. Two JSON values cannot be stored as text: U+0000 (PostgreSQL has no such character) and half a surrogate pair (UTF-8
 * cannot encode it). Deep nesting, the third refusal, overflows the stack of recursive code. All are refused when a body is read, so that
 * no other code sees them.
 */

/** Deepest nesting that is accepted. */
const MAX_JSON_DEPTH = 64

const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Text that is not JSON, or JSON that cannot be accepted. */
export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson"
  /** Path of the fault in the value; empty for the whole. */
  readonly path: ReadonlyArray<string>

  constructor(message: string, path: ReadonlyArray<string> = []) {
    super(message)
    this.path = path
  }
}

/** Whether the nesting is within the limit that all other code can traverse. */
export const isShallow = (value: unknown, depth = 0): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (depth === MAX_JSON_DEPTH) return false
  return Object.values(value).every((inner) => isShallow(inner, depth + 1))
}

/** Fault of a text that cannot be stored. */
export const UNSTORABLE_TEXT = "must not hold U+0000 or half a surrogate pair"

/** Path to the first text in the value that cannot be stored, or to the object with such a key. The value must be shallow. */
export const unstorableIn = (value: unknown): ReadonlyArray<string> | undefined => {
  if (typeof value === "string") return UNSTORABLE.test(value) ? [] : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    if (UNSTORABLE.test(key)) return []
    const path = unstorableIn(inner)
    if (path !== undefined) return [key, ...path]
  }
  return undefined
}

export const isStorable = (value: unknown): boolean => unstorableIn(value) === undefined

/** Throws `UnreadableJson`. */
export const parseJson = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    // The engine's message has a position for some faults; for others it repeats the text, which may be a secret.
    const [place] = (cause instanceof Error && / at position \d+/.exec(cause.message)) || [""]
    throw new UnreadableJson(`not valid JSON${place}`)
  }
  if (!isShallow(value)) throw new UnreadableJson(`nested deeper than ${MAX_JSON_DEPTH}`)
  // Only an escape can bring such a character into UTF-8, so a text without any is not traversed.
  const unstorable = text.includes("\\u") ? unstorableIn(value) : undefined
  if (unstorable !== undefined) throw new UnreadableJson(UNSTORABLE_TEXT, unstorable)
  return value
}
