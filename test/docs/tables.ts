/** A JSON Schema in a few signs, and tables of Markdown: what all generated pages of the reference are made of. */
import type { JsonSchema } from "../support/gateway-description.ts"

/** Bounds that only say how far a whole number reaches. */
const isBound = (limit: number | undefined): limit is number => limit !== undefined && Number.isSafeInteger(limit + 1)

const range = (least: number | undefined, most: number | undefined): string => {
  const [from, to] = [least ?? Number.NEGATIVE_INFINITY, most ?? Number.POSITIVE_INFINITY]
  if (isBound(from) && from > Number.MIN_SAFE_INTEGER) return isBound(to) ? `${from}…${to}` : `${from}…`
  return isBound(to) ? `…${to}` : ""
}

const scalar = ({ type = "any", format, minimum, maximum, minLength, maxLength }: JsonSchema): string => {
  if (type === "integer" || type === "number") return range(minimum, maximum) || type
  if (format !== undefined) return format
  return [type, range(minLength, maxLength)].filter((part) => part !== "").join(" ")
}

const object = ({ properties = {}, required = [], additionalProperties }: JsonSchema): string => {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${shape(schema)}`,
  )
  if (typeof additionalProperties === "object") {
    const isAny = Object.keys(additionalProperties).length === 0
    fields.push(isAny ? "…" : `[name]: ${shape(additionalProperties)}`)
  }
  return `{${fields.join(", ")}}`
}

/** A schema in a few signs: `{seconds: 10…3600, targets?: "all"}`. */
export const shape = (schema: JsonSchema): string => {
  const { $ref, type, items, anyOf } = schema
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (anyOf !== undefined) return anyOf.map(shape).join(" | ")
  if (type === "array") {
    const item = shape(items ?? {})
    return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`
  }
  return type === "object" ? object(schema) : scalar(schema)
}

export const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** A generated page: its title, what it says first, and its tables under their headings. */
export const pageOf = (title: string, about: string, parts: ReadonlyArray<string>): string =>
  `${[`# ${title}`, "<!-- Generated: `npm run reference` writes this page. Do not edit it. -->", about, ...parts].join("\n\n")}\n`
