/** Values that a described schema excludes, one fault at a time: what a server must refuse by the field. */
import { description } from "./description.ts"

export interface DescribedSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<DescribedSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly items?: DescribedSchema
  readonly properties?: { readonly [name: string]: DescribedSchema }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: unknown
}

/** The only one beside null. */
const chosen = (schema: DescribedSchema): DescribedSchema | undefined => {
  const [own, other] = (schema.anyOf ?? []).filter(({ type }) => type !== "null")
  return other === undefined ? own : undefined
}
/** The name of its definition; empty without one. */
export const nameOf = (schema: DescribedSchema): string => {
  const { $ref = "" } = chosen(schema) ?? schema
  return $ref.slice($ref.lastIndexOf("/") + 1)
}
/** The schema itself, behind its name and beside null. */
export const resolved = (schema: DescribedSchema): DescribedSchema => {
  if (schema.$ref !== undefined)
    return resolved((description.components.schemas[nameOf(schema)] ?? {}) as DescribedSchema)
  const own = chosen(schema)
  return own === undefined ? schema : resolved(own)
}
export const typesOf = (schema: DescribedSchema): ReadonlyArray<string> => {
  const own = [resolved(schema).type ?? []].flat()
  return (schema.anyOf ?? []).some(({ type }) => type === "null") ? [...own, "null"] : own
}

const BY_FORMAT: { readonly [format: string]: string } = {
  uuid: "0196a1f0-0000-7000-8000-000000000007",
  "date-time": "2030-01-01T00:00:00Z",
  email: "ada@example.com",
  uri: "https://example.com/",
}

/** A value that the schema takes, as far as its keywords say. */
const sampleOf = (schema: DescribedSchema): unknown => {
  const { enum: known, format = "", minLength = 1, minimum, items, properties = {}, required = [] } = resolved(schema)
  const [type] = typesOf(schema)
  if (known !== undefined) return known[0]
  if (type === "string") return BY_FORMAT[format] ?? "x".repeat(Math.max(1, minLength))
  if (type === "integer" || type === "number") return minimum ?? 1
  if (type === "array") return items === undefined ? [] : [sampleOf(items)]
  if (type === "object") return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
  return true
}

/** A longer text would be refused for the size of the body. */
const LONGEST = 100_000

interface Wrong {
  readonly value: unknown
  /** The place of the fault, from the value on. */
  readonly at: string
}
const here = (...values: ReadonlyArray<unknown>): ReadonlyArray<Wrong> => values.map((value) => ({ value, at: "" }))

const wrongTexts = ({ minLength = 0, maxLength = LONGEST, format, enum: known, pattern }: DescribedSchema) => {
  const isFree = [undefined, "password"].includes(format) && known === undefined && pattern === undefined
  return here(
    7,
    ...(minLength > 0 ? ["x".repeat(minLength - 1)] : []),
    ...(maxLength < LONGEST ? ["x".repeat(maxLength + 1)] : []),
    ...(isFree ? [] : ["§ no such value §"]),
  )
}

const wrongNumbers = ({ type, minimum, maximum, exclusiveMinimum }: DescribedSchema) =>
  here(
    "7",
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
    ...([type].flat().includes("integer") ? [(minimum ?? 0) + 0.5] : []),
  )

const wrongLists = ({ items, minItems = 0, maxItems = 1000, uniqueItems }: DescribedSchema, given: unknown) => {
  const [first] = Array.isArray(given) ? given : []
  const within = items === undefined || first === undefined ? [] : wrongValues(items, first)
  return [
    ...here("x"),
    ...(minItems > 0 ? here([]) : []),
    ...(maxItems < 1000 && first !== undefined ? here(Array.from({ length: maxItems + 1 }, () => first)) : []),
    ...(uniqueItems === true && first !== undefined ? here([first, first]) : []),
    ...within.map(({ value, at }) => ({ value: [value], at: `/0${at}` })),
  ]
}

const wrongObjects = (
  { properties = {}, required = [], additionalProperties }: DescribedSchema,
  given: unknown,
): ReadonlyArray<Wrong> => {
  if (typeof given !== "object" || given === null) return here([])
  const own = given as { readonly [name: string]: unknown }
  const faults = Object.entries(properties).flatMap(([name, property]) =>
    wrongValues(property, own[name]).map(({ value, at }) => ({
      value: { ...own, [name]: value },
      at: `/${name}${at}`,
    })),
  )
  const gaps = required.map((name) => ({ value: { ...own, [name]: undefined }, at: `/${name}` }))
  const surplus = additionalProperties === false ? [{ value: { ...own, surplus: 1 }, at: "/surplus" }] : []
  return [...here([]), ...faults, ...gaps, ...surplus]
}

/** `given`: a value that the schema takes, if one is known, from which each wrong one differs in one place. */
export const wrongValues = (schema: DescribedSchema, given?: unknown): ReadonlyArray<Wrong> => {
  const types = typesOf(schema)
  const own = resolved(schema)
  const nothing = types.length === 0 || types.includes("null") ? [] : here(null)
  const right = given ?? sampleOf(schema)
  if (types.includes("object")) return [...nothing, ...wrongObjects(own, right)]
  if (types.includes("array")) return [...nothing, ...wrongLists(own, right)]
  if (types.includes("integer") || types.includes("number")) return [...nothing, ...wrongNumbers(own)]
  if (types.includes("boolean")) return [...nothing, ...here("yes")]
  return types.includes("string") ? [...nothing, ...wrongTexts(own)] : nothing
}
