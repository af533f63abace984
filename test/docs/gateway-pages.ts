/** The pages of commands, dispatches and objects, made of the gateway's description. */

import { Modality, narrowRole } from "../../src/model/modality.ts"
import { EventRole } from "../../src/model/roles.ts"
import { described, type GatewayMessage, type JsonSchema, SENT, TAKEN } from "../support/gateway-description.ts"
import { code, pageOf, shape, table } from "./tables.ts"

/** The data beside a `t`; a command without data accepts any. */
const data = (d: JsonSchema | undefined): string => {
  const text = shape(d ?? {})
  return code(text === "any" ? "{}" : text)
}

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

export const GATEWAY_PAGES = {
  commands: pageOf(
    "Commands",
    "A command is `{op:3, id, t, d, rev?}`; [the gateway](../gateway.md#commands) explains ids, replies and `rev`. Roles are those that the active phase leaves (`me.role`). `none` is an event without an active phase, `everyone` is every role of such a phase and anonymous viewers, and `–` means none. `…` between two numbers is a range, and `?` marks a field that may be absent.",
    [commands],
  ),
  dispatches: pageOf(
    "Dispatches",
    "An ordered dispatch is `{op:0, st, s, v, ts, t, d}`; one without a stream here has no `st` and `s` and is not sent again ([the gateway](../gateway.md#follow)). The stream `room:<id>` is that of a room. `?` marks a field that may be absent. Names such as `PhaseView` are under [Objects](objects.md).",
    [dispatches],
  ),
  objects: pageOf(
    "Objects",
    "The objects in [commands](commands.md) and [dispatches](dispatches.md). `?` marks a field that may be absent, `…` is a bound, and times are RFC 3339 in UTC.",
    [objects],
  ),
}
