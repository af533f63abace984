/**
 * The generated parts of an operation's description: an example of each body, the errors of limits, repeated requests and
 * caching beside those of its handler, and the headers of those.
 */
import { Context, Option, type Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { capital } from "../../model/text/compared.ts"
import { type Access, isPublicRead, isRepeatable, SECURITY, scopeOf } from "../contract/access.ts"
import { ExactBody, FreshSignIn, OptionalBody, Revalidated } from "../contract/endpoint.ts"
import { EXAMPLES } from "../contract/examples/examples.ts"
import { OPERATION_TEXTS } from "../contract/operation-texts.ts"
import { PROBLEMS, type ProblemCode } from "../contract/problem.ts"
import { Deprecated } from "../transport/deprecation.ts"
import { IGNORED_HEADER } from "../transport/ignored-properties.ts"
import { CALLERS, PROOF } from "./callers.ts"
import { describeParameters, type Parameter } from "./parameters.ts"
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
  responses: { [status: string]: { description?: string; content?: Content; headers?: object } }
}

/** The codes of an endpoint's own failures, out of its error schemas. */
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

const RETRY_AFTER = {
  "retry-after": { description: "Seconds until the request may be sent again.", schema: { type: "integer" } },
}

const CODES = Object.keys(PROBLEMS) as ReadonlyArray<ProblemCode>

/** The body of every error (RFC 9457). The codes of an answer are named by its examples. */
export const PROBLEM_SCHEMAS = {
  ProblemCode: {
    type: "string",
    description: CODES.map((code) => `\`${code}\` (${PROBLEMS[code].status}): ${PROBLEMS[code].meaning}`).join(" "),
    enum: CODES,
  },
  Problem: {
    type: "object",
    description: "The body of every error (RFC 9457).",
    required: ["type", "code", "detail"],
    properties: {
      type: { type: "string", format: "uri", description: "Leads to the explanation of the code." },
      code: { $ref: "#/components/schemas/ProblemCode" },
      detail: { type: "string", description: "What was wrong with this request." },
      acceptedRoles: {
        type: "array",
        items: { $ref: "#/components/schemas/EventRole" },
        description: "With `role_not_on_event` alone: the roles that the event has.",
      },
      errors: {
        type: "array",
        items: { $ref: "#/components/schemas/FieldFault" },
        description: "With `bad_request` alone, where fields are at fault: the first five faults.",
      },
    },
  },
  FieldFault: {
    type: "object",
    required: ["detail"],
    properties: {
      pointer: {
        type: "string",
        description: "The field of the body, as a JSON Pointer (RFC 6901), such as `#/phases/0/modality`.",
      },
      parameter: { type: "string", description: "The parameter of the query." },
      detail: { type: "string", description: "What was wrong with the field." },
    },
  },
} as const

/** One example for each code of an operation; the router itself answers 405. */
export const problemExamples = (errorsUrl: string) =>
  Object.fromEntries(
    CODES.filter((code) => code !== "method_not_allowed").map((code) => {
      const roles = code === "role_not_on_event" ? { acceptedRoles: ["workspace_admin", "host", "participant"] } : {}
      return [code, { value: { type: `${errorsUrl}/${code}`, code, detail: PROBLEMS[code].meaning, ...roles } }]
    }),
  )

export const problemResponse = (codes: ReadonlyArray<ProblemCode>) => {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join(" "),
    ...(codes.some((code) => PROBLEMS[code].meaning.includes("Retry-After")) ? { headers: RETRY_AFTER } : {}),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A name for this request: a repeat within a day gets the first answer.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
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

const illustrate = (operation: Operation): void => {
  const { request, response, texts = {} } = EXAMPLES[operation.operationId] ?? {}
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
    media.example = texts[type] ?? request
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (status >= "300") continue
    for (const [type, media] of Object.entries(content ?? {})) media.example = texts[type] ?? response
  }
}

/** Headers that many operations share. */
export const HEADERS = {
  [IGNORED_HEADER]: {
    description:
      "In development: the properties of the body that were ignored, such as `titel,phases.0.roomSize`. Names are percent-encoded, long ones cut; `...` stands for more.",
    schema: { type: "string" },
  },
}

/** Answers that are sent before the body is read. */
const UNREAD: ReadonlySet<string> = new Set(["413", "415"])

const describeIgnored = (operation: Operation): void => {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (UNREAD.has(status)) continue
    response.headers = { ...response.headers, [IGNORED_HEADER]: { $ref: `#/components/headers/${IGNORED_HEADER}` } }
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

const describeBody = (
  operation: Operation,
  body: { required?: boolean },
  { annotations }: HttpApiEndpoint.Top,
): void => {
  if (Option.isNone(Context.getOption(annotations, ExactBody))) describeIgnored(operation)
  if (Option.isSome(Context.getOption(annotations, OptionalBody))) body.required = false
}

export interface Described {
  readonly endpoint: HttpApiEndpoint.Top
  readonly access: Access
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

/** Completes an operation in place. `definitions` takes the schemas of its bodies. */
export const describeOperation = (
  operation: Operation,
  { endpoint, access, errors }: Described,
  definitions: Definitions,
): void => {
  operation.operationId = endpoint.identifier
  const fresh = Option.getOrUndefined(Context.getOption(endpoint.annotations, FreshSignIn))
  operation.description = [
    OPERATION_TEXTS[endpoint.identifier],
    CALLERS[access],
    ...(fresh ? [PROOF[fresh]] : []),
  ].join("\n\n")
  nameBodies(operation, definitions)
  const scope = scopeOf(endpoint)
  operation.security =
    scope === null ? SECURITY[access] : SECURITY[access].map((one) => ("apiKey" in one ? { apiKey: [scope] } : one))
  if (Option.isSome(Context.getOption(endpoint.annotations, Deprecated))) operation.deprecated = true
  illustrate(operation)
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
  if (operation.requestBody !== undefined) describeBody(operation, operation.requestBody, endpoint)
  const isRevalidated = Option.isSome(Context.getOption(endpoint.annotations, Revalidated))
  if ((isPublicRead(access) && endpoint.method === "GET") || isRevalidated) {
    operation.responses["304"] = { description: "Not modified since the given `If-None-Match`." }
  }
}
