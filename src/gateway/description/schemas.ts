/**
 * JSON Schemas of the messages. A schema that the protocol exports under a name and uses in several places becomes one shared definition
 * under that name; there is no list to maintain.
 */
import { JsonSchema, Schema, type SchemaAST, SchemaRepresentation } from "effect"
import * as events from "../../model/event.ts"
import * as phases from "../../model/phase.ts"
import { plainly } from "../../model/plain-schema.ts"
import * as roles from "../../model/roles.ts"
import * as agenda from "../../protocol/messages/agenda.ts"
import * as breakouts from "../../protocol/messages/breakouts.ts"
import * as chat from "../../protocol/messages/chat.ts"
import { Counts, Cursors } from "../../protocol/messages/fields.ts"
import * as hands from "../../protocol/messages/hands.ts"
import * as media from "../../protocol/messages/media.ts"
import * as participants from "../../protocol/messages/participants.ts"
import * as polls from "../../protocol/messages/polls.ts"
import * as presence from "../../protocol/messages/presence.ts"
import * as questions from "../../protocol/messages/questions.ts"
import * as rotation from "../../protocol/messages/rotation.ts"
import * as state from "../../protocol/ready.ts"
import * as refusals from "../../protocol/refusals.ts"
import * as session from "../../protocol/session.ts"
import * as frames from "../../protocol/wire/frames.ts"
import { MESSAGES } from "./messages.ts"
import { titled, typeName } from "./titles.ts"

const NAMES = new Map<SchemaAST.AST, string>(
  [
    events,
    phases,
    roles,
    frames,
    refusals,
    state,
    session,
    agenda,
    breakouts,
    chat,
    { Counts, Cursors },
    hands,
    media,
    participants,
    polls,
    presence,
    questions,
    rotation,
  ].flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (Schema.isSchema(value) ? [[value.ast, name] as const] : [])),
  ),
)

interface MessageSchemas {
  /** Payload schemas, keyed by message key. */
  readonly payloads: ReadonlyMap<string, JsonSchema.JsonSchema>
  /** Shared definitions by name, referred to as `#/components/schemas/<name>`. */
  readonly shared: { readonly [name: string]: JsonSchema.JsonSchema }
}

export const messageSchemas = (): MessageSchemas => {
  const [first, ...others] = MESSAGES.map(({ payload }) => payload.ast)
  if (first === undefined) throw new Error("the protocol has no message")
  const represented = SchemaRepresentation.toRepresentations([first, ...others], {
    referencePolicy: ({ ast, occurrences }) => (occurrences > 1 ? NAMES.get(ast) : undefined),
  })
  const { schemas, definitions } = SchemaRepresentation.toJsonSchemaMultiDocument(represented)
  return {
    payloads: new Map(
      MESSAGES.flatMap(({ key }, index) => {
        const schema = schemas[index]
        return schema === undefined ? [] : [[key, titled(draft07(schema), typeName(key))] as const]
      }),
    ),
    shared: Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [name, titled(draft07(schema), name)]),
    ),
  }
}

/** Converts to draft 7, of which AsyncAPI 3 schemas are a superset. Draft 7 writes tuples differently from later drafts. */
const draft07 = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { schema: converted } = JsonSchema.toDocumentDraft07({ dialect: "draft-2020-12", schema, definitions: {} })
  return JSON.parse(JSON.stringify(converted, plainly), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : value,
  )
}
