/** Error answers (RFC 9457): their schemas, an example of each code, and their headers. */
import { PROBLEMS, type ProblemCode } from "../contract/problem.ts"
import { IGNORED_HEADER } from "../transport/ignored-properties.ts"
import { headers } from "./headers.ts"

const CODES = Object.keys(PROBLEMS) as ReadonlyArray<ProblemCode>

/** Body of every error (RFC 9457). The examples of an answer name its codes. */
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
      current: {
        type: "object",
        additionalProperties: {},
        description: "With `conflict` of a live command alone: the current object, where its `rev` was stale.",
      },
      errors: {
        type: "array",
        items: { $ref: "#/components/schemas/FieldFault" },
        description: "With 400 and 422, where fields or headers are at fault: the first five faults.",
      },
    },
    additionalProperties: false,
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
      header: { type: "string", description: "The header of the request, in lower case." },
      detail: { type: "string", description: "What was wrong with the field." },
    },
    additionalProperties: false,
  },
} as const

/** One example for each code of an operation; the router itself answers 405 and 426. */
export const problemExamples = (errorsUrl: string) =>
  Object.fromEntries(
    CODES.filter((code) => code !== "method_not_allowed" && code !== "upgrade_required").map((code) => {
      const roles = code === "role_not_on_event" ? { acceptedRoles: ["workspace_admin", "host", "participant"] } : {}
      return [code, { value: { type: `${errorsUrl}/${code}`, code, detail: PROBLEMS[code].meaning, ...roles } }]
    }),
  )

/** Answers that are sent before the body is read. */
const UNREAD: ReadonlySet<number> = new Set([413, 415])

export const problemResponse = (codes: ReadonlyArray<ProblemCode>) => {
  const isRead = codes.every((code) => !UNREAD.has(PROBLEMS[code].status))
  const isRetried = codes.some((code) => PROBLEMS[code].meaning.includes("Retry-After"))
  const isChallenge = codes.some((code) => PROBLEMS[code].status === 401)
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join(" "),
    headers: {
      ...(isRetried ? headers("retry-after") : {}),
      ...(isChallenge ? headers("www-authenticate") : {}),
      ...headers("ratelimit", "ratelimit-policy"),
      ...(isRead ? headers(IGNORED_HEADER) : {}),
    },
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

/** The HTTP engine sends it before an operation is found. */
export const HEADERS_TOO_LARGE = {
  description: "The request line and the headers exceed 4 KiB together. The body is a page of HTML.",
}
