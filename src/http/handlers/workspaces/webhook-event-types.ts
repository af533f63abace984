/** Event types that a webhook may subscribe to, each with the JSON Schema of its body. The list is the same for every caller. */
import { Schema } from "effect"
import { WEBHOOK_BODIES, WebhookEventType } from "../../../model/integrations/webhook-types.ts"

/** A self-contained schema, ready for a validator or a generator. */
const standalone = (body: Schema.Top): { readonly [keyword: string]: Schema.Json } => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(body)
  const $defs = Object.keys(definitions).length === 0 ? {} : { $defs: definitions }
  return JSON.parse(JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, ...$defs }))
}

const listTypes = () =>
  WebhookEventType.literals.map((type) => {
    const body = WEBHOOK_BODIES[type]
    return { type, description: String(body.ast.annotations?.["description"] ?? ""), schema: standalone(body) }
  })

let listed: ReturnType<typeof listTypes> | undefined

/** The list is computed at the first request. */
export const webhookEventTypes = (): ReturnType<typeof listTypes> => {
  listed ??= listTypes()
  return listed
}
