/**
 * Names of the description's schemas. A schema has its given name (`named`). An unnamed body is called after its operation, and a page
 * after its items.
 */
import type { OpenApi } from "effect/http-api"
import { nameOf } from "../../model/named.ts"
import { isKeywords, type Keywords, plainly as plainSchema } from "../../model/plain-schema.ts"
import { VIEWS } from "./named-parts.ts"

interface JsonObject {
  readonly [member: string]: unknown
}

/** Shared definitions by name. */
export interface Definitions {
  [name: string]: unknown
}

const PREFIX = "#/components/schemas/"

/** Option for the description's generator: named schemas become shared definitions. */
export const NAMING: OpenApi.FromApiOptions = { referencePolicy: ({ ast }) => nameOf(ast) ?? VIEWS.get(ast) }

/** @throws where another schema has the name */
export const define = (definitions: Definitions, name: string, schema: unknown): { readonly $ref: string } => {
  const known = definitions[name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas are named ${name}.`)
  definitions[name] = schema
  return { $ref: `${PREFIX}${name}` }
}

const asObject = (value: unknown): JsonObject => value as JsonObject

/** Name of the items of `{<plural>: [item, …], nextCursor}`. */
const itemOfPage = (properties: JsonObject): string | undefined => {
  const { nextCursor, ...others } = properties
  const [list, ...more] = Object.values(others)
  if (nextCursor === undefined || list === undefined || more.length > 0) return undefined
  const { $ref } = asObject(asObject(list)["items"] ?? {})
  return typeof $ref === "string" ? $ref.slice(PREFIX.length) : undefined
}

/** A body by reference; `otherwise` names it when it is not a page. Bodies that are not objects stay as they are. */
export const namedBody = (definitions: Definitions, schema: unknown, otherwise: string): unknown => {
  const { properties } = asObject(schema)
  if (properties === undefined) return schema
  const item = itemOfPage(asObject(properties))
  return define(definitions, item === undefined ? otherwise : `${item}Page`, schema)
}

/**
 * Merges definitions that have several names: the generator numbers a schema that it meets again with other annotations.
 *
 * @throws where two schemas that differ have one name
 */
export const withoutTwins = <Spec extends { readonly components: { readonly schemas: Definitions } }>(
  spec: Spec,
): Spec => {
  let text = JSON.stringify(spec)
  while (true) {
    const parsed = JSON.parse(text) as Spec
    const { schemas } = parsed.components
    const twin = Object.keys(schemas).find((name) => /_\d+$/.test(name))
    if (twin === undefined) return parsed
    const name = twin.replace(/_\d+$/, "")
    const twinSchema = schemas[twin]
    delete schemas[twin]
    define(schemas, name, twinSchema)
    text = JSON.stringify(parsed).replaceAll(`"${PREFIX}${twin}"`, `"${PREFIX}${name}"`)
  }
}

/**
 * Rewrites `anyOf: [{ type: "string" }, { type: "null" }]` as `type: ["string", "null"]`, which generators read as one field and not as a
 * type.
 */
const nullable = (schema: Keywords): Keywords => {
  const { anyOf, ...others } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [one, none] = anyOf as ReadonlyArray<Keywords>
  if (one === undefined || none?.["type"] !== "null" || typeof one["type"] !== "string" || "enum" in one) return schema
  return { ...one, ...others, type: [one["type"], "null"] }
}

/** A constant flag in an answer becomes a boolean. */
const flag = (value: unknown): unknown => {
  if (!isKeywords(value) || typeof value["const"] !== "boolean") return value
  const { const: _, ...others } = value
  return others
}

/** Replacer for `JSON.stringify`. */
export const withoutNames = (key: string, value: unknown): unknown =>
  flag(plainSchema(key, isKeywords(value) ? nullable(value) : value))
