/**
 * JSON Schemas of the messages. What the protocol exports under a name and uses in more than one place is one shared
 * definition under that name, without anybody keeping a list.
 */
import { JsonSchema, Schema, type SchemaAST, SchemaRepresentation } from "effect"
import * as events from "../../model/event.ts"
import * as phases from "../../model/phase.ts"
import * as roles from "../../model/roles.ts"
import * as activities from "../protocol/activity-views.ts"
import * as commands from "../protocol/commands.ts"
import * as dispatches from "../protocol/dispatches.ts"
import * as frames from "../protocol/frames.ts"
import * as refusals from "../protocol/refusals.ts"
import * as replies from "../protocol/replies.ts"
import { MESSAGES } from "./messages.ts"

const NAMES = new Map<SchemaAST.AST, string>(
  [events, phases, roles, activities, commands, dispatches, frames, refusals, replies].flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (Schema.isSchema(value) ? [[value.ast, name] as const] : [])),
  ),
)

export interface MessageSchemas {
  /** By the message's key. */
  readonly payloads: ReadonlyMap<string, JsonSchema.JsonSchema>
  /** By name; referred to as `#/components/schemas/<name>`. */
  readonly shared: { readonly [name: string]: JsonSchema.JsonSchema }
}

export const messageSchemas = (): MessageSchemas => {
  const [first, ...others] = MESSAGES.map(({ payload }) => payload.ast)
  if (first === undefined) throw new Error("the protocol has no message")
  const represented = SchemaRepresentation.toRepresentations([first, ...others], {
    referencePolicy: ({ ast, occurrences }) => (occurrences > 1 ? NAMES.get(ast) : undefined),
  })
  const { schemas, definitions } = JsonSchema.toMultiDocumentOpenApi3_1(
    SchemaRepresentation.toJsonSchemaMultiDocument(represented),
  )
  return {
    payloads: new Map(
      MESSAGES.flatMap(({ key }, index) => {
        const schema = schemas[index]
        return schema === undefined ? [] : [[key, schema] as const]
      }),
    ),
    shared: definitions,
  }
}
