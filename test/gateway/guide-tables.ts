/** The tables of `docs/gateway.md`, made of the gateway's description and the protocol's codes. */

import { Modality, narrowRole } from "../../src/model/modality.ts"
import { EventRole } from "../../src/model/roles.ts"
import { REFUSALS } from "../../src/protocol/refusals.ts"
import { ADVICE, CLOSE } from "../../src/protocol/wire/close-codes.ts"
import { described, type GatewayMessage, type JsonSchema, SENT, TAKEN } from "../support/gateway-description.ts"

/** Bounds that only say how far a whole number reaches. */
const isBound = (limit: number | undefined): limit is number => limit !== undefined && Number.isSafeInteger(limit + 1)

const range = (least: number | undefined, most: number | undefined): string => {
  const [from, to] = [least ?? Number.NEGATIVE_INFINITY, most ?? Number.POSITIVE_INFINITY]
  if (isBound(from) && from > Number.MIN_SAFE_INTEGER) return isBound(to) ? `${from}…${to}` : `${from}…`
  return isBound(to) ? `…${to}` : ""
}

const scalar = ({ type = "any", format, minimum, maximum, minLength, maxLength }: JsonSchema): string => {
  if (type === "integer" || type === "number") return range(minimum, maximum) || type
  if (format !== undefined) return format
  return [type, range(minLength, maxLength)].filter((part) => part !== "").join(" ")
}

const object = ({ properties = {}, required = [], additionalProperties }: JsonSchema): string => {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${shape(schema)}`,
  )
  if (typeof additionalProperties === "object") {
    const isAny = Object.keys(additionalProperties).length === 0
    fields.push(isAny ? "…" : `[name]: ${shape(additionalProperties)}`)
  }
  return `{${fields.join(", ")}}`
}

/** A schema in a few signs: `{seconds: 10…3600, targets?: "all"}`. */
const shape = (schema: JsonSchema): string => {
  const { $ref, type, items, anyOf } = schema
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (anyOf !== undefined) return anyOf.map(shape).join(" | ")
  if (type === "array") {
    const item = shape(items ?? {})
    return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`
  }
  return type === "object" ? object(schema) : scalar(schema)
}

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``

/** The data beside a `t`; a command without data accepts any. */
const data = (d: JsonSchema | undefined): string => {
  const text = shape(d ?? {})
  return code(text === "any" ? "{}" : text)
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** Roles in a situation, in a word where one does. */
const whoIn = (situation: string, roles: ReadonlyArray<string>): string => {
  const modality = Modality.literals.find((one) => one === situation) ?? null
  const all = EventRole.literals.filter((role) => narrowRole(role, modality) === role)
  if (roles.length === 0) return "nobody"
  if (roles.length === all.length + 1) return "everyone"
  if (roles.length === all.length && !roles.includes("anonymous")) return "everyone signed in"
  return roles.join(", ")
}

const who = ({ "x-allowed": { features: _, ...roles } = {} }: GatewayMessage): string => {
  const situations = new Map<string, string[]>()
  for (const [situation, allowed] of Object.entries(roles)) {
    const text = whoIn(situation, allowed)
    situations.set(text, [...(situations.get(text) ?? []), situation])
  }
  if (situations.size === 1) return [...situations.keys()].join("")
  return [...situations].map(([text, where]) => `${where.join(", ")}: ${text}`).join("; ")
}

const messagesWithT = (keys: ReadonlySet<string>) =>
  Object.entries(described.components.messages)
    .filter(([key, { payload }]) => keys.has(key) && payload.properties?.["t"] !== undefined)
    .map(
      ([, message]) => ({ ...message, ...message.payload.properties }) as GatewayMessage & Record<string, JsonSchema>,
    )

const commands = table(
  ["command", "data", "rev of", "feature", "who"],
  messagesWithT(TAKEN).map((message) => [
    code(message.title),
    data(message["d"]),
    message["x-revision-of"] ?? "–",
    (message["x-allowed"]?.["features"] ?? []).map(code).join(", ") || "–",
    who(message),
  ]),
)

const dispatches = table(
  ["dispatch", "stream", "data"],
  messagesWithT(SENT).map(({ title, st, d }) => [
    code(title),
    st === undefined ? "–" : shape(st).replaceAll('"', "").replaceAll(" | ", ", ").replace("string", "room:&lt;id&gt;"),
    data(d),
  ]),
)

const objects = table(
  ["name", "is"],
  Object.entries(described.components.schemas).map(([name, schema]) => [code(name), code(shape(schema))]),
)

const errors = table(
  ["code", "meaning"],
  Object.entries(REFUSALS).map(([name, meaning]) => [code(name), meaning]),
)

const closes = table(
  ["code", "reason", "then"],
  Object.values(CLOSE).map(({ code: number, reason, advice }) => [String(number), reason, ADVICE[advice]]),
)

const TABLES = { dispatches, objects, commands, errors, closes }

/** The guide with its tables as they have to be. Each stands between two comments that name it. */
export const withTables = (guide: string): string => {
  let text = guide
  for (const [name, rows] of Object.entries(TABLES)) {
    const [begin, end] = [`<!-- ${name}: written by a test, do not edit -->`, `<!-- end of ${name} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`docs/gateway.md has no place for the table of ${name}`)
    text = `${text.slice(0, from + begin.length)}\n\n${rows}\n\n${text.slice(to)}`
  }
  return text
}
