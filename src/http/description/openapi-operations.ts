/**
 * The generated parts of an operation's description: an example of each body, and the errors of limits, repeated requests and caching in
 * addition to those of its handler.
 */
import { Context, Option, type Schema } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { capital } from "../../model/text/compared.ts"
import { type Access, isPublicRead, isRepeatable, SECURITY, scopeOf } from "../contract/access.ts"
import { type EndpointExample, Example, FreshSignIn, OptionalBody, Revalidated } from "../contract/endpoint.ts"
import { PROBLEMS, type ProblemCode } from "../contract/problem.ts"
import { Deprecated } from "../transport/deprecation.ts"
import { IGNORED_HEADER } from "../transport/ignored-properties.ts"
import { CALLERS, PROOF } from "./callers.ts"
import { describeHeaders, headers } from "./headers.ts"
import { describeParameters, type Parameter } from "./parameters.ts"
import { problemResponse } from "./problem-answers.ts"
import { type Definitions, namedBody } from "./schema-names.ts"

interface Media {
  schema?: unknown
  example?: unknown
  examples?: unknown
}
interface Content {
  readonly [type: string]: Media
}

export interface Operation {
  operationId: string
  description?: string
  security?: unknown
  deprecated?: boolean
  parameters?: unknown[]
  requestBody?: { readonly content: Content; required?: boolean }
  responses: { [status: string]: { $ref?: string; description?: string; content?: Content; headers?: object } }
}

/** Codes of an endpoint's own failures, from its error schemas. */
const codesOf = (errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>): ReadonlyArray<ProblemCode> =>
  [...errors.values()].flat().map((schema) => {
    const code = schema.ast.annotations?.["title"]
    if (typeof code !== "string" || !(code in PROBLEMS))
      throw new Error("an error schema is not of the table of problems")
    return code as ProblemCode
  })

/** Failures that `serve` adds to those of the handler. */
const servedCodes = (endpoint: HttpApiEndpoint.Top, access: Access): ReadonlyArray<ProblemCode> => [
  "rate_limited",
  ...(endpoint.method === "GET" ? [] : (["payload_too_large", "unsupported_media_type"] as const)),
  ...(isRepeatable(endpoint) ? (["bad_request", "idempotency_in_progress", "idempotency_key_reused"] as const) : []),
  ...(access === "workspace" || access === "workspaceEvents" ? (["not_found"] as const) : []),
]

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A name for this request: a repeat within a day gets the first answer.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
}

const WORKSPACE_ID = {
  name: "x-workspace-id",
  in: "header",
  required: false,
  description: "Which workspace, for an account session that belongs to several.",
  schema: { type: "string", format: "uuid" },
}

/** Parameters that many operations share. */
export const PARAMETERS = { IdempotencyKey: IDEMPOTENCY_KEY, WorkspaceId: WORKSPACE_ID }

const sharedParameter = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` })

const illustrate = (operation: Operation, { request, response, texts = {} }: EndpointExample): void => {
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
    media.example = texts[type] ?? request
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (status >= "300") continue
    for (const [type, media] of Object.entries(content ?? {})) media.example = texts[type] ?? response
  }
}

const nameBodies = (operation: Operation, definitions: Definitions): void => {
  const operationName = capital(operation.operationId)
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    media.schema = namedBody(definitions, media.schema, `${operationName}Input`)
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (status >= "300") continue
    for (const media of Object.values(content ?? {}))
      media.schema = namedBody(definitions, media.schema, `${operationName}Result`)
  }
}

interface Described {
  readonly endpoint: HttpApiEndpoint.Top
  readonly access: Access
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

/** Text in the address may be longer than the engine reads, whatever its schema permits. */
const isText = (parameter: unknown): boolean => {
  const { schema = {} } = parameter as { readonly schema?: { readonly [keyword: string]: unknown } }
  return schema["type"] === "string" && schema["enum"] === undefined && schema["format"] !== "uuid"
}

const NOT_MODIFIED = {
  description: "Not modified since the given `If-None-Match`.",
  headers: headers("etag", "ratelimit", "ratelimit-policy", IGNORED_HEADER),
}

/** Completes an operation in place. The schemas of its bodies are added to `definitions`. */
export const describeOperation = (
  operation: Operation,
  { endpoint, access, errors }: Described,
  definitions: Definitions,
): void => {
  operation.operationId = endpoint.identifier
  const fresh = Option.getOrUndefined(Context.getOption(endpoint.annotations, FreshSignIn))
  operation.description = [
    Context.getUnsafe(endpoint.annotations, OpenApi.Description),
    CALLERS[access],
    ...(fresh ? [PROOF[fresh]] : []),
  ].join("\n\n")
  nameBodies(operation, definitions)
  const scope = scopeOf(endpoint)
  operation.security =
    scope === null ? SECURITY[access] : SECURITY[access].map((one) => ("apiKey" in one ? { apiKey: [scope] } : one))
  if (Option.isSome(Context.getOption(endpoint.annotations, Deprecated))) operation.deprecated = true
  illustrate(
    operation,
    Option.getOrElse(Context.getOption(endpoint.annotations, Example), () => ({})),
  )
  describeParameters((operation.parameters ?? []) as Parameter[], endpoint)
  const parameters = [
    ...(isRepeatable(endpoint) ? [sharedParameter("IdempotencyKey")] : []),
    ...(access === "workspace" ? [sharedParameter("WorkspaceId")] : []),
  ]
  if (parameters.length > 0) operation.parameters = [...(operation.parameters ?? []), ...parameters]
  const codes = [...new Set([...codesOf(errors), ...servedCodes(endpoint, access)])]
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const some = codes.filter((code) => PROBLEMS[code].status === status)
    operation.responses[status] = problemResponse(some)
  }
  const isOptional = Option.isSome(Context.getOption(endpoint.annotations, OptionalBody))
  if (operation.requestBody !== undefined && isOptional) operation.requestBody.required = false
  const isRevalidated = Option.isSome(Context.getOption(endpoint.annotations, Revalidated))
  const isTagged = (isPublicRead(access) && endpoint.method === "GET") || isRevalidated
  describeHeaders(operation, { isRepeated: isRepeatable(endpoint), isTagged })
  if (isTagged) operation.responses["304"] = NOT_MODIFIED
  if (operation.parameters?.some(isText))
    operation.responses["431"] = { $ref: "#/components/responses/HeadersTooLarge" }
}
