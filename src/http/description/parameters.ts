/** Parameters as callers use them: numbers as numbers, with a purpose, an example and a default. */
import { JsonSchema, type Schema, SchemaAST, SchemaRepresentation } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

interface Keywords {
  readonly [keyword: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: string
  schema: Keywords
  description?: string
  example?: unknown
}

/** Decoded fields as JSON Schemas. The generated description has the schemas of their text, which for a number is a pattern. */
const decodedFields = (schema: Schema.Top): { readonly [name: string]: Keywords } => {
  const represented = SchemaRepresentation.toRepresentations([SchemaAST.toType(schema.ast)], {
    referencePolicy: () => undefined,
  })
  const { schemas } = JsonSchema.toMultiDocumentOpenApi3_1(SchemaRepresentation.toJsonSchemaMultiDocument(represented))
  return (schemas[0]?.["properties"] ?? {}) as { readonly [name: string]: Keywords }
}

/** Noun for a path id: "/v1/webhook-deliveries/:id" becomes "webhook delivery". */
const nounBefore = (path: string, name: string): string => {
  const segments = path.split("/")
  const segment = segments[segments.indexOf(`:${name}`) - 1] ?? ""
  const noun = segment.replaceAll("-", " ")
  return noun.replace(/ies$/, "y").replace(/s$/, "")
}

const pathDescription = (path: string, name: string): string =>
  name === "id" || name.endsWith("Id")
    ? `The id of the ${nounBefore(path, name)}.`
    : `The ${name} of the ${nounBefore(path, name)}.`

/** A named schema with further keywords is an `allOf` of both. */
const partsOf = (schema: Keywords): ReadonlyArray<Keywords> =>
  Array.isArray(schema["allOf"]) ? (schema["allOf"] as ReadonlyArray<Keywords>) : [schema]

/** Flags are these two words, because a query holds text only. */
const isFlag = (schema: Keywords): boolean => JSON.stringify(schema["enum"]) === '["true","false"]'

const withoutWords = ({ description, examples, ...schema }: Keywords): Keywords => schema

/** Describes the parameter as callers give it: numbers and flags by their own types, text by the schema of its text. */
const describeQuery = (parameter: Parameter, decoded: Keywords): void => {
  const { description, examples } = Object.assign({}, ...partsOf(decoded)) as Keywords
  const described = decoded["type"] === "integer" ? decoded : (partsOf(parameter.schema)[0] ?? {})
  const flag = isFlag(described)
  parameter.schema = flag ? { type: "boolean", default: false } : withoutWords(described)
  if (typeof description === "string") parameter.description = description
  if (Array.isArray(examples)) parameter.example = flag ? examples[0] === "true" : examples[0]
}

/** Completes the parameters in place. Queries are described by the annotations of their schemas, paths by their own text. */
export const describeParameters = (parameters: ReadonlyArray<Parameter>, endpoint: HttpApiEndpoint.Top): void => {
  const queries = endpoint.query === undefined ? {} : decodedFields(endpoint.query)
  for (const parameter of parameters) {
    if (parameter.in === "path") parameter.description ??= pathDescription(endpoint.path, parameter.name)
    const decoded = parameter.in === "query" ? queries[parameter.name] : undefined
    if (decoded !== undefined) describeQuery(parameter, decoded)
  }
}
