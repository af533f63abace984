/**
 * The tools of agents. Each is an operation of REST, read from its description (`description/openapi.ts`): the name, the texts, and the
 * parameters and the body as one object of arguments. The commands of live events, which are one operation, are a tool for each topic: one
 * for all would be a choice among fifty schemas, and one for each would exceed what clients take.
 */
import { isKeywords, type Keywords } from "../../model/plain-schema.ts"
import { lowerAscii } from "../../model/text/compared.ts"
import { COMMAND_NAMES, type CommandName, commandContract, isLiveCommand } from "../../protocol/contract.ts"

/** Operations that change nothing. */
const READS = [
  "listEvents",
  "getEvent",
  "getLiveState",
  "listParticipants",
  "listQuestions",
  "listPolls",
  "listAttendance",
  "listRegistrations",
  "listUsers",
]

/** Operations that change something. `decided`: the work is one command to a live event, which a dry run has decided. */
const WRITES: { readonly [operation: string]: "decided" | "stored" } = {
  createEvent: "stored",
  cloneEvent: "stored",
  patchEvent: "decided",
  publishEvent: "decided",
  startEvent: "decided",
  advanceEvent: "decided",
  endEvent: "decided",
  appendPhase: "decided",
  patchPhase: "decided",
  extendPhase: "decided",
  orderPhases: "decided",
  deletePhase: "decided",
  sendCommand: "decided",
  upsertUser: "stored",
  createMembership: "stored",
}

/** Topics of commands: the title, and the first words of the commands' names. */
const TOPICS: { readonly [topic: string]: readonly [title: string, ...words: ReadonlyArray<string>] } = {
  announcements: ["Announce something to everybody", "announce", "announcement"],
  breakouts: ["Plan and run breakout rooms", "breakout"],
  chat: ["Write in the chat and moderate it", "chat"],
  stage: ["Invite people onto the stage and lower hands", "hand", "stage"],
  broadcast: ["Run the broadcast and the recording", "broadcast", "capture"],
  people: ["Mute, remove or admit people and give them roles", "participant", "role", "lobby"],
  polls: ["Prepare and run polls", "poll"],
  questions: ["Moderate and answer questions", "question", "qa"],
  rotation: ["Run the rounds of a rotation", "rotation"],
}

const DRY_RUN: Argument = {
  argument: "dryRun",
  place: "dryRun",
  name: "",
  required: false,
  schema: {
    type: "boolean",
    description: "true: answers whether the call is permitted and what it would send, and changes nothing.",
  },
}
const IDEMPOTENCY_KEY: Argument = {
  argument: "idempotencyKey",
  place: "key",
  name: "",
  required: false,
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 255,
    description:
      "A name for this act: a repeat within a day gets the first answer and has no second effect. Use it again after a call without an answer. Without one the call gets a new one, which the answer has.",
  },
}

interface Parameter {
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Keywords
  readonly $ref?: string
}
interface Body {
  readonly content?: { readonly [type: string]: { readonly schema?: Keywords } }
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: { readonly [status: string]: Body }
}

/** The description of REST, as far as tools need it. */
export interface Description {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: { readonly [name: string]: Keywords } }
}

/** One argument of a tool, and where it stands in the request. */
export interface Argument {
  readonly argument: string
  readonly place: "path" | "query" | "body" | "dryRun" | "key"
  /** Name in the request. */
  readonly name: string
  readonly required: boolean
  readonly schema: Keywords
}

export interface Tool {
  /** The tool as clients see it. */
  readonly definition: { readonly name: string; readonly [member: string]: unknown }
  readonly operation: string
  readonly places: ReadonlyMap<string, Argument>
  readonly hasBody: boolean
  readonly writes: boolean
  /** Whether a dry run has the outcome of the decision. */
  readonly isDecided: boolean
  readonly isRepeatable: boolean
}

const PREFIX = "#/components/schemas/"

/** Schemas of the description, made to stand alone. */
class Definitions {
  readonly #schemas: Description["components"]["schemas"]

  constructor({ components }: Description) {
    this.#schemas = components.schemas
  }

  resolved(schema: Keywords = {}): Keywords {
    const { $ref } = schema
    return typeof $ref === "string" ? (this.#schemas[$ref.slice(PREFIX.length)] ?? {}) : schema
  }

  /** The schema together with the definitions that it refers to. */
  alone(schema: Keywords): Keywords {
    const used = new Map<string, unknown>()
    const local = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(local)
      if (!isKeywords(value)) return value
      const { $ref, ...others } = value
      const inner = Object.fromEntries(Object.entries(others).map(([key, one]) => [key, local(one)]))
      return typeof $ref === "string" ? { $ref: `#/$defs/${take($ref.slice(PREFIX.length))}`, ...inner } : inner
    }
    const take = (name: string): string => {
      if (!used.has(name)) {
        used.set(name, {})
        used.set(name, local(this.#schemas[name]))
      }
      return name
    }
    const alone = local(schema) as Keywords
    return used.size === 0 ? alone : { ...alone, $defs: Object.fromEntries(used) }
  }
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${lowerAscii(letter)}`)

/** `/v1/events/{id}/state` has the argument `eventId`. */
const pathArgument = (path: string, name: string): string => {
  if (name !== "id") return name
  const segments = path.split("/")
  return `${(segments[segments.indexOf("{id}") - 1] ?? "").replace(/s$/, "")}Id`
}

const parametersOf = (path: string, { parameters = [] }: Operation): ReadonlyArray<Argument> =>
  parameters.flatMap(({ name = "", in: place, schema = {}, description, required = false }) =>
    // Tables are for people, and a call does not wait.
    (place === "path" || place === "query") && name !== "format" && name !== "wait"
      ? [{ name, place, argument: pathArgument(path, name), schema: { ...schema, description }, required }]
      : [],
  )

const bodyOf = ({ requestBody }: Operation, definitions: Definitions): ReadonlyArray<Argument> => {
  const { properties = {}, required = [] } = definitions.resolved(requestBody?.content?.["application/json"]?.schema)
  return Object.entries(properties as { readonly [name: string]: Keywords }).map(([name, schema]) => ({
    name,
    place: "body",
    argument: name,
    schema,
    required: (required as ReadonlyArray<string>).includes(name),
  }))
}

interface Made {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly method: string
  readonly arguments: ReadonlyArray<Argument>
  readonly operation: Operation
  readonly definitions: Definitions
  readonly isDestructive: boolean
}

const toolOf = ({ name, title, description, operation, definitions, method, isDestructive, ...made }: Made): Tool => {
  const { operationId, parameters = [], requestBody, responses } = operation
  const kind = WRITES[operationId]
  const writes = kind !== undefined
  const isRepeatable = parameters.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"))
  const all = [...made.arguments, ...(writes ? [DRY_RUN] : []), ...(isRepeatable ? [IDEMPOTENCY_KEY] : [])]
  const places = new Map(all.map((one) => [one.argument, one]))
  if (places.size < all.length) throw new Error(`two arguments of the tool ${name} have one name`)
  const output = writes ? undefined : responses["200"]?.content?.["application/json"]?.schema
  return {
    definition: {
      name,
      title,
      description,
      inputSchema: {
        type: "object",
        required: all.flatMap(({ argument, required }) => (required ? [argument] : [])),
        additionalProperties: false,
        ...definitions.alone({ properties: Object.fromEntries(all.map(({ argument, schema }) => [argument, schema])) }),
      },
      ...(output && { outputSchema: definitions.alone(definitions.resolved(output)) }),
      annotations: {
        title,
        readOnlyHint: !writes,
        ...(writes && { destructiveHint: isDestructive, idempotentHint: method !== "post" }),
      },
    },
    operation: operationId,
    places,
    hasBody: requestBody !== undefined,
    writes,
    isDecided: kind === "decided",
    isRepeatable,
  }
}

/** Commands of a topic that a key may send: the others are about the sender's own person. */
const commandsOf = (words: ReadonlyArray<string>): ReadonlyArray<CommandName> =>
  COMMAND_NAMES.filter(
    (name) =>
      isLiveCommand(name) &&
      commandContract(name).needs === undefined &&
      Object.values(commandContract(name).allowed).some((roles) => roles.includes("workspace_admin")) &&
      words.includes(name.split(".", 1)[0] ?? ""),
  )

/** Schemas of the commands by their names. */
const variantsOf = (
  body: Keywords,
  definitions: Definitions,
): ReadonlyMap<unknown, { readonly [name: string]: Keywords | undefined }> =>
  new Map(
    (body["oneOf"] as ReadonlyArray<Keywords>).map((one) => {
      const properties = definitions.resolved(one)["properties"] as { readonly [name: string]: Keywords }
      return [properties["t"]?.["const"], properties]
    }),
  )

const topicTools = (path: string, operation: Operation, description: Description): ReadonlyArray<Tool> =>
  Object.entries(TOPICS).map(([topic, [title, ...words]]) => {
    const definitions = new Definitions(description)
    const body = definitions.resolved(operation.requestBody?.content?.["application/json"]?.schema)
    const variants = variantsOf(body, definitions)
    const names = commandsOf(words)
    const revised = names.filter((name) => variants.get(name)?.["rev"] !== undefined)
    const data = names.map((name) => ({ title: name, ...variants.get(name)?.["d"] }))
    const fields: ReadonlyArray<Omit<Argument, "place" | "name">> = [
      { argument: "t", required: true, schema: { type: "string", enum: names, description: "The command." } },
      { argument: "d", required: false, schema: { description: "The command's data, by its name.", anyOf: data } },
      ...(revised.length === 0
        ? []
        : [
            {
              argument: "rev",
              required: false,
              schema: {
                type: "integer",
                description: `The \`rev\` of what the command changes, as you saw it: if it has changed since, the command is refused with the object as it is now. For ${revised.join(", ")}.`,
              },
            },
          ]),
    ]
    return toolOf({
      name: `live_${topic}`,
      title,
      description: `${title}, at a live event. \`can\` of get_live_state has the commands that are possible now.`,
      method: "post",
      arguments: [
        ...parametersOf(path, operation),
        ...fields.map((one): Argument => ({ ...one, name: one.argument, place: "body" })),
      ],
      operation,
      definitions,
      isDestructive: true,
    })
  })

const operationTool = (path: string, method: string, operation: Operation, description: Description): Tool => {
  const { operationId, summary } = operation
  const definitions = new Definitions(description)
  const [text = ""] = operation.description.split("\n\n")
  return toolOf({
    name: snake(operationId),
    title: summary,
    description: `${summary}. ${text}`,
    method,
    arguments: [...parametersOf(path, operation), ...bodyOf(operation, definitions)],
    operation,
    definitions,
    isDestructive: method !== "post" || operationId === "endEvent",
  })
}

/** All tools by their names, those that only read first. @throws where the description lacks one */
export const toolsOf = (description: Description): ReadonlyMap<string, Tool> => {
  const found = new Map(
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [one.operationId, { path, method, one }] as const),
    ),
  )
  const tools = [...READS, ...Object.keys(WRITES)].flatMap((operationId) => {
    const at = found.get(operationId)
    if (at === undefined) throw new Error(`the description has no operation ${operationId}`)
    return operationId === "sendCommand"
      ? topicTools(at.path, at.one, description)
      : [operationTool(at.path, at.method, at.one, description)]
  })
  return new Map(tools.map((tool) => [tool.definition.name, tool]))
}
