/** Answers held against the API's own description: what a test sees, an integrator was promised. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { default as addFormats } from "ajv-formats"
import { Effect } from "effect"
import { apiDescription } from "../../src/http/description/openapi.ts"

interface Response {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: { readonly [type: string]: { readonly examples?: object } }
}
interface Operation {
  readonly operationId: string
  readonly responses: { readonly [status: string]: Response }
}
interface Description {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly webhooks: { readonly [type: string]: { readonly post: object } }
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly components: {
    readonly schemas: { readonly [name: string]: object }
    readonly responses: { readonly [name: string]: Response }
    readonly headers: { readonly [name: string]: object }
  }
}

const { json } = apiDescription("https://api.gathercue.dev", "gc_session")
export const description = JSON.parse(Effect.runSync(json)) as Description

const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
addFormats.default(ajv)
// Deliveries of tests have fields of their own, which count them.
ajv.addSchema(description, "open")
// Callers ignore what they do not know; a server that answers what is not described is found out here.
ajv.addSchema(
  JSON.parse(JSON.stringify(description), (key, value: unknown) =>
    key === "additionalProperties" && value === true ? false : value,
  ),
  "api",
)

const parameters = (path: string): number => path.split("{").length

/** A fixed segment is meant before a parameter. */
const PATTERNS = Object.keys(description.paths)
  .toSorted((a, b) => parameters(a) - parameters(b))
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }))

const pathOf = (path: string): string | undefined => PATTERNS.find(({ pattern }) => pattern.test(path))?.path

const segment = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))

const validators = new Map<string, ValidateFunction | undefined>()
const validatorOf = (pointer: string): ValidateFunction | undefined => {
  if (!validators.has(pointer)) validators.set(pointer, ajv.getSchema(pointer))
  return validators.get(pointer)
}

interface DescribedAnswer {
  /** The place of the answer in the description. */
  readonly place: ReadonlyArray<string>
  readonly response: Response
}

const answerOf = (path: string, method: string, status: number): DescribedAnswer | undefined => {
  const response = description.paths[path]?.[method]?.responses[String(status)]
  const shared = response?.$ref?.split("/").at(-1)
  if (response === undefined || shared === undefined)
    return response && { place: ["paths", path, method, "responses", String(status)], response }
  const found = description.components.responses[shared]
  return found && { place: ["components", "responses", shared], response: found }
}

/** The schema of an error has the codes of all errors: those of an answer are its examples. */
const codeBreach = (examples: object | undefined, body: unknown): string | undefined => {
  const { code } = (body ?? {}) as { readonly code?: string }
  if (examples === undefined || (code !== undefined && code in examples)) return undefined
  return `has the code ${code}, described are ${Object.keys(examples)}`
}

const bodyBreach = (
  { place, response }: DescribedAnswer,
  answer: { readonly status: number; readonly type: string; readonly body: unknown },
): string | undefined => {
  const type = answer.type.split(";")[0] ?? ""
  const described = Object.keys(response.content ?? {})
  if (described.length === 0) return answer.body === "" ? undefined : "has a body, which is not described"
  const media = described.find((one) => one.split(";")[0] === type)
  if (media === undefined) return `came as ${type}, described as ${described}`
  if (!type.endsWith("json")) return undefined
  const validate = validatorOf(`api#/${[...place, "content", media, "schema"].map(segment).join("/")}`)
  if (validate === undefined) return "has no schema"
  if (!validate(answer.body)) return ajv.errorsText(validate.errors)
  return answer.status < 400 ? undefined : codeBreach(response.content?.[media]?.examples, answer.body)
}

/** Headers that the description names somewhere: an answer that has one says so. */
const headerBreach = ({ response }: DescribedAnswer, headers: Headers): string | undefined => {
  const unsaid = Object.keys(description.components.headers).filter(
    (name) => headers.has(name) && !(name in (response.headers ?? {})),
  )
  return unsaid.length === 0 ? undefined : `has ${unsaid}, which is not described`
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: unknown
  readonly headers: Headers
}

/** The difference between the description and an answer; `undefined` when there is none. */
export const breachOf = (method: string, path: string, answer: Answer): string | undefined => {
  const known = pathOf(path)
  const operation = known === undefined ? undefined : description.paths[known]?.[method.toLowerCase()]
  // The router's own answers to a path or a method that is not described.
  if (known === undefined || operation === undefined) return undefined
  const described = answerOf(known, method.toLowerCase(), answer.status)
  const breach =
    described === undefined
      ? "is not described"
      : (bodyBreach(described, answer) ?? headerBreach(described, answer.headers))
  return breach && `${operation.operationId}: ${answer.status} ${breach}`
}

/** The difference between the description and the body of a webhook delivery; `undefined` when there is none. */
export const deliveryBreach = (type: string, body: unknown): string | undefined => {
  const pointer = ["webhooks", type, "post", "requestBody", "content", "application/json", "schema"]
  const validate = validatorOf(`open#/${pointer.map(segment).join("/")}`)
  if (validate === undefined) return `the delivery ${type} is not described`
  return validate(body) ? undefined : `${type}: ${ajv.errorsText(validate.errors)}`
}
