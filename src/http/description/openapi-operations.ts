/**
 * The generated parts of an operation's description: an example of each body, the errors of limits, repeated requests and
 * caching beside those of its handler, and the headers of those.
 */
import { Context, Option, type Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { type Access, isPublicRead, isRepeatable, SECURITY } from "../contract/access.ts"
import { ExactBody, Revalidated } from "../contract/endpoint.ts"
import { EXAMPLES } from "../contract/examples/examples.ts"
import { PROBLEMS, type ProblemCode } from "../contract/problem.ts"
import { Deprecated } from "../transport/deprecation.ts"
import { IGNORED_HEADER } from "../transport/ignored-properties.ts"

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
  security?: unknown
  deprecated?: boolean
  parameters?: unknown[]
  requestBody?: { readonly content: Content }
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
const servedCodes = (method: string, access: Access): ReadonlyArray<ProblemCode> => [
  "rate_limited",
  ...(method === "GET" ? [] : (["payload_too_large", "unsupported_media_type"] as const)),
  ...(isRepeatable(method, access)
    ? (["bad_request", "idempotency_in_progress", "idempotency_key_reused"] as const)
    : []),
  ...(access === "workspace" ? (["not_found"] as const) : []),
]

const RETRY_AFTER = {
  "retry-after": { description: "Seconds until the request may be sent again.", schema: { type: "integer" } },
}

export const problemResponse = (codes: ReadonlyArray<ProblemCode>, errorsUrl: string) => {
  const roles = { acceptedRoles: { type: "array", items: { type: "string" } } }
  const example = (code: ProblemCode) => ({
    type: `${errorsUrl}/${code}`,
    code,
    detail: PROBLEMS[code].meaning,
    ...(code === "role_not_on_event" ? { acceptedRoles: ["workspace_admin", "host", "participant"] } : {}),
  })
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join(" "),
    ...(codes.some((code) => PROBLEMS[code].meaning.includes("Retry-After")) ? { headers: RETRY_AFTER } : {}),
    content: {
      "application/problem+json": {
        schema: {
          type: "object",
          required: ["type", "code", "detail"],
          properties: {
            type: { type: "string", format: "uri" },
            code: { type: "string", enum: codes },
            detail: { type: "string" },
            ...(codes.includes("role_not_on_event") ? roles : {}),
          },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
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

/** Completes an operation in place. */
export const describeOperation = (
  operation: Operation,
  endpoint: HttpApiEndpoint.Top,
  access: Access,
  errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>,
  errorsUrl: string,
): void => {
  operation.operationId = endpoint.identifier
  operation.security = SECURITY[access]
  if (Option.isSome(Context.getOption(endpoint.annotations, Deprecated))) operation.deprecated = true
  illustrate(operation)
  const parameters = [
    ...(isRepeatable(endpoint.method, access) ? [IDEMPOTENCY_KEY] : []),
    ...(access === "workspace" ? [WORKSPACE_ID] : []),
  ]
  if (parameters.length > 0) operation.parameters = [...(operation.parameters ?? []), ...parameters]
  const codes = [...new Set([...codesOf(errors), ...servedCodes(endpoint.method, access)])]
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const some = codes.filter((code) => PROBLEMS[code].status === status)
    operation.responses[status] = problemResponse(some, errorsUrl)
  }
  const isExact = Option.isSome(Context.getOption(endpoint.annotations, ExactBody))
  if (operation.requestBody !== undefined && !isExact) describeIgnored(operation)
  const isRevalidated = Option.isSome(Context.getOption(endpoint.annotations, Revalidated))
  if ((isPublicRead(access) && endpoint.method === "GET") || isRevalidated) {
    operation.responses["304"] = { description: "Not modified since the given `If-None-Match`." }
  }
}
