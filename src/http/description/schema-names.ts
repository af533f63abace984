/**
 * The names of the description's schemas. A schema has the name that it was given (`named`). A body without one is called after its
 * operation, and a page after its items.
 */
import type { OpenApi } from "effect/http-api"
import { nameOf } from "../../model/named.ts"

interface JsonObject {
  readonly [member: string]: unknown
}

/** Shared definitions by name. */
export interface Definitions {
  [name: string]: unknown
}

const PREFIX = "#/components/schemas/"

/** For the generator of the description: named schemas are shared definitions. */
export const NAMING: OpenApi.FromApiOptions = { referencePolicy: ({ ast }) => nameOf(ast) }

/** @throws where another schema has the name */
export const define = (definitions: Definitions, name: string, schema: unknown): { readonly $ref: string } => {
  const known = definitions[name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas are named ${name}.`)
  definitions[name] = schema
  return { $ref: `${PREFIX}${name}` }
}

const asObject = (value: unknown): JsonObject => value as JsonObject

/** `{<plural>: [item, …], nextCursor}`: the item's name. */
const itemOfPage = (properties: JsonObject): string | undefined => {
  const { nextCursor, ...others } = properties
  const [list, ...more] = Object.values(others)
  if (nextCursor === undefined || list === undefined || more.length > 0) return undefined
  const { $ref } = asObject(asObject(list)["items"] ?? {})
  return typeof $ref === "string" ? $ref.slice(PREFIX.length) : undefined
}

/** A body by reference; `otherwise` names it when it is not a page. Bodies that are no objects stay as they are. */
export const namedBody = (definitions: Definitions, schema: unknown, otherwise: string): unknown => {
  const { properties } = asObject(schema)
  if (properties === undefined) return schema
  const item = itemOfPage(asObject(properties))
  return define(definitions, item === undefined ? otherwise : `${item}Page`, schema)
}

/**
 * The same definitions, each under one name: the generator numbers a schema that it meets again with other annotations.
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

const isLanguageBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** `anyOf: [{ type: "string" }, { type: "null" }]` as `type: ["string", "null"]`, which generators read as one field and not as a type. */
const nullable = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  const { anyOf, ...others } = value as JsonObject
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return value
  const [one, none] = anyOf.map(asObject)
  if (one === undefined || none?.["type"] !== "null" || typeof one["type"] !== "string" || "enum" in one) return value
  return { ...one, ...others, type: [one["type"], "null"] }
}

/** For `JSON.stringify`: integers without the bounds of the language, which say nothing, and nullable fields by their types. */
export const plainly = (key: string, value: unknown): unknown =>
  isLanguageBound(key, value) ? undefined : nullable(value)
