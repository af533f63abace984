/** Converts between form fields, which hold text, and the data of a command. */
import type { JsonSchema, Resolve } from "./command-schemas.ts"

type FieldKind = "text" | "number" | "boolean" | "choice" | "json"

/** Permitted values, where they are listed. */
export const choicesOf = (schema: JsonSchema, resolve: Resolve): ReadonlyArray<unknown> => {
  const resolved = resolve(schema)
  return resolved.enum ?? ("const" in resolved ? [resolved.const] : [])
}

export const kindOf = (schema: JsonSchema, resolve: Resolve): FieldKind => {
  const { type } = resolve(schema)
  if (choicesOf(schema, resolve).length > 0) return "choice"
  switch (type) {
    case "string":
      return "text"
    case "number":
    case "integer":
      return "number"
    case "boolean":
      return "boolean"
    default:
      return "json"
  }
}

export type FieldValues = { readonly [name: string]: string }

/** An empty field is left out. @throws SyntaxError for text that is no JSON, with the name of its field */
export const dataOf = (
  schema: JsonSchema,
  values: FieldValues,
  resolve: Resolve,
): { readonly [name: string]: unknown } => {
  const data: { [name: string]: unknown } = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const text = values[name] ?? ""
    if (text === "") continue
    const kind = kindOf(property, resolve)
    if (kind === "text") data[name] = text
    else data[name] = parsed(name, text, kind)
  }
  return data
}

const parsed = (name: string, text: string, kind: FieldKind): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // Choices are mostly words.
    if (kind === "choice") return text
    throw new SyntaxError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
