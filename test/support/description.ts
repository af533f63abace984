/** Answers held against the API's own description: what a test sees, an integrator was promised. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { default as addFormats } from "ajv-formats"
import { Effect } from "effect"
import { apiDescription } from "../../src/http/description/openapi.ts"

interface Response {
  readonly content?: { readonly [type: string]: unknown }
}
interface Operation {
  readonly operationId: string
  readonly responses: { readonly [status: string]: Response }
}
export interface Description {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
}

const { json } = apiDescription("https://api.gathercue.dev", "gc_session")
export const description = JSON.parse(Effect.runSync(json)) as Description

const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
addFormats.default(ajv)
ajv.addSchema(description, "api")

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

/** The difference between the description and an answer; `undefined` when there is none. */
export const breachOf = (
  method: string,
  path: string,
  answer: { readonly status: number; readonly type: string; readonly body: unknown },
): string | undefined => {
  const known = pathOf(path)
  const operation = known === undefined ? undefined : description.paths[known]?.[method.toLowerCase()]
  // The router's own answers to a path or a method that is not described.
  if (known === undefined || operation === undefined) return undefined
  const response = operation.responses[String(answer.status)]
  if (response === undefined) return `${operation.operationId}: ${answer.status} is not described`
  const type = answer.type.split(";")[0] ?? ""
  const described = Object.keys(response.content ?? {})
  if (described.length === 0)
    return answer.body === "" ? undefined : `${operation.operationId}: a body was not described`
  const media = described.find((one) => one.split(";")[0] === type)
  if (media === undefined)
    return `${operation.operationId}: ${answer.status} came as ${type}, described as ${described}`
  if (!type.endsWith("json")) return undefined
  const pointer = ["paths", known, method.toLowerCase(), "responses", String(answer.status), "content", media, "schema"]
  const validate = validatorOf(`api#/${pointer.map(segment).join("/")}`)
  if (validate === undefined) return `${operation.operationId}: ${answer.status} has no schema`
  return validate(answer.body)
    ? undefined
    : `${operation.operationId}: ${answer.status} ${ajv.errorsText(validate.errors)}`
}
