/**
 * The promises of a schema to its readers. Answers are open: a later release may add fields. Request bodies are open too, because the server
 * ignores unknown properties, except for a few operations. Extensible sets are text with the known values listed beside it.
 */
import type { Definitions } from "./schema-names.ts"

interface JsonObject {
  readonly [member: string]: unknown
}

const PREFIX = "#/components/schemas/"

/** Answer values that a later release may extend. */
const EXTENSIBLE: ReadonlySet<string> = new Set([
  "GuestRefusalReason",
  "LinkKind",
  "MediaFailureCode",
  "PartnerFault",
  "PersonalDataKind",
  "ProblemCode",
  "WebhookAttemptError",
  "WebhookDeliveryType",
])

function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === "$ref" && typeof inner === "string" && inner.startsWith(PREFIX)) yield inner.slice(PREFIX.length)
    else yield* namesIn(inner)
  }
}

/** Definitions that the values refer to, transitively. */
const reachedFrom = (values: ReadonlyArray<unknown>, definitions: Definitions): ReadonlySet<string> => {
  const reached = new Set<string>()
  const waiting = values.flatMap((value) => [...namesIn(value)])
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue
    reached.add(name)
    waiting.push(...namesIn(definitions[name]))
  }
  return reached
}

/** `undefined` means open, as in JSON Schema. Answers state it, because common generators read silence as closed. */
const withOpenness = (schema: unknown, openness: boolean | undefined): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === "additionalProperties" && typeof value === "boolean" ? openness : value,
    ),
  )

const extensible = ({ enum: values, ...others }: JsonObject): JsonObject => ({
  ...others,
  "x-extensible-enum": values,
})

interface Bodies {
  /** Answers, and bodies sent to receivers. */
  readonly answers: ReadonlyArray<unknown>
  /** Request bodies in which an unknown property is refused. */
  readonly exact: ReadonlyArray<unknown>
}

/** Definitions with the promises that their readers may rely on. */
export const promised = (definitions: Definitions, { answers, exact }: Bodies): Definitions => {
  const answered = reachedFrom(answers, definitions)
  const closed = reachedFrom(exact, definitions)
  const promise = (name: string, schema: unknown): unknown => {
    if (EXTENSIBLE.has(name)) return extensible(schema as JsonObject)
    if (answered.has(name)) return withOpenness(schema, true)
    return withOpenness(schema, closed.has(name) ? false : undefined)
  }
  return Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, promise(name, schema)]))
}

/** Values of the property in each of some named objects; `undefined` where an object has none of its own. */
const valuesOf = (property: string, objects: ReadonlyArray<JsonObject>): ReadonlyArray<string> | undefined => {
  const values = objects.map(
    ({ properties = {} }) => (properties as { [name: string]: JsonObject })[property]?.["const"],
  )
  const texts = values.filter((value) => typeof value === "string")
  return new Set(texts).size === objects.length ? texts : undefined
}

/** Adds a discriminator to unions of named objects that differ in the value of one property. */
export const discriminated = (definitions: Definitions): Definitions => {
  const told = (schema: JsonObject): JsonObject => {
    const { anyOf, ...others } = schema
    if (!Array.isArray(anyOf) || anyOf.length < 2) return schema
    const names = anyOf.map(({ $ref = "" }: { readonly $ref?: string }) => $ref.slice(PREFIX.length))
    const objects = names.map((name) => (definitions[name] ?? {}) as JsonObject)
    const propertyName = Object.keys(objects[0]?.["properties"] ?? {}).find((name) => valuesOf(name, objects))
    if (propertyName === undefined) return schema
    const values = valuesOf(propertyName, objects) ?? []
    const mapping = Object.fromEntries(values.map((value, index) => [value, `${PREFIX}${names[index]}`]))
    return { ...others, oneOf: anyOf, discriminator: { propertyName, mapping } }
  }
  return Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, told(schema as JsonObject)]))
}
