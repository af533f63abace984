/** Gateway commands with the schemas of their data, from the server's own AsyncAPI document. */
import { SERVER } from "../api/rest.ts"

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

export interface CommandSchema {
  readonly name: string
  readonly summary: string
  /** Alternatives of the data, usually one. References are resolved at the top. */
  readonly data: ReadonlyArray<JsonSchema>
}

interface Message {
  readonly name?: string
  readonly summary?: string
  readonly payload?: JsonSchema
}

interface Description {
  readonly components: {
    readonly messages: { readonly [key: string]: Message }
    readonly schemas: { readonly [key: string]: JsonSchema }
  }
}

const COMMAND = "command."

export type Resolve = (schema: JsonSchema) => JsonSchema

export interface GatewayCommands {
  readonly commands: ReadonlyArray<CommandSchema>
  /** Resolves a reference to its schema. */
  readonly resolve: Resolve
}

export const readCommands = async (signal: AbortSignal): Promise<GatewayCommands> => {
  const answer = await fetch(`${SERVER}/v1/asyncapi.json`, { signal })
  const { components } = (await answer.json()) as Description
  const resolve: Resolve = (schema) => {
    const name = schema.$ref?.split("/").at(-1)
    const found = name === undefined ? undefined : components.schemas[name]
    return found === undefined ? schema : resolve(found)
  }
  const commands = Object.entries(components.messages).flatMap(([key, { summary = "", payload }]) => {
    if (!key.startsWith(COMMAND)) return []
    const data = resolve(payload?.properties?.["d"] ?? {})
    return { name: key.slice(COMMAND.length), summary, data: (data.anyOf ?? [data]).map(resolve) }
  })
  return { commands: commands.toSorted((a, b) => a.name.localeCompare(b.name)), resolve }
}
