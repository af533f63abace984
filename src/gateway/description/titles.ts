/** Titles of schemas, which code generators use as type names. */
import type { JsonSchema } from "effect"
import { capital } from "../../model/text/compared.ts"

type Schema = JsonSchema.JsonSchema

const KINDS: { readonly [kind: string]: string } = { command: "Command", reply: "Reply", dispatch: "Dispatch" }

/** Type name of the payload in generated code: `ChatSendCommand` for `command.chat.send`, `Hello` for `hello`. */
export const typeName = (key: string): string => {
  const [kind = "", ...rest] = key.split(".")
  const suffix = KINDS[kind]
  const parts = suffix === undefined ? [kind] : [...rest, suffix]
  return parts.map(capital).join("")
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Name of a field's type; the payload's data is in the field `d`. */
const fieldName = (name: string): string => (name === "d" ? "Data" : capital(name))

/** Names a branch by the value or flag that only this branch has, or else by its position. */
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

/** Whether generators write a type for the schema. Texts, numbers and lists of other types are written inline. */
const isType = (schema: Schema): boolean =>
  schema["type"] === "object" ||
  Array.isArray(schema["items"]) ||
  ["enum", ...ALTERNATIVES].some((keyword) => schema[keyword] !== undefined)

/** The schema with titles for itself and for those of its parts that are types. A reference already has a name. */
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
