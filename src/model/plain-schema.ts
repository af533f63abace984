/**
 * JSON Schemas of the descriptions, in a form that client generators interpret as intended: bounds beside their type, a single permitted
 * value as `const`, and no bound or pattern without effect.
 */
export interface Keywords {
  readonly [keyword: string]: unknown
}

export const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isLanguageBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Joins the schemas of `allOf` that only add keywords with the schema that contains them. */
const joined = (schema: Keywords): Keywords => {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  const all: { [keyword: string]: unknown } = { ...own }
  for (const part of allOf as ReadonlyArray<Keywords>) {
    for (const [keyword, value] of Object.entries(part)) {
      const known = all[keyword]
      if (keyword === "$ref" || (known !== undefined && JSON.stringify(known) !== JSON.stringify(value))) return schema
      all[keyword] = value
    }
  }
  return all
}

const isInteger = (schema: Keywords, value: unknown): boolean => schema["type"] === "number" && Number.isInteger(value)

const withConst = (schema: Keywords): Keywords => {
  const { enum: values, ...others } = schema
  if (!Array.isArray(values) || values.length !== 1) return schema
  const [value] = values as ReadonlyArray<unknown>
  return { ...others, ...(isInteger(schema, value) ? { type: "integer" } : {}), const: value }
}

/** The format suffices; the pattern would be repeated for each id. */
const withoutPattern = (schema: Keywords): Keywords => {
  const { pattern, ...others } = schema
  return schema["format"] === "uuid" ? others : schema
}

/** Replacer for `JSON.stringify`. */
export const plainly = (key: string, value: unknown): unknown => {
  if (isLanguageBound(key, value)) return undefined
  if (!isKeywords(value)) return value
  return withConst(withoutPattern(joined(value)))
}
