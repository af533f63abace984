/** Objects on a gateway socket held against the gateway's own description: what a test sees, an integrator was promised. */
import { Ajv, type ValidateFunction } from "ajv"
import { default as addFormats } from "ajv-formats"
import { gatewayDescription } from "../../src/gateway/description/asyncapi.ts"

/** As much of a JSON Schema as is looked into. */
export interface JsonSchema {
  readonly $ref?: string
  readonly title?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}
interface Reference {
  readonly $ref: string
}
interface Operation {
  readonly action: "send" | "receive"
  readonly messages: ReadonlyArray<Reference>
  readonly reply?: { readonly messages: ReadonlyArray<Reference> }
}
export interface GatewayMessage {
  readonly name: string
  /** Its `t`, where it has one. */
  readonly title: string
  readonly payload: JsonSchema
  readonly "x-allowed"?: { readonly [situation: string]: ReadonlyArray<string> }
  readonly "x-revision-of"?: string
}
interface GatewayDescription {
  readonly asyncapi: string
  readonly servers: { readonly gateway: object }
  readonly operations: { readonly [name: string]: Operation }
  readonly components: {
    readonly messages: { readonly [key: string]: GatewayMessage }
    readonly schemas: { readonly [name: string]: JsonSchema }
  }
}

/** An object on the socket. */
interface Spoken {
  readonly op: unknown
  readonly t?: unknown
  readonly [more: string]: unknown
}

export const gatewayText = gatewayDescription("https://api.gathercue.dev")
export const described = JSON.parse(gatewayText) as GatewayDescription

/** The last part of `#/channels/gateway/messages/<key>`. */
const keysOf = (references: ReadonlyArray<Reference>): ReadonlyArray<string> =>
  references.map(({ $ref }) => $ref.slice($ref.lastIndexOf("/") + 1))

const operations = Object.values(described.operations)
/** Keys of the messages that the server sends, and of those that it takes. */
export const SENT: ReadonlySet<string> = new Set(
  operations.flatMap(({ action, messages, reply }) => [
    ...(action === "send" ? keysOf(messages) : []),
    ...keysOf(reply?.messages ?? []),
  ]),
)
export const TAKEN: ReadonlySet<string> = new Set(
  operations.flatMap(({ action, messages }) => (action === "receive" ? keysOf(messages) : [])),
)

// Each worker compiles four hundred schemas: neither copied into each other nor optimized, that takes a quarter of the time.
const ajv = new Ajv({ strict: false, inlineRefs: false, code: { optimize: false } })
addFormats.default(ajv)
ajv.addSchema(described, "served")
// Clients ignore what they do not know; a server that sends what is not described is found out here.
ajv.addSchema(
  JSON.parse(gatewayText, (key, value: unknown) => (key === "additionalProperties" && value === true ? false : value)),
  "closed",
)

/** `op` and `t` of an object, or of every object that a message may be. */
const kind = (op: unknown, t: unknown): string => `op ${op}${t === undefined ? "" : ` ${t}`}`

const validatorsOf = (
  keys: ReadonlySet<string>,
  schema: string,
): ReadonlyMap<string, ReadonlyArray<ValidateFunction>> => {
  const validators = new Map<string, ValidateFunction[]>()
  for (const key of keys) {
    const validate = ajv.getSchema(`${schema}#/components/messages/${key}/payload`)
    const { op, t } = described.components.messages[key]?.payload.properties ?? {}
    if (validate === undefined) throw new Error(`${key} has no schema`)
    const name = kind(op?.const, t?.const)
    validators.set(name, [...(validators.get(name) ?? []), validate])
  }
  return validators
}

const taken = validatorsOf(TAKEN, "served")
const sent = validatorsOf(SENT, "closed")

const breach = (validators: typeof sent, object: Spoken): string | undefined => {
  const name = kind(object.op, object.t)
  const candidates = validators.get(name)
  if (candidates === undefined) return `${name} is not described`
  if (candidates.some((validate) => validate(object))) return undefined
  const why = candidates.map(({ errors }) => ajv.errorsText(errors)).join("; or ")
  return `${name}: ${why}: ${JSON.stringify(object).slice(0, 500)}`
}

/** The difference between the description and an object that the server sent; `undefined` when there is none. */
export const breachOfSent = (object: Spoken) => breach(sent, object)

/** The same of the reply to a command that was done. */
export const breachOfReply = (t: string, object: Spoken): string | undefined => {
  const validate = ajv.getSchema(`closed#/components/messages/reply.${t}/payload`)
  if (validate === undefined) return `the reply to ${t} is not described`
  return validate(object)
    ? undefined
    : `the reply to ${t}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(object).slice(0, 500)}`
}

/** The reason for which the description would refuse an object that the server accepted. */
export const breachOfTaken = (object: Spoken) => breach(taken, object)
