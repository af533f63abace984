/**
 * Names of the live event's schemas. A schema that the protocol exports has its name there. An object inside another one is called after its
 * place: generators would number it. Equal objects share the first name.
 */
import { Schema, type SchemaAST } from "effect"
import { capital } from "../../model/text/compared.ts"
import * as agenda from "../../protocol/messages/agenda.ts"
import * as breakouts from "../../protocol/messages/breakouts.ts"
import * as chat from "../../protocol/messages/chat.ts"
import { Actor, OneId, OneParticipant } from "../../protocol/messages/fields.ts"
import * as hands from "../../protocol/messages/hands.ts"
import * as media from "../../protocol/messages/media.ts"
import * as participants from "../../protocol/messages/participants.ts"
import * as polls from "../../protocol/messages/polls.ts"
import * as presence from "../../protocol/messages/presence.ts"
import * as questions from "../../protocol/messages/questions.ts"
import * as rotation from "../../protocol/messages/rotation.ts"

const MODULES = [
  { Actor, OneId, OneParticipant },
  agenda,
  breakouts,
  chat,
  hands,
  media,
  participants,
  polls,
  presence,
  questions,
  rotation,
]

const isNamed = ({ _tag }: SchemaAST.AST): boolean => _tag === "Objects" || _tag === "Union"

/** Names of the objects that the protocol exports. */
export const VIEWS: ReadonlyMap<SchemaAST.AST, string> = new Map(
  MODULES.flatMap((module) => Object.entries(module)).flatMap(([name, value]) =>
    Schema.isSchema(value) && isNamed(value.ast) && /^(?:[A-Z][a-z]+)+$/.test(name) ? [[value.ast, name] as const] : [],
  ),
)

interface Definitions {
  readonly [name: string]: unknown
}

interface Keywords {
  readonly [keyword: string]: unknown
}

const isObject = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value that tells a branch from others, or the first field that it requires. */
const branchName = ({ properties = {}, required = [] }: Keywords): string => {
  const values = Object.values(properties as { readonly [name: string]: Keywords }).map((one) => one["const"])
  const [told] = values.filter((value) => typeof value === "string")
  return capital(told ?? String((required as ReadonlyArray<string>)[0] ?? "form"))
}

const wordsFor = ({ type, items, const: value }: Keywords): string => {
  if (value !== undefined) return `\`${value}\``
  if (type !== "array") return type === "integer" ? "an integer" : "a text"
  return (items as Keywords)["format"] === "uuid" ? "a list of ids" : "a list of texts"
}

/** A union of a list and another type is described in words, because Java generators write code for it that does not compile. */
const inWords = ({ anyOf }: Keywords): Keywords | undefined => {
  const branches = Array.isArray(anyOf) ? (anyOf as ReadonlyArray<Keywords>) : []
  const isMixed = branches.some(({ type }) => type === "array") && branches.every(({ type }) => type !== "null")
  return isMixed ? { description: `Either ${branches.map(wordsFor).join(" or ")}.` } : undefined
}

export const withNamedParts = (definitions: Definitions): Definitions => {
  const found: { [name: string]: unknown } = {}
  const names = new Map(Object.entries(definitions).map(([name, schema]) => [JSON.stringify(schema), name]))

  const part = (value: unknown, name: string): unknown => {
    if (!isObject(value)) return value
    const schema = inside(value, name)
    if (schema["properties"] === undefined) return schema
    const text = JSON.stringify(schema)
    const known = names.get(text) ?? name
    names.set(text, known)
    if (definitions[known] === undefined) found[known] = schema
    return { $ref: `#/components/schemas/${known}` }
  }

  const inside = (schema: Keywords, name: string): Keywords => {
    const told = inWords(schema)
    if (told !== undefined) return told
    const changed: { [keyword: string]: unknown } = { ...schema }
    if (isObject(schema["properties"])) {
      const fields = Object.entries(schema["properties"])
      changed["properties"] = Object.fromEntries(
        fields.map(([field, inner]) => [field, part(inner, name + (field === "d" ? "Data" : capital(field)))]),
      )
    }
    if (isObject(schema["items"])) changed["items"] = part(schema["items"], `${name}Item`)
    if (isObject(schema["additionalProperties"]))
      changed["additionalProperties"] = part(schema["additionalProperties"], `${name}Value`)
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = schema[keyword]
      if (Array.isArray(branches))
        changed[keyword] = branches.map((branch: Keywords) => part(branch, name + branchName(branch)))
    }
    return changed
  }

  const named = Object.entries(definitions).map(([name, schema]) => [name, inside(schema as Keywords, name)])
  return { ...Object.fromEntries(named), ...found }
}
