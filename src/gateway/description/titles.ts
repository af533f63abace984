/** Titles of schemas: generators take them for the names of the types that they write. */
import type { JsonSchema } from "effect"
import { capital } from "../../model/text/compared.ts"

type Schema = JsonSchema.JsonSchema

const KINDS: { readonly [kind: string]: string } = { command: "Command", reply: "Reply", dispatch: "Dispatch" }

/** The name of the payload's type in generated code: `ChatSendCommand` of `command.chat.send`, `Hello` of `hello`. */
export const typeName = (key: string): string => {
  const [kind = "", ...rest] = key.split(".")
  const suffix = KINDS[kind]
  const parts = suffix === undefined ? [kind] : [...rest, suffix]
  return parts.map(capital).join("")
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The data is in the field `d`. */
const fieldName = (name: string): string => (name === "d" ? "Data" : capital(name))

/** A branch is named by the word or flag that it alone has, or else by its place. */
const branchName = (branch: unknown, place: number): string => {
  const {
    properties = {},
    type,
    const: own,
  } = (isSchema(branch) ? branch : {}) as {
    readonly properties?: { readonly [name: string]: Schema }
    readonly type?: unknown
    readonly const?: unknown
  }
  if (typeof own === "string") return capital(own)
  for (const [name, { const: value }] of Object.entries(properties)) {
    if (typeof value === "string") return capital(value)
    if (typeof value === "boolean") return value ? capital(name) : `Not${capital(name)}`
  }
  return typeof type === "string" && type !== "object" ? capital(type) : `Form${String.fromCharCode(65 + place)}`
}

const ALTERNATIVES = ["anyOf", "oneOf"] as const

/** Is a type written for it? Texts, numbers and lists of others are written where they stand. */
const isType = (schema: Schema): boolean =>
  schema["type"] === "object" ||
  Array.isArray(schema["items"]) ||
  ["enum", ...ALTERNATIVES].some((keyword) => schema[keyword] !== undefined)

/** The schema with titles for itself and its parts, as far as they are types. A reference has its name. */
export const titled = (schema: Schema, title: string): Schema => {
  if (schema["$ref"] !== undefined) return schema
  const named: { [keyword: string]: unknown } = isType(schema) ? { title, ...schema } : { ...schema }
  const inner = (value: unknown, suffix: string): unknown =>
    isSchema(value) ? titled(value, `${title}${suffix}`) : value
  if (isSchema(schema["properties"])) {
    const fields = Object.entries(schema["properties"])
    named["properties"] = Object.fromEntries(fields.map(([name, field]) => [name, inner(field, fieldName(name))]))
  }
  if (Array.isArray(schema["items"])) {
    named["items"] = schema["items"].map((item, place) => inner(item, `Item${String.fromCharCode(65 + place)}`))
  } else if (schema["items"] !== undefined) named["items"] = inner(schema["items"], "Item")
  if (schema["additionalProperties"] !== undefined) {
    named["additionalProperties"] = inner(schema["additionalProperties"], "Value")
  }
  for (const keyword of ALTERNATIVES) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    named[keyword] = branches.map((branch, place) => inner(branch, branchName(branch, place)))
  }
  return named
}
